package rapidjson_test

import (
	"bufio"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// recorded is a text with RapidJSON's results for it, under the flags of both server versions
// (testdata/README.md).
type recorded struct{ text, plain, iterative string }

func load(t testing.TB) (cases []recorded) {
	t.Helper()
	file, err := os.Open("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	next := func() string {
		text, err := strconv.Unquote(string(trimTab(lines.Bytes())))
		if err != nil {
			t.Fatalf("case %d: %v", len(cases), err)
		}
		lines.Scan()
		return text
	}
	for lines.Scan(); len(lines.Bytes()) > 0; {
		cases = append(cases, recorded{next(), next(), next()})
	}
	return cases
}

func trimTab(line []byte) []byte {
	if len(line) > 0 && line[0] == '\t' {
		return line[1:]
	}
	return line
}

// Goal: parsing and writing a text gives the same bytes as RapidJSON, under the flags of both
// versions of the server.
func TestRecorded(t *testing.T) {
	cases := load(t)
	if len(cases) < 400 {
		t.Fatalf("%d cases, want at least 400", len(cases))
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.plain, outcome(c.text, rapidjson.Options{}, false, 0)); diff != "" {
			t.Errorf("%q (-RapidJSON +ours):\n%s", c.text, diff)
		}
		flags := rapidjson.Options{Iterative: true, StopWhenDone: true}
		if diff := cmp.Diff(c.iterative, outcome(c.text, flags, true, 256)); diff != "" {
			t.Errorf("%q, iterative (-RapidJSON +ours):\n%s", c.text, diff)
		}
	}
}

func outcome(text string, options rapidjson.Options, singleLine bool, limit int) string {
	value, err := rapidjson.Parse([]byte(text), options)
	if err != nil {
		return "E " + err.Error()
	}
	w := rapidjson.NewWriter()
	w.SingleLineArrays(singleLine)
	if w.Accept(value, limit) {
		return "T " + string(w.Bytes())
	}
	return "F " + string(w.Bytes())
}

func TestDepthLimit(t *testing.T) {
	_, err := rapidjson.Parse([]byte("[[[]]]"), rapidjson.Options{MaxDepth: 2})
	want := &rapidjson.ParseError{Text: rapidjson.Termination, Offset: 2}
	if diff := cmp.Diff(want, err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := rapidjson.Parse([]byte("[[]]"), rapidjson.Options{MaxDepth: 2}); err != nil {
		t.Errorf("two levels: %v", err)
	}
}

// FuzzParse checks that written text parses again. The result need not be equal, because a real is
// not always parsed as the nearest double.
func FuzzParse(f *testing.F) {
	for _, c := range load(f)[:60] {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := rapidjson.Parse([]byte(text), rapidjson.Options{})
		if err != nil {
			return
		}
		w := rapidjson.NewWriter()
		if !w.Accept(value, 0) {
			return
		}
		if again, err := rapidjson.Parse(w.Bytes(), rapidjson.Options{}); err != nil || again.Kind != value.Kind {
			t.Errorf("%q was written as %q: %v", text, w.Bytes(), err)
		}
	})
}
