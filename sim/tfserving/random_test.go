package tfserving

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
)

// The goal of these tests is that no order of exports, faults, reloads, requests
// and time brings the machine where the specification says it cannot be. Random
// scripts are played to a server that is watched (invariants_test.go); afterwards,
// faults stop and it must get where its config says (convergence_test.go). A script
// that fails is printed as testdata has it. More scripts: go test
// ./sim/tfserving -run Random -rapid.checks=100000

func TestRandomScriptsKeepTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlayer(t)
		p.play(drawScript(t).lines())
		p.settle()
		p.report(t)
	})
}

// Two runs of one script are the same to the letter.
func TestRandomScriptsRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := append(drawScript(t).lines(), "run 10m", "logs info")
		if diff := cmp.Diff(printed(t, lines, nil), printed(t, lines, nil)); diff != "" {
			t.Fatalf("the second run is different (-first +second):\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
	})
}

// printed is what a script prints.
func printed(t *rapid.T, lines []string, change func(*script)) []string {
	s := newScript(t)
	if change != nil {
		change(s)
	}
	for _, line := range lines {
		s.command(line)
	}
	return strings.Split(s.out.String(), "\n")
}

// player plays lines to a server that is watched, until something is broken.
type player struct {
	*script
	watcher *watcher
	lines   []string
	answer  *env.RPCError // to the last reload
}

func newPlayer(t *rapid.T) *player {
	p := &player{script: newScript(t)}
	p.began = func(s *Server) {
		p.watcher = watch(s, p.handles)
		p.host.onFired = func() { p.watcher.memory.look(p.watcher, false) }
	}
	p.answered = func(number int, err *env.RPCError) {
		p.answer = err
		p.watcher.answers(number, err)
	}
	return p
}

// over reports whether there is nothing more to be seen.
func (p *player) over() bool {
	return p.watcher != nil && (len(p.watcher.broken) > 0 || p.server.dead)
}

func (p *player) play(lines []string) {
	for _, line := range lines {
		if p.over() {
			return
		}
		p.lines = append(p.lines, line)
		p.line(line)
		if p.watcher != nil && !p.server.dead {
			p.watcher.probe(len(p.handles))
		}
	}
}

func (p *player) line(line string) {
	fields := strings.Fields(line)
	if fields[0] != "reload" {
		p.command(line)
		return
	}
	w := p.watcher
	free := !p.server.core.lock.Held
	before, number := w.beforeReload(), p.reloads+1
	w.reloads.calls(number)
	p.command(line)
	if free && !p.server.dead {
		w.afterReload(number, before, p.config(slices.Clone(fields[1:])), p.answer)
	}
}

// settle ends faults and lets the machine get where it must.
func (p *player) settle() {
	if p.over() {
		return
	}
	p.play(healLines())
	// What a reload waits for may bring another reload to its turn, with paths of
	// its own.
	p.play([]string{"run 10m"})
	for lines := missingLines(p.server); len(lines) > 0 && !p.over(); lines = missingLines(p.server) {
		p.play(append(lines, "run 10m"))
	}
	if !p.over() {
		p.watcher.converged()
	}
}

func (p *player) report(t *rapid.T) {
	if w := p.watcher; w != nil && len(w.broken) > 0 {
		t.Fatalf("%s\nThe script, as testdata has it:\n\n%s\n----\n%s", strings.Join(w.broken, "\n"), strings.Join(p.lines, "\n"), p.out.String())
	}
}
