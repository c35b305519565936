package expr_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem/expr"
)

// This example compiles a condition once and evaluates it for several sub-graphs.
func ExampleProgram_Holds() {
	p, err := expr.Compile("i % 3 == 1 or i in range(10, 12)")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range []int{1, 2, 11} {
		holds, err := p.Holds(expr.Names{Locals: []expr.Name{{ID: "i", Value: i}}})
		fmt.Println(i, holds, err)
	}
	// Output:
	// 1 true <nil>
	// 2 false <nil>
	// 11 true <nil>
}

func ExampleEval() {
	for _, source := range []string{"pow(2, 4)", "2*3.9", "f'{10:>5}|'", "1 + 'a'", "open('x')"} {
		v, err := expr.Eval(source, expr.Names{})
		fmt.Println(v, err)
	}
	// Output:
	// 16 <nil>
	// 7.8 <nil>
	//    10| <nil>
	// <nil> TypeError: unsupported operand type(s) for +: 'int' and 'str'
	// <nil> ExpressionRefused: Q230: the name open is not evaluated here
}
