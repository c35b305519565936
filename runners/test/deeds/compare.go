package deeds

import (
	"slices"
	"strings"
	"time"
)

// Open holds logs of several runs of one scenario, such as simulations with different seeds. The
// runs differ only where the reference allows more than one behaviour. Another log agrees with them
// if each of its tracks matches the track of the same name in one of these logs.
type Open []*Log

// Slack says by how much a deed's time may lie outside of its times in the [Open] logs: by the
// duration Least, plus the fraction Part of the time itself.
type Slack struct {
	Least time.Duration
	Part  float64
	// Late is by how much the machine fell behind, in cluster time. It is added to the slack.
	Late time.Duration
}

// at returns the slack at a cluster time.
func (s Slack) at(t time.Duration) time.Duration {
	return s.Least + s.Late + time.Duration(float64(t)*s.Part)
}

// Kind says in which respect two logs differ.
type Kind string

// A track may differ in its deeds or in their times. Two tracks of one pod may differ in which of
// them begins first.
const (
	ByDeed  Kind = "deed"
	ByTime  Kind = "time"
	ByOrder Kind = "order"
	// A round (an action that an agent repeats) may differ in how often it was done, in its period,
	// and in the acts in between.
	ByCount   Kind = "count"
	ByPeriod  Kind = "period"
	ByBetween Kind = "between"
)

// Difference is the first place in a track where a log differs from all logs in [Open].
type Difference struct {
	Kind Kind
	// Track is the name of the track that differs. For a difference in order, Track and Other are
	// two tracks, of which Track began first in the compared log.
	Track, Other string
	// At is the index of the differing deed in Want and Got.
	At int
	// Want is the track of the log in [Open] that is most similar. Got is the track of the compared
	// log.
	Want, Got []Deed
	// From and Until bound the wanted time or period. For a difference in count they hold the
	// wanted count as a plain number.
	From, Until time.Duration
}

// Compare lists in which tracks a log differs from all logs in open. First come the tracks whose
// deeds differ, sorted by name, and then those that differ only in their times. If no track
// differs, the list holds the first pair of tracks that a pod began in another order, if there is
// one. The caller has to leave out the tracks of topics that one of the sides cannot observe.
func Compare(open Open, got *Log, slack Slack) []Difference {
	c := comparison{open: open, got: got, slack: slack}
	var byDeed, byTime []Difference
	for _, name := range c.names() {
		d, ok := c.track(name)
		switch {
		case !ok:
		case d.Kind != ByDeed:
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

// Agreement compares a log, track by track, with the log in open that is most similar. same counts
// the deeds that are equal on both sides. all counts the deeds of each track on the side that has
// more of them.
func Agreement(open Open, got *Log, slack Slack) (same, all int) {
	c := comparison{open: open, got: got, slack: slack}
	for _, name := range c.names() {
		did := deedsOf(got, name)
		d, differs := c.track(name)
		if !differs {
			same, all = same+len(did), all+len(did)
			continue
		}
		n := max(len(d.Want), len(did))
		all += n
		if d.Kind == ByTime {
			same += n - 1
		} else {
			same += alike(d.Want, did)
		}
	}
	return same, all
}

type comparison struct {
	open  Open
	got   *Log
	slack Slack
}

// names lists the names of all tracks, sorted.
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

// track compares one track with the track of that name in all logs of open. It returns false if
// they agree.
func (c *comparison) track(name string) (Difference, bool) {
	if topic, _, _ := strings.Cut(name, " "); isRound(topic) {
		return c.round(name)
	}
	got := deedsOf(c.got, name)
	var alike [][]Deed
	nearest, best := []Deed(nil), -1
	for _, l := range c.open {
		want := c.due(deedsOf(l, name), got)
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

// due returns the wanted deeds for which the compared run had time: if that run was cut off, the
// deeds after its end are left out.
func (c *comparison) due(want, got []Deed) []Deed {
	n := prefix(want, got)
	if c.got.Ended == 0 || n < len(got) {
		return want
	}
	for n < len(want) && want[n].First <= c.got.Ended-c.slack.at(c.got.Ended) {
		n++
	}
	return want[:n]
}

// times checks the time of every deed. Within the slack, it must lie between the earliest and the
// latest time of that deed in the logs of open.
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

// prefix returns the number of deeds that two lists share at their start.
func prefix(a, b []Deed) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].same(b[n]) {
		n++
	}
	return n
}

// alike returns the number of deeds that two lists share at the start and at the end.
func alike(a, b []Deed) int {
	n := prefix(a, b)
	end := 0
	for end < len(a)-n && end < len(b)-n && a[len(a)-1-end].same(b[len(b)-1-end]) {
		end++
	}
	return n + end
}

// common rates how similar two lists are: twice the number of deeds that they share at the start
// and at the end, plus the length of the shorter one.
func common(a, b []Deed) int {
	return 2*alike(a, b) - max(len(a), len(b)) + len(a) + len(b)
}
