package catalogue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// oddArguments is the case whose steps have arguments that are not declared, which is an error.
const oddArguments = "barrier_ops.BarrierOp.sequence/odd-argument"

// Goal: the catalogue declares every field, step and argument. Method: search the golden cases for
// one that is not declared.
func TestWhatIsRecordedIsDeclared(t *testing.T) {
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		for i := range s.Cases {
			v, err := conformance.VectorOf(&s.Cases[i])
			if err != nil {
				t.Fatal(err)
			}
			op := catalogue.Find(v.Op)
			if op == nil {
				t.Fatalf("%s: found no declaration of %s", v.ID, v.Op)
			}
			declares(t, v.ID, op.In, v.In)
			if sequence, _ := v.In.Get(op.Sequence); sequence != nil && v.ID != oddArguments {
				stepsAreDeclared(t, v.ID, op, sequence.([]any))
			}
		}
	}
}

// declares fails the test for each name in an object that is not one of the fields.
func declares(t *testing.T, id string, fields []catalogue.Field, given *pysem.Dict) {
	t.Helper()
	for _, item := range given.Items {
		if !slices.ContainsFunc(fields, func(f catalogue.Field) bool { return f.Takes(item.Key) }) {
			t.Errorf("%s: found %s, which is not declared", id, item.Key)
		}
	}
}

func stepsAreDeclared(t *testing.T, id string, op *catalogue.Operation, steps []any) {
	t.Helper()
	for _, s := range steps {
		step := s.([]any)
		name := step[0].(string)
		if strings.HasPrefix(name, "zk.") {
			continue
		}
		arguments, declared := op.Steps[name]
		if !declared {
			t.Errorf("%s: found the step %s, which is not declared", id, name)
		}
		if len(step) > 1 {
			declares(t, id+" "+name, append(arguments, catalogue.Field{Name: "during"}), step[1].(*pysem.Dict))
		}
	}
}
