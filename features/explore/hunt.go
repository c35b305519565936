package explore

import (
	"context"
	"fmt"
	"regexp"
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

// Hunt draws stories (random scenarios) and runs them, in rounds. What it finds, and in which
// order, does not depend on Jobs.
type Hunt struct {
	Runner runners.Runner
	Worlds []*World
	// Seed is the first seed. Seeds is how many stories each world gets, and 0 means without end.
	Seed  uint64
	Seeds int
	// Jobs is how many stories run at the same time. 0 means one for each core.
	Jobs int
	// Shard and Shards divide a hunt among machines. Shard i of n, counted from 1, takes every n-th
	// story. 0 means that this machine takes all of them.
	Shard, Shards int
	// Quirks is the choice of quirks for stories in worlds that set none.
	Quirks string
	// Find, when set, lists quirks by id. The hunt ends once each of them was found as a cause. To
	// show rare quirks, the stories take turns with the choice of quirks: one quarter takes Quirks,
	// one also repairs all causes found so far, one repairs half of these causes, and one repairs a
	// random set.
	Find []string
	// FailFast ends the hunt at the first found failure whose cause is unknown.
	FailFast bool
	// Moments says that, for each failure found, the random choice that decides it is searched for,
	// too ([Moment]). Each search runs up to 400 further stories.
	Moments bool
	// Progress, when set, is called from time to time. Tell, when set, is called with each failure
	// found, in order. If it returns an error, the hunt ends.
	Progress func(*Tally)
	Tell     func(*Found) error

	all    []string // ids of quirks that can be repaired
	done   func()   // called to end the hunt early
	shares []share  // share of each world in the stories
	tally  Tally
	mu     sync.Mutex // guards tally, because several stories run at the same time
}

// Tally counts what a hunt has done.
type Tally struct {
	// Stories counts the drawn stories that ran, and Failed those in which an expectation (law) did
	// not hold. Told counts all runs, with those for shrinking and for finding causes.
	Stories, Failed, Told int
	// Again counts stories that ran a second time, with events for all turns of loops (without
	// leaps).
	Again int
	// Odd counts stories that were cut off because the cluster could not do what they say.
	Odd int
	// Lost counts failures that could not be turned into a scenario.
	Lost int
	// Left counts failures that were not examined for lack of time.
	Left    int
	Virtual time.Duration
	Found   []*Found
}

// Unknown counts the found failures whose cause is unknown.
func (t *Tally) Unknown() (n int) {
	for _, f := range t.Found {
		if f.Cause == "" {
			n++
		}
	}
	return n
}

// Found is one kind of failure. Failures in which the same invariant is broken by the same cause
// are of one kind.
type Found struct {
	// World is the first world in which a failure of this kind was found. Seed is the seed of the
	// story that failed there. After is how many stories had run by then.
	World string
	Seed  uint64
	After int
	// What says what went wrong: the id of an invariant, "panic", "leaps" if the run without leaps
	// differs, or a sentence that did not hold. Err is the error message.
	What, Err string
	// Cause names the smallest set of repairs with which the story passes, such as "Q43 and Q208",
	// or the rule by which the reference breaks the invariant. "" means that the cause is unknown.
	Cause string
	// Times counts the stories that failed like this. Told counts the runs needed to shrink the
	// failure.
	Times, Told int
	Story       *Story
	// Scenario is the story as the text of a .feature file, and Name a name for that file.
	Scenario, Name string
	// Moment is the choice that decided the failure. It is nil if Hunt.Moments is not set, or none
	// is found.
	Moment *Moment
	kinds  []string
	// byRule says that there is a registered rule by which the reference breaks the invariant.
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
	// fresh, when set, lists quirks that have not been found as causes yet. If they are repaired,
	// the story passes.
	fresh []string
}

const (
	// firstRound is how many stories of each world the first round has. Each round has twice as
	// many as the one before, up to lastRound.
	firstRound, lastRound = 4, 32
	// batch is how many failures are shrunk at the same time. Then the other failures are compared
	// with the shrunk ones, so that known kinds need not be shrunk.
	batch = 8
	// againEvery says that, on average, one in so many stories runs again without leaps.
	againEvery = 50
	// dryAfter is the number of stories without anything new after which a world gets only half as
	// many stories in a round. mostHalvings is the most times that this happens.
	dryAfter, mostHalvings = 64, 2
	// lookAgain says that, on average, one in so many failures that look like a known one is shrunk
	// all the same.
	lookAgain = 24
)

// Run runs rounds of stories until all seeds are used or ctx ends.
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
	h.shares = make([]share, len(h.Worlds))
	for n := firstRound; ctx.Err() == nil; n = min(2*n, lastRound) {
		stories, more := h.next(n)
		if !more {
			break
		}
		if err := h.round(ctx, stories); err != nil {
			return &h.tally, err
		}
	}
	return &h.tally, nil
}

