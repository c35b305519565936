package simrun

import (
	"fmt"

	"github.com/monosim/monosim/engine/agent/agentconfig"
)

// ConfCheck is what can be said of an agent.conf before anything runs.
type ConfCheck struct {
	// Text is the conf with its includes in place.
	Text string
	// Values are the values that were given once.
	Values map[string]string
	// Errors keep every agent from starting; Warnings are what the reference passes
	// over in silence. Each reads "file:line: found X, want Y".
	Errors, Warnings []string
}

// CheckConf looks at an agent.conf as the reference would read it. path is what
// messages call it; read returns the text of a file that it includes, or an error when
// there is none, which is a warning.
func CheckConf(path string, content []byte, read func(path string) (string, error)) ConfCheck {
	text, missing := agentconfig.ExpandIncludes(string(content), read)
	check := ConfCheck{Text: text, Values: agentconfig.ConfValues(text)}
	for _, file := range missing {
		check.Warnings = append(check.Warnings, fmt.Sprintf("%s: found an include of %s, which is not there, want a file (a path counts from the working directory)", path, file))
	}
	for _, p := range agentconfig.CheckConf(path, content) {
		if p.Fatal {
			check.Errors = append(check.Errors, p.String())
		} else {
			check.Warnings = append(check.Warnings, p.String())
		}
	}
	return check
}
