package main

import (
	"fmt"
	"regexp"
	"strings"
)

// result holds the parts of the last line that `monosim test` prints. It leaves out the wall time,
// which differs between equal runs:
//
//	12 scenarios (11 passed, 0 failed, 1 skipped), 80 steps, 3h2m virtual in 41ms wall, trace 9f2c…
type result struct {
	scenarios string // "12 scenarios (11 passed, 0 failed, 1 skipped)"
	steps     string // "80 steps"
	virtual   string // "3h2m virtual"
	trace     string // "9f2c…"
}

var closingLine = regexp.MustCompile(
	`^(([0-9]+) scenarios?(?: of this binary)? \([0-9]+ passed, [0-9]+ failed, [0-9]+ skipped\)), ([0-9]+ steps?), (.+ virtual) in .+ wall, trace ([0-9a-zA-Z]+)$`)

// parseResult reads the last line that `monosim test` printed. A run without scenarios is an
// error, because it would agree with any other such run.
func parseResult(output string) (result, error) {
	line := lastLine(output)
	m := closingLine.FindStringSubmatch(line)
	if m == nil {
		return result{}, fmt.Errorf("last line is %q, want `N scenarios (… passed, … failed, … skipped), M steps, V virtual in W wall, trace HASH`", line)
	}
	if strings.Trim(m[2], "0") == "" {
		return result{}, fmt.Errorf("no scenario ran: %s", line)
	}
	return result{scenarios: m[1], steps: m[3], virtual: m[4], trace: m[5]}, nil
}

func lastLine(output string) string {
	output = strings.TrimRight(output, "\n")
	return strings.TrimSpace(output[strings.LastIndex(output, "\n")+1:])
}

// differs describes how the result differs from want. It returns "" if the two are equal.
func (r result) differs(want result) string {
	var parts []string
	for _, f := range []struct{ what, got, want string }{
		{"trace", r.trace, want.trace},
		{"scenarios", r.scenarios, want.scenarios},
		{"steps", r.steps, want.steps},
		{"virtual time", r.virtual, want.virtual},
	} {
		if f.got != f.want {
			parts = append(parts, fmt.Sprintf("%s %s, want %s", f.what, f.got, f.want))
		}
	}
	return strings.Join(parts, "; ")
}
