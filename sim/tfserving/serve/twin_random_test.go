package serve

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/vtime"
)

var randomTwins = flag.Int("twins", 30, "random scripts that are played to both modes")

// twinSpeed shortens a poll interval of 1 s to 5 ms.
const twinSpeed = 200

// Goal: random scripts give the same results in virtual time and in a served process (TFS-1.2),
// except for instants and the order between models. Method: after each step the served process
// waits until it has had as many events and answers as the virtual one, and then for some more
// polls.
func TestRandomScriptsAreTheSameInBothModes(t *testing.T) {
	for seed := range *randomTwins {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			script := drawTwinScript(l, uint64(seed))
			virtual := startRestingVirtual(t, l, script)
			served := startRestingServed(l, script)
			for i, step := range script.steps {
				step.do(virtual)
				want := virtual.rest(script)
				served.expect(virtual.answers)
				step.do(served)
				got := served.rest(script, virtual)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("after step %d of (-virtual +served):\n%s\n%s\nlog:\n%s", i+1, diff, script, l.logged())
				}
			}
		})
	}
}

// prepareTwin creates the files that a server needs at its start, including the model pollMark.
func prepareTwin(s restingTwin, l *lab, script *twinScript) {
	exportTo(s, l.path(pollMark, "1"), "{}")
	if script.file {
		s.put(l.path("config"), script.first)
	}
}

// pollMark is a model without versions, listed first in every config. Every poll logs a warning
// about it, so a test can count the polls.
const pollMark = "0"

// restingTwin is a twin that can execute all steps of random scripts.
type restingTwin interface {
	twin
	// put creates or replaces a file in one step.
	put(path, text string)
	rename(from, to string)
}

// sight is the visible state of a server after a step, when nothing happens any more.
type sight struct {
	Events   map[string][]string // by model, or by version when there are pools
	Statuses []string
	Predicts []string
	Reloads  map[string]string // those that were answered
}

func look(s twin, script *twinScript, reloads map[string]string) sight {
	seen := sight{Events: map[string][]string{}, Reloads: reloads}
	for _, e := range s.events() {
		key, _, _ := strings.Cut(e, " ")
		if !script.pools {
			key, _, _ = strings.Cut(key, ":")
		}
		seen.Events[key] = append(seen.Events[key], e)
	}
	for _, m := range twinModels {
		seen.Statuses = append(seen.Statuses, m+": "+s.status(specOf(m)))
		label := &apis.ModelSpec{Name: m, VersionChoice: &apis.ModelSpec_VersionLabel{VersionLabel: "stable"}}
		seen.Predicts = append(seen.Predicts, m+": "+s.predict(specOf(m)), m+" stable: "+s.predict(label))
	}
	return seen
}

// restingVirtual is the twin that runs in virtual time.
type restingVirtual struct{ *virtualTwin }

func startRestingVirtual(t *testing.T, l *lab, script *twinScript) *restingVirtual {
	return &restingVirtual{newVirtualTwin(t, script.machine, func(v *virtualTwin) { prepareTwin(&restingVirtual{v}, l, script) })}
}

func (v *restingVirtual) put(path, text string) {
	if err := v.fs.WriteFile(path, []byte(text)); err != nil {
		v.Fatal(err)
	}
}

func (v *restingVirtual) rename(from, to string) {
	if err := v.fs.Rename(from, to); err != nil {
		v.Fatal(err)
	}
}

// restTime is longer than the consequences of any step take.
const restTime = 20 * time.Second

func (v *restingVirtual) rest(script *twinScript) sight {
	if _, err := v.world.Run(vtime.Limits{Until: v.world.Now() + restTime}); err != nil {
		v.Fatal(err)
	}
	return look(v, script, v.answers)
}

// restingServed is the twin that runs as a served process. It changes files in one step each, as
// the virtual twin does, so that no poll sees half of a change.
type restingServed struct {
	*servedTwin
	told    map[string]string // what the virtual twin answered to reloads
	trashed int
}

func startRestingServed(l *lab, script *twinScript) *restingServed {
	s := &restingServed{servedTwin: &servedTwin{lab: l, answers: map[string]chan string{}}, told: map[string]string{}}
	prepareTwin(s, l, script)
	s.servedTwin = newServedTwin(l, script.machine, twinSpeed)
	return s
}

// expect receives the answers that the virtual twin gave to reloads.
func (s *restingServed) expect(answers map[string]string) { s.told = answers }

func (s *restingServed) put(name, text string) {
	staging := s.path(".file")
	s.must(os.WriteFile(staging, []byte(text), 0o644))
	s.must(os.Rename(staging, name))
}

func (s *restingServed) rename(from, to string) { s.must(os.Rename(from, to)) }

func (s *restingServed) remove(name string) {
	s.trashed++
	trash := s.path(".trash", fmt.Sprint(s.trashed), path.Base(name))
	s.must(os.MkdirAll(path.Dir(trash), 0o755))
	s.must(os.Rename(name, trash))
}

// reload sends a reload over gRPC if it will be answered. A reload that will wait is passed to the
// server directly, because over gRPC a test cannot know whether it has arrived before the next
// step.
func (s *restingServed) reload(name string, r *apis.ReloadConfigRequest) {
	if s.told[name] != "" {
		s.servedTwin.reload(name, r)
		return
	}
	answer := make(chan string, 1)
	s.answers[name] = answer
	s.s.reload(r, func(_ *apis.ReloadConfigResponse, err error) { answer <- outcome(err) })
}

// polls waits until n more polls have been made.
func (s *restingServed) polls(n int) {
	s.Helper()
	count := func() int { return strings.Count(s.log.String(), "No versions of servable "+pollMark+" found") }
	s.mu.Lock()
	want := count() + n
	s.mu.Unlock()
	s.waitFor(fmt.Sprintf("%d polls", n), func() bool { return count() >= want })
}

// rest waits for as many events and answers as the virtual twin had, and then for polls. The first
// poll may have begun before the step, the second begins after it, and the third after its effects.
// A config file needs one more.
func (s *restingServed) rest(script *twinScript, virtual *restingVirtual) sight {
	s.Helper()
	s.waitFor(fmt.Sprintf("%d events", len(virtual.heard)), func() bool { return len(s.lab.events) >= len(virtual.heard) })
	reloads := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(virtual.answers)) {
		reloads[name] = s.awaitReload(name)
		s.answers[name] <- reloads[name] // passed on for the next look at the answers
	}
	s.polls(4)
	return look(s, script, reloads)
}
