package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/features/steps"
)

// pretty is the form of NewPretty.
type pretty struct {
	out     io.Writer
	feature string
}

// NewPretty makes a form that writes every step with how it went and the cluster time
// that it took.
func NewPretty(w io.Writer) steps.Listener { return &pretty{out: w} }

func (p *pretty) Begin(steps.Plan) error { return nil }

func (p *pretty) Add(r *steps.Result) error {
	var b strings.Builder
	if r.Path != p.feature {
		p.feature = r.Path
		fmt.Fprintf(&b, "%s: %s\n", r.Path, r.Feature)
	}
	fmt.Fprintf(&b, "\n  %s (line %d, seed %d)\n", r.Name, r.Line, r.Seed)
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "    %c %s %s%s\n", "+!-"[s.Status], s.Keyword, s.Text, took(s))
		if s.Err != nil {
			b.WriteString(Indent(s.Err.Error(), "        "))
		}
	}
	if r.Err != nil {
		b.WriteString(Indent(r.Err.Error(), "      "))
	}
	if r.Status == steps.Failed {
		writeExplanation(&b, r, "    ")
		for _, line := range r.About() {
			fmt.Fprintf(&b, "    about %s\n", line)
		}
		fmt.Fprintf(&b, "    replay with: %s\n", r.Replay)
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
