package testee

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: cases and answers survive parsing and writing, whatever they contain, and invalid lines are
// refused. Method: lines with values that other readers of JSON would change.

func TestACaseSurvivesReadingAndWriting(t *testing.T) {
	line := `{"id": "a/b", "op": "x.y", "env": {"B": "1", "A": "\ud83d"}, "files": {"f": null}, ` +
		`"in": {"z": 12345678901234567890123, "a": [1.5, -0.0, "\u00e9\ud83d\ude00"], "n": {"$f64": "nan"}}}`
	c, err := ParseCase(line)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(line, c.Line()); diff != "" {
		t.Errorf("the line (-want +got):\n%s", diff)
	}
}

func TestLinesThatAreNoCases(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"no JSON":         {`{"id": `, "found no JSON"},
		"no object":       {`[1]`, "found a JSON list, want an object"},
		"no id":           {`{"op":"x","in":{}}`, "id: found nothing, want a string"},
		"an op of number": {`{"id":"a","op":5,"in":{}}`, "op: found 5, want a string"},
		"no in":           {`{"id":"a","op":"x"}`, "in: found nothing, want an object"},
		"an env of list":  {`{"id":"a","op":"x","env":[],"in":{}}`, "env: found [], want an object"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseCase(c.line); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestLinesThatAreNoAnswers(t *testing.T) {
	for name, line := range map[string]string{
		"two answers":          `{"id":"a","out":1,"skipped":"x"}`,
		"none":                 `{"id":"a"}`,
		"an error of a string": `{"id":"a","error":"boom"}`,
		"no id":                `{"out":1}`,
		"a skip of null":       `{"id":"a","skipped":null}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, a, err := ParseAnswer(line); err == nil {
				t.Errorf("got %v, want an error", a)
			}
		})
	}
}

// echo is a testee that answers every case with the case's `in`.
type echo struct{}

func (echo) Hello() (Hello, error) {
	return Hello{Name: "echo", Version: "1", Ops: []string{"x.y"}}, nil
}
func (echo) Answer(c *Case) Answer { return Answer{Kind: Returned, Out: c.In} }
func (echo) Close() error          { return nil }

func TestServeAnswersLineByLine(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	in := "{\"op\":\"hello\"}\n\n{\"id\":\"a\",\"op\":\"x.y\",\"in\":{\"s\":\"" + long + "\"}}\nnoise\n{\"id\":\"b\",\"op\":\"x.y\",\"in\":{}}"
	want := []string{
		`{"name": "echo", "version": "1", "ops": ["x.y"]}`,
		`{"id": "a", "out": {"s": "` + long + `"}}`,
		`{"id": "", "error": {"type": "BadCase", "message": "found no JSON: JSONDecodeError: Expecting value: line 1 column 1 (char 0)"}}`,
		`{"id": "b", "out": {}}`, "",
	}
	var out strings.Builder
	if err := Serve(echo{}, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}
