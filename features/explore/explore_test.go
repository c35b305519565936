package explore

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// opened returns the worlds prepared for the simulation, with these kinds of faults.
func opened(t testing.TB, kinds []runners.FaultKind) (list []*World) {
	t.Helper()
	book := steps.NewBook(&simrun.Runner{Warm: &simrun.Warm{}, KeepLog: 1})
	for _, w := range Worlds() {
		if err := w.open(book, kinds); err != nil {
			t.Fatal(err)
		}
		list = append(list, w)
	}
	return list
}

// world returns the prepared world with a name.
func world(t testing.TB, name string) *World {
	t.Helper()
	list := opened(t, (&simrun.Runner{}).Faults())
	i := slices.IndexFunc(list, func(w *World) bool { return w.Name == name })
	if i < 0 {
		t.Fatalf("world %s: found none", name)
	}
	return list[i]
}

// texts returns the texts of a story's steps.
func texts(s *Story) (list []string) {
	for _, l := range s.Lines() {
		list = append(list, l.Text)
	}
	return list
}

// Goal: a story depends on its seed alone. Adding or removing a kind of fault changes no other act.
// Method: draw stories of each world with all kinds and without one, and compare those that do not
// draw that kind.
func TestANewKindChangesNoOtherStory(t *testing.T) {
	all := (&simrun.Runner{}).Faults()
	const gone = "zookeeper.down"
	without := slices.DeleteFunc(slices.Clone(all), func(k runners.FaultKind) bool { return k.Name == gone })
	before, after := opened(t, all), opened(t, without)
	same, compared := 0, 0
	for i, w := range before {
		for seed := range uint64(60) {
			a, b := w.Draw(seed, ""), after[i].Draw(seed, "")
			if diff := cmp.Diff(texts(a), texts(w.Draw(seed, ""))); diff != "" {
				t.Fatalf("world %s, seed %d, drawn twice:\n%s", w.Name, seed, diff)
			}
			for k := range a.Acts {
				if k >= len(b.Acts) || len(a.Acts) != len(b.Acts) || a.Acts[k].Kind == gone {
					continue
				}
				compared++
				if a.Acts[k].Kind == b.Acts[k].Kind && a.Acts[k].At == b.Acts[k].At {
					same++
				}
			}
		}
	}
	if compared < 500 || same*100 < compared*98 { // not all acts: a swarm that loses its only kind gets all kinds instead
		t.Errorf("of %d acts %d stay the same without %s, want nearly all of more than 500", compared, same, gone)
	}
}

// Goal: every story that is drawn can be written as a valid scenario.
func TestDrawnStoriesAreScenarios(t *testing.T) {
	kinds := map[string]bool{}
	for _, w := range opened(t, (&simrun.Runner{}).Faults()) {
		for seed := range uint64(60) {
			s := w.Draw(seed, "")
			if err := w.book.Check(s.Lines()); err != nil {
				t.Errorf("world %s, seed %d: %v", w.Name, seed, err)
			}
			for _, a := range s.Acts {
				kinds[a.Kind] = true
			}
		}
	}
	for _, k := range (&simrun.Runner{}).Faults() {
		if !kinds[k.Name] && k.Name != "trainer.application-master" {
			t.Errorf("fault %s: no story of 60 seeds has it", k.Name)
		}
	}
}

// Goal: what minimize leaves of a list is enough, and without any member it is not.
func TestMinimize(t *testing.T) {
	var list []int
	for i := range 300 {
		list = append(list, i)
	}
	for _, need := range [][]int{nil, {0}, {299}, {7, 150}, {3, 70, 71, 200, 298}} {
		got, asked := minimize(list, func(some []int) bool {
			return !slices.ContainsFunc(need, func(n int) bool { return !slices.Contains(some, n) })
		}, 1000)
		if !slices.Equal(got, need) || asked > 200 {
			t.Errorf("of 300 numbers, of which %v are needed, %v are left after %d questions", need, got, asked)
		}
	}
	if got, _ := minimize(list, func([]int) bool { return false }, 100); got != nil {
		t.Errorf("where nothing suffices %v is left, want nil", got)
	}
}

