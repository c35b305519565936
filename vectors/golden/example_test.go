package golden_test

import (
	"fmt"
	"os"

	"github.com/monosim/monosim/vectors/golden"
)

// Example reads a suite, which holds the cases about one module of the reference. Each case has a
// question and the answer of the real Python.
func Example() {
	suite, err := golden.ReadSuite(golden.FS(), "constants")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(suite.Name, "from", suite.Source.Path)
	c := suite.Cases[0]
	fmt.Printf("%s: %s of %s is %s\n", c.ID, c.Op, c.In, c.Out)

	findings, err := golden.Lint(os.DirFS("."))
	fmt.Println("wrong with the suites:", findings, err)

	// Output:
	// constants from monolith/agent_service/constants.py
	// constants.values/all: constants.values of {} is {"HOST_SHARD_ENV":"MONOLITH_HOST_SHARD_N"}
	// wrong with the suites: [] <nil>
}
