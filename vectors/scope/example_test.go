package scope_test

import (
	"fmt"

	"github.com/monosim/monosim/vectors/scope"
)

// The registers say of a file of the reference what ports it, and of a quirk what is
// done about it.
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
