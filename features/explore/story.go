package explore

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
)

// Story is a random scenario. It says what happens to a cluster, and what must hold afterwards.
type Story struct {
	World  *World
	Shapes []steps.Line
	// Setup holds the steps before the start of the cluster.
	Setup []steps.Line
	Acts  []Act
	// Laws holds the checks after the acts, in order.
	Laws []Law
	// Plain sets every random choice to its default, except for those in Choices.
	Plain   bool
	Choices []runners.Choice
	// Quirks is a choice of quirks. It says which faults of the reference the cluster keeps.
	Quirks string
	// Seed determines the random choices of a story that is not Plain.
	Seed uint64
}

// Act is something that happens at the time At after the start. If For is set, the act ends after
// that time, by the line End. If End is nil, the sentence of the act itself says how long it lasts,
// as "for 12s" does.
type Act struct {
	At   time.Duration
	Line steps.Line
	For  time.Duration
	End  *steps.Line
	// Kind names the sentence without the words that fill its placeholders.
	Kind string
}

// Law is an expectation. Before it is checked, the time Settle passes without any act.
type Law struct {
	Settle time.Duration
	Line   steps.Line
}

// event is a line of the story that happens at a time after the start.
type event struct {
	at   time.Duration
	line steps.Line
	act  int // index of the act that begins or ends there
	ends bool
}

// events lists the begins and ends of the story's acts, in order of time. Times count from the end of
// the start and of the world's own scenario. over is the time from which nothing lasts any more: no
// act, no fault of that scenario, and no fault that began before the start.
func (s *Story) events() (list []event, over time.Duration) {
	over = s.World.toldOver()
	for _, l := range s.Setup {
		over = max(over, lastsFor(l.Text)+s.World.aftermath(l))
	}
	for i, a := range s.Acts {
		line := a.Line
		if a.For > 0 && a.End == nil {
			line.Text += " for " + drawn.Say(a.For)
		}
		list = append(list, event{at: a.At, line: line, act: i})
		over = max(over, a.At+max(a.For, lastsFor(line.Text))+s.World.aftermath(line))
		if a.For > 0 && a.End != nil {
			list = append(list, event{at: a.At + a.For, line: *a.End, act: i, ends: true})
			over = max(over, a.At+a.For+lastsFor(a.End.Text))
		}
	}
	slices.SortStableFunc(list, func(a, b event) int { return int(a.at - b.at) })
	return list, over
}

// retried is how long a model server tries a load again that fails (runners.ConfV1: max_num_load_retries
// times load_retry_interval_micros). It has no open port until the loads of its start have succeeded or
// failed for good (TFS-9.2), and no entry starts before all PS are registered (agent_v1.py:146).
const retried = 5 * time.Minute

// slowly matches a sentence that says how long a write takes.
var slowly = regexp.MustCompile(` takes (\S+) to write\b`)

// aftermath returns how long the effects of a line last after it: a write that has begun goes on, and a
// load that has failed once is tried again, even if its version is gone meanwhile, as on a PS that does
// not look for versions (Q212).
func (w *World) aftermath(l steps.Line) time.Duration {
	if m := slowly.FindStringSubmatch(l.Text); m != nil {
		d, _ := time.ParseDuration(m[1])
		return d
	}
	if w.failsLoads[strings.TrimSuffix(l.Template(), " for {duration}")] {
		return retried
	}
	return 0
}

// canFailLoads reports whether a load can fail while a fault of this kind lasts.
func canFailLoads(k runners.FaultKind) bool {
	return k.Topic() == "store" || k.Name == "version.broken"
}

// ownTime matches the duration at the end of a sentence that says itself how long it lasts.
var ownTime = regexp.MustCompile(` for (\S+)$`)

// lastsFor returns how long a sentence says that it lasts, 0 if it does not say so.
func lastsFor(text string) time.Duration {
	m := ownTime.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	d, _ := time.ParseDuration(m[1])
	return d
}

// passes matches the sentence with which time passes.
var passes = regexp.MustCompile(`^(\S+) pass(?:es)?$`)

// toldOver returns how long the faults of the world's own scenario last after its last step.
func (w *World) toldOver() time.Duration {
	now, over := time.Duration(0), time.Duration(0)
	for _, l := range w.Told {
		if m := passes.FindStringSubmatch(l.Text); m != nil {
			d, _ := time.ParseDuration(m[1])
			now += d
		}
		over = max(over, now+lastsFor(l.Text)+w.aftermath(l))
	}
	return over - min(over, now)
}

// Lines returns the story as the steps of a scenario.
func (s *Story) Lines() []steps.Line {
	lines, _ := s.lines()
	return lines
}

