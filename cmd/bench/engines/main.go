// Command engines runs the same work on our engine and on others that are installed, in turn, and
// prints what an event costs on each. It is a developer's tool: `make bench-engines`.
//
// Two things to use first: `go run ./cmd/bench/engines`, which builds what can be built below
// .build/engines, says what is absent and why, and needs two minutes when all is built; and `-only
// 'ours|desru'` for some of them. `-json` prints the same as JSON.
//
// The work: N models (100 and 10,000) that each schedule their next event by a callback after an
// exponentially distributed delay (callbacks), or that each sleep for such a delay (tasks). Each
// run is a process of its own, and there are rounds through all of them, so that a slow minute of
// the machine is everybody's.
//
// To add an engine write a program below peers, which prints a line as the others, and an entry in
// peers.go; building is in build.go, rounds in rounds.go, the table in table.go, what ours is to
// reach in aims.go.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

type options struct {
	rounds int
	only   *regexp.Regexp
	scale  float64
	dir    string
	json   bool
}

func main() {
	o, err := parseFlags(os.Args[1:])
	if err != nil {
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "engines:", err)
		os.Exit(1)
	}
}

func parseFlags(args []string) (o options, err error) {
	flags := flag.NewFlagSet("engines", flag.ContinueOnError)
	flags.IntVar(&o.rounds, "rounds", 5, "how often each of them runs")
	only := flags.String("only", "", "run only the engines whose name matches this regular expression")
	flags.Float64Var(&o.scale, "scale", 1, "how many events a run has, as a part of what is usual")
	flags.StringVar(&o.dir, "dir", ".build/engines", "where everything is built")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	if err = flags.Parse(args); err != nil {
		return o, err
	}
	if o.only, err = regexp.Compile(*only); err == nil && (flags.NArg() > 0 || o.rounds < 1 || o.scale <= 0) {
		err = fmt.Errorf("found arguments, or no rounds or events; want engines [-rounds N] [-only REGEXP] [-scale X] [-dir DIR] [-json]")
	}
	if err != nil {
		fmt.Fprintln(flags.Output(), "engines:", err)
	}
	return o, err
}

func run(ctx context.Context, o options, out, progress io.Writer) error {
	programs, gone, err := builder{ctx: ctx, dir: o.dir, progress: progress}.all(o.only)
	if err != nil {
		return err
	}
	results, err := measure(ctx, programs, o, progress)
	if err != nil {
		return err
	}
	report := summarize(results, gone, o.rounds)
	if !o.json {
		return report.print(out)
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(out, "%s\n", text)
	}
	return err
}
