package gotestee

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// Recorded runs golden cases by their ids, with the engine as the testee. Scenarios about single
// operations use it.
type Recorded struct{}

var _ runners.Operations = Recorded{}

// Operation runs a golden case with the given quirks, which are parsed as in [Testee.KeepQuirks].
// The answer says how it differs from the recorded one.
func (Recorded) Operation(id, quirks string) (runners.Answer, error) {
	v, err := goldenCase(id)
	if err != nil {
		return runners.Answer{}, err
	}
	engine := New("simulation")
	if err := engine.KeepQuirks(quirks); err != nil {
		return runners.Answer{}, fmt.Errorf("recorded case %s: %w", id, err)
	}
	got := engine.Answer(&v.Case)
	return runners.Answer{JSON: got.Readable(), Differs: conformance.Compare(v.Op, v.Want, got)}, nil
}

// suites caches the suites that were read, because runs ask for the same few again and again.
var suites sync.Map // by name: func() (*golden.Suite, error)

// goldenCase finds a case of the vectors.
func goldenCase(id string) (*conformance.Vector, error) {
	name := golden.SuiteOf(id)
	read, _ := suites.LoadOrStore(name, sync.OnceValues(func() (*golden.Suite, error) {
		return golden.ReadSuite(golden.FS(), name)
	}))
	suite, err := read.(func() (*golden.Suite, error))()
	if err != nil {
		return nil, &runners.SpecError{Where: "recorded case", Found: id, Want: "a suite of vectors and a case of it: " + err.Error()}
	}
	i := slices.IndexFunc(suite.Cases, func(c golden.Case) bool { return c.ID == id })
	if i < 0 {
		op, _, _ := strings.Cut(id, "/")
		return nil, &runners.SpecError{Where: "recorded case", Found: id, Want: "one of those that `monosim vectors list --suite " + op + "` has"}
	}
	return conformance.VectorOf(&suite.Cases[i])
}
