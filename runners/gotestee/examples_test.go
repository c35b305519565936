package gotestee_test

import (
	"bufio"
	"os"
	"sort"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/gotestee"
	"github.com/monosim/monosim/runners/testee"
)

func TestTMPExamples(t *testing.T) {
	f, err := os.Open(os.Getenv("EXAMPLES"))
	if err != nil {
		t.Skip(err)
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	g := gotestee.New("x")
	type n struct{ pass, fail, skip int }
	by := map[string]*n{}
	for sc.Scan() {
		v, err := pysem.ParseJSON(sc.Text())
		if err != nil {
			t.Fatal(err)
		}
		c, err := testee.ParseCase(sc.Text())
		if err != nil {
			t.Fatal(err)
		}
		want, err := testee.AnswerOf(v.(*pysem.Dict))
		if err != nil {
			t.Fatal(err)
		}
		if by[c.Op] == nil {
			by[c.Op] = &n{}
		}
		got := g.Answer(c)
		if got.Kind == testee.Skipped {
			by[c.Op].skip++
			t.Logf("SKIP %s: %s", c.ID, got.Why)
			continue
		}
		if d := testee.Compare(c.Op, want, got); d != "" {
			by[c.Op].fail++
			if len(d) > 1500 {
				d = d[:1500]
			}
			t.Errorf("%s: %s", c.ID, d)
		} else {
			by[c.Op].pass++
		}
	}
	var names []string
	tot := n{}
	for k := range by {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		tot.pass += by[k].pass
		tot.fail += by[k].fail
		tot.skip += by[k].skip
	}
	t.Logf("total %+v", tot)
}
