package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
)

// runner runs the command of a variant and returns its standard output.
type runner func(context.Context, variant) (string, error)

// compare runs every variant, prints a line for each, and returns the exit code. When the first
// variant of a group fails, the others have nothing to be compared with and are left out.
func compare(ctx context.Context, groups []group, run runner, out io.Writer) int {
	code := exitSame
	for _, g := range groups {
		var want result
		for i, v := range g {
			got, err := runOne(ctx, v, run)
			if i == 0 {
				want = got
			}
			verdict := "ok"
			if err != nil {
				verdict = "failed: " + err.Error()
			} else if difference := got.differs(want); difference != "" {
				verdict = "differs: " + difference
			}
			report(out, v.name, got.trace, verdict)
			if verdict != "ok" {
				code = exitDiffer
			}
			if i == 0 && err != nil {
				break
			}
		}
	}
	return code
}

func runOne(ctx context.Context, v variant, run runner) (result, error) {
	output, err := run(ctx, v)
	if err != nil {
		return result{}, err
	}
	return parseResult(output)
}

func report(out io.Writer, name, trace, verdict string) {
	trace = cmp.Or(trace, "-")
	fmt.Fprintf(out, "%-42s %-16s %s\n", name, trace, verdict)
}
