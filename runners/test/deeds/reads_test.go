package deeds_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
)

// layout is a znode whose children an agent of version 3 reads.
const layout = "/gip/layouts/main"

// reads returns a log in which a pod lists the children of the layout at each of the times, in
// seconds, and reads n children one after the other.
func reads(n int, times ...float64) *deeds.Log {
	var log []runners.Observation
	for _, s := range times {
		log = append(log, runners.Observation{At: at(s), Pod: pod, Op: "read", Path: layout, Note: "getChildren"})
		for i := range n {
			s += 0.2
			log = append(log, runners.Observation{At: at(s), Pod: pod, Op: "read", Path: fmt.Sprintf("%s/%d", layout, i), Note: "getData"})
		}
	}
	return deeds.Read(log)
}

// every lists n times, in seconds, at a period from begin on.
func every(period float64, n int, begin float64) (times []float64) {
	for i := range n {
		times = append(times, begin+float64(i)*period)
	}
	return times
}

// Goal: what is read below one znode within a moment is one act, however long it takes.
func TestReadsOfAMomentAreOne(t *testing.T) {
	for _, n := range []int{0, 1, 20} {
		l := reads(n, 1, 31)
		if len(l.Tracks) != 1 || l.Tracks[0].Name != "reads "+pod+" "+layout || l.Tracks[0].Deeds[0].Times != 2 {
			t.Errorf("%d children: want one track of 2 acts, got %v", n, lines(l))
		}
	}
}

// Goal: agents of one pod, which have a session each, have acts of their own.
func TestReadsOfSessionsAreApart(t *testing.T) {
	var log []runners.Observation
	for i := range 3 {
		log = append(log, runners.Observation{At: at(1 + 0.1*float64(i)), Pod: pod, Op: "read", Path: layout, Note: "getChildren", ID: int64(i)})
	}
	if got := deeds.Read(log).Tracks[0].Deeds[0].Times; got != 3 {
		t.Errorf("three sessions at once: got %d acts, want 3", got)
	}
}

// Goal: an agent that reads more often than the simulated ones, or at another period, is told,
// even though it writes nothing. Reads that answer events may come at any interval.
func TestReadsAreCompared(t *testing.T) {
	watched := deeds.Open{reads(2, 1), reads(2, 1, 40)}
	polled := deeds.Open{reads(2, every(60, 6, 1)...), reads(2, every(60, 6, 1.5)...)}
	for _, c := range []struct {
		name string
		open deeds.Open
		got  *deeds.Log
		want string
	}{
		{"the same", watched, reads(2, 1.1, 40), ""},
		{"other events", watched, reads(2, 1.1, 77), ""},
		{"never", watched, &deeds.Log{}, ""},
		{"every five seconds instead of by a watch", watched, reads(2, every(5, 20, 1)...), "comes 20 times, want 1 to 2"},
		{"polled the same", polled, reads(2, every(60.2, 6, 2)...), ""},
		{"polled twice as often", polled, reads(2, every(30, 12, 1)...), "comes 12 times, want 6 to 6"},
		{"polled at another period", polled, reads(2, every(50, 6, 1)...), "comes every 50.00s, want every 60.00s to 60.00s"},
		{"never polled", polled, &deeds.Log{}, "comes 0 times, want 6 to 6"},
		{"as often, at no period", polled, reads(2, 1, 10, 70, 71, 140, 300), ""},
	} {
		got := ""
		if found := deeds.Compare(c.open, c.got, deeds.Slack{Least: time.Minute}); len(found) > 0 {
			got = found[0].Lines("sim", "real")[0]
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
