package judge

import (
	"math"
	"testing"

	"github.com/monosim/monosim/runners/whatif/model"
)

// Goal: requests that were under way at an event and failed are lost, but for as many as are under way and fail at
// any time. Method: steps with 100 requests, of which 10 fail, two of them in the next step. At the event in the
// tenth step two fail, as ever, or seven.
func TestFailuresAsEverAreNoCost(t *testing.T) {
	for _, c := range []struct {
		struck int64
		want   float64
	}{{2, 0}, {7, 5}} {
		var series []model.Instant
		for k := range 20 {
			i := model.Instant{Arrived: 100, Completed: 90, Failed: 10, SumNs: 90e6, Ended: 10}
			if k == 0 {
				i.Ended = 8
			}
			if k == 9 {
				i.Struck, i.Failed = c.struck, 8+c.struck
			}
			series = append(series, i)
		}
		list := make([]course, 1)
		comparison, ok := compared([]track{trackOf(series)}, 10e9, 1e9)
		if !ok {
			t.Fatal("got nothing to compare with")
		}
		comparison.courses(list, 10e9, 1e9)
		got := list[0]
		if math.Abs(got.lost-c.want) > 0.05 || got.recovered != 0 || got.never {
			t.Errorf("%d under way fail: got %+v, want %g lost", c.struck, got, c.want)
		}
	}
}
