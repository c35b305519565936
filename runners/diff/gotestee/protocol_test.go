package gotestee_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
)

// Goal: the description of the protocol lists exactly the operations that the engine has. Method:
// read the names from the page.

const protocol = "../testee/PROTOCOL.md"

// described returns the operations that a page names: in the first column of a table of operations,
// or in bold at the beginning of a paragraph.
func described(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var ops []string
	op := regexp.MustCompile("`([a-z0-9_]+\\.[A-Za-z0-9_.]+)`")
	inTable := false
	for line := range strings.Lines(string(text)) {
		inTable = strings.HasPrefix(line, "| op |") || inTable && strings.HasPrefix(line, "|")
		switch {
		case inTable:
			for _, m := range op.FindAllStringSubmatch(strings.SplitN(line, "|", 3)[1], -1) {
				ops = append(ops, m[1])
			}
		case strings.HasPrefix(line, "**`"):
			ops = append(ops, op.FindStringSubmatch(line)[1])
		}
	}
	return ops
}

func TestEveryDeclaredOperationIsAnswered(t *testing.T) {
	if diff := cmp.Diff(catalogue.Ops(), gotestee.Ops()); diff != "" {
		t.Errorf("operations (-declared in catalogue +answered here):\n%s", diff)
	}
}

func TestTheProtocolDescribesEveryOperation(t *testing.T) {
	ops := described(t, protocol)
	for _, op := range gotestee.Ops() {
		if !slices.Contains(ops, op) {
			t.Errorf("%s: found no %s, which the engine answers", protocol, op)
		}
	}
	for i, op := range ops {
		if !slices.Contains(gotestee.Ops(), op) {
			t.Errorf("%s: found %s, which the engine does not answer", protocol, op)
		}
		if slices.Contains(ops[:i], op) {
			t.Errorf("%s: found %s twice", protocol, op)
		}
	}
}
