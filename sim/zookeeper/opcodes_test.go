package zookeeper

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/field"
)

// Goal: the table of opcodes is complete and consistent, where the compiler cannot check it. Tests
// in sim/zookeeper/wire check that each field is encoded and decoded.

// declaredOps returns the names of all constants of type OpCode in opcodes.go.
func declaredOps(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "opcodes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			constant := spec.(*ast.ValueSpec)
			if typ, ok := constant.Type.(*ast.Ident); ok && typ.Name == "OpCode" {
				names = append(names, constant.Names[0].Name)
			}
		}
	}
	return names
}

func TestEveryOpcodeHasItsEntry(t *testing.T) {
	declared := declaredOps(t)
	if len(declared) < 30 {
		t.Fatalf("opcodes.go: found %d constants, want the protocol's", len(declared))
	}
	var entered []string
	for i := range operations {
		name := operations[i].name
		entered = append(entered, "Op"+strings.ToUpper(name[:1])+name[1:])
	}
	for _, names := range [][]string{declared, entered} {
		for i, name := range names {
			names[i] = strings.ToLower(name) // SASL and sasl
		}
		slices.Sort(names)
	}
	expect(t, entered, declared)
}

func TestEntriesAreInOrderOfTheirNumbers(t *testing.T) {
	for i := 1; i < OpCount; i++ {
		if a, b := operations[i-1].code, operations[i].code; a >= b {
			t.Errorf("%s (%d) comes before %s (%d), want the order of the numbers", a, a, b, b)
		}
	}
}

func TestEntriesSayHowTheyAreDone(t *testing.T) {
	for i := range operations {
		op := &operations[i]
		switch {
		case op.handle == nil || op.place == 0 || op.word == "":
			t.Errorf("%s: got no function, no place or no word", op.name)
		case op.nests == inMulti && op.apply == nil:
			t.Errorf("%s: stands in a multi, which has nothing to apply", op.name)
		case op.apply != nil && op.place != asTransaction && op.nests != inMulti:
			t.Errorf("%s: has what nobody applies", op.name)
		case op.effect != noEffect && op.place != asTransaction:
			t.Errorf("%s: has an effect and takes no zxid", op.name)
		}
	}
}

// Goal: the reply of an operation that may be in a multi has only fields that a result of a multi
// can hold.
func TestNestedOperationsAnswerWithWhatARecordHolds(t *testing.T) {
	for i := range operations {
		op := &operations[i]
		for _, f := range op.reply {
			if op.nests != byItself && !has(fields(field.Path, field.Data, field.Stat, field.Children), f) {
				t.Errorf("%s: answers with field %d, which no record of a multi holds", op.name, f)
			}
		}
	}
}

func TestEveryFieldIsOfSomeOperation(t *testing.T) {
	for f := range field.Kinds {
		if !slices.ContainsFunc(operations[:], func(op operation) bool { return op.takes(f) || op.replies(f) }) {
			t.Errorf("field %d: is of no operation", f)
		}
	}
}
