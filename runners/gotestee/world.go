package gotestee

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners/testee"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
)

// epochSec is the time of operations whose clock is faked.
const epochSec = 1700000000

// maxVirtual is how long a case may take of its world's time.
const maxVirtual = 240 * time.Hour

// world is what one case sees: one host with one process, in virtual time.
type world struct {
	w       *vtime.World
	machine *hosts.Machine
	life    *vtime.Process
	call    *call
	failure error
}

// call is one case that is being answered.
type call struct {
	in  arguments
	env *env.Env
	// quirks are the faults of the reference that the answer has.
	quirks agent.Quirks
	// life is the case's process and machine its host, on which operations may start other processes.
	life    *vtime.Process
	machine *hosts.Machine
	host    *host
	dir     *directory
	clock   *clock
	// memAvailable are the bytes that the case's host has.
	memAvailable int64
}

func newWorld(c *testee.Case, quirks agent.Quirks) *world {
	w := &world{w: vtime.New(vtime.Config{Seed: 1, Start: time.Unix(epochSec, 0).UTC()})}
	n := network.New(w.w, network.DefaultLaw())
	w.machine = hosts.NewMachine(n, hosts.Config{Name: "host", IPs: []string{"192.0.2.10", "2001:db8::10"}})
	w.call = &call{quirks: quirks, machine: w.machine, in: arguments{Dict: decodeObject(c.In, "in"), where: "in"}}
	w.call.host, w.call.memAvailable = newHost(c.Host)
	w.call.dir = newDirectory()
	w.call.dir.writeFiles(c.Files, "files")
	w.life = w.machine.Node.NewProcess("case")
	w.call.life = w.life
	w.call.env = w.machine.Env(w.life, variables(c.Env))
	w.call.host.Host = w.call.env.Host
	w.call.env.Host = w.call.host
	w.call.env.Files = w.call.dir
	w.call.clock = &clock{Clock: w.call.env.Clock}
	w.call.env.Clock = w.call.clock
	w.call.dir.put("/proc/meminfo", meminfo(w.call.memAvailable))
	return w
}

// variables is the environment as key=value.
func variables(d *pysem.Dict) []string {
	list := []string{}
	if d == nil {
		return list
	}
	for _, item := range d.Items {
		value, ok := decode(item.Value, "env."+item.Key).(string)
		if !ok {
			badCasef("env.%s: found %s, want a string", item.Key, pysem.TypeName(item.Value))
		}
		list = append(list, item.Key+"="+value)
	}
	return list
}

// run runs fn as the main thread until it is done.
func (w *world) run(fn func(c *call)) {
	done := false
	w.life.Go("main", func() {
		fn(w.call)
		done = true
	})
	_, err := w.w.Run(vtime.Limits{Until: maxVirtual, Done: func() bool { return done }})
	switch {
	case err != nil:
		w.failure = err
	case !done:
		w.failure = badCase(fmt.Sprintf("the case is not done after %v of virtual time; waiting: %v", maxVirtual, w.w.Blocked()))
	}
}

func (w *world) close() { w.w.Close() }
