package conformance_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// asked are so many cases of an operation, of which some have an input with a line break and some fail.
type asked struct {
	op                    string
	failWith, passWith    int // number of failing and of passing inputs with a line break
	failOther, passOthers int
	wanted                string // the class that is expected of those that fail, "" for an answer
}

// splitReport returns the report on a port that answers so. Failures raise KeyError.
func splitReport(t *testing.T, list []asked) *conformance.Report {
	t.Helper()
	port := &recordedPort{answers: map[string]testee.Answer{}}
	suite := &golden.Suite{Name: "utils"}
	add := func(op, text, wanted, got string) {
		id := fmt.Sprintf("%s/%d", op, len(suite.Cases))
		_, want, err := testee.ParseAnswer(`{"id":"` + id + `",` + wanted + `}`)
		if err != nil {
			t.Fatal(err)
		}
		_, answer, err := testee.ParseAnswer(`{"id":"` + id + `",` + got + `}`)
		if err != nil {
			t.Fatal(err)
		}
		in := &pysem.Dict{Items: []pysem.Item{{Key: "path", Value: text}}}
		c, err := conformance.ToVector(&testee.Case{ID: id, Op: op, Env: &pysem.Dict{}, In: in}, want, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		port.answers[id] = answer
		suite.Cases = append(suite.Cases, c)
	}
	const raised, same = `"error":{"type":"KeyError","message":""}`, `"out":true`
	for _, a := range list {
		expected := same
		if a.wanted != "" {
			expected = `"error":{"type":"` + a.wanted + `","message":""}`
		}
		port.ops = append(port.ops, a.op)
		for range a.failWith {
			add(a.op, "a\nb", expected, raised)
		}
		for range a.passWith {
			add(a.op, "a\nb", same, same)
		}
		for range a.failOther {
			add(a.op, "a", expected, raised)
		}
		for range a.passOthers {
			add(a.op, "a", same, same)
		}
	}
	report, err := conformance.Verify(port, []*golden.Suite{suite}, conformance.Selection{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Goal: a feature of the inputs is part of a cause only where it separates what fails from what
// passes. Method: ports that fail with and without a line break in the input, this often and that.
func TestACauseHasAFeatureOnlyWhereItSeparates(t *testing.T) {
	const whole, broken, others = "KeyError in place of an answer", "KeyError in place of an answer, for a line break", "KeyError in place of an answer, for other inputs"
	for _, c := range []struct {
		name string
		list []asked
		want []string
	}{
		{"all inputs have it", []asked{{"utils.isabs", 20, 20, 0, 0, ""}}, []string{whole + " 20"}},
		{"it decides", []asked{{"utils.isabs", 20, 0, 0, 20, ""}}, []string{broken + " 20"}},
		{"it decides, in one of two", []asked{{"utils.isabs", 20, 0, 0, 20, ""}, {"utils.ZKPath", 0, 9, 1, 9, ""}}, []string{broken + " 20", others + " 1"}},
		{"it mostly decides", []asked{{"utils.isabs", 15, 5, 2, 18, ""}}, []string{broken + " 15", others + " 2"}},
		{"as often with it as without", []asked{{"utils.isabs", 10, 10, 10, 10, ""}}, []string{whole + " 20"}},
		{"somewhat more often with it", []asked{{"utils.isabs", 120, 80, 80, 120, ""}}, []string{whole + " 200"}},
		{"rather without it", []asked{{"utils.isabs", 0, 20, 20, 0, ""}}, []string{whole + " 20"}},
		{"the operation decides", []asked{{"utils.isabs", 20, 0, 0, 0, ""}, {"utils.ZKPath", 0, 0, 1, 20, ""}}, []string{whole + " 21"}},
		{"too few to tell", []asked{{"utils.isabs", 2, 0, 0, 3, ""}}, []string{whole + " 2"}},
		{"it decides whether an exception is wanted, whose class is always wrong", []asked{{"utils.isabs", 20, 0, 0, 20, "ValueError"}}, []string{"KeyError in place of another exception 20"}},
	} {
		causes := conformance.CausesOf(splitReport(t, c.list).Results)
		got := lists.Map(causes, func(c conformance.Cause) string { return fmt.Sprintf("%v %d", c, len(c.Failures)) })
		if wanted := c.list[0].wanted; wanted != "" && !slices.Equal(causes[0].Instead, []string{wanted}) {
			t.Errorf("%s: got in place of %v, want %s", c.name, causes[0].Instead, wanted)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
