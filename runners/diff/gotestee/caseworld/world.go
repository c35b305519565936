// Package caseworld is what one case of the testee protocol sees: a host with one
// process in virtual time, whose files, addresses and ZooKeeper are as the protocol
// fakes them, and its arguments and answers.
//
// Two things to use first:
//
//   - [New] makes the [World] of a case; [World.Run] runs what answers it, which is
//     handed a [Call].
//   - [Call.Answer] calls the function of an operation, [Call.Run] does the steps of a sequence.
//
// Where to change what:
//
//   - how Go functions get the fields of a case: bind.go
//   - how steps are done: sequence.go
//   - the host: host.go and clock.go
//   - its files: directory.go
//   - the ZooKeeper and its calls that fail: zookeeper.go and refusals.go
//   - how values are read: arguments.go
//   - how they are written: values.go
//   - how errors are named: failure.go
//   - how a case ends that cannot be answered: verdict.go
//   - what is shown beside an answer: shown.go
//
// Unstable: any commit may change it.
package caseworld

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
)

// EpochSec is the time, in Unix seconds, that operations with a fake clock see.
const EpochSec = 1700000000

// These limit what happens in a case: its virtual time, and its events, since threads that never
// sleep take no time. A case that needs more is skipped.
const (
	maxVirtual = 24 * time.Hour
	maxEvents  = 1 << 18
)

// World is the simulated world of one case: one host with one process, in virtual time.
type World struct {
	w       *vtime.World
	machine *hosts.Machine
	life    *vtime.Process
	Call    *Call
	Failure error
}

// Call is one case while it is being answered.
type Call struct {
	In  Arguments
	Env *env.Env
	op  *catalogue.Operation
	// Quirks holds the faults of the reference that the answer keeps.
	Quirks quirks.Set
	// Life is the case's process, and Machine is its host. Operations may start further processes
	// on the host.
	Life    *vtime.Process
	Machine *hosts.Machine
	Host    *Host
	Dir     *Directory
	Clock   *Clock
	// memAvailable is how many bytes of memory are free on the case's host.
	memAvailable int64
	shown        *shown
}

// New makes the world of a case. The answer keeps the given faults of the reference. Call
// [World.Close] at the end.
func New(c *testee.Case, quirks quirks.Set) *World {
	w := &World{w: vtime.New(vtime.Config{Seed: 1, Start: time.Unix(EpochSec, 0).UTC(), NoLeaps: true})}
	n := network.New(w.w, evenLatency())
	shows := newShown(c)
	w.machine = hosts.NewMachine(n, hosts.Config{Name: "host", IPs: []string{"192.0.2.10", "2001:db8::10"}, Logs: shows.logs})
	w.Call = &Call{Quirks: quirks, shown: shows, Machine: w.machine, op: catalogue.Find(c.Op), In: Arguments{Dict: decodeObject(c.In, "in"), Where: "in"}}
	w.Call.Host, w.Call.memAvailable = newHost(c.Host)
	w.life = w.machine.Node.NewProcess("case")
	w.Call.Life = w.life
	w.Call.Dir = newDirectory(files.NewView(w.life, w.machine.FS, CaseDir))
	w.Call.Dir.WriteFiles(c.Files, "files")
	w.Call.Env = w.machine.Env(w.life, variables(c.Env))
	w.Call.Host.Host = w.Call.Env.Host
	w.Call.Env.Host = w.Call.Host
	w.Call.Env.Files = w.Call.Dir
	w.Call.Env.Tasks = caseTasks{w.Call.Env.Tasks, shows.waits}
	w.Call.Clock = &Clock{Clock: w.Call.Env.Clock}
	w.Call.Env.Clock = w.Call.Clock
	w.Call.Dir.Put("/proc/meminfo", meminfo(w.Call.memAvailable))
	return w
}

// evenLatency returns the usual latencies, except that all messages within the host take equally
// long. So answers of one thread to several clients arrive in the order in which it sends them. In
// Python the threads of the clients share a lock, with the same effect.
func evenLatency() network.LatencyModel {
	m := network.DefaultLatency()
	m.LoopbackSpread = 0
	return m
}

// variables returns the environment as key=value.
func variables(d *pysem.Dict) []string {
	list := []string{}
	if d == nil {
		return list
	}
	for _, item := range d.Items {
		value, ok := decode(item.Value, "env."+item.Key).(string)
		if !ok {
			BadCasef("env.%s: found %s, want a string", item.Key, pysem.TypeName(item.Value))
		}
		list = append(list, item.Key+"="+value)
	}
	return list
}

// Run runs fn as the main thread of the case's process, until it returns.
func (w *World) Run(fn func(c *Call)) {
	done := false
	w.life.Go("main", func() {
		fn(w.Call)
		done = true
	})
	_, err := w.w.Run(vtime.Limits{Until: maxVirtual, MaxEvents: maxEvents, Done: func() bool { return done }})
	switch {
	case err != nil:
		w.Failure = err
	case !done:
		w.Failure = Skipped(fmt.Sprintf("the case is not done after %v of its time, where the most are %v and %d events; waiting: %v", w.w.Now(), maxVirtual, maxEvents, w.w.Blocked()))
	}
}

// Close ends the world and everything that runs in it.
func (w *World) Close() { w.w.Close() }