// act makes an act from the text of a sentence.
func act(t *testing.T, w *World, at time.Duration, kind, text string, lasts time.Duration) Act {
	t.Helper()
	l, err := w.book.Line(text)
	if err != nil {
		t.Fatal(err)
	}
	l.Refusable = true
	return Act{At: at, Line: l, For: lasts, Kind: kind}
}

// staged makes a story of given acts in the world with a name.
func staged(t *testing.T, name string, acts func(w *World) []Act) *Story {
	w := world(t, name)
	s := &Story{World: w, Shapes: slices.Clone(w.shapes), Seed: 3, Acts: acts(w)}
	for _, text := range w.Setups[0] {
		s.Setup = append(s.Setup, s.fill(text))
	}
	s.laws(false)
	return s
}

// cut runs a story, which has to fail, and returns the failure shrunk to a short scenario.
func cut(t *testing.T, s *Story) *Found {
	t.Helper()
	h := &Hunt{Runner: &simrun.Runner{}}
	all, err := repairable()
	if err != nil {
		t.Fatal(err)
	}
	h.all = all
	f := h.story(s, 1)
	if f == nil {
		t.Fatalf("the story passes, want it to fail:\n%s", strings.Join(texts(s), "\n"))
	}
	found := h.cutDown(f)
	if found == nil {
		t.Fatalf("%s: cannot be cut down", f.what)
	}
	return found
}

// Goal: a failure is shrunk to a short scenario, which fails in the same way with any seed and in
// any suite. With its cause repaired it passes. Method: hide the one act that matters among others,
// in the largest cluster of its kind.
func TestFailuresAreCutDown(t *testing.T) {
	for _, c := range []struct {
		name, world string
		acts        func(w *World) []Act
		what, cause string
		keeps       string
	}{
		{
			"an expired session of v3", "v3 1x3", func(w *World) []Act {
				return []Act{
					act(t, w, 73*time.Second, "network.slow", "the network between shard0-replica0 and ZooKeeper becomes slower by 20ms", 17*time.Second),
					act(t, w, 117613*time.Millisecond, "zookeeper.expired-session", "the ZooKeeper session of shard0-replica2 expires", 0),
					act(t, w, 200*time.Second, "agent.killed", "the agent of shard0-replica0 is killed", 0),
				}
			}, "bound", "Q208", "expires",
		},
		{
			"a session of v1 that was lost once", "v1 1x3", func(w *World) []Act {
				return []Act{
					act(t, w, 130*time.Second, "network.partition", "shard0-replica1 gets cut off from ZooKeeper", 64*time.Second),
					act(t, w, 300*time.Second, "version", "version 2 of predict_ctr:entry is exported", 0),
				}
			}, "flaps", "Q109", "cut off",
		},
	} {
		f := cut(t, staged(t, c.world, c.acts))
		if f.What != c.what || f.Cause != c.cause {
			t.Errorf("%s: %s broke by %q, want %s by %q\n%s", c.name, f.What, f.Cause, c.what, c.cause, f.Scenario)
		}
		if len(f.Story.Acts) != 1 || !strings.Contains(f.Story.Acts[0].Line.Text, c.keeps) || len(f.Story.Lines()) > 9 {
			t.Errorf("%s: want one act, that which %q, in 9 lines\n%s", c.name, c.keeps, f.Scenario)
		}
		if strings.Contains(f.Scenario, "pods that end") {
			t.Errorf("%s: want nothing about pods that end, for none does\n%s", c.name, f.Scenario)
		}
		again := suite(t, f, 4)
		if again.Failed != 4 && f.Story.Plain {
			t.Errorf("%s: fails with %d of 4 seeds, want all\n%s", c.name, again.Failed, f.Scenario)
		}
	}
}

