package deeds

import (
	"slices"
	"time"
)

// Open are the logs of runs of one scenario that differ only in what the reference leaves
// open, as those of the simulation with several seeds: whatever one of them did to a thing
// may be done to it.
type Open []*Log

// Slack is how far a deed may be from the times at which it is done in [Open]: so much
// in any case, and a part of its own time.
type Slack struct {
	Least time.Duration
	Part  float64
}

// at is the slack at a cluster time.
func (s Slack) at(t time.Duration) time.Duration {
	return s.Least + time.Duration(float64(t)*s.Part)
}

// Kind is what a difference is about.
type Kind string

// A track differs in what was done, in when, or two tracks of a pod in which of them was
// first.
const (
	ByDeed  Kind = "deed"
	ByTime  Kind = "time"
	ByOrder Kind = "order"
)

// Difference is where a log is as none of [Open] is: the first place in a track.
type Difference struct {
	Kind Kind
	// Track is its name; Other is the other one of a difference in order.
	Track, Other string
	// At is the number of the deed that differs in both, from 0.
	At int
	// Want is what the nearest of the open logs did, Got what the log did.
	Want, Got []Deed
	// From and Until bound the time that was wanted, in a difference in time.
	From, Until time.Duration
}

// Compare lists where a log differs from all open ones: tracks that differ in what was
// done, sorted by name, then those that differ in time, then pairs of tracks of one pod in
// another order. Tracks of topics that a side cannot see must have been left out.
func Compare(open Open, got *Log, slack Slack) []Difference {
	c := comparison{open: open, got: got, slack: slack}
	var byDeed, byTime []Difference
	for _, name := range c.names() {
		d, ok := c.track(name)
		switch {
		case !ok:
		case d.Kind == ByTime:
			byTime = append(byTime, d)
		default:
			byDeed = append(byDeed, d)
		}
	}
	found := slices.Concat(byDeed, byTime)
	if len(found) == 0 {
		found = c.order()
	}
	return found
}

// EqualTo is the number of the first open log with whose every track a log agrees in what
// was done, -1 for none.
func EqualTo(open Open, got *Log) int {
	return slices.IndexFunc(open, func(l *Log) bool {
		return slices.EqualFunc(l.Tracks, got.Tracks, func(a, b *Track) bool {
			return a.Name == b.Name && slices.EqualFunc(a.Deeds, b.Deeds, Deed.same)
		})
	})
}

type comparison struct {
	open  Open
	got   *Log
	slack Slack
}

// names are those of all tracks.
func (c *comparison) names() []string {
	var names []string
	for _, l := range append(slices.Clone(c.open), c.got) {
		for _, t := range l.Tracks {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func deedsOf(l *Log, name string) []Deed {
	if t := l.Track(name); t != nil {
		return t.Deeds
	}
	return nil
}

// track compares one track with the same one of all open logs.
func (c *comparison) track(name string) (Difference, bool) {
	got := deedsOf(c.got, name)
	var alike [][]Deed
	nearest, best := []Deed(nil), -1
	for _, l := range c.open {
		want := deedsOf(l, name)
		if slices.EqualFunc(want, got, Deed.same) {
			alike = append(alike, want)
		}
		if n := common(want, got); n > best {
			nearest, best = want, n
		}
	}
	if len(alike) == 0 {
		return Difference{Kind: ByDeed, Track: name, At: prefix(nearest, got), Want: nearest, Got: got}, true
	}
	return c.times(name, alike, got)
}

// times wants every deed between the earliest and the latest time at which it was done.
func (c *comparison) times(name string, alike [][]Deed, got []Deed) (Difference, bool) {
	for i, d := range got {
		from, until := alike[0][i].First, alike[0][i].First
		for _, want := range alike[1:] {
			from, until = min(from, want[i].First), max(until, want[i].First)
		}
		from, until = from-c.slack.at(from), until+c.slack.at(until)
		if d.First < from || d.First > until {
			return Difference{Kind: ByTime, Track: name, At: i, Want: alike[0], Got: got, From: from, Until: until}, true
		}
	}
	return Difference{}, false
}

// prefix is how many deeds two lists have in common from their start.
func prefix(a, b []Deed) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].same(b[n]) {
		n++
	}
	return n
}

// common is how many deeds two lists have in common at their start and at their end,
// with a little taken off for every one that only one of them has.
func common(a, b []Deed) int {
	n := prefix(a, b)
	end := 0
	for end < len(a)-n && end < len(b)-n && a[len(a)-1-end].same(b[len(b)-1-end]) {
		end++
	}
	return 2*(n+end) - max(len(a), len(b)) + len(a) + len(b)
}
