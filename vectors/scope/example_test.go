package scope_test

import (
	"fmt"

	"github.com/monosim/monosim/vectors/scope"
)

// Example reads two registers. That of modules says which Go code ports a file of the reference.
// That of quirks says how a quirk is handled.
func Example() {
	modules, err := scope.Modules()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range modules {
		if m.File == "zk_mirror.py" {
			fmt.Println(m.ID, m.File, m.State, m.Go[0])
		}
	}
	quirks, err := scope.Quirks()
	if err != nil {
		fmt.Println(err)
		return
	}
	q := quirks[0]
	fmt.Println(q.ID, q.Where, q.Decision)

	// Output:
	// B37 zk_mirror.py done engine/agent/zkmirror/zk_mirror.go
	// Q1 [agent.py:81 utils.py:53] match
}
