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

// Goal: a day of a large fleet counts as affordable only when all of its windows were played
// and took no more than allowed. Method: the plan of the benchmark with a window of 1 ms every
// hour, once as it is, once with too little time, once with another number of windows.
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

// atNight returns how many of something `make nightly` asks for, or the few of `make check`.
func atNight(all, few int) int {
	if os.Getenv("MONOSIM_NIGHTLY") != "" {
		return all
	}
	return few
}

// The search finds what simulating every cell finds (G8). `make check` asks one of the
// questions and `make nightly` all: each is some ten seconds.
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

// Goal: a window's figures are those of the same seconds in a run over everything (CAP-3.18), and
// what is before it is simulated only where it has to be. Method: random plans with bursts,
// failures, retries and autoscalers; `make nightly` and `make bench-whatif` have 200 of them.
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
