package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// Idle describes simulated model servers with one model each, on separate hosts. They poll
// their disks each second and their config files each minute, and nothing else happens.
type Idle struct {
	Servers int
	For     time.Duration // in virtual time
	// Shared puts the models of all servers into one store that all hosts mount.
	Shared bool
}

// IdleResult holds how long a run of Idle took, in wall time.
type IdleResult struct {
	Start, Idle time.Duration
	// Events counts the events of the simulation during the idle time.
	Events uint64
}

// Took returns the wall time of the whole run: start and idle time.
func (r IdleResult) Took() time.Duration { return r.Start + r.Idle }

// firstLoads is the virtual time by which all servers have loaded their models. notice is
// how soon a server has to serve a new version: a poll, two ticks of 100 ms and the load.
const (
	firstLoads = time.Minute
	notice     = 2 * time.Second
)

// Run starts the servers and passes the idle time. Then it checks that the servers still
// poll: all have to serve a second version of their model within a short time.
func (i Idle) Run() (r IdleResult, err error) {
	began := time.Now()
	c := &crowd{world: vtime.New(vtime.Config{}), serving: map[int64]int{}}
	defer c.world.Close()
	c.net = network.New(c.world, network.DefaultLatency())
	if i.Shared {
		c.store = files.NewFS(c.world)
		if err := c.store.AddModelVersion("/m", 1, 1<<20); err != nil {
			return r, err
		}
	}
	for n := range i.Servers {
		if err := c.add(n); err != nil {
			return r, fmt.Errorf("server %d: %w", n, err)
		}
	}
	if err := c.expect(1, firstLoads); err != nil {
		return r, err
	}
	r.Start = time.Since(began)
	events := c.world.Events()
	if err := c.pass(i.For); err != nil {
		return r, err
	}
	r.Events = c.world.Events() - events
	r.Idle = time.Since(began) - r.Start
	for _, fs := range c.disks {
		if err := fs.AddModelVersion(basePath, 2, 1<<20); err != nil {
			return r, err
		}
	}
	return r, c.expect(2, notice)
}

const (
	basePath   = "/models/m"
	configFile = "/models.conf"
	configText = `model_config_list { config { name: "m" base_path: "` + basePath + `" model_platform: "tensorflow" } }`
)

// crowd holds the servers of one run.
type crowd struct {
	world   *vtime.World
	net     *network.Network
	store   *files.FS
	disks   []*files.FS // disks to which new versions are written
	servers int
	serving map[int64]int // number of servers that have made a version available
	failure error
}

// add starts a server with the flags that agent v3 uses (TFS-16.3).
func (c *crowd) add(n int) error {
	host := hosts.NewMachine(c.net, hosts.Config{
		Name: fmt.Sprintf("server-%05d", n), IPs: []string{fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&0xff, n&0xff)},
	})
	if err := c.furnish(host.FS); err != nil {
		return err
	}
	options, unknown, err := tfserving.ParseFlags(tfserving.Profile24, []string{
		"--model_config_file=" + configFile, "--model_config_file_poll_wait_seconds=60", "--port=8500",
	})
	if err != nil || len(unknown) > 0 {
		return fmt.Errorf("flags: found %v and unknown ones %q", err, unknown)
	}
	c.servers++
	life := host.Node.NewProcess("tensorflow_model_server")
	// The servers start at different instants, so that their polls do not coincide.
	life.After(time.Duration(n%1000)*time.Millisecond, kindStart, func() {
		node.Start(node.Config{
			Options: options, Proc: life, Host: host.Net, Files: host.FS,
			Exit: func(code int, stdout string) {
				c.failure = fmt.Errorf("%s: exit code %d: %s", host.Node.Name(), code, stdout)
			},
			OnEvent: func(e tfserving.Event) {
				if e.State == env.StateAvailable {
					c.serving[e.Version]++
				}
			},
		})
	})
	return nil
}

var kindStart = vtime.NewKind("tfbench.start")

func (c *crowd) furnish(fs *files.FS) error {
	if err := fs.WriteTree(map[string]string{configFile: configText}); err != nil {
		return err
	}
	if c.store == nil {
		c.disks = append(c.disks, fs)
		return fs.AddModelVersion(basePath, 1, 1<<20)
	}
	if len(c.disks) == 0 {
		c.disks = append(c.disks, fs) // one disk that all servers see
	}
	return fs.Mount("/models", c.store)
}

// pass passes virtual time. It returns an error if a server ends meanwhile.
func (c *crowd) pass(d time.Duration) error {
	_, err := c.world.Run(vtime.Limits{Until: c.world.Now() + d})
	return errors.Join(err, c.failure)
}

// expect passes virtual time and returns an error unless all servers have made a version
// AVAILABLE by then.
func (c *crowd) expect(version int64, within time.Duration) error {
	if err := c.pass(within); err != nil {
		return err
	}
	if got := c.serving[version]; got != c.servers {
		return fmt.Errorf("%d servers serve version %d after %v, want %d", got, version, within, c.servers)
	}
	return nil
}
