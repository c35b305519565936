package yamldoc_test

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/engine/yamldoc"
)

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"one document", "# a remark\na: 1\n", ""},
		{"one with its marks", "---\na: 1\n...\n", ""},
		{"nothing", "# a remark\n", "none"},
		{"two documents", "a: 1\n---\nb: 2\n", "2:1: found a second document, want one"},
		{"a second one that is wrong", "a: 1\n---\n[\n", "3:1: did not find expected node content"},
		{"a merge key", "a: {}\nb:\n  <<: {c: 1}\n", "3:3: found a merge key, want its fields written out"},
		{"a directive", "%YAML 1.2\n---\na: 1\n", "1:1: found a %YAML directive of another version than 1.1, want none"},
		{"an alias inside of its anchor", "a: &x\n  b: *x\n", "2:6: found alias *x inside of what it stands for, want it outside"},
		{"aliases of aliases", doubling(30), "18:18: found aliases for more than 1000000 values, want fewer"},
		{"no YAML", "a: 1\nb: [\n", "2:1: did not find expected node content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, err := yamldoc.Read([]byte(c.text))
			got := ""
			switch {
			case err != nil:
				got = err.Error()
			case root == nil:
				got = "none"
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// doubling makes a document of lists, each of which holds the one before it twice.
func doubling(n int) string {
	text := "a0: &a0 [1, 2]\n"
	for i := range n {
		text += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return text
}

func TestAliasesStandForTheirAnchors(t *testing.T) {
	root, err := yamldoc.Read([]byte("a: &x [1, &y {b: 2}]\nc: *x\n? *y\n: [*y, *y]\n"))
	if err != nil {
		t.Fatal(err)
	}
	x := root.Content[1]
	if root.Content[3] != x || root.Content[4] != x.Content[1] || root.Content[5].Content[1] != x.Content[1] {
		t.Errorf("found a document with other nodes than those that its aliases name")
	}
}

func ExampleRead() {
	_, err := yamldoc.Read([]byte("seed: 1\n---\nseed: 2\n"))
	fmt.Println(err)
	// Output: 2:1: found a second document, want one
}
