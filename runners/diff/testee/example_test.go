package testee_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// adder is a testee with one operation, which adds in.a and in.b.
type adder struct{}

func (adder) Hello() (testee.Hello, error) {
	return testee.Hello{Name: "adder", Version: "1", Ops: []string{"sums.add"}}, nil
}

func (adder) Answer(c *testee.Case) testee.Answer {
	a, _ := c.In.Get("a")
	b, _ := c.In.Get("b")
	x, isInt := a.(int)
	y, isIntToo := b.(int)
	if !isInt || !isIntToo {
		return testee.Answer{Kind: testee.Raised, Type: "TypeError", Message: "cannot add " + pysem.Repr(a) + " and " + pysem.Repr(b)}
	}
	return testee.Answer{Kind: testee.Returned, Out: x + y}
}

func (adder) Close() error { return nil }

// This serves a testee by Serve, which reads one request per line and writes one answer per line.
func Example() {
	lines := strings.NewReader(`{"op": "hello"}
{"id": "small", "op": "sums.add", "in": {"a": 1, "b": 2}}
{"id": "odd", "op": "sums.add", "in": {"a": 1, "b": null}}
no case
`)
	if err := testee.Serve(adder{}, lines, os.Stdout); err != nil {
		fmt.Println(err)
	}

	// Output:
	// {"name": "adder", "version": "1", "ops": ["sums.add"]}
	// {"id": "small", "out": 3}
	// {"id": "odd", "error": {"type": "TypeError", "message": "cannot add 1 and None"}}
	// {"id": "", "error": {"type": "BadCase", "message": "found no JSON: JSONDecodeError: Expecting value: line 1 column 1 (char 0)"}}
}
