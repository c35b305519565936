package parity

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/monosim/monosim/vectors/scope"
)

const linesTitle = "Lines of Go for one of the reference"

// writeLines writes a table that compares how many lines the port and the Python code have.
func (p *evidence) writeLines(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\nLines of code, tests left out. At most %d for one of the reference, or a reason; no number grows by itself. Kept in %s.\n\n| Python | lines | Go | lines | for one | why more than %d |\n|---|---|---|---|---|---|\n",
		linesTitle, scope.MostLines, toFile("vectors/scope/lines.yaml"), scope.MostLines)
	for _, port := range p.ports {
		python, ratio := "", ""
		if port.PythonLines > 0 {
			python, ratio = fmt.Sprint(port.PythonLines), fmt.Sprintf("%.2f", port.Ratio())
		}
		fmt.Fprintf(b, "| %s | %s | %s | %d | %s | %s |\n", strings.Join(port.Python, ", "), python, strings.Join(port.Go, ", "), port.Lines, ratio, cell(port.Why))
	}
}
