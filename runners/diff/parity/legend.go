package parity

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/monosim/monosim/vectors/scope"
)

// questions lists questions of readers, each with the sections of the page that answer it.
var questions = [][2]string{
	{"Is the part that I use ported, and by which files?", "[Modules](#modules-of-monolithagent_service), or [Rows](#rows-of-the-scope) for what is no module"},
	{"Who says that it behaves as the reference does?", "[Boxes](#boxes-of-the-ported-modules): the cases, sequences and tests of each module"},
	{"Where did a function or class of the reference go?", "[Public names](#public-names-of-the-reference)"},
	{"What surprises me in the reference, and is it kept?", "[Quirks](#quirks-of-the-reference): each with its lines, its effect, and what is done about it"},
	{"Which behaviour of a whole cluster is shown?", "[Scenarios](#scenarios-on-the-simulation)"},
	{"What is too long for each change, and when did it pass last?", "[Nightly](#" + anchorOf(nightlyTitle) + ")"},
	{"What do the letters and states mean?", "[Legend](#legend)"},
}

func (p *evidence) writeQuestions(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n| you want to know | look in |\n|---|---|\n")
	for _, q := range questions {
		fmt.Fprintf(b, "| %s | %s |\n", q[0], q[1])
	}
}

// writeLegend writes what the codes of rows and the words in the tables mean.
func (p *evidence) writeLegend(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## Legend\n\n")
	for _, g := range scope.RowGroups() {
		fmt.Fprintf(b, "- **%s** rows: %s.", g.Letter, g.Title)
		if g.Letter == "B" {
			fmt.Fprintf(b, " %s.", strings.Join(scope.RowKinds(), "; "))
		}
		b.WriteString("\n")
	}
	b.WriteString(`- State of a row or module: **done**, all of it is ported and shown, its commands too; **part**, the note says what is missing; **later**, not begun; **none**, there is nothing to do, the note says why.
- Home: the part of the project that a row belongs to.
- Box: [x] or x, ticked by what stands beside it; [ ] or open; (n/a) where the module has nothing that the box asks about.
- Quirk: a surprise or fault of the reference. **match**: the engine does as the reference; **fix**: so too, unless ` + "`--quirks`" + ` repairs it; **diverge**: the engine does otherwise, for the reason given; **later**: it comes with the part that it lies in. X: it was seen when the reference was run; Z: on a real ZooKeeper.
- Shown: a test that asserts something, a recorded case or a passed scenario carries the id of the quirk.
`)
}
