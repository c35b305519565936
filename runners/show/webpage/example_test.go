package webpage_test

import (
	"bytes"
	"fmt"

	"github.com/monosim/monosim/runners/show/webpage"
)

// This makes a page with data lines and a script that shows them.
func Example() {
	var file bytes.Buffer
	page := webpage.Begin(&file, webpage.Head{
		Title:   "Pods",
		Scripts: []string{`document.getElementById("page").replaceChildren(...dataLines().map(line => el("p", {}, JSON.parse(line).pod)));`},
	})
	for _, pod := range []string{"shard0-replica0", "shard0-replica1 </script>"} {
		if err := page.Line(map[string]string{"pod": pod}); err != nil {
			fmt.Println(err)
		}
	}
	if err := page.End(); err != nil {
		fmt.Println(err)
	}

	data, err := webpage.Data(file.String())
	if err != nil {
		fmt.Println(err)
	}
	for _, line := range data {
		fmt.Printf("%s\n", line)
	}

	// Output:
	// {"pod":"shard0-replica0"}
	// {"pod":"shard0-replica1 \u003c/script\u003e"}
}
