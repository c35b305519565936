package hvdlib_test

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/hvdlib"
)

// Example shows from which variables a process takes its ranks.
func Example() {
	e := envtest.New(nil, map[string]string{"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "8", "RANK": "1"})
	lib := hvdlib.Lib{Host: e.Host}
	fmt.Println(lib.EnableBPS())
	fmt.Println(hvdlib.RanksOf(e.Host, false), hvdlib.RanksOf(e.Host, true))
	// Output:
	// 0 <nil>
	// {3 8 0 1} {1 1 0 1}
}

// Goal: words and ranks are parsed as in the Rust port (TRN-4.8).
func TestWordsOfTheRustPort(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"1", true}, {" TRUE ", true}, {"Yes", true}, {"y", true}, {"on", true}, {"0", false}, {"false", false}, {"NO", false}, {"n", false}, {"off", false},
		{"2", true}, {"-1", true}, {"00", false}, {"x", false}, {"", false},
	} {
		if got := hvdlib.EnableBPSWords(envtest.New(nil, map[string]string{"MONOLITH_WITH_BYTEPS": c.text}).Host); got != c.want {
			t.Errorf("%q: got %v, want %v", c.text, got, c.want)
		}
	}
}

func TestTheFirstVariableThatIsSetDecides(t *testing.T) {
	for _, c := range []struct {
		name   string
		vars   map[string]string
		bytePS bool
		want   hvdlib.Ranks
	}{
		{"nothing is set", nil, false, hvdlib.Ranks{Size: 1, LocalSize: 1}},
		{"horovod before mpi", map[string]string{"HOROVOD_RANK": "2", "OMPI_COMM_WORLD_RANK": "3"}, false, hvdlib.Ranks{Rank: 2, Size: 1, LocalSize: 1}},
		{"no fall-through", map[string]string{"HOROVOD_RANK": "x", "OMPI_COMM_WORLD_RANK": "3", "HOROVOD_SIZE": "x", "WORLD_SIZE": "4"}, false, hvdlib.Ranks{Size: 1, LocalSize: 1}},
		{"least values", map[string]string{"RANK": "-2", "WORLD_SIZE": "0", "LOCAL_RANK": "-1", "LOCAL_WORLD_SIZE": "-3"}, false, hvdlib.Ranks{Size: 1, LocalSize: 1}},
		{"byteps", map[string]string{"BYTEPS_RANK": "5", "WORLD_SIZE": "6", "BYTEPS_LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", "HOROVOD_RANK": "9"}, true,
			hvdlib.Ranks{Rank: 5, Size: 6, LocalRank: 1, LocalSize: 2}},
	} {
		if got := hvdlib.RanksOf(envtest.New(nil, c.vars).Host, c.bytePS); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
