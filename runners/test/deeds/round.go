package deeds

import (
	"fmt"
	"slices"
	"time"

	"github.com/monosim/monosim/runners"
)

// A round is what an agent does again and again though nothing changes: it asks a model server, or
// tries its port. How often, and at which period, is all that counts of it. The answers show in what
// the agent writes.
const roundTopic = "round"

// ofModelServers are the methods that model servers have; calls to others are deeds by themselves.
var ofModelServers = map[string]bool{"GetModelStatus": true, "GetModelMetadata": true, "HandleReloadConfigRequest": true, "Predict": true}

// unanswered are the codes of calls that no server has seen or answered.
var unanswered = map[string]bool{"UNAVAILABLE": true, "DEADLINE_EXCEEDED": true, "CANCELLED": true}

// round adds an act of a round.
func (r *reader) round(o *runners.Observation, what, text string) {
	if o.Pod == runners.BareServer {
		return // only scenarios ask from there
	}
	name := fmt.Sprintf("%s %s %s", roundTopic, o.Pod, what)
	r.add(name, o, o.Pod, text)
	t := r.tracks[name]
	t.at = append(t.at, o.At)
}

// measured fills in the period of a round.
func (t *Track) measured() {
	if t.Topic() != roundTopic {
		return
	}
	d := &t.Deeds[0]
	d.Every = median(t.at)
	for i := 1; i < len(t.at); i++ {
		if t.at[i]-t.at[i-1] < part(betweenPart, d.Every) {
			d.Between++
		}
	}
}

// betweenPart is the part of a period below which an act is not the next of a round, but belongs to
// a slower one that comes in between, as when versions are asked for once a minute and states once a
// second.
const betweenPart = 0.75

// leastGaps is the number of gaps from which a period can be told.
const leastGaps = 1

// median returns the median time between two acts, 0 for too few of them.
func median(at []time.Duration) time.Duration {
	if len(at) <= leastGaps {
		return 0
	}
	var gaps []time.Duration
	for i, t := range at[1:] {
		gaps = append(gaps, t-at[i])
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// These bound how far a round may be from what some open log does: its begin and its period, and
// how often it came.
const (
	roundBegins    = 2 * time.Second
	roundPart      = 0.05
	roundPeriod    = 250 * time.Millisecond
	roundCount     = 1
	roundCountPart = 0.2
)

// round compares a round with those of the open logs. A log in which it did not come counts as one
// with none.
func (c *comparison) round(name string) (Difference, bool) {
	got := roundOf(c.got, name)
	d := Difference{Track: name, Got: deedsOf(c.got, name), Want: deedsOf(c.open[0], name)}
	var counts, begins, periods []time.Duration
	for _, l := range c.open {
		want := roundOf(l, name)
		counts = append(counts, time.Duration(want.Times))
		if want.Times > 0 {
			begins = append(begins, want.First)
		}
		if want.Every > 0 {
			periods = append(periods, want.Every)
		}
	}
	if c.got.Ended == 0 {
		n := time.Duration(got.Times)
		far := roundCount + time.Duration(roundCountPart*float64(max(n, slices.Max(counts))))
		if got.Every > 0 {
			far += c.slack.Late / got.Every // of those there was no time for as many
		}
		if d.between(ByCount, n, counts, far) {
			return d, true
		}
	}
	late := c.slack.Late
	if len(begins) > 0 && got.Times > 0 && d.between(ByTime, got.First, begins, roundBegins+2*late+part(roundPart, got.First)) {
		return d, true
	}
	if len(periods) == 0 || got.Every == 0 {
		return d, false
	}
	if d.between(ByPeriod, got.Every, periods, roundPeriod+late/10+part(roundPart, got.Every)) {
		return d, true
	}
	return d, c.got.Ended == 0 && got.Between == 0 && d.inBetween(name, c.open)
}

// inBetween reports whether all open logs have a slower round in between, which is then missing.
func (d *Difference) inBetween(name string, open Open) bool {
	d.Kind = ByBetween
	return !slices.ContainsFunc(open, func(l *Log) bool { return roundOf(l, name).Between == 0 })
}

func part(of float64, d time.Duration) time.Duration { return time.Duration(of * float64(d)) }

// roundOf returns the only deed of a round, one that was done 0 times if the log has none.
func roundOf(l *Log, name string) Deed {
	if list := deedsOf(l, name); len(list) > 0 {
		return list[0]
	}
	return Deed{}
}

// between reports whether a value is far from each of the wanted ones, and then is a difference of
// that kind.
func (d *Difference) between(kind Kind, got time.Duration, want []time.Duration, far time.Duration) bool {
	if slices.ContainsFunc(want, func(w time.Duration) bool { return (got - w).Abs() <= far }) {
		return false
	}
	d.Kind, d.From, d.Until = kind, slices.Min(want), slices.Max(want)
	return true
}
