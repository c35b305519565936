package explore

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
)

// Limits of a story: the number of its acts, and the time from the start until the last act begins.
const (
	mostActs = 6
	longest  = 10 * time.Minute
)

// choice is something that may happen in a story: a kind of fault, or an action of an operator.
type choice struct {
	name string
	// begin is the template of the sentence that begins it. end is the template of the sentence
	// that ends it, "" if there is none. lasts says that it lasts for some time and then ends by
	// itself. soon says that this time is less than a minute.
	begin, end  string
	lasts, soon bool
	fatal       bool
}

// faultChoice makes the choice for a kind of fault.
func faultChoice(k runners.FaultKind) choice {
	c := choice{name: k.Name, fatal: k.Fatal != ""}
	switch {
	case k.Onset != "":
		c.begin, c.lasts = k.Onset, true
	case k.Begins != "" && k.Ends != "":
		c.begin, c.end, c.lasts = k.Begins, k.Ends, true
	default:
		c.begin = k.Begins
	}
	return c
}

// swarm lists what may happen in the story of a seed: a third of all kinds, drawn at random. So
// rare kinds meet each other, and are not crowded out by common ones.
func (w *World) swarm(seed uint64) (all, swarm []choice) {
	all = lists.MapOrNil(w.kinds, faultChoice)
	for _, act := range w.Acts {
		begin, end, lasts := strings.Cut(act, later)
		soon := false
		if first, second, ok := strings.Cut(act, within); ok {
			begin, end, lasts, soon = first, second, true, true
		}
		if text, ok := strings.CutSuffix(act, lasting); ok {
			begin, lasts = text, true
		}
		all = append(all, choice{name: act, begin: begin, end: end, lasts: lasts, soon: soon})
	}
	for _, c := range all {
		if drawn.New(seed, "swarm "+c.name).N(3) == 0 {
			swarm = append(swarm, c)
		}
	}
	if len(swarm) == 0 {
		swarm = all
	}
	return all, swarm
}

// Draw draws the story of a seed. Each random choice (dial) depends on the seed and the dial's name
// alone.
func (w *World) Draw(seed uint64, quirks string) *Story {
	s := &Story{World: w, Shapes: slices.Clone(w.shapes), Seed: seed, Quirks: quirks}
	for i, l := range s.Shapes {
		if after.MatchString(l.Text) {
			s.Shapes[i] = s.fill("pods that end start again after {duration}", drawn.Say(restarts[drawn.New(seed, "restart").N(len(restarts))]))
		}
	}
	setup := max(drawn.New(seed, "setup").N(len(w.Setups)+3)-3, 0) // the usual setup is the most likely one
	fatal := w.drawActs(s, seed)
	for _, text := range w.Setups[setup] {
		text, rest, more := strings.Cut(text, later)
		s.Setup = append(s.Setup, s.fill(text))
		if more {
			s.begin(rest, drawSoon(seed, "setup later"))
		}
	}
	s.laws(fatal || w.Fatal)
	return s
}

// begin adds an act to the story, in the order of the acts' times.
func (s *Story) begin(text string, at time.Duration) {
	line := s.fill(text)
	line.Refusable = true
	s.Acts = append(s.Acts, Act{At: at, Line: line, Kind: text})
	slices.SortStableFunc(s.Acts, func(a, b Act) int { return cmp.Compare(a.At, b.At) })
}

// drawSoon draws a time within the first minutes, with the first seconds as likely as later ones.
func drawSoon(seed uint64, dial string) time.Duration {
	d := drawn.New(seed, dial)
	return (time.Duration(d.N(int(longest/time.Millisecond))) * time.Millisecond >> (2 + d.N(6))).Round(time.Millisecond)
}

// drawActs draws the acts of a story, and reports whether any of them is fatal.
func (w *World) drawActs(s *Story, seed uint64) (fatal bool) {
	_, swarm := w.swarm(seed)
	n := (drawn.New(seed, "acts").N(4*mostActs+1) + 3) / 4 // rarely none
	if len(swarm) == 0 {
		n = 0
	}
	times := drawTimes(seed, n)
	cast := *w.cast
	cast.Newest = map[string]int64{}
	for _, m := range cast.Models {
		cast.Newest[m] = w.cast.Newest[m]
	}
	for i, at := range times {
		dial := "act " + strconv.Itoa(i)
		c := pick(swarm, seed, dial+" what ")
		if a, ok := w.drawAct(c, &cast, seed, dial); ok {
			a.At = at
			s.Acts = append(s.Acts, a)
			fatal = fatal || c.fatal
		}
	}
	return fatal
}

// drawTimes draws the times of n acts. An act happens at any time, during the start, or soon after
// the previous act, whose effects it then meets.
func drawTimes(seed uint64, n int) []time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		dial := "act " + strconv.Itoa(i)
		at := time.Duration(drawn.New(seed, dial+" at").N(int(longest/time.Millisecond))) * time.Millisecond
		soon := at >> (4 + drawn.New(seed, dial+" soon").N(8)) // a gap of at most 37 s, and often of much less
		switch when := drawn.New(seed, dial+" when").N(8); {
		case when < 3 && i > 0:
			at = times[i-1] + soon.Round(time.Millisecond)
		case when == 3:
			at = soon.Round(time.Millisecond)
		}
		times[i] = at
	}
	slices.Sort(times)
	return times
}

// pick draws one choice from a list: each choice draws a number, and the highest wins. So a choice
// that is added to the list changes the result only where it wins.
func pick(list []choice, seed uint64, dial string) (best choice) {
	highest := uint64(0)
	for i, c := range list {
		if n := drawn.New(seed, dial+c.name).Uint64(); i == 0 || n > highest {
			best, highest = c, n
		}
	}
	return best
}

// drawAct draws the words in the sentence of an act, and how long the act lasts.
func (w *World) drawAct(c choice, cast *drawn.Cast, seed uint64, dial string) (a Act, ok bool) {
	words := drawn.New(seed, dial+" words")
	if a.Line, ok = w.book.Draw(c.begin, cast, words); !ok {
		return a, false
	}
	a.Kind, a.Line.Refusable = c.name, true
	if !c.lasts {
		return a, true
	}
	a.For, _ = time.ParseDuration(drawn.Duration.Draw(cast, drawn.New(seed, dial+" for"), nil))
	if c.soon {
		a.For = time.Duration(1+drawn.New(seed, dial+" for").N(60)) * time.Second
	}
	if c.end != "" {
		// The sentence that ends the act draws its words from the same numbers as the one that
		// begins it, so that both name the same things.
		end, ok := w.book.Draw(c.end, cast, drawn.New(seed, dial+" words"))
		if !ok {
			return a, false
		}
		end.Refusable = true
		a.End = &end
	}
	return a, true
}

// number writes a number.
func number(n uint64) string { return strconv.FormatUint(n, 10) }

// siteOf writes where a random choice is made, as scenarios do: node/site#number.
func siteOf(c runners.Choice) string { return c.Node + "/" + c.Site + "#" + number(c.K) }
