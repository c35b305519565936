package hosts_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/machinetest"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/processes"
)

// Goal: the simulated machine fulfills the contract of package env. Method: the same cases run
// against the real machine (runners/test/realrun/surroundings).
func TestConformance(t *testing.T) {
	machinetest.Run(t, func(t *testing.T) machinetest.World {
		w := vtime.New(vtime.Config{Seed: 1})
		t.Cleanup(w.Close)
		m := hosts.NewMachine(network.New(w, network.LatencyModel{Min: time.Millisecond}), hosts.Config{Name: "host", IPs: []string{"10.0.0.1"}})
		tree := map[string]string{conformingDir + "/": "", "/bin/main": "elf"}
		for _, name := range slices.Sorted(maps.Keys(machinetest.Programs)) {
			program := machinetest.Programs[name]
			tree["/bin/"+name] = "elf"
			m.Procs.Register(name, func(p *processes.Process) {
				p.Main(func() int { return program(m.Env(p.Life(), nil), p.Args()) })
			})
		}
		if err := m.FS.WriteTree(tree); err != nil {
			t.Fatal(err)
		}
		return conforming{t, w, m}
	})
}

const conformingDir = "/work"

type conforming struct {
	t *testing.T
	w *vtime.World
	m *hosts.Machine
}

func (c conforming) Dir() string                { return conformingDir }
func (c conforming) Program(name string) string { return "/bin/" + name }

func (c conforming) Process(environ []string, main func(e *env.Env)) {
	c.m.Procs.Register("main", func(p *processes.Process) {
		p.Main(func() int {
			main(c.m.Env(p.Life(), nil))
			return 0
		})
	})
	if _, err := c.m.Start(env.Command{Args: []string{"/bin/main"}, Env: environ, Dir: conformingDir}); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.w.Run(vtime.Limits{Until: time.Hour}); err != nil {
		c.t.Fatal(err)
	}
}