// lines returns the steps of the story as a scenario. of holds, for each step that begins or ends
// an act, its event, by the step's index in lines.
func (s *Story) lines() (lines []steps.Line, of map[int]event) {
	lines, of = slices.Clone(s.Shapes), map[int]event{}
	if s.Plain {
		lines = append(lines, s.fill("nothing is left to chance"))
	}
	for _, c := range s.Choices {
		lines = append(lines, s.fill("the choice {site} is {n}", siteOf(c), number(c.Value)))
	}
	lines = append(lines, s.Setup...)
	lines = append(lines, s.fill(s.World.Start))
	now, due := time.Duration(0), time.Duration(0)
	pass := func(d time.Duration) { due += max(d.Round(time.Millisecond), 0) }
	add := func(l steps.Line) {
		if due > 0 {
			lines = append(lines, s.fill("{duration} pass(es)", drawn.Say(due)))
			now, due = now+due, 0
		}
		lines = append(lines, l)
	}
	for _, l := range s.World.Told {
		l.Refusable = true
		lines = append(lines, l)
	}
	events, over := s.events()
	for _, e := range events {
		pass(e.at - now)
		add(e.line)
		of[len(lines)-1] = e
	}
	pass(over - now)
	for _, law := range s.Laws {
		pass(law.Settle)
		add(law.Line)
	}
	return lines, of
}

// fill makes a line from a template of the vocabulary and texts for its placeholders.
func (s *Story) fill(template string, texts ...string) steps.Line {
	l, err := s.World.book.Fill(template, texts...)
	if err != nil {
		panic(err) // cannot happen: the vocabulary has the sentences of this package
	}
	return l
}

// tell runs the story.
func (s *Story) tell(how steps.Telling) *steps.Told {
	how.Seed, how.Quirks = s.Seed, s.Quirks
	return s.World.book.Tell(s.World.Name, s.Lines(), how)
}

// clone returns a copy of the story. Changing the copy's lists leaves the original as it is.
func (s *Story) clone() *Story {
	c := *s
	c.Shapes, c.Setup, c.Acts, c.Laws, c.Choices = slices.Clone(s.Shapes), slices.Clone(s.Setup), slices.Clone(s.Acts), slices.Clone(s.Laws), slices.Clone(s.Choices)
	return &c
}

// refusable sets whether the story goes on if the cluster cannot carry out an act, or cannot end
// it.
func (s *Story) refusable(may bool) {
	for i := range s.Acts {
		a := &s.Acts[i]
		a.Line.Refusable = may
		if a.End != nil {
			end := *a.End
			end.Refusable = may
			a.End = &end
		}
	}
}

// drop removes the acts, or the ends of acts, that the cluster could not carry out. refused holds
// the indices of their lines. The story does not become shorter, because the first expectation
// waits longer instead.
func (s *Story) drop(refused []int) {
	_, of := s.lines()
	_, over := s.events()
	gone := map[int]bool{}
	for _, i := range refused {
		switch e, ok := of[i]; {
		case ok && e.ends:
			s.Acts[e.act].For, s.Acts[e.act].End = 0, nil
		case ok:
			gone[e.act] = true
		}
	}
	left := s.Acts[:0]
	for i, a := range s.Acts {
		if !gone[i] {
			left = append(left, a)
		}
	}
	s.Acts = left
	if _, now := s.events(); len(s.Laws) > 0 {
		s.Laws[0].Settle += over - now
	}
}

// kinds lists the kinds of the story's acts, sorted and each once.
func (s *Story) kinds() []string {
	list := lists.MapOrNil(s.Acts, func(a Act) string { return a.Kind })
	slices.Sort(list)
	return slices.Compact(list)
}

// Scenario returns the text of a .feature file with the story as its only scenario. remarks become
// comments in front of it.
func (s *Story) Scenario(title string, remarks ...string) string {
	var b strings.Builder
	b.WriteString("Feature: Found by exploring\n\n")
	for _, r := range remarks {
		b.WriteString("  # " + r + "\n")
	}
	b.WriteString("  Scenario: " + title + "\n")
	last := ""
	for _, l := range s.withQuirks() {
		keyword := l.Keyword()
		if keyword == last {
			keyword = "And"
		} else {
			last = keyword
		}
		b.WriteString("    " + keyword + " " + l.Text + "\n")
	}
	return b.String()
}

// withQuirks returns the story's lines, with a further line that says which faults of the reference
// agents keep.
func (s *Story) withQuirks() []steps.Line {
	lines := s.Lines()
	if s.Quirks == "" || s.Quirks == "python" {
		return lines
	}
	n := len(s.Shapes)
	return slices.Insert(lines, n, s.fill("the agents keep the quirks {text}", `"`+s.Quirks+`"`))
}
