package surroundings_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/machinetest"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// limit is how long tests wait for events that come soon on an idle machine.
const limit = 2 * time.Minute

// TestMain acts as one of the test programs if the binary is called by that program's name.
func TestMain(m *testing.M) {
	program, ok := machinetest.Programs[filepath.Base(os.Args[0])]
	if !ok {
		program, ok = ownPrograms[filepath.Base(os.Args[0])]
	}
	if !ok {
		os.Exit(m.Run())
	}
	code, err := surroundings.Run(surroundings.Program{
		Options: surroundings.Options{Machine: machine.Options{Outlive: os.Getenv(outlive) != ""}},
		Main:    func(e *env.Env) int { return program(e, os.Args) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

// outlive names the environment variable that lets the children of a test program outlive it.
const outlive = "TEST_OUTLIVE"

// programs makes a directory with links to this binary under the names of the test programs.
func programs(t *testing.T) (dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, set := range []map[string]machinetest.Program{machinetest.Programs, ownPrograms} {
		for name := range set {
			if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// Goal: the real machine satisfies the contract of env. Method: the conformance cases that
// the simulated machine (sim/hosts) passes, too.
func TestConformance(t *testing.T) {
	machinetest.Run(t, func(t *testing.T) machinetest.World {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return &conforming{t: t, dir: dir, programs: programs(t)}
	})
}

type conforming struct {
	t             *testing.T
	dir, programs string
}

func (c *conforming) Dir() string                { return c.dir }
func (c *conforming) Program(name string) string { return filepath.Join(c.programs, name) }

func (c *conforming) Process(environ []string, main func(e *env.Env)) {
	c.t.Helper()
	w := walltime.New(walltime.Config{Seed: 1})
	defer w.Close()
	p := w.NewProcess("host", "main")
	p.Go("main", func() {
		e, err := surroundings.New(p, surroundings.Options{Machine: machine.Options{Environ: environ, Dir: c.dir}})
		if err != nil {
			c.t.Error(err)
			return
		}
		main(e)
	})
	ctx, cancel := context.WithTimeout(c.t.Context(), limit)
	defer cancel()
	if err := w.Wait(ctx); err != nil {
		c.t.Fatal(err)
	}
}
