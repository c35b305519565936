package tfserving

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
)

// Goal: no sequence of exports, faults, reloads, requests and waits brings the server into a state
// that the specification excludes. Method: a watcher (invariants_test.go) observes a server that
// plays random scripts. Then all faults end, and the server must reach what its config says
// (convergence_test.go). A failing script is printed in the form of testdata. For more scripts: go
// test ./sim/tfserving -run Random -rapid.checks=100000

func TestRandomScriptsKeepTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlayer(t)
		p.play(drawScript(t).lines())
		p.settle()
		p.report(t)
	})
}

// Goal: two runs of one script print exactly the same.
func TestRandomScriptsRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := append(drawScript(t).lines(), "run 10m", "logs info")
		if diff := cmp.Diff(printed(t, lines, nil), printed(t, lines, nil)); diff != "" {
			t.Fatalf("the second run is different (-first +second):\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
	})
}

// printed returns the output of a script. change, if set, modifies the script's server first.
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

// player plays lines to a watched server until an invariant is violated.
type player struct {
	*script
	watcher *watcher
	lines   []string
	answer  *env.RPCError // answer to the last reload
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

// over reports whether the script can end early, because an invariant is violated or the server is
// dead.
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

// settle ends all faults and lets time pass until the server must have converged.
func (p *player) settle() {
	if p.over() {
		return
	}
	p.play(healLines())
	// When a waiting reload ends, the next reload begins and may need other paths. So the check
	// for missing paths is repeated.
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