// Goal: what a repaired story needs stays in it. Method: the model server of an agent that does not end
// by a fault is killed: nothing starts again there, but without the fault something has to.
func TestACauseIsFoundWhereNothingStartsAgain(t *testing.T) {
	s := staged(t, "v3 1x3", func(w *World) []Act {
		return []Act{act(t, w, time.Second, "modelserver.killed", "the model server of shard0-replica0 is killed", 0)}
	})
	s.Setup = []steps.Line{s.fill(`ctr:entry, ctr:ps_0 is declared with policy "latest_once"`), s.fill("ctr:entry, ctr:ps_0 is published to layout main")}
	if f := cut(t, s); f.Cause == "" {
		t.Errorf("%s: found no cause:\n%s", f.What, f.Scenario)
	}
}

// Goal: what the cluster refuses is left out, and nothing else: of two acts of the same words the
// refused one goes, an end goes alone, and the story stays as long as it was. Method: kill what runs
// no more, and end a fault that is over.
func TestRefusedActsAreLeftOut(t *testing.T) {
	s := staged(t, "training by ZooKeeper", func(w *World) []Act {
		return []Act{
			act(t, w, 10*time.Second, "trainer.stopped", "ps1 stops", 4*time.Second),
			act(t, w, 20*time.Second, "kill", "worker1 is killed", 0),
			act(t, w, 30*time.Second, "kill", "worker1 is killed", 0),
			act(t, w, 40*time.Second, "trainer.stopped", "ps1 stops", 30*time.Second),
		}
	})
	settled := s.Laws[0].Settle
	_, of := s.lines()
	var refused []int
	for i, e := range of {
		if e.act >= 2 {
			refused = append(refused, i)
		}
	}
	s.drop(refused)
	if len(s.Acts) != 2 || s.Acts[0].For != 4*time.Second || s.Acts[1].At != 20*time.Second {
		t.Errorf("left are %+v, want the first two", s.Acts)
	}
	if got, want := s.Laws[0].Settle-settled, 50*time.Second; got != want {
		t.Errorf("the first law waits %v longer, want %v, which the last act took from the story", got, want)
	}
	end := act(t, s.World, 0, "", "worker1 is killed", 0).Line
	s.Acts[0].End = &end
	_, of = s.lines()
	for i, e := range of {
		if e.ends {
			s.drop([]int{i})
		}
	}
	if len(s.Acts) != 2 || s.Acts[0].End != nil || s.Acts[0].For != 0 {
		t.Errorf("left are %+v, want the first without its end", s.Acts)
	}
}

// Goal: what is checked once all faults are over waits for those, too, whose sentence says itself how
// long they last, and for loads that are tried again.
func TestLawsWaitForFaultsThatSayHowLongTheyLast(t *testing.T) {
	const slow = "the network between shard0-replica0 and ZooKeeper becomes slower by 2s for 2m"
	s := staged(t, "v3 1x3", func(w *World) []Act {
		end := act(t, w, 0, "", slow, 0).Line
		return []Act{
			{At: 10 * time.Second, For: 5 * time.Second, Line: act(t, w, 0, "", "the agent of shard0-replica1 is killed", 0).Line, End: &end},
			act(t, w, 7*time.Second, "slow", slow, 0),
		}
	})
	if _, over := s.events(); over != 135*time.Second {
		t.Errorf("the acts are over at %v, want 2m15s", over)
	}
	s = staged(t, "v1 2x2", func(w *World) []Act {
		return []Act{act(t, w, 10*time.Second, "version.broken", "version 1 of predict_ctr:ps_1 breaks", 5*time.Second)}
	})
	if _, over := s.events(); over != 315*time.Second {
		t.Errorf("loads are tried again until %v, want 5m15s", over)
	}
	s.Acts, s.Setup = nil, append(s.Setup, s.fill("the base path of predict_ctr:ps_0 becomes unreadable for 20s"))
	if _, over := s.events(); over != 320*time.Second {
		t.Errorf("loads that failed at the start are tried again until %v, want 5m20s", over)
	}
	told := func(texts ...string) *World {
		w := *s.World
		for _, text := range texts {
			w.Told = append(w.Told, s.fill(text))
		}
		return &w
	}
	if over := told("ZooKeeper is down for 4m", "30s pass", slow, "1m passes").toldOver(); over != 150*time.Second {
		t.Errorf("what a scenario tells is over %v after its end, want 2m30s", over)
	}
	for _, text := range []string{"the agent of shard0-replica0 takes 250s to write a file", "a checkpoint takes 250s to write"} {
		if over := told(text, "1m passes").toldOver(); over != 190*time.Second {
			t.Errorf("after %q a write goes on for %v more, want 3m10s", text, over)
		}
	}
	if over := told("version 1 of predict_ctr:ps_1 is deleted", "1m passes").toldOver(); over != 4*time.Minute {
		t.Errorf("after a version is deleted loads are tried again for %v more, want 4m", over)
	}
	for _, text := range []string{"version 1 of predict_ctr:ps_1 breaks for 5s", "the base path of predict_ctr:ps_1 lists nothing for 5s"} {
		if over := told(text, "1m passes").toldOver(); over != 245*time.Second {
			t.Errorf("after %q loads are tried again for %v more, want 4m5s", text, over)
		}
	}
}

