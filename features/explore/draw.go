package explore

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
)

// These bound a story: how many acts it has, and how long they take to begin.
const (
	mostActs = 6
	longest  = 10 * time.Minute
)

// choice is one thing that may happen: a fault of a kind, or what an operator does.
type choice struct {
	name string
	// begin is a template; end is that of the end, "" for none, and lasts for one that ends by
	// itself.
	begin, end string
	lasts      bool
	fatal      bool
}

// faultChoice is that of a kind of fault.
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

// swarm lists what may happen in the story of a seed: a third of all kinds, so that rare ones meet
// each other and are not crowded out by others.
func (w *World) swarm(seed uint64) (all, swarm []choice) {
	all = lists.MapOrNil(w.kinds, faultChoice)
	for _, act := range w.Acts {
		begin, end, lasts := strings.Cut(act, later)
		all = append(all, choice{name: act, begin: begin, end: end, lasts: lasts})
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

// Draw draws the story of a seed. Each of its dials depends on the seed and the dial's name alone.
func (w *World) Draw(seed uint64, quirks string) *Story {
	s := &Story{World: w, Shapes: slices.Clone(w.shapes), Seed: seed, Quirks: quirks}
	for i, l := range s.Shapes {
		if after.MatchString(l.Text) {
			s.Shapes[i] = s.fill("pods that end start again after {duration}", drawn.Say(restarts[drawn.New(seed, "restart").N(len(restarts))]))
		}
	}
	setup := max(drawn.New(seed, "setup").N(len(w.Setups)+3)-3, 0) // more often the usual one
	for _, text := range w.Setups[setup] {
		s.Setup = append(s.Setup, s.fill(text))
	}
	fatal := w.drawActs(s, seed)
	s.laws(fatal)
	return s
}

// drawActs draws what happens, and reports whether something fatal does.
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

// drawTimes draws when n acts happen: at any time, during the start, or soon after the act before, so that they
// meet what it has set going.
func drawTimes(seed uint64, n int) []time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		dial := "act " + strconv.Itoa(i)
		at := time.Duration(drawn.New(seed, dial+" at").N(int(longest/time.Millisecond))) * time.Millisecond
		soon := at >> (4 + drawn.New(seed, dial+" soon").N(8)) // 37 s and ever less
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

// pick draws a choice. Each has a number of its own and the highest wins, so that a new choice
// changes only what it wins.
func pick(list []choice, seed uint64, dial string) (best choice) {
	highest := uint64(0)
	for i, c := range list {
		if n := drawn.New(seed, dial+c.name).Uint64(); i == 0 || n > highest {
			best, highest = c, n
		}
	}
	return best
}

// drawAct draws the words of an act, and how long it lasts.
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
	if c.end != "" {
		// the words of the end are drawn anew from the same dial, of which it needs the first ones
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

// siteOf writes where a choice is made, as sentences do.
func siteOf(c runners.Choice) string { return c.Node + "/" + c.Site + "#" + number(c.K) }
