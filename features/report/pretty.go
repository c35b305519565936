package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/colour"
)

// pretty is the listener of NewPretty.
type pretty struct {
	out     io.Writer
	ink     colour.Ink
	feature string
}

// NewPretty makes a listener that writes every step with its status and the cluster time
// that it took.
func NewPretty(w io.Writer) steps.Listener { return &pretty{out: w, ink: colour.For(w)} }

func (p *pretty) Begin(steps.Plan) error { return nil }

func (p *pretty) Add(r *steps.Result) error {
	var b strings.Builder
	if r.Path != p.feature {
		p.feature = r.Path
		fmt.Fprintln(&b, p.ink.Strong(r.Path+": "+r.Feature))
	}
	fmt.Fprintf(&b, "\n  %s %s\n", p.ink.Strong(r.Name), p.ink.Faint(fmt.Sprintf("(line %d, seed %d)", r.Line, r.Seed)))
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "    %s %s %s%s\n", mark(p.ink, s.Status, "+!-"), s.Keyword, s.Text, p.ink.Faint(took(s)))
		if s.Err != nil {
			b.WriteString(inRed(p.ink, s.Err, "        "))
		}
	}
	if r.Err != nil {
		b.WriteString(inRed(p.ink, r.Err, "      "))
	}
	if r.Status == steps.Failed {
		writeExplanation(&b, r, "    ")
		for _, line := range r.About() {
			fmt.Fprintf(&b, "    about %s\n", line)
		}
		fmt.Fprintf(&b, "    replay with: %s\n", p.ink.Command(r.Replay))
	}
	_, err := io.WriteString(p.out, b.String())
	return err
}

func (p *pretty) End(*steps.Summary) error {
	_, err := io.WriteString(p.out, "\n")
	return err
}

func took(s steps.Step) string {
	if s.Took == 0 {
		return ""
	}
	return fmt.Sprintf("  # %.3fs", s.Took.Seconds())
}
