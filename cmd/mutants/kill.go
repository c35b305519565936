package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A mutant that uses this many times what its part uses without one, and this much
// more, never ends. The clock's limit is wider: it also runs while others work.
const (
	patience     = 10
	leastCPU     = 5 * time.Second
	leastWaiting = 60 * time.Second
)

// verdict is what became of a mutant.
type verdict struct {
	Mutant *mutant `json:"mutant"`
	// Killed is what noticed it, empty for a survivor.
	Killed kind   `json:"killed,omitempty"`
	By     string `json:"by,omitempty"`
	// Endless says that the part did not end.
	Endless bool   `json:"endless,omitempty"`
	Reached bool   `json:"reached"`
	Reason  string `json:"reason,omitempty"` // why an equivalent one changes nothing
	run     bool
}

// attempt is one process that may notice a mutant.
type attempt struct {
	parts []*part
}

// runsFor are the processes that reach a mutant, the cheapest first: of one kind those
// that reach few mutants, as they look at this place most closely.
func runsFor(m *mutant, parts []*part) []attempt {
	var runs []attempt
	byProgram := map[string]int{}
	for _, p := range parts {
		if !p.reaches[m.ID] {
			continue
		}
		if i, ok := byProgram[p.program[0]]; ok && p.kind == byTests {
			runs[i].parts = append(runs[i].parts, p)
			continue
		}
		byProgram[p.program[0]] = len(runs)
		runs = append(runs, attempt{[]*part{p}})
	}
	slices.SortStableFunc(runs, func(a, b attempt) int {
		x, y := a.parts[0], b.parts[0]
		return cmp.Or(cmp.Compare(slices.Index(kinds, x.kind), slices.Index(kinds, y.kind)), cmp.Compare(len(x.reaches), len(y.reaches)))
	})
	return runs
}

// try runs what reaches the mutant until something notices it.
func try(ctx context.Context, m *mutant, parts []*part) (verdict, error) {
	v := verdict{Mutant: m, run: true}
	for _, r := range runsFor(m, parts) {
		v.Reached = true
		killed, endless, err := r.with(ctx, m)
		if err != nil {
			return v, err
		}
		if killed {
			v.Killed, v.By, v.Endless = r.parts[0].kind, r.name(), endless
			break
		}
	}
	return v, nil
}

func (a attempt) name() string {
	if a.parts[0].kind == byTests {
		pkg, _, _ := strings.Cut(path.Base(a.parts[0].name), ".")
		return path.Join(path.Dir(a.parts[0].name), pkg)
	}
	return a.parts[0].name
}

// with runs the process with the mutant switched on.
func (a attempt) with(ctx context.Context, m *mutant) (killed, endless bool, err error) {
	var cpu, wall time.Duration
	for _, p := range a.parts {
		cpu, wall = cpu+p.cpu, wall+p.wall
	}
	limited, cancel := context.WithTimeout(ctx, patience*wall+leastWaiting)
	defer cancel()
	command := a.parts[0].command(a.parts[1:]...)
	cmd := exec.CommandContext(limited, command[0], command[1:]...)
	cmd.Dir = a.parts[0].folder
	cmd.WaitDelay = time.Second
	seconds := int((patience*cpu + leastCPU) / time.Second)
	cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(m.ID), "MUTANT_CPU="+strconv.Itoa(seconds))
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, false, ctx.Err()
	case limited.Err() != nil:
		return true, true, nil
	case errors.As(err, &exit):
		spent := exit.UserTime() + exit.SystemTime()
		status, ok := exit.Sys().(syscall.WaitStatus)
		return true, spent >= time.Duration(seconds)*time.Second || ok && status.Signaled(), nil
	}
	return false, false, err
}

// inParallel calls do for each number below n, on all cores, until one fails.
func inParallel(ctx context.Context, n int, do func(i int) error) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed error
	next := 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == n || failed != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				if err := do(i); err != nil {
					mu.Lock()
					failed = cmp.Or(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return cmp.Or(failed, ctx.Err())
}
