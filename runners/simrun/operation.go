package simrun

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/gotestee"
	"github.com/monosim/monosim/runners/testee"
	"github.com/monosim/monosim/vectors"
)

// Operation answers a golden case with the engine as a testee.
func (r *Runner) Operation(id, quirks string) (runners.Answer, error) {
	v, err := golden(id)
	if err != nil {
		return runners.Answer{}, err
	}
	engine := gotestee.New("simulation")
	if err := engine.KeepQuirks(quirks); err != nil {
		return runners.Answer{}, fmt.Errorf("recorded case %s: %w", id, err)
	}
	got := engine.Answer(&v.Case)
	return runners.Answer{JSON: got.Readable(), Differs: testee.Compare(v.Op, v.Want, got)}, nil
}

var _ runners.Operations = (*Runner)(nil)

// suites keeps what was read of vectors: runs ask for the same few suites often.
var suites sync.Map // by name: func() (*vectors.Suite, error)

// golden finds a case of the vectors.
func golden(id string) (*testee.Vector, error) {
	name := vectors.SuiteOf(id)
	read, _ := suites.LoadOrStore(name, sync.OnceValues(func() (*vectors.Suite, error) {
		return vectors.ReadSuite(vectors.FS(), name)
	}))
	suite, err := read.(func() (*vectors.Suite, error))()
	if err != nil {
		return nil, &runners.SpecError{Where: "recorded case", Found: id, Want: "a suite of vectors and a case of it: " + err.Error()}
	}
	i := slices.IndexFunc(suite.Cases, func(c vectors.Case) bool { return c.ID == id })
	if i < 0 {
		op, _, _ := strings.Cut(id, "/")
		return nil, &runners.SpecError{Where: "recorded case", Found: id, Want: "one of those that `monosim vectors list --suite " + op + "` has"}
	}
	return testee.VectorOf(&suite.Cases[i])
}
