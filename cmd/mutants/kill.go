package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// A mutant counts as endless when a part of the tests takes much longer than without the mutant.
// The limit is patience times as long, plus leastCPU of CPU time or leastWaiting of wall time. Wall
// time has more room than CPU time, because other processes run at the same time.
const (
	patience     = 10
	leastCPU     = 5 * time.Second
	leastWaiting = 60 * time.Second
)

// verdict is the result of running a mutant.
type verdict struct {
	Mutant *mutant `json:"mutant"`
	// Killed is the kind of the part that noticed the mutant, "" if none did. By is that part's
	// name.
	Killed kind   `json:"killed,omitempty"`
	By     string `json:"by,omitempty"`
	// Endless means that the part did not end in time when it ran with the mutant.
	Endless bool   `json:"endless,omitempty"`
	Reached bool   `json:"reached"`
	Reason  string `json:"reason,omitempty"` // why an equivalent mutant has no effect
}

// survived describes a mutant that no part noticed, on one line.
func (v verdict) survived() string {
	line := "survived " + v.Mutant.String()
	if !v.Reached {
		line += " (nothing would see a difference)"
	}
	return line
}

// attempt is one process that may notice a mutant: one or more parts of the same program.
type attempt []*part

const (
	// firstAlone is how many parts of a kind run first, each in a process of its own. The others
	// then run together.
	firstAlone = 3
	// slow is the duration beyond which a test runs after all faster tests.
	slow = 200 * time.Millisecond
)

// attempts lists what to run for a mutant, the cheapest first. Within a kind, parts that reach few
// mutants come first, because they test the mutant's place most closely.
func attempts(m *mutant, parts []*part) []attempt {
	var all []attempt
	for _, k := range []kind{byVectors, byScenarios} {
		some := reaching(m, parts, func(p *part) bool { return p.kind == k })
		limit := len(all) + firstAlone
		for len(some) > 0 && len(all) < limit {
			all = append(all, some[:1])
			some = some[1:]
		}
		if len(some) > 0 {
			all = append(all, some)
		}
	}
	for _, late := range []bool{false, true} {
		all = append(all, byBinary(reaching(m, parts, func(p *part) bool { return p.kind == byTests && (p.cpu > slow) == late }))...)
	}
	for _, p := range reaching(m, parts, func(p *part) bool { return p.kind == byStories }) {
		all = append(all, attempt{p})
	}
	return all
}

func reaching(m *mutant, parts []*part, wanted func(*part) bool) []*part {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p *part) bool { return !p.reaches[m.ID] || !wanted(p) })
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(len(a.reaches), len(b.reaches)) })
	return parts
}

// byBinary groups tests by their test binary, one for each package.
func byBinary(tests []*part) []attempt {
	var all []attempt
	for _, p := range tests {
		i := slices.IndexFunc(all, func(a attempt) bool { return a[0].program[0] == p.program[0] })
		if i < 0 {
			i = len(all)
			all = append(all, nil)
		}
		all[i] = append(all[i], p)
	}
	return all
}

// try runs the parts that reach the mutant until one of them notices it.
func try(ctx context.Context, m *mutant, parts []*part) (verdict, error) {
	v := verdict{Mutant: m}
	for _, r := range attempts(m, parts) {
		v.Reached = true
		killed, endless, err := r.with(ctx, m)
		if err != nil {
			return v, err
		}
		if killed {
			v.Killed, v.By, v.Endless = r[0].kind, r.name(), endless
			break
		}
	}
	return v, nil
}

// name returns the name of the first part, and the number of the others.
func (a attempt) name() string {
	if len(a) == 1 {
		return a[0].name
	}
	return fmt.Sprintf("%s and %d more", a[0].name, len(a)-1)
}

// with runs the attempt's process with one mutant switched on.
func (a attempt) with(ctx context.Context, m *mutant) (killed, endless bool, err error) {
	var cpu, wall time.Duration
	for _, p := range a {
		cpu, wall = cpu+p.cpu, wall+p.wall
	}
	limited, cancel := context.WithTimeout(ctx, patience*wall+leastWaiting)
	defer cancel()
	args := command(a)
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	cmd.Dir = a[0].folder
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

// inParallel calls do for each number from 0 to n-1, on all cores. It stops when a call fails.
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