// share is what one world gets of the rounds of stories.
type share struct {
	// drawn is the number of stories that the world has had. dry is the number since the last one
	// that showed something new.
	drawn, dry int
}

// of returns how many stories of a round the world gets if the full number is n. The number is
// halved for each dryAfter stories without anything new, at most mostHalvings times. It is at least
// 1.
func (s *share) of(n int) int { return max(n>>min(s.dry/dryAfter, mostHalvings), 1) }

// next lists the stories of a round, at most n of each world. more is false if all seeds were used.
// A hunt with a number of seeds takes equally many stories of each world. A hunt without one takes
// fewer of a world that shows nothing new.
func (h *Hunt) next(n int) (stories []*Story, more bool) {
	causes := h.causes()
	counts := lists.Map(h.shares, func(s share) int {
		if h.Seeds > 0 {
			return min(n, h.Seeds-s.drawn)
		}
		return s.of(n)
	})
	for i := range slices.Max(counts) {
		for k, w := range h.Worlds {
			s := &h.shares[k]
			if i >= counts[k] {
				continue
			}
			seed := h.Seed + uint64(s.drawn)
			if h.mine(s.drawn*len(h.Worlds) + k) {
				stories = append(stories, &Story{World: w, Seed: seed, Quirks: h.quirksOf(seed, causes)})
			}
			s.drawn, s.dry, more = s.drawn+1, s.dry+1, true
		}
	}
	return stories, more
}

// quirksOf returns the choice of quirks for the story of a seed. Without Find, it is the choice of
// the hunt. With Find, the seeds take turns: the hunt's choice, that choice with the found causes
// repaired, with half of the found causes repaired, or with a random set repaired.
func (h *Hunt) quirksOf(seed uint64, causes []string) string {
	switch mode := (seed - h.Seed) % 4; {
	case len(h.Find) == 0 || mode == 0:
		return h.Quirks
	case mode == 1:
		return repaired(h.Quirks, h.all, causes)
	case mode == 2:
		return swarmOf(seed, h.Quirks, h.all, causes)
	}
	half := lists.Filter(causes, func(id string) bool { return drawn.New(seed, "half "+id).N(2) == 0 })
	return repaired(h.Quirks, h.all, half)
}

// mine reports whether the i-th story belongs to the hunt's shard.
func (h *Hunt) mine(i int) bool { return h.Shards <= 1 || i%h.Shards == h.Shard-1 }

// round runs some stories, and then examines the failures.
func (h *Hunt) round(ctx context.Context, stories []*Story) error {
	results := make([]*failure, len(stories))
	before := h.tally.Stories
	told := h.parallel(ctx, len(stories), func(i int) {
		s := stories[i]
		results[i] = h.story(s.World.Draw(s.Seed, s.Quirks), before+i+1)
	})
	h.tally.Stories += told
	failed := lists.Filter(results, func(f *failure) bool { return f != nil })
	h.tally.Failed += len(failed)
	return h.look(ctx, failed)
}

// story runs one story and returns its failure, nil if it passed.
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

