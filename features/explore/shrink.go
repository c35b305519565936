package explore

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
)

// mostRuns is the largest number of runs for shrinking one story, without those for its random
// choices.
const mostRuns = 60

// shrinker makes a story smaller, as long as it fails in the same way.
type shrinker struct {
	what string // name of the invariant, or the sentence, that the story broke
	// known is the registered rule by which the reference itself breaks the invariant, or "". If
	// such a rule applies, the story does not count as failed.
	known string
	best  *Story
	runs  int
	// tried holds the texts of stories that were tried and did not fail in the same way.
	tried map[string]bool
	// first is the result of the story's first run, as it was found.
	first *steps.Told
	// calm says that the story fails even without its acts.
	calm bool
	// keep, when set, is a further condition: a changed story counts as failing only if keep
	// returns true for it.
	keep func(s *Story) bool
}

// shrink makes the story of a failure smaller. ok is false if it does not fail again as a scenario.
func (h *Hunt) shrink(f *failure) (sh *shrinker, ok bool) {
	sh = &shrinker{what: f.what, known: f.known, best: f.story, tried: map[string]bool{}}
	if len(f.fresh) > 0 {
		sh.keep = func(s *Story) bool { return s.passesRepaired(h.all, f.fresh) }
	}
	if len(f.refused) > 0 {
		sh.best = f.story.clone()
		sh.best.drop(f.refused)
	}
	sh.best = sh.best.clone()
	sh.best.refusable(false) // from here on, a sentence of the story that cannot be carried out is an error
	sh.first = sh.best.tell(steps.Telling{})
	sh.runs++
	if !sh.broke(sh.first) || f.story.World.book.Check(sh.best.Lines()) != nil {
		return sh, false
	}
	sh.laws()
	sh.plain()
	sh.calm = !sh.passesCalm(sh.best)
	sh.smallest()
	for before := (*Story)(nil); before != sh.best && sh.runs < mostRuns; {
		before = sh.best
		sh.acts()
		sh.plain()
		sh.told()
		sh.setup()
		sh.values()
		sh.aside()
		sh.world()
		sh.times()
	}
	sh.plain()
	sh.join()
	return sh, true
}

// only makes a story keep just the quirks in cause, or none if cause is empty. If the story then
// passes, nothing changes.
func (sh *shrinker) only(cause []string) {
	if q := sh.best.Quirks; q == "" || q == "python" {
		return
	}
	s := sh.best.clone()
	s.Quirks = cmp.Or(strings.Join(cause, ","), "fixed")
	sh.runs++
	if sh.broke(s.tell(steps.Telling{})) {
		sh.best = s
	}
}

// fails runs a story and reports whether it fails in the same way as the first.
func (sh *shrinker) fails(s *Story) bool {
	lines := s.Lines()
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l.Text + "\n")
	}
	if sh.tried[text.String()] || s.World.book.Check(lines) != nil {
		return false
	}
	sh.tried[text.String()] = true
	sh.runs++
	broke := sh.broke(s.tell(steps.Telling{}))
	if !broke || sh.keep == nil {
		return broke
	}
	sh.runs++
	return sh.keep(s)
}

// broke reports whether a run broke the same invariant or sentence as the first.
func (sh *shrinker) broke(told *steps.Told) bool {
	if sh.known != "" {
		return slices.ContainsFunc(told.Known, func(b runners.Broken) bool { return b.Invariant == sh.what && b.Known == sh.known })
	}
	_, what := told.Failed()
	return what == sh.what
}

// try changes a copy of the best story. If the copy still fails, it becomes the best, and try
// reports true.
func (sh *shrinker) try(change func(s *Story)) bool {
	if sh.runs >= mostRuns {
		return false
	}
	s := sh.best.clone()
	change(s)
	if !sh.fails(s) {
		return false
	}
	sh.best = s
	return true
}

// smallest tries the smallest cluster first, because most stories fail in that one too.
func (sh *shrinker) smallest() {
	s := sh.best.clone()
	for i := range s.Shapes {
		text := s.Shapes[i].Text
		switch m := size.FindStringSubmatch(text); {
		case m != nil:
			text = "a v" + m[1] + " cluster of 1 shard with 1 replica"
		case subGraphs.MatchString(text):
			m := subGraphs.FindStringSubmatch(text)
			first, _, _ := strings.Cut(m[2], ", ")
			text = m[1] + first + m[3]
		}
		if l, err := s.World.book.Line(text); err == nil {
			s.Shapes[i] = l
		}
	}
	if s.fit() && sh.fails(s) && sh.sound(s) {
		sh.best = s
	}
}