// Goal: a failure that the reference has by one rule does not become one that it has by another while
// it is cut down. Method: processes that Consul forgets (Q303), beside a PS that stands still, which is
// why a heartbeat of it fails (Q300).
func TestAFailureByARuleStaysOne(t *testing.T) {
	f := cut(t, staged(t, "training by Consul", func(w *World) []Act {
		return []Act{
			act(t, w, 191358*time.Millisecond, "consul.forgets", "Consul forgets what is registered", 0),
			act(t, w, 208245*time.Millisecond, "trainer.stopped", "ps1 stops", 33*time.Second),
			act(t, w, 592702*time.Millisecond, "trainer.stopped", "ps0 stops", 2277*time.Millisecond),
		}
	}))
	if f.What != "INV-5" || f.Cause != "Q303" || len(f.Story.Acts) == 0 || !strings.Contains(f.Story.Acts[0].Line.Text, "Consul forgets") {
		t.Errorf("found %s by %s, want INV-5 by Q303, after Consul forgets:\n%s", f.What, f.Cause, f.Scenario)
	}
}

// suite runs the scenario of a found failure with some seeds, as monosim test does.
func suite(t *testing.T, f *Found, seeds int) *steps.Report {
	t.Helper()
	s := &steps.Suite{Runner: &simrun.Runner{}, FS: fstest.MapFS{"a.feature": {Data: []byte(f.Scenario)}}, Paths: []string{"a.feature"}, Seed: 100, Seeds: seeds, Explain: -1}
	report, err := s.Run()
	if err != nil {
		t.Fatalf("%v\n%s", err, f.Scenario)
	}
	return report
}

// hunted runs a hunt in two worlds and lists what it finds.
func hunted(t *testing.T, h *Hunt) (found []string, tally *Tally) {
	t.Helper()
	h.Runner = &simrun.Runner{}
	for _, w := range Worlds() {
		if w.Name == "v3 1x3" || w.Name == "training by ZooKeeper" {
			h.Worlds = append(h.Worlds, w)
		}
	}
	h.Tell = func(f *Found) error {
		found = append(found, f.Scenario)
		return nil
	}
	tally, err := h.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return found, tally
}

// Goal: what a hunt finds, and in which order, does not depend on how many stories run at the same
// time. Shards divide the stories of a hunt among them.
func TestHuntsAreTheSameWithAnyJobs(t *testing.T) {
	one, alone := hunted(t, &Hunt{Seeds: 3, Seed: 1, Jobs: 1})
	three, _ := hunted(t, &Hunt{Seeds: 3, Seed: 1, Jobs: 3})
	if diff := cmp.Diff(one, three); diff != "" {
		t.Errorf("with one job and with three (-one +three):\n%s", diff)
	}
	if alone.Stories != 6 || alone.Failed > 0 && len(one) == 0 && alone.Lost == 0 {
		t.Errorf("%d stories, %d failed, %d found, want 6 stories, and something of each that failed", alone.Stories, alone.Failed, len(one))
	}
	stories := 0
	for shard := 1; shard <= 4; shard++ {
		_, tally := hunted(t, &Hunt{Seeds: 3, Seed: 1, Shard: shard, Shards: 4})
		stories += tally.Stories
	}
	if stories != alone.Stories {
		t.Errorf("four shards have %d stories, want %d", stories, alone.Stories)
	}
}

