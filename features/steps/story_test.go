package steps_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// lines reads a story.
func lines(t *testing.T, b *steps.Book, texts ...string) (list []steps.Line) {
	t.Helper()
	for _, text := range texts {
		l, err := b.Line(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, l)
	}
	return list
}

var shapes = []string{
	"a v1 cluster of 1 shard with 2 replicas each", `the agent setting "num_ps" is "1"`, `replicas in "lf:default, hl:default"`,
	"model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1", "a training job with 2 workers and 2 PS", `the job setting discovery is "consul"`,
}

// Goal: every kind of fault can be drawn at random, also kinds added in future. Drawn lines, and
// plainer variants of them, are valid steps. Method: fill all sentences about faults for a cluster
// that has everything.
func TestEveryFaultCanBeDrawn(t *testing.T) {
	runner := &simrun.Runner{}
	b := steps.NewBook(runner)
	cluster := lines(t, b, shapes...)
	for _, k := range runner.Faults() {
		for _, template := range []string{k.Onset, k.Begins} {
			if template == "" {
				continue
			}
			for seed := range uint64(20) {
				cast, err := b.Cast(cluster)
				if err != nil {
					t.Fatal(err)
				}
				l, ok := b.Draw(template, cast, drawn.New(seed, k.Name))
				if !ok {
					t.Errorf("fault %s: %q cannot be drawn", k.Name, template)
					break
				}
				for _, said := range append(b.Plainer(l, cast), l) {
					if err := b.Check(append(cluster, said)); err != nil {
						t.Errorf("fault %s, seed %d: %v", k.Name, seed, err)
					}
				}
			}
		}
	}
}

// Goal: filled sentences have the grammatical forms that their words require.
func TestFilledSentencesReadWell(t *testing.T) {
	b := steps.NewBook(&simrun.Runner{})
	for _, c := range []struct {
		template, want string
		texts          []string
	}{
		{"{duration} pass(es)", "90s pass", []string{"90s"}},
		{"{places} get(s) cut off from {places}", "shard0-replica1 gets cut off from ZooKeeper", []string{"shard0-replica1", "ZooKeeper"}},
		{"{models} is/are declared", "ctr:entry is declared", []string{"ctr:entry"}},
		{"{models} is/are declared", "ctr:entry, ctr:ps_0 are declared", []string{"ctr:entry, ctr:ps_0"}},
		{"ZooKeeper applies the next {n} request(s) of {pod} without answering", "ZooKeeper applies the next 1 request of shard0-replica0 without answering", []string{"1", "shard0-replica0"}},
	} {
		l, err := b.Fill(c.template, c.texts...)
		if err != nil || l.Text != c.want {
			t.Errorf("%q with %q: got %q (%v), want %q", c.template, c.texts, l.Text, err, c.want)
		}
	}
	if _, err := b.Fill("{duration} pass(es)", "soon"); err == nil {
		t.Error("a time of \"soon\" makes a line, want an error")
	}
	if _, err := b.Fill("{duration} pass(es)"); err == nil {
		t.Error("no time makes a line, want an error")
	}
}

var small = []string{
	"a v3 cluster of 1 shard with 1 replica", "model ctr with sub-graphs entry of 30 MB in version 1", "model ctr is declared and published to layout main",
	"the cluster starts",
}