// passesCalm reports whether a story passes without its acts, so that nothing happens after the
// start.
func (sh *shrinker) passesCalm(s *Story) bool {
	s = s.clone()
	s.Acts = nil
	sh.runs++
	told := s.tell(steps.Telling{})
	line, _ := told.Failed()
	return line < 0 && !(sh.known != "" && sh.broke(told))
}

// sound reports whether a story whose shapes were changed fails because of its acts. If the changed
// shapes made no proper cluster, it would fail without acts, too.
func (sh *shrinker) sound(s *Story) bool { return sh.calm || sh.passesCalm(s) }

// laws removes all expectations of the story but the one that did not hold.
func (sh *shrinker) laws() {
	if sh.best.Laws[0].Settle > settle {
		sh.try(func(s *Story) { s.Laws[0].Settle = settle })
	}
	if sh.known == "" && sh.try(func(s *Story) {
		settled := time.Duration(0)
		for i, law := range s.Laws {
			settled += law.Settle
			if i == sh.law(s) {
				s.Laws = []Law{{settled, law.Line}}
				return
			}
		}
	}) {
		return
	}
	for i := len(sh.best.Laws) - 1; i >= 0; i-- {
		if len(sh.best.Laws) == 1 {
			return
		}
		sh.try(func(s *Story) {
			if i+1 < len(s.Laws) {
				s.Laws[i+1].Settle += s.Laws[i].Settle
			}
			s.Laws = slices.Delete(s.Laws, i, i+1)
		})
	}
}

// plain sets all random choices to their defaults, if the story fails even then.
func (sh *shrinker) plain() {
	if !sh.best.Plain {
		sh.try(func(s *Story) { s.Plain = true })
	}
}

// Changes that are tried on a story that fails only with its random choices, so that it fails
// without them. shifts lists by how much later its acts begin. longer lists by which factors they
// last longer.
var (
	shifts = []time.Duration{1, 2, 3, 5, 8, 10, 13, 15, 18, 20, 22, 25, 28, 30, 35, 40, 45, 50, 55} // in seconds
	longer = []time.Duration{2, 4, 8}
)

// elsewhere looks for other times and lengths of the acts with which the story fails although all
// random choices are defaults. Agents look at things every 30 or 60 s, so choices often only decide
// what an act coincides with, or whether it lasts long enough.
func (sh *shrinker) elsewhere() {
	for _, n := range longer {
		sh.plainly(func(a *Act) { a.For *= n })
	}
	for _, d := range shifts {
		sh.plainly(func(a *Act) { a.At += d * time.Second })
	}
}

// plainly changes all acts of a copy of the story, and sets its random choices to their defaults.
// If the copy fails, it becomes the best story.
func (sh *shrinker) plainly(change func(a *Act)) {
	s := sh.best.clone()
	s.Plain = true
	for i := range s.Acts {
		change(&s.Acts[i])
	}
	if !sh.best.Plain && len(s.Acts) > 0 && sh.fails(s) {
		sh.best = s
	}
}

// acts removes acts: first half of them, then fewer and fewer at a time, and in the end single
// ones.
func (sh *shrinker) acts() {
	for n := len(sh.best.Acts) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(sh.best.Acts); {
			if !sh.try(func(s *Story) { s.Acts = slices.Delete(s.Acts, i, i+n) }) {
				i += n
			}
		}
	}
	if len(sh.best.Acts) == 1 {
		sh.try(func(s *Story) { s.Acts = nil })
	}
}

// told removes steps that come from the scenario of the world. setup removes steps that come before
// the start.
func (sh *shrinker) told() {
	for i := 0; i < len(sh.best.World.Told); {
		if !sh.try(func(s *Story) {
			w := *s.World
			w.Told = slices.Delete(slices.Clone(w.Told), i, i+1)
			s.World = &w
		}) {
			i++
		}
	}
}

func (sh *shrinker) setup() {
	if usual := sh.best.World.Setups[0]; len(sh.best.Setup) != len(usual) || len(usual) > 0 && sh.best.Setup[0].Text != usual[0] {
		sh.try(func(s *Story) {
			s.Setup = nil
			for _, text := range usual {
				s.Setup = append(s.Setup, s.fill(text))
			}
		})
	}
	// the setup of a calm story (one without acts) is what the story is about, so it stays
	for i := 0; i < len(sh.best.Setup) && !sh.calm; {
		if !sh.try(func(s *Story) { s.Setup = slices.Delete(s.Setup, i, i+1) }) {
			i++
		}
	}
}