// again runs one in againEvery stories a second time, without leaps and with all details. The
// results of both runs have to be equal.
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

// tell runs a story and counts the run.
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

// parallel calls do(0) to do(n-1), some of them at the same time, until ctx ends. It returns how
// many it has called, which are always the first ones.
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

// look shrinks the failures that are of a new kind. It counts the others as the known failures that
// they look like.
func (h *Hunt) look(ctx context.Context, failed []*failure) error {
	failed = h.behind(ctx, failed)
	for len(failed) > 0 {
		now, later := unlike(failed)
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

// unlike selects, as now, the first failure of each expectation (law) that did not hold, at most
// batch of them. The other failures, in later, are probably of the same kinds. Whether they are can be
// decided once those in now have been shrunk.
func unlike(failed []*failure) (now, later []*failure) {
	seen := map[string]bool{}
	for _, f := range failed {
		if law := f.what + " " + f.known; len(now) < batch && !seen[law] {
			seen[law], now = true, append(now, f)
			continue
		}
		later = append(later, f)
	}
	return now, later
}

// behind returns the failures that may be of a new kind. A failure that looks like none that was
// found is one. For any other failure, it returns what hidden finds behind the failure, if
// anything. If Find is set, it calls hidden for every failure.
func (h *Hunt) behind(ctx context.Context, failed []*failure) (left []*failure) {
	causes, fresh := h.causes(), h.fresh()
	alike := make([]*Found, len(failed))
	still := make([]*failure, len(failed))
	seen := make([]bool, len(failed))
	h.parallel(ctx, len(failed), func(i int) {
		f := failed[i]
		alike[i], seen[i] = h.alike(f), true
		if len(h.Find) == 0 && (alike[i] == nil || drawn.New(f.story.Seed, "look again").N(lookAgain) == 0) {
			still[i] = f
			return
		}
		still[i] = h.hidden(f, causes, fresh)
	})
	for i := range failed {
		switch {
		case still[i] != nil:
			left = append(left, still[i])
		case alike[i] != nil:
			alike[i].Times++
		case !seen[i]:
			h.tally.Left++ // no time was left to examine the failure
		}
	}
	return left
}

// hidden returns what a failure shows besides the causes that were found, or nil if it shows
// nothing else. If the story passes with the quirks in fresh repaired, that is the failure itself.
// Otherwise it is the failure that is left when the found causes are repaired.
func (h *Hunt) hidden(f *failure, causes, fresh []string) *failure {
	if f.known == "" && h.passes(f.story, fresh) {
		g := *f
		g.fresh = fresh
		return &g
	}
	if q := repaired(f.story.Quirks, h.all, causes); q != repaired(f.story.Quirks, h.all, nil) {
		s := f.story.clone()
		s.Quirks = q
		f = h.story(s, f.after)
	}
	if f == nil || h.byRule(f) != nil {
		return nil
	}
	if o := h.alike(f); o != nil && o.Cause == "" {
		return nil
	}
	return f
}

// fresh lists the quirks that have not been found as causes yet: of those in Find, or else of all.
func (h *Hunt) fresh() []string {
	if len(h.Find) > 0 {
		return h.Missing()
	}
	found := h.causes()
	return lists.Filter(h.all, func(id string) bool { return !slices.Contains(found, id) })
}

// passes reports whether a failing story passes with the quirks in some repaired. It returns false
// if the story keeps none of them. That matters because each of several repairs may make the story
// pass: without this check, the cause that was found first would hide the others for good.
func (h *Hunt) passes(s *Story, some []string) bool {
	if repaired(s.Quirks, h.all, some) == repaired(s.Quirks, h.all, nil) {
		return false
	}
	h.count(func(t *Tally) { t.Told++ })
	return s.passesRepaired(h.all, some)
}

// alike returns a known failure that f looks like, or nil. Either the reference breaks the same
// invariant by the same rule in both, or all kinds of acts of the known failure occur in f's story.
func (h *Hunt) alike(f *failure) *Found {
	if o := h.byRule(f); o != nil {
		return o
	}
	kinds := f.story.kinds()
	return lists.Find(h.tally.Found, func(o *Found) bool {
		return o.What == f.what && !slices.ContainsFunc(o.kinds, func(k string) bool { return !slices.Contains(kinds, k) })
	})
}

// byRule returns the known failure in which the reference breaks the same invariant by the same rule
// as in f, nil if there is none.
func (h *Hunt) byRule(f *failure) *Found {
	return lists.Find(h.tally.Found, func(o *Found) bool { return f.known != "" && o.What == f.what && o.Cause == f.known })
}

// cutDown shrinks a failure to a scenario and finds its cause. It returns nil if that fails.
func (h *Hunt) cutDown(f *failure) *Found {
	found := &Found{
		World: f.story.World.Name, Seed: f.story.Seed, After: f.after, What: f.what, Err: fmt.Sprint(f.err), Cause: f.known,
		Times: 1, Story: f.story, kinds: f.story.kinds(), byRule: f.known != "",
	}
	if f.what == "leaps" || f.what == "history" {
		h.write(found)
		return found
	}
	sh, ok := h.shrink(f)
	found.Told = sh.runs
	if ok {
		sh.elsewhere()
		sh.tape(mostTapeRuns)
		found.Told = sh.runs
		found.Story, found.kinds = sh.best, sh.best.kinds()
		if f.known == "" {
			ids, runs := causeOf(sh.best, h.all, h.causes())
			found.Told += runs
			found.Cause = strings.Join(ids, " and ")
			if len(ids) > 0 {
				sh.idle(func(s *Story) bool { return s.passesRepaired(h.all, ids) })
			}
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
		m, ok := momentOf(found.Story, found.What, f.known)
		h.count(func(t *Tally) { t.Told += m.Runs })
		if ok {
			found.Moment = &m
		}
	}
	return found
}

// mostTapeRuns is the most runs for shrinking a tape of choices.
const mostTapeRuns = 150

// write writes the scenario of a found failure into its field Scenario.
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

// title makes a title that says what broke, and after which acts.
func (f *Found) title() string {
	if len(f.kinds) == 0 {
		return f.What + " breaks"
	}
	return f.What + " breaks after " + inTitle.Replace(longText.ReplaceAllString(strings.Join(f.kinds, ", "), `"..."`))
}

// longText matches a quoted text that is too long for a title.
var longText = regexp.MustCompile(`"[^"]{24,}"`)

// inTitle replaces the placeholders in the templates of acts by words for a title.
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

// add adds a failure that has been shrunk to the results: to the known one of the same kind, or as
// a new one. nil stands for a failure that was lost.
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
	missing := len(h.Missing())
	h.tally.Found = append(h.tally.Found, f)
	if i := slices.IndexFunc(h.Worlds, func(w *World) bool { return w.Name == f.World }); i >= 0 && (len(h.Find) == 0 || len(h.Missing()) < missing) {
		h.shares[i].dry = 0
	}
	if len(h.Find) > 0 && len(h.Missing()) == 0 || h.FailFast && f.Cause == "" {
		h.done()
	}
	if h.Tell == nil {
		return nil
	}
	return h.Tell(f)
}

// causes lists the quirks in the causes of all found failures.
func (h *Hunt) causes() (ids []string) {
	for _, f := range h.tally.Found {
		ids = append(ids, h.idsOf(f.Cause)...)
	}
	return ids
}

// Missing lists the quirks of Find that have not been found as a cause yet.
func (h *Hunt) Missing() (ids []string) {
	found := h.causes()
	return lists.Filter(h.Find, func(id string) bool { return !slices.Contains(found, id) })
}

// idsOf lists the quirks that a cause names.
func (h *Hunt) idsOf(cause string) (ids []string) {
	return lists.Filter(strings.Split(cause, " and "), func(id string) bool { return slices.Contains(h.all, id) })
}