// Goal: a hunt whose context has ended before it begins runs no story and returns no error.
func TestAHuntEndsInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tally, err := (&Hunt{Runner: &simrun.Runner{}, Worlds: Worlds()}).Run(ctx)
	if err != nil || tally.Stories != 0 {
		t.Errorf("%d stories (%v), want none", tally.Stories, err)
	}
}

// Goal: every scenario that starts a cluster can be made a world, in which stories can be drawn and
// run.
func TestScenariosMakeWorlds(t *testing.T) {
	book := steps.NewBook(&simrun.Runner{Warm: &simrun.Warm{}, KeepLog: 1})
	files, err := fs.Glob(features.FS, "rollout.feature")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %v (%v), want rollout.feature", files, err)
	}
	stories, err := book.Stories(&steps.Suite{Runner: &simrun.Runner{}, FS: features.FS, Paths: files})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		w, err := WorldOf(s.Name, s.Lines)
		if err == nil {
			err = w.open(book, (&simrun.Runner{}).Faults())
		}
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if !slices.ContainsFunc(w.Shapes, after.MatchString) {
			t.Errorf("%s: the shapes are %q, want one that says when pods start again", s.Name, w.Shapes)
		}
		story := w.Draw(1, "")
		told := story.tell(steps.Telling{})
		if line, what := told.Failed(); line >= 0 && what == "" {
			t.Errorf("%s: %v", s.Name, told.Failure())
		}
	}
	line := func(text string) steps.Line {
		l, err := book.Line(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	w, err := WorldOf("job", []steps.Line{line("a training job with 1 worker and 1 PS"), line(`the job setting max_steps is "9"`), line("the training starts")})
	if want := []string{"a training job with 1 worker and 1 PS", restartJob, `the job setting max_steps is "9"`}; err != nil || !slices.Equal(w.Shapes, want) {
		t.Errorf("a job makes a world of %q (%v), want %q", w.Shapes, err, want)
	}
	if _, err := WorldOf("none", nil); err == nil {
		t.Error("a scenario without a cluster makes a world, want an error")
	}
}

// Goal: the text of a choice of quirks names what it keeps or repairs, after some more are
// repaired.
func TestQuirksWithSomeRepaired(t *testing.T) {
	all := []string{"Q1", "Q2", "Q3", "Q4"}
	for _, c := range []struct {
		quirks string
		more   []string
		want   string
	}{
		{"", nil, "python"}, {"python", []string{"Q2"}, "-Q2"}, {"-Q1", []string{"Q2"}, "-Q1,-Q2"}, {"Q2,Q3", []string{"Q2"}, "Q3"},
		{"fixed", nil, "fixed"}, {"python", all, "fixed"}, {"Q2, Q4", nil, "-Q1,-Q3"}, {"Q4", nil, "Q4"},
		{"Q25=fork", nil, "python,Q25=fork"}, {"-Q1,Q25=fork", []string{"Q2", "Q3"}, "Q4,Q25=fork"}, {"fixed,Q25=fork", nil, "fixed,Q25=fork"},
	} {
		if got := repaired(c.quirks, all, c.more); got != c.want {
			t.Errorf("%q with %v repaired: got %q, want %q", c.quirks, c.more, got, c.want)
		}
	}
}

// planted is the simulation with a fault that no quirk describes. A cluster in which an agent has
// started twice never counts as whole.
type planted struct{ *simrun.Runner }

func (r planted) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := r.Runner.Build(spec)
	if err != nil {
		return nil, err
	}
	return plantedCluster{c.(*simrun.Cluster)}, nil
}

type plantedCluster struct{ *simrun.Cluster }

func (c plantedCluster) Whole() error {
	for _, p := range c.Pods() {
		if s, err := c.PodState(p.Name); err != nil || s.Starts > 1 {
			return errors.Join(err, runners.Broken{Invariant: "canary", At: c.Now(), Text: p.Name + " has started twice"})
		}
	}
	return c.Cluster.Whole()
}