// values replaces the words of acts by plainer ones, and makes acts last less long.
func (sh *shrinker) values() {
	for i := 0; i < len(sh.best.Acts); i++ {
		for _, plain := range sh.best.World.book.Plainer(sh.best.Acts[i].Line, sh.best.World.cast) {
			if sh.try(func(s *Story) { s.Acts[i].Line = plain }) {
				break
			}
		}
		for _, text := range drawn.PlainerDurations(drawn.Say(sh.best.Acts[i].For)) {
			if sh.try(func(s *Story) { s.Acts[i].For, _ = time.ParseDuration(text) }) {
				break
			}
		}
	}
}

// times moves acts to earlier and rounder times. The acts after them move, too.
func (sh *shrinker) times() {
	for i := range sh.best.Acts {
		before := time.Duration(0)
		if i > 0 {
			before = sh.best.Acts[i-1].At
		}
		gap := sh.best.Acts[i].At - before
		for _, text := range append([]string{"0s"}, drawn.PlainerDurations(drawn.Say(gap))...) {
			to, err := time.ParseDuration(text)
			if err == nil && to < gap && sh.try(func(s *Story) {
				for k := i; k < len(s.Acts); k++ {
					s.Acts[k].At -= gap - to
				}
			}) {
				break
			}
		}
	}
}

// subGraphs matches the sentence of a model, and in it the list of its sub-graphs.
var subGraphs = regexp.MustCompile(`^(model \S+ with sub-graphs )(.+)( of .+ in version \d+)$`)

// aside tries to remove each model but the last, together with every setting and every step before
// the start that names the model.
func (sh *shrinker) aside() {
	var names []string
	for _, l := range sh.best.Shapes {
		if m := subGraphs.FindStringSubmatch(l.Text); m != nil {
			names = append(names, strings.Fields(m[1])[1])
		}
	}
	for i := 0; i < len(names)-1; i++ {
		about := func(l steps.Line) bool { return strings.Contains(l.Text, names[i]) }
		if slices.ContainsFunc(sh.best.Shapes, about) {
			sh.trySound(func(s *Story) {
				s.Shapes, s.Setup = slices.DeleteFunc(s.Shapes, about), slices.DeleteFunc(s.Setup, about)
			})
		}
	}
}

// world removes shapes and sub-graphs, and makes the cluster smaller.
func (sh *shrinker) world() {
	for i := 0; i < len(sh.best.Shapes); i++ {
		text := sh.best.Shapes[i].Text
		switch m := size.FindStringSubmatch(text); {
		case m != nil:
			sh.smaller(i, m)
		case subGraphs.MatchString(text):
			sh.graphs(i)
		case after.MatchString(text), comesBack(text): // not shortened: without its restart, a killed process would stay away
		case isJob(text):
			for _, job := range []string{"a training job with 1 worker and 1 PS", "a training job with 2 workers and 1 PS", "a training job with 1 worker and 2 PS"} {
				if text == job || sh.tryShape(i, job) {
					break
				}
			}
		default:
			gone := func(s *Story) { s.Shapes = slices.Delete(s.Shapes, i, i+1) }
			if sh.trySound(gone) || sh.trySound(func(s *Story) { gone(s); s.entryAlone() }) {
				i--
			}
		}
	}
}

// idle removes the sentence that says when ended processes start again, if the run stays the same
// without it, and the story still passes with its cause repaired. (With the cause repaired, an
// agent may end instead of hanging, and then it has to start again.)
func (sh *shrinker) idle(passes func(*Story) bool) {
	for i, l := range sh.best.Shapes {
		if !after.MatchString(l.Text) && !comesBack(l.Text) {
			continue
		}
		s := sh.best.clone()
		s.Shapes = slices.Delete(s.Shapes, i, i+1)
		sh.runs += 2
		now := sh.best.tell(steps.Telling{})
		if told := s.tell(steps.Telling{}); sh.broke(told) && told.Stats.TraceHash == now.Stats.TraceHash && passes(s) {
			sh.best = s
		}
		return
	}
}

// mostLines is the number of lines that a scenario should have at most.
const mostLines = 12

// join saves a line if the scenario is too long and has a single expectation: the time before it
// becomes a part of its time limit.
func (sh *shrinker) join() {
	law := sh.best.Laws[0]
	if len(sh.best.Laws) > 1 || law.Line.Text != liveness[0] || len(sh.best.Lines()) <= mostLines {
		return
	}
	limit := strings.Replace(law.Line.Text, "4m", drawn.Say(law.Settle+4*time.Minute), 1)
	sh.try(func(s *Story) { s.Laws = []Law{{0, s.fill(limit)}} })
}

