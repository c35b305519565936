package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/features/steps"
)

// WritePretty writes every step with how it went and the cluster time that it
// took.
func WritePretty(w io.Writer, r *steps.Report) error {
	var b strings.Builder
	feature := ""
	for i := range r.Results {
		result := &r.Results[i]
		if result.Path != feature {
			feature = result.Path
			fmt.Fprintf(&b, "%s: %s\n", result.Path, result.Feature)
		}
		fmt.Fprintf(&b, "\n  %s (line %d, seed %d)\n", result.Name, result.Line, result.Seed)
		for _, s := range result.Steps {
			fmt.Fprintf(&b, "    %c %s %s%s\n", "+!-"[s.Status], s.Keyword, s.Text, took(s))
			if s.Err != nil {
				b.WriteString(Indent(s.Err.Error(), "        "))
			}
		}
		if result.Err != nil {
			b.WriteString(Indent(result.Err.Error(), "      "))
		}
		if result.Status == steps.Failed {
			writeExplanation(&b, result, "    ")
			fmt.Fprintf(&b, "    replay with: %s\n", result.Replay)
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func took(s steps.Step) string {
	if s.Took == 0 {
		return ""
	}
	return fmt.Sprintf("  # %.3fs", s.Took.Seconds())
}
