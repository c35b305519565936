package deeds

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// A round is an action that an agent repeats although nothing changes, such as asking a
// model server or trying its port. Only its count and period are compared. What the answers
// caused shows in what the agent writes.
const roundTopic = "round"

// ofModelServers lists the RPC methods of model servers, whose calls form rounds. Other
// calls are deeds of their own.
var ofModelServers = map[string]bool{"GetModelStatus": true, "GetModelMetadata": true, "HandleReloadConfigRequest": true, "Predict": true}

// unanswered lists the status codes of calls that no server received or answered.
var unanswered = map[string]bool{"UNAVAILABLE": true, "DEADLINE_EXCEEDED": true, "CANCELLED": true}

// round adds one act to a round, unless it came from the bare model server's pod.
func (r *reader) round(o *runners.Observation, what, text string) {
	if o.Pod == runners.BareServer {
		return // calls from this pod are made only by scenarios
	}
	r.act(fmt.Sprintf("%s %s %s", roundTopic, o.Pod, what), o, text)
}

// act adds one act to a track of rounds.
func (r *reader) act(name string, o *runners.Observation, text string) {
	r.add(name, o, o.Pod, text)
	t := r.tracks[name]
	t.at = append(t.at, o.At)
}

// measured computes the period of a round from the times of its acts.
func (t *Track) measured() {
	d := &t.Deeds[0]
	switch t.Topic() {
	case roundTopic:
		d.Every = median(t.at)
	case ReadsTopic:
		d.Every = cadence(t.at)
	default:
		return
	}
	for gap := range gaps(t.at) {
		if gap < part(betweenPart, d.Every) {
			d.Between++
		}
	}
}

// betweenPart is a fraction of the period. An act that follows sooner than this belongs to a
// slower round, as when an agent asks for states each second and for versions each minute.
const betweenPart = 0.75

// leastGaps is how many intervals between acts are needed to tell a period.
const leastGaps = 1

// median returns the median interval between successive times, 0 if there are too few.
func median(at []time.Duration) time.Duration {
	if len(at) <= leastGaps {
		return 0
	}
	sorted := slices.Sorted(gaps(at))
	return sorted[len(sorted)/2]
}

// By how much a round may differ from the same round in the most similar log of open: in its start,
// its period, and how often it was done.
const (
	roundBegins    = 2 * time.Second
	roundPart      = 0.05
	roundPeriod    = 250 * time.Millisecond
	roundCount     = 1
	roundCountPart = 0.2
)

// fewActs is the largest number of acts for which a single late act shifts the median interval by a
// large part of the delay.
const fewActs = 8

// round compares a round with the round of that name in all logs of open. A log without it counts
// as having done it 0 times.
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
		if d.between(ByCount, n, counts, c.farCount(name, got, max(n, slices.Max(counts)))) {
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
	shaken := late / 10
	if got.Times <= fewActs {
		shaken = late / 2
	}
	if d.between(ByPeriod, got.Every, periods, roundPeriod+shaken+part(roundPart, got.Every)) {
		return d, true
	}
	return d, c.got.Ended == 0 && got.Between == 0 && d.inBetween(name, c.open)
}

// farCount returns by how much the number of a round's acts may differ. most is the number in the
// compared log, or the largest number in the logs of open if that is larger.
func (c *comparison) farCount(name string, got Deed, most time.Duration) time.Duration {
	share := roundCountPart
	far := time.Duration(roundCount)
	if strings.HasPrefix(name, ReadsTopic) {
		share = readsCountPart
		far += c.slack.Late / splits
	}
	if got.Every > 0 {
		far += c.slack.Late / got.Every // a machine that was late had no time for this many acts
	}
	return far + part(share, most)
}

// inBetween reports whether each log of open has acts of a slower round in between, and sets the
// kind of the difference. It is called only if the compared log has no such acts, so true means
// that they are missing there.
func (d *Difference) inBetween(name string, open Open) bool {
	d.Kind = ByBetween
	return !slices.ContainsFunc(open, func(l *Log) bool { return roundOf(l, name).Between == 0 })
}

func part(of float64, d time.Duration) time.Duration { return time.Duration(of * float64(d)) }

// roundOf returns the single deed of a round. If the log lacks the round, the deed was done 0
// times.
func roundOf(l *Log, name string) Deed {
	if list := deedsOf(l, name); len(list) > 0 {
		return list[0]
	}
	return Deed{}
}

// between reports whether got differs by more than far from every wanted value. It then
// fills in the difference with kind and the range of wanted values.
func (d *Difference) between(kind Kind, got time.Duration, want []time.Duration, far time.Duration) bool {
	if slices.ContainsFunc(want, func(w time.Duration) bool { return (got - w).Abs() <= far }) {
		return false
	}
	d.Kind, d.From, d.Until = kind, slices.Min(want), slices.Max(want)
	return true
}
