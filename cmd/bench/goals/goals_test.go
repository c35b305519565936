package goals

import (
	"os"
	"strings"
	"testing"
)

func TestNoRequestAllocates(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	got, err := Allocations()
	if err != nil {
		t.Fatal(err)
	}
	if got > 0.001 {
		t.Errorf("got %g allocations a request, want 0", got)
	}
}

// Goal: a large fleet's day counts as affordable only if all of its windows were simulated within
// the allowed time. Method: the plan of the benchmark with a window of 1 ms every hour, once as it
// is, once with too little time, once with another number of windows.
func TestADayOfALargeFleetIsPlayedWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	short := strings.Replace(fleetPlan, "each hour 60s", "each hour 1ms", 1)
	for _, c := range []struct {
		windows int
		most    float64
		want    bool
	}{{24, 600, true}, {24, 0, false}, {23, 600, false}} {
		got, err := fleetDay(short, c.windows, c.most)
		if err != nil {
			t.Fatal(err)
		}
		if got.Reached != c.want {
			t.Errorf("%+v: got %q, reached %v", c, got.Text, got.Reached)
		}
	}
}

func TestEnginesGiveTheSameBytes(t *testing.T) {
	if _, err := Equality(); err != nil {
		t.Error(err)
	}
}

// atNight returns all under `make nightly`, which has more time for test cases, and few under
// `make check`.
func atNight(all, few int) int {
	if os.Getenv("MONOSIM_NIGHTLY") != "" {
		return all
	}
	return few
}

// Goal: a search gives the same answers as simulating every cell of the grid (G8). `make check`
// tries one random question and `make nightly` all of them, because each takes some ten seconds.
func TestTheSearchFindsWhatTheGridFinds(t *testing.T) {
	if testing.Short() {
		t.Skip("simulating every cell takes minutes under the race detector; the whole tests do")
	}
	questions := atNight(20, 1)
	c, err := SearchAndGrid(questions)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Different {
		t.Error(d)
	}
	t.Logf("%d the same, %d undecided", c.Same, c.Undecided)
	if c.Same < (questions+1)/2 {
		t.Errorf("%d of %d questions were answered, want half at least", c.Same, questions)
	}
}

// Goal: a window gives the figures that the same seconds have in a run over the whole horizon
// (CAP-3.18). The time before the window is simulated only where that is necessary. Method: random
// plans with bursts, failures, retries and autoscalers; `make nightly` and `make bench-whatif` have
// 200 of them.
func TestRandomWindowsBeginWithWhatWas(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	plans := atNight(200, 8)
	wrong, inPart, err := windowsOf(plans, 6, 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(wrong) > 0 {
		t.Errorf("%d windows differ: %s", len(wrong), strings.Join(wrong, "\n"))
	}
	if inPart < plans/4 {
		t.Errorf("%d of %d windows were simulated in part, want a quarter at least", inPart, plans)
	}
	t.Logf("%d of %d windows were simulated in part", inPart, plans)
}