// smaller tries clusters with fewer shards and replicas, the smallest first.
func (sh *shrinker) smaller(i int, m []string) {
	shards, _ := strconv.Atoi(m[2])
	replicas, _ := strconv.Atoi(m[3])
	for s := 1; s <= shards; s++ {
		for r := 1; r <= replicas; r++ {
			if (s < shards || r < replicas) && sh.tryShape(i, "a v"+m[1]+" cluster of "+lists.Counted(s, "shard")+" with "+lists.Counted(r, "replica")) {
				return
			}
		}
	}
}

// graphs tries models with a single sub-graph.
func (sh *shrinker) graphs(i int) {
	m := subGraphs.FindStringSubmatch(sh.best.Shapes[i].Text)
	list := strings.Split(m[2], ", ")
	if len(list) == 1 {
		return
	}
	for _, g := range list {
		if sh.tryShape(i, m[1]+g+m[3]) {
			return
		}
	}
}

// entryAlone reduces each model that has a sub-graph entry to this sub-graph. It is needed when the
// cluster's setting of PS was removed, because the cluster then has no PS.
func (s *Story) entryAlone() {
	for i, l := range s.Shapes {
		if m := subGraphs.FindStringSubmatch(l.Text); m != nil && slices.Contains(strings.Split(m[2], ", "), "entry") {
			if l, err := s.World.book.Line(m[1] + "entry" + m[3]); err == nil {
				s.Shapes[i] = l
			}
		}
	}
}

// tryShape tries another shape.
func (sh *shrinker) tryShape(i int, text string) bool {
	l, err := sh.best.World.book.Line(text)
	return err == nil && sh.trySound(func(s *Story) { s.Shapes[i] = l })
}

// trySound changes the shapes of a copy of the story, as try does. It accepts the copy only if that
// fails because of its acts.
func (sh *shrinker) trySound(change func(s *Story)) bool {
	before := sh.best
	if !sh.try(func(s *Story) {
		change(s)
		s.fit()
	}) {
		return false
	}
	if !sh.sound(sh.best) {
		sh.best = before
		return false
	}
	return true
}

// fit changes the names in a story to pods and models that its changed shapes have. It reports
// whether the shapes make a cluster.
func (s *Story) fit() bool {
	known, err := s.World.book.Cast(s.Shapes)
	if err != nil {
		return false
	}
	w := *s.World
	w.cast = known
	s.World = &w
	s.moveTo(known)
	return true
}

// law returns the index of the expectation that did not hold.
func (sh *shrinker) law(s *Story) int {
	line, _ := sh.first.Failed()
	return line - (len(sh.first.Steps) - len(s.Laws))
}

// moveTo changes acts that affect things which a smaller cluster does not have. They then affect
// things that it has.
func (s *Story) moveTo(c *drawn.Cast) {
	podName := regexp.MustCompile(`shard\d+-replica\d+`)
	for i := range s.Acts {
		move := func(l steps.Line) steps.Line {
			l.Text = podName.ReplaceAllStringFunc(l.Text, func(pod string) string {
				if !slices.Contains(c.Pods, pod) && len(c.Pods) > 0 {
					return c.Pods[0]
				}
				return pod
			})
			return l
		}
		s.Acts[i].Line = move(s.Acts[i].Line)
		if end := s.Acts[i].End; end != nil {
			moved := move(*end)
			s.Acts[i].End = &moved
		}
	}
	models := strings.Join(c.Models, ", ")
	for i, l := range s.Setup {
		if m := declaredModels.FindStringSubmatch(l.Text); m != nil && len(c.Models) > 0 {
			if moved, err := s.World.book.Line(models + " is " + m[1]); err == nil {
				s.Setup[i] = moved
			}
		}
	}
}

// declaredModels matches a setup sentence that names all models of the cluster.
var declaredModels = regexp.MustCompile(`^\S+:\S+(?:, \S+:\S+)* is (.*)$`)

// tape handles a story whose failure needs some of its random choices. It records the choices,
// keeps those that the failure needs, and sets all others to their defaults. It reports whether
// that worked.
func (sh *shrinker) tape(most int) bool {
	if sh.best.Plain {
		return true
	}
	told := sh.best.tell(steps.Telling{Chance: runners.ChanceRecorded})
	sh.runs++
	if !sh.broke(told) {
		return false
	}
	kept, runs := minimize(told.Tape, func(some []runners.Choice) bool {
		return sh.broke(sh.best.tell(steps.Telling{Chance: runners.ChanceNone, Choices: some}))
	}, most)
	sh.runs += runs
	if kept == nil || len(kept) > mostChoices {
		return false
	}
	s := sh.best.clone()
	s.Plain, s.Choices = true, kept
	if !sh.fails(s) {
		return false
	}
	sh.best = s
	return true
}
