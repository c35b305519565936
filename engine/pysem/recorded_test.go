package pysem_test

import (
	"bufio"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
)

// Goal: every function returns what Python returns. Method: compare with the recorded cases in
// testdata/recorded.jsonl (made by testdata/record.py), value by value.

func TestHelpersAnswerAsPython(t *testing.T) {
	file, err := os.Open("testdata/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, err := pysem.ParseJSON(lines.Text())
		if err != nil {
			t.Fatalf("recorded case: %v", err)
		}
		c := line.(*pysem.Dict)
		id := field(c, "id").(string)
		t.Run(strings.ReplaceAll(id, "/", "|"), func(t *testing.T) {
			got, err := answer(field(c, "op").(string), field(c, "in").(*pysem.Dict))
			check(t, c, got, err)
		})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, c *pysem.Dict, got any, err error) {
	t.Helper()
	if failure, ok := c.Get("error"); ok {
		if want := field(failure.(*pysem.Dict), "type"); pysem.TypeOf(err) != want {
			t.Fatalf("got %v, error %v, want %v: %v", got, err, want, field(failure.(*pysem.Dict), "message"))
		}
		return
	}
	if err != nil {
		t.Fatalf("got error %v, want %s", err, pysem.AppendJSON(nil, field(c, "out")))
	}
	want := string(pysem.AppendJSON(nil, field(c, "out")))
	if diff := cmp.Diff(want, string(pysem.AppendJSON(nil, got))); diff != "" {
		t.Errorf("answer differs (-python +got):\n%s", diff)
	}
}

func field(d *pysem.Dict, name string) any {
	v, _ := d.Get(name)
	return v
}

func answer(op string, in *pysem.Dict) (any, error) {
	text := func(name string) string { return field(in, name).(string) }
	switch op {
	case "pysem.text":
		return textAnswer(text("text")), nil
	case "pysem.float":
		f, err := pysem.ParseFloat(field(field(in, "value").(*pysem.Dict), "$f64").(string))
		return dict("repr", pysem.FloatRepr(f), "json", string(pysem.AppendJSONFloat(nil, f))), err
	case "pysem.json":
		v, err := pysem.ParseJSON(text("text"))
		if err != nil {
			return nil, err
		}
		return string(pysem.AppendJSON(nil, v)), nil
	case "pysem.path":
		p := text("path")
		return dict("basename", pysem.Basename(p), "dirname", pysem.Dirname(p)), nil
	case "pysem.join":
		var parts []pysem.Opt[string]
		for _, p := range field(in, "parts").([]any) {
			s, ok := p.(string)
			parts = append(parts, pysem.Opt[string]{V: s, Set: ok})
		}
		return pysem.Join(parts[0], parts[1:]...)
	case "pysem.int":
		n, err := pysem.ParseInt(text("text"))
		if err != nil {
			return nil, err
		}
		return encode(pysem.Int(n)), nil
	case "pysem.parse_float":
		f, err := pysem.ParseFloat(text("text"))
		return encode(f), err
	}
	panic("unknown operation " + op)
}

func textAnswer(s string) any {
	words := []any{}
	for _, w := range pysem.Fields(s) {
		words = append(words, w)
	}
	return dict("strip", pysem.Strip(s), "split", words, "lower", pysem.Lower(s), "isnumeric", pysem.IsNumeric(s),
		"isidentifier", pysem.IsIdentifier(s), "repr", pysem.Repr(s), "json", string(pysem.AppendJSONString(nil, s)))
}

func dict(pairs ...any) *pysem.Dict {
	d := &pysem.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

// encode converts a value to the form in which record.py writes it.
func encode(v any) any {
	switch v := v.(type) {
	case float64:
		return dict("$f64", pysem.FloatRepr(v))
	case int:
		if v > 1<<53 || v < -1<<53 {
			return dict("$int", pysem.Str(v))
		}
	case *big.Int:
		return dict("$int", v.String())
	case pysem.Tuple:
		return dict("$tuple", encodeAll(v))
	case []any:
		return encodeAll(v)
	}
	return v
}

func encodeAll(values []any) []any {
	out := []any{}
	for _, v := range values {
		out = append(out, encode(v))
	}
	return out
}
