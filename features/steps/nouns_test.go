package steps

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/test/simrun"
)

// free lists uses of names that may be changed without an error, because any name is legal there,
// or another name means the same. Each has its reason.
var free = []struct {
	why string
	is  func(w *World, st *step, u *noun, changed string) bool
}{
	{"of what nobody has exported, any name is legal", func(_ *World, st *step, u *noun, _ string) bool {
		return u.word == "models" && strings.Contains(u.text, notExported)
	}},
	{"the fake model server invents the versions of whatever it is asked to serve", func(w *World, _ *step, u *noun, _ string) bool {
		return w.spec.ModelServer == "python-fake" && w.spec.BareServer != nil && (isModel(u.word) || u.isVersion())
	}},
	{"below /<bzid>/<kind> a znode may have any name, and be missing", func(_ *World, st *step, u *noun, _ string) bool {
		return u.word == "path" && strings.HasPrefix(st.said.text, "znode ")
	}},
	{"agent and agents are the same", func(_ *World, _ *step, u *noun, changed string) bool {
		return u.word == "agents" && strings.Replace(changed, "agent of", "agents of", 1) == u.text
	}},
	{"the name is another of the scenario, of which the same is true", func(w *World, st *step, u *noun, changed string) bool {
		return isModel(u.word) && slices.Contains(nounsOf(w).known(st.said, u), changed)
	}},
	{"both profiles of ZooKeeper do what the scenario says", func(_ *World, st *step, _ *noun, changed string) bool {
		return strings.Contains(st.said.text, "ZooKeeper profile is") && (changed == "zookeeper-3.8" || changed == "zookeeper-3.9")
	}},
	{"the agents read this variable too, and the scenario does not depend on it", func(_ *World, st *step, _ *noun, changed string) bool {
		return strings.HasPrefix(st.said.text, "the environment variable") && slices.Contains(variables, changed)
	}},
}

// TestEveryNounIsHeld: Goal: no step passes with a wrong name. Method: change each name in each
// step of all scenarios by one letter. The scenario must then be refused before it runs, or fail.
func TestEveryNounIsHeld(t *testing.T) {
	suite := &Suite{Runner: &simrun.Runner{}, FS: os.DirFS(".."), Paths: []string{"."}}
	scenarios, err := suite.plan()
	if err != nil {
		t.Fatal(err)
	}
	m := mutator{t: t, suite: suite, known: newVocabulary(suite.Runner.Faults())}
	every, refused := 1, 10_000
	if testing.Short() { // the race detector makes it ten times as slow
		every, refused = 20, 500
	}
	for n, sc := range scenarios {
		for i := range sc.cases {
			if n%every == 0 {
				m.scenario(sc, &sc.cases[i])
			}
		}
	}
	t.Logf("%d changes: %d refused before the run, %d failed, %d passed for a reason of the list, %d passed", m.changes, m.refused, m.failed, m.legal, m.passed)
	if m.passed > 0 || m.refused < refused {
		t.Errorf("found %d that passed and %d refused, want 0 and %d or more", m.passed, m.refused, refused)
	}
}

type mutator struct {
	t                                                 *testing.T
	suite                                             *Suite
	known                                             vocabulary
	changes, refused, accepted, failed, legal, passed int
	seen                                              map[string]bool
}

// mutable lists the placeholders that stand for names of things.
var mutable = []string{"model", "models", "servable", "layout", "version", "pod", "pods", "agents", "server", "servers", "places", "trainer", "task", "quirks", "path", "method", "name", "n", "text"}

func (m *mutator) scenario(sc *scenario, c *scenarioCase) {
	w := &World{runner: m.suite.Runner}
	for _, st := range c.steps {
		if st.said.kind == aShape {
			_ = st.said.possible(w, &st)
		}
	}
	if w.operationOnly(c) {
		return
	}
	known := nounsOf(w)
	for i := range c.steps {
		st := &c.steps[i]
		for _, u := range st.said.nounsOf(st.text) {
			if m.names(st.said, &u) {
				m.noun(sc, c, i, w, known, &u)
			}
		}
		_ = known.check(st.said, st.text)
		known.take(st.said, st.text)
	}
}

