package surroundings

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
)

// Program describes a program that Run runs, and its surroundings.
type Program struct {
	Options
	// Node and Name name the host and the program in reports. Node also takes part in the random
	// choices, with Seed.
	Node, Name string
	// Seed determines all random choices. 0 means a new seed for each run.
	Seed uint64
	// Speed is how much faster than the clock the program's time runs. 0 means 1. The model
	// servers and ZooKeeper that it uses must have the same speed.
	Speed float64
	// Main runs as the main thread and returns the exit code.
	Main func(e *env.Env) int
}

// Run runs the program in this operating system process, which may run only one program. It
// returns the exit code once Main ends or, in a forked copy, once the forked function ends.
// If the program is killed or calls Exit, this process ends instead. An error is a panic of
// the program, or a failure to make its environment.
func Run(p Program) (code int, err error) {
	if p.Seed == 0 {
		p.Seed = rand.Uint64()
	}
	r := &running{Program: p, world: walltime.New(walltime.Config{Seed: p.Seed, Speed: p.Speed})}
	defer r.world.Close()
	r.Machine.Fork, err = machine.NewFork(r.begin)
	if err != nil {
		return 0, err
	}
	r.ended.L = &r.mu
	r.begin(p.Main)
	go func() { r.end(0, r.world.Wait(context.Background())) }()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.over {
		r.ended.Wait()
	}
	return r.code, r.err
}

// running is the state of Run: the program, its world, and how it ended.
type running struct {
	Program
	world *walltime.World

	mu    sync.Mutex
	ended sync.Cond
	over  bool
	code  int
	err   error
}

// begin runs main as the main thread of a process.
func (r *running) begin(main func(*env.Env) int) {
	life := r.world.NewProcess(r.Node, r.Name)
	life.Go("MainThread", func() {
		e, err := New(life, r.Options)
		if err != nil {
			r.end(0, err)
			return
		}
		code := main(e)
		if r.Machine.Fork.Replaying() {
			r.end(0, fmt.Errorf("a forked copy of %s never came to its fork: what it has read until then must have changed since; start it again", r.Name))
			return
		}
		r.end(code, nil)
	})
}

// end records how the program ended. Only the first call counts.
func (r *running) end(code int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.over, r.code, r.err = true, code, err
		r.ended.Broadcast()
	}
}