// Goal: a hunt finds a planted fault, shrinks it to the act that shows it, and finds no quirk as
// its cause. Method: the repaired reference, so that its own faults do not hide the planted one.
func TestACanaryIsFound(t *testing.T) {
	h := &Hunt{Runner: planted{&simrun.Runner{}}, Quirks: "fixed", Seeds: 16, Seed: 1}
	for _, w := range Worlds() {
		if w.Name == "v3 1x3" {
			h.Worlds = append(h.Worlds, w)
		}
	}
	tally, err := h.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tally.Found, func(f *Found) bool { return f.What == "canary" })
	if i < 0 {
		t.Fatalf("%d stories, %d failed: found no canary", tally.Stories, tally.Failed)
	}
	if f := tally.Found[i]; f.Cause != "" || len(f.Story.Acts) != 1 {
		t.Errorf("the canary has the cause %q and %d acts, want no cause and one act:\n%s", f.Cause, len(f.Story.Acts), f.Scenario)
	}
}

// Goal: a hunt for certain quirks ends once all are found. Missing lists those not found yet.
func TestAHuntForQuirksEnds(t *testing.T) {
	h := &Hunt{Find: []string{"Q208"}, Seed: 1}
	_, tally := hunted(t, h)
	if len(h.Missing()) > 0 || tally.Left < 0 {
		t.Errorf("%d stories, missing %v, want an end with none", tally.Stories, h.Missing())
	}
	const absent = "Q" + "152"
	h = &Hunt{Find: []string{"Q208", absent}, Seed: 1, Seeds: 2}
	if hunted(t, h); !slices.Contains(h.Missing(), absent) {
		t.Errorf("missing %v, want %s, which those worlds do not show", h.Missing(), absent)
	}
}

// Goal: a failure that the repair of a known cause helps is still taken for new where another repair
// helps, too, and no longer once that one is known. Method: a cut after which nothing is bound, where
// Q208's repair binds anew and Q41's tries again.
func TestACauseIsFoundBehindAKnownOne(t *testing.T) {
	all, err := repairable()
	if err != nil {
		t.Fatal(err)
	}
	h := &Hunt{Runner: &simrun.Runner{}, Find: []string{"Q41", "Q208"}, all: all}
	h.tally.Found = []*Found{{What: "bound", Cause: "Q208"}}
	f := h.story(museum(t, "museum/agents_v3.feature", "@Q41"), 1)
	if f == nil || f.what != "bound" {
		t.Fatalf("the story gives %+v, want that bound breaks", f)
	}
	if g := h.hidden(f, h.causes(), h.fresh()); g == nil || !slices.Equal(g.fresh, []string{"Q41"}) {
		t.Errorf("behind Q208 is %+v, want Q41", g)
	}
	h.tally.Found = append(h.tally.Found, &Found{What: "bound", Cause: "Q41"})
	if g := h.hidden(f, h.causes(), h.fresh()); g != nil {
		t.Errorf("behind Q208 and Q41 is %+v, want nothing", g)
	}
}

// Goal: of failures that broke the same law one is shrunk at a time, and none is left out.
func TestFailuresOfALawAreShrunkOneByOne(t *testing.T) {
	var list []*failure
	for _, what := range []string{"bound", "bound", "listed", "bound", "serves"} {
		list = append(list, &failure{what: what})
	}
	now, later := unlike(append(list, &failure{what: "bound", known: "Q1"}))
	whats := func(list []*failure) string {
		return strings.Join(lists.Map(list, func(f *failure) string { return f.what + f.known }), " ")
	}
	if got := whats(now) + ", then " + whats(later); got != "bound listed serves boundQ1, then bound bound" {
		t.Errorf("shrunk are %s, want one of each law first", got)
	}
}

