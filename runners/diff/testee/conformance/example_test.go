package conformance_test

import (
	"fmt"

	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// This asks the engine the golden cases of one module, and then compares two answers.
func Example() {
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := gotestee.New("example")
	defer engine.Close()
	report, err := conformance.Verify(engine, suites, conformance.Selection{Suites: []string{"constants"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Counts().Failed, "failed of constants")

	want := testee.Answer{Kind: testee.Returned, Out: []any{"ps:0", 1}}
	got := testee.Answer{Kind: testee.Returned, Out: []any{"ps:0", 2}}
	fmt.Println(conformance.Compare("utils.some_op", want, got))

	// Output:
	// 0 failed of constants
	// first at out[1]
	// - {"out": ["ps:0", 1]}
	// + {"out": ["ps:0", 2]}
}
