package expr_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/expr"
)

// Goal: every expression gives the same as in Python. Method: evaluate the expressions in
// testdata/recorded.jsonl (made by testdata/record.py), and compare type, repr and errors. monosim
// diff --python compares a million more.

// refused lists recorded expressions that Python evaluates but this package refuses, with the
// reasons.
var refused = map[string]string{
	"1j": pysem.Outside, "(-8)**0.5": pysem.Outside, "{'a','b'}": pysem.Unstable,
	"lambda x: x": pysem.Unstable, "(x for x in [1])": pysem.Unstable, "lambda a, /, b, *, c: 1": pysem.Unstable,
}

// loosely lists expressions for which the text of the SyntaxError differs from CPython's.
var loosely = map[string]bool{"i\n==1": true}

func TestSourcesGiveWhatPythonGives(t *testing.T) {
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
		source := field(c, "source").(string)
		t.Run(source, func(t *testing.T) { check(t, source, c) })
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, source string, c *pysem.Dict) {
	names := expr.Names{ModuleName: "m"}
	if given, ok := field(c, "names").(*pysem.Dict); ok {
		for _, item := range given.Items {
			names.Locals = append(names.Locals, expr.Name{ID: item.Key, Value: item.Value})
		}
	}
	typ, text, err := evaluated(source, names)
	if quirk, ok := refused[source]; ok {
		if !pysem.IsRefused(err) || !strings.Contains(err.Error(), quirk) {
			t.Errorf("got %s and error %v, want a refusal by %s", text, err, quirk)
		}
		return
	}
	if want, ok := field(c, "error").(*pysem.Dict); ok {
		wantErr := &pysem.Error{Type: field(want, "type").(string), Message: field(want, "message").(string)}
		same := err != nil && err.Error() == wantErr.Error()
		if loosely[source] {
			same = pysem.TypeOf(err) == wantErr.Type
		}
		if !same {
			t.Errorf("got %s %s and error %v, want error %v", typ, text, err, wantErr)
		}
		return
	}
	if err != nil || typ != field(c, "type") || text != field(c, "repr") {
		t.Errorf("got %s %s and error %v, want %s %s", typ, text, err, field(c, "type"), field(c, "repr"))
	}
}

func evaluated(source string, names expr.Names) (typ, text string, err error) {
	v, err := expr.Eval(source, names)
	if err != nil {
		return "", "", err
	}
	text, err = expr.Repr(v)
	return expr.TypeName(v), text, err
}

func field(d *pysem.Dict, name string) any {
	v, _ := d.Get(name)
	return v
}
