package rules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/show/rules"
)

const text = `# A server

## XY-1 Frames

What frames are.

**XY-1.1 Frame.** Of bytes.
More of it.

- **XY-1.2** An item.

### XY-1.3 Heading

Its text, with XY-1.1 in it.

#### A lower one

| code | mistake |
|---|---|
| XY-E01 | unknown key |
| XY-1.2 an item | built |

## Not numbered

Left out.
`

func TestARuleIsFoundWhole(t *testing.T) {
	d := rules.Document{Prefix: "XY", Text: text}
	if diff := cmp.Diff([]string{"XY-1", "XY-1.1", "XY-1.2", "XY-1.3", "XY-E01"}, rules.Numbers(d)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		number, want string
		line         int
	}{
		{"XY-1", "## XY-1 Frames\n\nWhat frames are.", 3},
		{"XY-1.1", "**XY-1.1 Frame.** Of bytes.\nMore of it.", 7},
		{"XY-1.2", "- **XY-1.2** An item.", 10},
		{"XY-1.3", "### XY-1.3 Heading\n\nIts text, with XY-1.1 in it.\n\n#### A lower one\n\n| code | mistake |\n|---|---|\n| XY-E01 | unknown key |\n| XY-1.2 an item | built |", 12},
		{"XY-E01", "| XY-E01 | unknown key |", 20},
		{"XY-9", "", 0},
	} {
		if got, line := rules.Find(d, c.number); got != c.want || line != c.line {
			t.Errorf("%s: got %q at %d, want %q at %d", c.number, got, line, c.want, c.line)
		}
	}
}

func TestWordsAreThoseOfTheirTable(t *testing.T) {
	d := rules.Document{Prefix: "XY", Text: text + "\n## Words of reports\n\n| word | meaning |\n|---|---|\n| WHY NOT | why not \\| how |\n| n_eff | how many |\n\n## Other\n\n| no | word |\n"}
	if diff := cmp.Diff([]string{"WHY NOT", "n_eff"}, rules.Words(d)); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	for word, want := range map[string]string{"n_eff": "how many", "no": "", "WHY NOT": "why not \\| how"} {
		if got, line := rules.Word(d, word); got != want || (line > 0) != (want != "") {
			t.Errorf("%s: got %q at %d, want %q", word, got, line, want)
		}
	}
}

func ExampleFind() {
	fmt.Println(rules.Find(rules.Document{Prefix: "XY", Text: text}, "XY-1.2"))
	// Output: - **XY-1.2** An item. 10
}
