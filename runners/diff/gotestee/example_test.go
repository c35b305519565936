package gotestee_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee"
)

// The engine reads cases and writes answers as lines of JSON, as any other testee does.
func Example() {
	engine := gotestee.New("example")
	defer engine.Close()
	cases := strings.NewReader(`{"id": "port", "op": "net_utils.concat_ip_and_port", "in": {"ip": "fd00::1", "port": 80}}
{"id": "unknown", "op": "net_utils.no_such_thing", "in": {}}
`)
	if err := testee.Serve(engine, cases, os.Stdout); err != nil {
		fmt.Println(err)
	}

	// Output:
	// {"id": "port", "out": "[fd00::1]:80"}
	// {"id": "unknown", "skipped": "unknown operation net_utils.no_such_thing"}
}
