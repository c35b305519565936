package explore

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing/fstest"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
)

// Hunt draws stories and tells them, round after round. Neither what it finds nor the order of that
// depends on Jobs.
type Hunt struct {
	Runner runners.Runner
	Worlds []*World
	// Seed is the first seed, Seeds how many stories each world gets; 0 is without end.
	Seed  uint64
	Seeds int
	// Jobs is how many stories are told at the same time; 0 means one for each core.
	Jobs int
	// Shard and Shards take every Shards-th story from the Shard-th on; 0 takes all.
	Shard, Shards int
	// Quirks are those of stories whose world sets none.
	Quirks string
	// Find, when set, has the quirks to find, by id: the hunt ends once each was a cause. Of three rounds
	// one has those repaired that were found, and one a swarm of quirks for each story, so that the rarer
	// ones show.
	Find []string
	// FailFast ends the hunt with the first thing found that has no cause.
	FailFast bool
	// Moments has the moment of no return looked for in what is found, by up to 400 stories more each.
	Moments bool
	// Progress, when set, is called from time to time, and Tell with each thing that is found, in
	// order. An error of Tell ends the hunt.
	Progress func(*Tally)
	Tell     func(*Found) error

	all   []string // ids of quirks that can be repaired
	done  func()   // ends the hunt, as ctx does
	tally Tally
	mu    sync.Mutex // of tally, where stories are told side by side
}

// Tally counts a hunt.
type Tally struct {
	// Stories are those that were drawn and told, Failed those of them that broke a law, and Told all
	// that was told, for shrinking and for causes too.
	Stories, Failed, Told int
	// Again are stories that were told again without leaps.
	Again int
	// Odd are stories that broke off because the cluster could not do what they say.
	Odd int
	// Lost are failures that no scenario could be made of.
	Lost int
	// Left are failures that there was no time to look at.
	Left    int
	Virtual time.Duration
	Found   []*Found
}

// Unknown counts what was found without a cause.
func (t *Tally) Unknown() (n int) {
	for _, f := range t.Found {
		if f.Cause == "" {
			n++
		}
	}
	return n
}

// Found is one kind of failure: one invariant by one cause.
type Found struct {
	// World is the first that had it, Seed the story's, and After how many stories were told by then.
	World string
	Seed  uint64
	After int
	// What broke: the id of an invariant, "panic", "leaps" where two runs of a story differ, or a
	// sentence that was not so. Err is the message.
	What, Err string
	// Cause names the smallest set of repairs with which the story passes, as "Q43 and Q208", or the
	// rule by which the reference breaks the invariant; "" means that it is unknown.
	Cause string
	// Times counts stories that failed like this, Told how many were told to cut it down.
	Times, Told int
	Story       *Story
	// Scenario is the story as a .feature file, Name a name for the file.
	Scenario, Name string
	// Moment is the choice that decided, nil where Hunt.Moments does not ask for it or none is found.
	Moment *Moment
	kinds  []string
	// byRule is set where the reference breaks the invariant by a registered rule.
	byRule bool
}

// failure is a story that failed.
type failure struct {
	story   *Story
	what    string
	err     error
	known   string
	refused []int
	after   int
}

const (
	// firstRound and lastRound are how many stories of each world a round has, at first and later.
	firstRound, lastRound = 4, 128
	// batch is how many failures are cut down at the same time, before others are held to them.
	batch = 8
	// againEvery has every so many stories told again without leaps.
	againEvery = 50
	// lookAgain has one of so many failures cut down that look like one before.
	lookAgain = 24
)