// Goal: a world that shows nothing new gets ever fewer stories, down to a quarter, in a hunt that ends by
// its time. Where each world gets a number of stories, all get the same.
func TestWorldsThatShowNothingNewGetFewerStories(t *testing.T) {
	h := &Hunt{Worlds: Worlds()[:2]}
	h.shares = []share{{dry: 3 * dryAfter}, {dry: dryAfter - 1}}
	count := func() (first, second int) {
		stories, _ := h.next(8)
		for _, s := range stories {
			if s.World == h.Worlds[0] {
				first++
			}
		}
		return first, len(stories) - first
	}
	if first, second := count(); first != 2 || second != 8 {
		t.Errorf("the worlds get %d and %d of 8 stories, want 2 and 8", first, second)
	}
	h.Seeds = 100
	if first, second := count(); first != 8 || second != 8 {
		t.Errorf("with a number of stories the worlds get %d and %d of 8, want 8 each", first, second)
	}
	h.Seeds = 13
	if first, second := count(); first != 3 || second != 0 {
		t.Errorf("of 13 stories, of which 10 and 16 are told, the worlds get %d and %d, want 3 and none", first, second)
	}
}

// museum makes a story from the last scenario with a tag, the repaired twin of a quirk. The story
// keeps the faults of the reference, but expects the twin's outcome.
func museum(t *testing.T, feature, tag string) *Story {
	t.Helper()
	book := steps.NewBook(&simrun.Runner{Warm: &simrun.Warm{}, KeepLog: 1})
	scenarios, err := book.Stories(&steps.Suite{Runner: &simrun.Runner{}, FS: features.FS, Paths: []string{feature}, Tags: tag})
	if err != nil || len(scenarios) < 2 {
		t.Fatalf("%s: found %d scenarios (%v), want twins", tag, len(scenarios), err)
	}
	lines := scenarios[len(scenarios)-1].Lines
	var choices []runners.Choice
	outcome := lines[len(lines)-1]
	lines = slices.DeleteFunc(lines, func(l steps.Line) bool {
		if m := pinned.FindStringSubmatch(l.Text); m != nil {
			k, _ := strconv.ParseUint(m[3], 10, 64)
			value, _ := strconv.ParseUint(m[4], 10, 64)
			choices = append(choices, runners.Choice{Node: m[1], Site: m[2], K: k, Value: value})
			return true
		}
		return l.Text == "nothing is left to chance" || strings.HasPrefix(l.Text, "the agents keep the quirks")
	})
	w, err := WorldOf(tag, lines)
	if err == nil {
		err = w.open(book, (&simrun.Runner{}).Faults())
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &Story{World: w, Shapes: w.shapes, Seed: 1, Plain: true, Choices: choices, Quirks: "python", Laws: []Law{{0, outcome}}}
	for _, text := range w.Setups[0] {
		s.Setup = append(s.Setup, s.fill(text))
	}
	return s
}

// pinned matches a sentence of a scenario that fixes a choice.
var pinned = regexp.MustCompile(`^the choice ([^/]+)/(.+)#(\d+) is (\d+)$`)

// Goal: for a story whose failure depends on one choice, the choice is reported with its time and
// effect. For a story that fails with any choices, none is reported. Method: two scenarios of the
// museum, of which one states the only choice that it needs.
func TestTheMomentOfNoReturn(t *testing.T) {
	s := museum(t, "museum/agents_v3.feature", "@Q40")
	said := func(m *Moment) string { return m.Text(func(o *runners.Observation) string { return o.Op }) }
	m, ok := momentOf(s, "listed", "")
	if !ok || m.Always || siteOf(m.Choice) != siteOf(s.Choices[0]) || m.With-m.Without < hangs {
		t.Errorf("Q40: %s (%v), want the choice %s", said(&m), ok, siteOf(s.Choices[0]))
	}
	if m.Runs > mostMomentRuns || m.At <= time.Second || m.Then == nil || m.Then.Pod != "shard0-replica0" {
		t.Errorf("Q40: %d runs, at %v, then %+v, want %d at most, after the kill, and what the pod did", m.Runs, m.At, m.Then, mostMomentRuns)
	}
	m, ok = momentOf(museum(t, "museum/agents_v3.feature", "@Q208"), "bound", "")
	if !ok || !m.Always || m.With < 1-hangs || m.Runs != drawnAnew {
		t.Errorf("Q208: %s (%v) after %d runs, want none, after %d", said(&m), ok, m.Runs, drawnAnew)
	}
}
