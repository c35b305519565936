package catalogue_test

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
)

// This makes random cases until one has a path with an empty part. Then it shrinks the draws that
// made the case, as long as the path has an empty part.
func Example() {
	const op = "utils.ZKPath"
	odd := func(tape []uint64) bool {
		path, _ := catalogue.Build(op, catalogue.ReplayDraws(tape)).In.Get("path")
		text, _ := path.(string)
		return strings.Contains(text, "//")
	}
	for i := range 20 {
		c, tape := catalogue.Invent(op, 1, i)
		if !odd(tape) {
			continue
		}
		fmt.Println(pysem.Repr(c.In))
		small := catalogue.Shrink(tape, odd)
		fmt.Println("from", len(tape), "draws to", len(small), pysem.Repr(catalogue.Build(op, catalogue.ReplayDraws(small)).In))
		break
	}

	// Output:
	// {'path': '//service//lf:/ps:٣'}
	// from 11 draws to 4 {'path': '/b/service//ps:0'}
}