// Run hunts until all seeds are used or ctx ends.
func (h *Hunt) Run(ctx context.Context) (*Tally, error) {
	all, err := repairable()
	if err != nil {
		return nil, err
	}
	h.all = all
	book := steps.NewBook(h.Runner)
	for _, w := range h.Worlds {
		if err := w.open(book, h.Runner.Faults()); err != nil {
			return nil, err
		}
	}
	ctx, h.done = context.WithCancel(ctx)
	defer h.done()
	asked := h.Quirks
	defer func() { h.Quirks = asked }()
	done, round := 0, firstRound
	for i := 0; ctx.Err() == nil && (h.Seeds == 0 || done < h.Seeds); i++ {
		if h.Quirks = asked; i%3 == 1 && len(h.Find) > 0 {
			h.Quirks = repaired(asked, h.all, h.causes())
		}
		n := round
		if h.Seeds > 0 {
			n = min(n, h.Seeds-done)
		}
		if err := h.round(ctx, h.Seed+uint64(done), n, i%3 == 2 && len(h.Find) > 0); err != nil {
			return &h.tally, err
		}
		done, round = done+n, min(2*round, lastRound)
	}
	return &h.tally, nil
}

// mine reports whether a story is of the hunt's shard.
func (h *Hunt) mine(i int) bool { return h.Shards <= 1 || i%h.Shards == h.Shard-1 }

// round tells the stories of n seeds, and then looks at what failed. swarm has each story keep a swarm
// of quirks.
func (h *Hunt) round(ctx context.Context, seed uint64, n int, swarm bool) error {
	var stories []*Story
	for i := range n {
		for k, w := range h.Worlds {
			if s := seed + uint64(i); h.mine(int(s-h.Seed)*len(h.Worlds) + k) {
				stories = append(stories, &Story{World: w, Seed: s})
			}
		}
	}
	results := make([]*failure, len(stories))
	before, causes := h.tally.Stories, h.causes()
	told := h.parallel(ctx, len(stories), func(i int) {
		s := stories[i]
		quirks := h.Quirks
		if swarm {
			quirks = swarmOf(s.Seed, quirks, h.all, causes)
		}
		results[i] = h.story(s.World.Draw(s.Seed, quirks), before+i+1)
	})
	h.tally.Stories += told
	failed := lists.Filter(results, func(f *failure) bool { return f != nil })
	h.tally.Failed += len(failed)
	return h.look(ctx, failed)
}

// story tells one story; nil means that it passed.
func (h *Hunt) story(s *Story, after int) *failure {
	told := h.tell(s, steps.Telling{})
	line, what := told.Failed()
	if line >= 0 && what == "" {
		h.count(func(t *Tally) { t.Odd++ })
		return nil
	}
	f := &failure{story: s, what: what, err: told.Failure(), refused: told.Refused, after: after}
	if what == "" {
		if f.known = known(told.Known); f.known == "" {
			return h.again(s, told, f)
		}
		f.what, f.err = told.Known[0].Invariant, told.Known[0]
	}
	return f
}

// again tells every so many stories once more without leaps and with all details, which has to
// come to the same.
func (h *Hunt) again(s *Story, first *steps.Told, f *failure) *failure {
	if drawn.New(s.Seed, "again").N(againEvery) != 0 {
		return nil
	}
	second := h.tell(s, steps.Telling{NoLeaps: true, Detail: true})
	h.count(func(t *Tally) { t.Again++ })
	if _, what := second.Failed(); what != "" {
		f.what, f.err = what, second.Failure()
		if what != "history" {
			f.what = "leaps"
		}
		return f
	}
	if first.Stats.TraceHash != second.Stats.TraceHash {
		f.what, f.err = "leaps", fmt.Errorf("trace %016x, and %016x without leaps and with details, want the same", first.Stats.TraceHash, second.Stats.TraceHash)
		return f
	}
	return nil
}

// tell tells a story and counts it.
func (h *Hunt) tell(s *Story, how steps.Telling) *steps.Told {
	told := s.tell(how)
	h.count(func(t *Tally) { t.Told++; t.Virtual += told.Stats.Virtual })
	return told
}

func (h *Hunt) count(change func(*Tally)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.tally)
	if h.Progress != nil {
		h.Progress(&h.tally)
	}
}

