package recipes

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

// recorded holds what testdata/record.py has recorded of kazoo.
type recorded struct {
	Paths []struct {
		Path     string
		Trailing bool
		Result   string
		Error    string
	}
	Retries []struct {
		Draws    []float64
		Failures int
		Policy   struct {
			MaxTries *int    `json:"max_tries"`
			MaxDelay float64 `json:"max_delay"`
		}
		Slept  []float64
		Result string
		Calls  int
	}
}

func readRecorded(t *testing.T) recorded {
	t.Helper()
	data, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Goal: Normalize gives the same paths as kazoo. kazoo's _prefix_root makes every path absolute
// before it is normalized, so the recorded results are the paths that are sent.
func TestNormalizeDoesWhatKazooDoes(t *testing.T) {
	for _, c := range readRecorded(t).Paths {
		got, err := Normalize(c.Path, c.Trailing)
		if (err != nil) != (c.Error != "") {
			t.Errorf("Normalize(%q, %t): got error %v, want %q", c.Path, c.Trailing, err, c.Error)
		}
		if err == nil && got != c.Result {
			t.Errorf("Normalize(%q, %t): got %q, want %q", c.Path, c.Trailing, got, c.Result)
		}
	}
}

// sleeper is a fake of the tasks, the clock and the random draws that a retry uses.
type sleeper struct {
	env.Tasks
	env.Clock
	draws []float64
	slept []float64
}

func (s *sleeper) Sleep(d time.Duration) { s.slept = append(s.slept, d.Seconds()) }

func (s *sleeper) Intn(string, int) int { panic("a retry draws no integers") }

func (s *sleeper) Float64(string) float64 {
	x := s.draws[0]
	s.draws = s.draws[1:]
	return x
}

func TestRetrySleepsAsKazooDoes(t *testing.T) {
	for i, c := range readRecorded(t).Retries {
		s := &sleeper{draws: c.Draws}
		policy := RecipeRetry()
		if c.Policy.MaxTries != nil {
			policy.MaxTries = *c.Policy.MaxTries
		}
		if c.Policy.MaxDelay != 0 {
			policy.MaxDelay = time.Duration(c.Policy.MaxDelay * float64(time.Second))
		}
		calls := 0
		err := policy.Run(&env.Env{Tasks: s, Random: s}, func() error {
			if calls++; calls <= c.Failures {
				return zkerrors.ErrConnectionLoss
			}
			return nil
		})
		result := "ok"
		if err != nil {
			result = err.Error()
		}
		if result != c.Result || calls != c.Calls {
			t.Errorf("case %d: got %s after %d calls, want %s after %d", i, result, calls, c.Result, c.Calls)
		}
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
		if diff := cmp.Diff(c.Slept, s.slept, near); diff != "" && len(c.Slept)+len(s.slept) > 0 {
			t.Errorf("case %d: slept (-want +got):\n%s", i, diff)
		}
	}
}

func TestAnErrorThatWillNotPassEndsARetry(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{zkerrors.ErrConnectionLoss, true},
		{zkerrors.ErrOperationTimeout, true},
		{zkerrors.ErrSessionExpired, true},
		{zkerrors.ErrForceRetry, true},
		{zkerrors.ErrConnectionClosed, false},
		{zkerrors.ErrNoNode, false},
	} {
		if got := MayPass(c.err); got != c.want {
			t.Errorf("MayPass(%v): got %t, want %t", c.err, got, c.want)
		}
	}
}

func TestContendersAreSortedBySequenceNumber(t *testing.T) {
	got := contenders([]string{"ff__lock__0000000003", "other", "00__lock__0000000010", "aa__lock__000000001", "bb__lock__-000000001"})
	want := []string{"ff__lock__0000000003", "00__lock__0000000010"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("contenders (-want +got):\n%s", diff)
	}
}