// Goal: if the cluster refuses a refusable line, the story goes on, reports the line, and otherwise
// runs as without it. A broken law ends the story and is reported by the invariant's name.
func TestStoriesAreTold(t *testing.T) {
	b := steps.NewBook(&simrun.Runner{})
	tell := func(texts ...string) *steps.Told {
		story := lines(t, b, append(append([]string{}, small...), texts...)...)
		for i := range story {
			story[i].Refusable = story[i].Keyword() == "When" && i >= len(small)
		}
		return b.Tell("a story", story, steps.Telling{Seed: 3})
	}
	refused := tell("30s pass", "the agent of shard0-replica0 is killed", "the agent of shard0-replica0 is killed", "1s passes", "shard0-replica0 has ended")
	without := tell("30s pass", "the agent of shard0-replica0 is killed", "1s passes", "shard0-replica0 has ended")
	if len(refused.Refused) != 1 || refused.Refused[0] != len(small)+2 {
		t.Errorf("lines that were refused: got %v, want the second kill", refused.Refused)
	}
	if refused.Stats.TraceHash != without.Stats.TraceHash || refused.Status != steps.Passed {
		t.Errorf("with a line that was refused: %v, trace %016x; without it trace %016x", refused.Status, refused.Stats.TraceHash, without.Stats.TraceHash)
	}
	for _, c := range []struct {
		last, what string
		line       bool
	}{
		{"within 1m the cluster is whole", "runs", true},
		{"within 1m shard0-replica0 runs", "shard0-replica0 runs", true},
		{"shard0-replica0 has ended", "", false},
	} {
		line, what := tell("30s pass", "the agent of shard0-replica0 is killed", "1s passes", c.last).Failed()
		if what != c.what || line >= 0 != c.line {
			t.Errorf("%q: failed in line %d by %q, want %q", c.last, line, what, c.what)
		}
	}
	if line, what := tell("30s pass", "version 7 of ctr:entry breaks for 1s").Failed(); line >= 0 || what != "" {
		t.Errorf("what the cluster refuses counts as broken: line %d, %q", line, what)
	}
}

// Goal: a recorded tape, replayed as the fixed choices of a plain run, makes the same run with any
// seed.
func TestARecordedStoryIsToldAgainPlainly(t *testing.T) {
	b := steps.NewBook(&simrun.Runner{})
	story := lines(t, b, append(append([]string{}, small...), "2m passes", "the cluster is whole")...)
	first := b.Tell("a story", story, steps.Telling{Seed: 5, Chance: runners.ChanceRecorded})
	again := b.Tell("a story", story, steps.Telling{Seed: 5, Chance: runners.ChanceNone, Choices: first.Tape})
	other := b.Tell("a story", story, steps.Telling{Seed: 6, Chance: runners.ChanceNone, Choices: first.Tape})
	plain := b.Tell("a story", story, steps.Telling{Seed: 5, Chance: runners.ChanceNone})
	if len(first.Tape) == 0 || first.Stats.TraceHash != again.Stats.TraceHash {
		t.Errorf("trace %016x with %d choices that differ from their default, then %016x, want the same", first.Stats.TraceHash, len(first.Tape), again.Stats.TraceHash)
	}
	if diff := cmp.Diff(first.Stats.Counts, other.Stats.Counts); diff != "" {
		t.Errorf("with the tape and another seed other things are counted (-first +other):\n%s", diff)
	}
	if plain.Stats.TraceHash == first.Stats.TraceHash {
		t.Error("a run with every choice its default is the same as that of seed 5")
	}
}

// Goal: "the cluster is quiet" holds only if it is quiet for the whole time stated. Anything seen
// at any moment of it breaks the law.
func TestQuietLasts(t *testing.T) {
	b := steps.NewBook(&simrun.Runner{})
	for _, c := range []struct {
		disturb []string
		what    string
	}{
		{nil, ""},
		{[]string{"znode /gip/binding/ctr/entry:monolith.serving;lf;default:shard0-replica0 is deleted", "shard0-replica0 gets cut off from ZooKeeper for 2m"}, "noise"},
	} {
		texts := append(append([]string{}, small...), "2m passes")
		texts = append(append(texts, c.disturb...), "for 3m the cluster is quiet")
		told := b.Tell("a story", lines(t, b, texts...), steps.Telling{Seed: 3})
		if _, what := told.Failed(); what != c.what && !(c.what != "" && what == "flaps") {
			t.Errorf("after %q: %q broke, want %q", c.disturb, what, c.what)
		}
		if last := told.Steps[len(told.Steps)-1]; c.what == "" && last.Took != 3*time.Minute {
			t.Errorf("for 3m took %v of the cluster", last.Took)
		}
	}
}

// Goal: a story that cannot be a scenario is refused, and the error names its line.
func TestStoriesAreChecked(t *testing.T) {
	b := steps.NewBook(&simrun.Runner{})
	for _, text := range []string{"the agent of shard0-replica7 is killed", "version 4 of ctr:entry is deleted", "worker1 is killed", "the cluster is quiet"} {
		err := b.Check(lines(t, b, append(append([]string{}, small...), text)...))
		if err == nil || !strings.HasPrefix(err.Error(), text+": ") {
			t.Errorf("%q: got %v, want an error about it", text, err)
		}
	}
}