// parallel calls do for 0 to n-1 until ctx ends, and returns how many calls it made: the first ones.
func (h *Hunt) parallel(ctx context.Context, n int, do func(i int)) int {
	workers := h.Jobs
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var ended sync.WaitGroup
	for range min(workers, n) {
		ended.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	ended.Wait()
	return min(int(next.Load()), n)
}

// look cuts down what failed in a new way. What is like something that was found counts as that, but
// for some of it: with what is known repaired it has to pass.
func (h *Hunt) look(ctx context.Context, failed []*failure) error {
	failed = h.behind(ctx, failed)
	for len(failed) > 0 {
		now, later := failed[:min(batch, len(failed))], failed[min(batch, len(failed)):]
		small := make([]*Found, len(now))
		if h.parallel(ctx, len(now), func(i int) { small[i] = h.cutDown(now[i]) }) < len(now) || ctx.Err() != nil {
			h.tally.Left += len(failed)
			return nil
		}
		for _, f := range small {
			if err := h.add(f); err != nil {
				return err
			}
		}
		failed = h.behind(ctx, later)
	}
	return nil
}

// behind returns those failures that are not like what was found, or still fail with the causes of
// what was found repaired: then they stay that way, so that what hides behind a cause is seen.
func (h *Hunt) behind(ctx context.Context, failed []*failure) (left []*failure) {
	causes := h.causes()
	alike := make([]*Found, len(failed))
	still := make([]*failure, len(failed))
	h.parallel(ctx, len(failed), func(i int) {
		f := failed[i]
		if alike[i] = h.alike(f); alike[i] == nil || drawn.New(f.story.Seed, "look again").N(lookAgain) == 0 {
			still[i] = f
			return
		}
		if len(causes) == 0 || alike[i].Cause == "" {
			return
		}
		s := f.story.clone()
		if s.Quirks = repaired(s.Quirks, h.all, causes); s.Quirks == f.story.Quirks {
			still[i] = f
			return
		}
		still[i] = h.story(s, f.after)
	})
	for i := range failed {
		switch {
		case still[i] != nil:
			left = append(left, still[i])
		case alike[i] != nil:
			alike[i].Times++
		default:
			h.tally.Left++ // there was no time
		}
	}
	return left
}

// alike returns what was found that broke the same law by some of the same acts; nil for none.
func (h *Hunt) alike(f *failure) *Found {
	kinds := f.story.kinds()
	return lists.Find(h.tally.Found, func(o *Found) bool {
		return o.What == f.what && !slices.ContainsFunc(o.kinds, func(k string) bool { return !slices.Contains(kinds, k) })
	})
}

// cutDown makes a scenario of a failure and finds its cause; nil means that it could not.
func (h *Hunt) cutDown(f *failure) *Found {
	found := &Found{
		World: f.story.World.Name, Seed: f.story.Seed, After: f.after, What: f.what, Err: fmt.Sprint(f.err), Cause: f.known,
		Times: 1, Story: f.story, kinds: f.story.kinds(), byRule: f.known != "",
	}
	if f.what == "leaps" || f.what == "history" {
		h.write(found)
		return found
	}
	sh, ok := shrink(f.story, f.what, f.known != "", f.refused)
	found.Told = sh.runs
	if ok {
		sh.tape(mostTapeRuns)
		found.Told = sh.runs
		found.Story, found.kinds = sh.best, sh.best.kinds()
		if f.known == "" {
			ids, runs := causeOf(sh.best, h.all, h.causes())
			found.Told += runs
			found.Cause = strings.Join(ids, " and ")
			sh.only(ids)
			found.Story = sh.best
		}
		h.write(found)
	}
	h.count(func(t *Tally) { t.Told += found.Told })
	if !ok || !h.verify(found) {
		return nil
	}
	if h.Moments {
		m, ok := momentOf(found.Story, found.What, found.byRule)
		h.count(func(t *Tally) { t.Told += m.Runs })
		if ok {
			found.Moment = &m
		}
	}
	return found
}

// mostTapeRuns bounds the runs that shrink a tape.
const mostTapeRuns = 150

// write writes the scenario of what was found.
func (h *Hunt) write(f *Found) {
	remarks := []string{"World " + f.World + ", seed " + number(f.Seed) + "."}
	if f.Cause != "" {
		remarks = append(remarks, "Cause: "+f.Cause+".")
	}
	switch {
	case f.byRule:
		remarks[0] += " The reference breaks it by a rule, so that it passes."
	case f.Story.Plain:
		remarks[0] += " It fails with any seed."
	default:
		remarks[0] += " It needs its choices: --seed " + number(f.Seed) + "."
	}
	if f.What == "leaps" {
		remarks = append(remarks, "With --check-determinism --no-leaps the traces differ.")
	}
	f.Scenario = f.Story.Scenario(f.title(), remarks...)
	name := []string{f.What}
	if f.Cause != "" {
		name = append(name, h.idsOf(f.Cause)...)
	} else {
		name = append(name, f.kinds...)
	}
	f.Name = strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.':
			return r
		}
		return '-'
	}, strings.Join(name, "-")), "-")
	f.Name = f.Name[:min(len(f.Name), 80)]
}

