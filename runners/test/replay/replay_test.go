package replay_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/runners/test/replay"
)

func TestTheCommandNamesJustThisTest(t *testing.T) {
	t.Run("it's (50%) a name/with all", func(t *testing.T) {
		const want = `MONOSIM_SEED=9 go test github.com/monosim/monosim/runners/test/replay ` +
			`-run '^TestTheCommandNamesJustThisTest$/^it'\''s_\(50%\)_a_name$/^with_all$'`
		if got := replay.Command(t, 9); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestSeed(t *testing.T) {
	for _, test := range []struct {
		variable    string
		given, want uint64
	}{
		{"", 0, 1}, {"", 4, 4}, {"18446744073709551615", 0, 18446744073709551615}, {"9", 4, 4},
	} {
		t.Setenv(replay.Variable, test.variable)
		if got := replay.Seed(t, test.given); got != test.want {
			t.Errorf("%q, given %d: got %d, want %d", test.variable, test.given, got, test.want)
		}
	}
}

func TestASeedThatIsNoneEndsTheTest(t *testing.T) {
	for _, text := range []string{"0", "-1", "seven", "18446744073709551616"} {
		t.Setenv(replay.Variable, text)
		tb := tbtest.Attempt("TestMine", func(tb testing.TB) { replay.Seed(tb, 0) })
		want := fmt.Sprintf("MONOSIM_SEED: found %q, want a number from 1 to 18446744073709551615", text)
		if !tb.IsFailed || !slices.Equal(tb.Said, []string{want}) {
			t.Errorf("got %q, want %q", tb.Said, want)
		}
	}
}
