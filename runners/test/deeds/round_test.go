package deeds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
)

// rounds returns a log in which a pod asks for a model n times, at a period from begin on,
// in seconds. Each act is a little late, by up to 0.1 s.
func rounds(begin, period float64, n int) *deeds.Log {
	var log []runners.Observation
	for i := range n {
		late := []float64{0, 0.1, 0.05}[i%3]
		log = append(log, runners.Observation{At: at(begin + float64(i)*period + late), Pod: pod, Op: "rpc", Path: "GetModelStatus", Note: "ctr: OK"})
	}
	return deeds.Read(log)
}

// Goal: if a call once a minute is missing between calls of every second, the difference is
// found.
func TestWhatComesInBetweenIsMissed(t *testing.T) {
	log := func(minute bool) *deeds.Log {
		var list []runners.Observation
		for i := range 130 {
			list = append(list, runners.Observation{At: at(float64(i)), Pod: pod, Op: "rpc", Path: "GetModelStatus", Note: "ctr: OK"})
			if minute && i%60 == 59 {
				list = append(list, runners.Observation{At: at(float64(i) + 0.4), Pod: pod, Op: "rpc", Path: "GetModelStatus", Note: "ctr: OK"})
			}
		}
		return deeds.Read(list)
	}
	for _, c := range []struct{ want, got, differs bool }{{true, true, false}, {true, false, true}, {false, true, false}} {
		found := deeds.Compare(deeds.Open{log(c.want)}, log(c.got), deeds.Slack{Least: time.Minute})
		if differs := len(found) > 0; differs != c.differs || differs && !strings.Contains(found[0].Lines("sim", "real")[0], "nothing comes between its acts") {
			t.Errorf("in the simulation %v, here %v: got %v", c.want, c.got, found)
		}
	}
}

// Goal: a round at another period is a difference, even if nothing else differs. A round
// that is a little late is not. Method: rounds of one second and of half a minute.
func TestAnotherPeriodIsNoticed(t *testing.T) {
	second := deeds.Open{rounds(2, 1.005, 60), rounds(2.5, 1.003, 60)}
	half := deeds.Open{rounds(31, 30, 5), rounds(61, 30, 4)}
	for _, c := range []struct {
		name string
		open deeds.Open
		got  *deeds.Log
		late time.Duration
		want string
	}{
		{"the same", second, rounds(3, 1.01, 59), 0, ""},
		{"a slow machine", second, rounds(3, 1.2, 50), 0, ""},
		{"every two seconds", second, rounds(3, 2, 30), 0, "comes 30 times, want 60 to 60"},
		{"every two seconds, for as often", second, rounds(3, 2, 60), 0, "comes every 1.95s, want every 0.95s to 0.95s"},
		{"never", second, &deeds.Log{}, 0, "comes 0 times, want 60 to 60"},
		{"every 33 seconds", half, rounds(31, 33, 5), 0, "comes every 33.10s, want every 29.95s to 30.10s"},
		{"every 20 seconds", half, rounds(31, 20, 5), 0, "comes every 20.10s, want every 29.95s to 30.10s"},
		{"between what two seeds do", half, rounds(45, 30, 4), 0, "deed 1 is at another time, want t+31.0s to t+61.0s"},
		{"late, on a machine that was", half, rounds(36, 30, 4), 2 * time.Second, ""},
		{"few, at another period on a machine that was late", deeds.Open{rounds(10, 1, 3)}, rounds(11, 2, 3), 2 * time.Second, ""},
		{"many, at another period on a machine that was late", deeds.Open{rounds(10, 1, 20)}, rounds(11, 2, 20), 2 * time.Second, "comes every 1.95s, want every 0.95s to 0.95s"},
		{"few, at another period on one that was not", deeds.Open{rounds(10, 1, 3)}, rounds(11, 2, 3), 0, "comes every 2.10s, want every 1.10s to 1.10s"},
		{"late, on one that was not", half, rounds(36, 30, 4), 0, "deed 1 is at another time"},
	} {
		found := deeds.Compare(c.open, c.got, deeds.Slack{Least: time.Minute, Late: c.late})
		got := ""
		if len(found) > 0 {
			got = found[0].Lines("sim", "real")[0]
		}
		if want := c.want; want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
	}
}
