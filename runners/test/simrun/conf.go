package simrun

import (
	"fmt"

	"github.com/monosim/monosim/engine/agent/agentconfig"
)

// ConfCheck is the result of checking an agent.conf before a run.
type ConfCheck struct {
	// Text is the conf with the included files inserted.
	Text string
	// Values holds the keys that the conf sets exactly once.
	Values map[string]string
	// Errors lists what would keep every agent from starting, and malformed numbers, which the
	// reference silently replaces. Warnings lists other mistakes that the reference silently
	// ignores. Each entry reads "file:line: found X, want Y".
	Errors, Warnings []string
}

// CheckConf reads an agent.conf as the reference would. path names the file in messages. The
// function read returns the text of an included file. An error of read becomes a warning.
func CheckConf(path string, content []byte, read func(path string) (string, error)) ConfCheck {
	text, missing := agentconfig.ExpandIncludes(string(content), read)
	check := ConfCheck{Text: text, Values: agentconfig.ConfValues(text)}
	for _, file := range missing {
		check.Warnings = append(check.Warnings, fmt.Sprintf("%s: found an include of %s, which is not there, want a file (a path counts from the working directory)", path, file))
	}
	for _, p := range agentconfig.CheckConf(path, content) {
		if p.Fatal || p.NoNumber {
			check.Errors = append(check.Errors, p.String())
		} else {
			check.Warnings = append(check.Warnings, p.String())
		}
	}
	return check
}