// title says what broke by which acts.
func (f *Found) title() string {
	if len(f.kinds) == 0 {
		return f.What + " breaks"
	}
	return f.What + " breaks after " + inTitle.Replace(strings.Join(f.kinds, ", "))
}

// inTitle makes a title of the templates of what operators do.
var inTitle = strings.NewReplacer("{n}", "N", "{model}", "a model", "{models}", "models", "{layout}", "a layout", "{method}", "a method", "is/are", "are")

// verify runs the scenario as monosim test does, and reports whether it fails in the same way.
func (h *Hunt) verify(f *Found) bool {
	const file = "found.feature"
	s := &steps.Suite{
		Runner: h.Runner, FS: fstest.MapFS{file: {Data: []byte(f.Scenario)}}, Paths: []string{file}, Seed: f.Seed, Quirks: f.Story.Quirks, Jobs: 1, Explain: -1,
	}
	report, err := s.Run()
	if err != nil || len(report.Results) != 1 {
		return false
	}
	r := &report.Results[0]
	if slices.ContainsFunc(r.Known, func(b runners.Broken) bool { return b.Invariant == f.What && b.Known == f.Cause }) {
		return true
	}
	_, what := (&steps.Told{Result: *r}).Failed()
	if what == f.What {
		f.Err = r.Failure().Error()
	}
	return what == f.What
}

// add takes what was cut down: as one more of what was found, or as new.
func (h *Hunt) add(f *Found) error {
	if f == nil {
		h.tally.Lost++
		return nil
	}
	for _, o := range h.tally.Found {
		if o.What == f.What && o.Cause == f.Cause && (f.Cause != "" || slices.Equal(o.kinds, f.kinds)) {
			o.Times++
			return nil
		}
	}
	h.tally.Found = append(h.tally.Found, f)
	if len(h.Find) > 0 && len(h.Missing()) == 0 || h.FailFast && f.Cause == "" {
		h.done()
	}
	if h.Tell == nil {
		return nil
	}
	return h.Tell(f)
}

// causes lists the quirks that what was found names as causes.
func (h *Hunt) causes() (ids []string) {
	for _, f := range h.tally.Found {
		ids = append(ids, h.idsOf(f.Cause)...)
	}
	return ids
}

// Missing lists the quirks of Find that were no cause so far.
func (h *Hunt) Missing() (ids []string) {
	found := h.causes()
	return lists.Filter(h.Find, func(id string) bool { return !slices.Contains(found, id) })
}

// idsOf lists the quirks that a cause names.
func (h *Hunt) idsOf(cause string) (ids []string) {
	return lists.Filter(strings.Split(cause, " and "), func(id string) bool { return slices.Contains(h.all, id) })
}
