package agent

import (
	"bufio"
	"os"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// The goal is that what a bzid holds is described to the byte as the reference
// describes it. The method is to fill a tree as recorded cases of the testee
// protocol do, and to compare the last step, bzid_info.
func TestBzidInfoEqualsTheReferences(t *testing.T) {
	file, err := os.Open("testdata/bzid_info.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, err := pysem.ParseJSON(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		c := line.(*pysem.Dict)
		t.Run(pysem.Basename(item(c, "id").(string)), func(t *testing.T) { compareBzidInfo(t, c) })
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func compareBzidInfo(t *testing.T, c *pysem.Dict) {
	r := newCaseRunner(t, c)
	bd, zk := r.backend()
	for _, step := range r.list("steps") {
		args := step.([]any)[1].(*pysem.Dict)
		if step.([]any)[0] == "create_znode" {
			if _, err := zk.Create(item(args, "path").(string), item(args, "value").([]byte), env.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := bd.BzidInfoText()
	steps := item(item(c, "out").(*pysem.Dict), "steps").([]any)
	want := steps[len(steps)-1].(*pysem.Dict)
	if failure, ok := item(want, "e").(*pysem.Dict); ok {
		if pysem.TypeOf(err) != item(failure, "type") {
			t.Errorf("got %q, error %v, want error %s", text, err, pysem.AppendJSON(nil, failure))
		}
		return
	}
	if err != nil || text != item(want, "r") {
		t.Errorf("got\n%s\nerror %v, want\n%s", text, err, item(want, "r"))
	}
}
