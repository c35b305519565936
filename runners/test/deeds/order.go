package deeds

import (
	"slices"
	"time"
)

// done holds the name of a track, and the time of a pod's first deed in it.
type done struct {
	track string
	at    time.Duration
}

// order lists the first pair of tracks that a pod began in an order that no log in open has. It
// returns nil if there is none. A pair counts only if the two times are further apart than the
// slack. Where the reference allows both orders, the logs in open contain both.
func (c *comparison) order() []Difference {
	for _, list := range firsts(c.got) {
		for i, a := range list {
			for _, b := range list[i+1:] {
				if b.at-a.at <= c.slack.at(b.at) || c.anyOrders(a.track, b.track) {
					continue
				}
				return []Difference{{
					Kind: ByOrder, Track: a.track, Other: b.track,
					Want: slices.Concat(deedsOf(c.open[0], a.track), deedsOf(c.open[0], b.track)),
					Got:  slices.Concat(deedsOf(c.got, a.track), deedsOf(c.got, b.track)),
				}}
			}
		}
	}
	return nil
}

// firsts lists for each pod, sorted by name, its tracks in the order of their first deeds.
// Files and answers are left out: they are recorded at the end of a step, so their order
// means nothing. Rounds are left out because their periods are compared instead.
func firsts(l *Log) [][]done {
	byPod := map[string][]done{}
	var pods []string
	for _, t := range l.Tracks {
		who := t.Deeds[0].Who
		if t.Topic() == "file" || t.Topic() == "answer" || isRound(t.Topic()) || who == anybody {
			continue
		}
		if byPod[who] == nil {
			pods = append(pods, who)
		}
		byPod[who] = append(byPod[who], done{t.Name, t.Deeds[0].First})
	}
	slices.Sort(pods)
	var lists [][]done
	for _, pod := range pods {
		slices.SortStableFunc(byPod[pod], func(a, b done) int { return int(a.at - b.at) })
		lists = append(lists, byPod[pod])
	}
	return lists
}

// anyOrders reports whether a log in open allows the first track to begin before the second. A log
// does if it lacks one of the tracks, or if its first track begins no later than its second, within
// the slack.
func (c *comparison) anyOrders(first, second string) bool {
	return slices.ContainsFunc(c.open, func(l *Log) bool {
		a, b := deedsOf(l, first), deedsOf(l, second)
		return len(a) == 0 || len(b) == 0 || a[0].First <= b[0].First+c.slack.at(b[0].First)
	})
}
