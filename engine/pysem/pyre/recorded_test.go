package pyre_test

import (
	"bufio"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyre"
)

// Goal: every pattern matches as in Python. Method: match the patterns of testdata/recorded.jsonl
// (made by testdata/record.py), and compare the matched and captured texts, and errors with their
// positions.
func TestPatternsMatchAsInPython(t *testing.T) {
	file, err := os.Open("testdata/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		parsed, err := pysem.ParseJSON(lines.Text())
		if err != nil {
			t.Fatalf("recorded case: %v", err)
		}
		c := parsed.(*pysem.Dict)
		pattern, text := field(c, "pattern").(string), field(c, "text").(string)
		t.Run(pattern+" on "+text, func(t *testing.T) { check(t, pattern, text, c) })
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, pattern, text string, c *pysem.Dict) {
	m, err := pyre.MatchText(pattern, text)
	if want, ok := field(c, "error").(*pysem.Dict); ok {
		wantErr := field(want, "type").(string) + ": " + field(want, "message").(string)
		if err == nil || err.Error() != wantErr {
			t.Errorf("got error %v, want %s", err, wantErr)
		}
		return
	}
	if err != nil {
		t.Fatalf("got error %v, want %s", err, pysem.Repr(field(c, "match")))
	}
	if diff := cmp.Diff(pysem.Repr(field(c, "match")), pysem.Repr(answer(m))); diff != "" {
		t.Errorf("match differs (-python +got):\n%s", diff)
	}
}

// answer converts a match to the form in which record.py writes it.
func answer(m *pyre.Match) any {
	if m == nil {
		return nil
	}
	groups, named := []any{}, []any{}
	for _, g := range m.Groups {
		groups = append(groups, textOf(g))
	}
	for _, g := range m.Named() {
		named = append(named, []any{g.Name, textOf(g)})
	}
	return []any{m.Text, groups, named}
}

func textOf(g pyre.Group) any {
	if g.Set {
		return g.Text
	}
	return nil
}

func field(d *pysem.Dict, name string) any {
	v, _ := d.Get(name)
	return v
}