func (w *World) operationOnly(c *scenarioCase) bool {
	return slices.ContainsFunc(c.steps, func(st step) bool { return st.said.kind == aQuestion })
}

// names reports whether a text in a step is the name of something, so that it is to be changed.
func (m *mutator) names(s *Sentence, u *noun) bool {
	switch {
	case !slices.Contains(mutable, u.word) || s.declares || u.absent:
		return false
	case u.word == "n":
		return u.isVersion() && s.kind != aShape && !s.exports
	case u.word == "text":
		return strings.HasPrefix(s.text, "the agent") && u.before == "the agent setting " || strings.HasPrefix(s.text, "the agents have no setting") ||
			u.before == "the environment variable " || strings.Contains(s.text, "profile is") || strings.Contains(s.text, "barrier {text}") ||
			strings.Contains(s.text, "reported as") || strings.Contains(s.text, "began to say") || strings.HasPrefix(s.text, "the workers at")
	case u.word == "name":
		return strings.HasPrefix(s.text, "model ") || strings.HasPrefix(s.text, "the job setting")
	case u.word == "path":
		return !strings.Contains(s.text, "is written with")
	case u.word == "version" || u.word == "model":
		return !s.exports
	}
	return true
}

var plain = regexp.MustCompile(`[A-Za-z0-9]`)

func (m *mutator) noun(sc *scenario, c *scenarioCase, i int, w *World, known *nouns, u *noun) {
	st := &c.steps[i]
	for at := u.begin; at < u.end; at++ {
		if !plain.MatchString(st.text[at : at+1]) {
			continue
		}
		for _, letter := range []string{"", "x", "9"} {
			if letter == st.text[at:at+1] {
				continue
			}
			m.change(sc, c, i, w, known, u, st.text[:at]+letter+st.text[at+1:])
		}
	}
}

// change tests one step with a changed name: it has to be refused or to fail.
func (m *mutator) change(sc *scenario, c *scenarioCase, i int, w *World, known *nouns, u *noun, text string) {
	if key := fmt.Sprint(sc.path, c.line(sc), i, text); m.seen[key] {
		return
	} else if m.seen == nil {
		m.seen = map[string]bool{key: true}
	} else {
		m.seen[key] = true
	}
	m.changes++
	found := m.known.match(text)
	if len(found) != 1 {
		m.refused++
		return
	}
	st := c.steps[i]
	st.text, st.said = text, found[0]
	args, err := st.said.arguments(text)
	st.args = args
	if err == nil && st.said.kind == aShape {
		err = m.shapes(c, i, &st)
	} else if err == nil {
		err = st.said.possible(w, &st)
	}
	if err == nil && st.said.kind != aShape {
		err = st.said.peopled(&w.spec, &st)
	}
	if err == nil && st.said.kind != aShape {
		err = known.check(st.said, text)
	}
	if err != nil {
		m.refused++
		return
	}
	m.run(sc, c, i, w, u, &st)
}

// shapes runs the shape sentences again, with one of them changed.
func (m *mutator) shapes(c *scenarioCase, i int, changed *step) error {
	w := &World{runner: m.suite.Runner}
	for k := range c.steps[:i] {
		if st := &c.steps[k]; st.said.kind == aShape {
			if err := st.said.possible(w, st); err != nil {
				return err
			}
		}
	}
	return changed.said.possible(w, changed)
}

// run runs the scenario with the changed step, and fails the test if the scenario passes.
func (m *mutator) run(sc *scenario, c *scenarioCase, i int, w *World, u *noun, st *step) {
	if m.accepted++; u.word == "path" && m.accepted%8 != 0 {
		return // of the many letters that paths may have, some are enough for the test
	}
	changed := *c
	changed.steps = slices.Clone(c.steps)
	changed.steps[i] = *st
	r := m.suite.runOnce(job{sc, &changed, 1})
	if r.Status != Passed {
		m.failed++
		return
	}
	said := st.text[u.begin : u.end+len(st.text)-len(c.steps[i].text)]
	for _, f := range free {
		if f.is(w, st, u, said) {
			m.legal++
			return
		}
	}
	m.passed++
	if m.passed < 40 {
		m.t.Errorf("%s:%d: %q\n  in place of %q\n  is neither refused nor fails", sc.path, st.line, st.text, c.steps[i].text)
	}
}
