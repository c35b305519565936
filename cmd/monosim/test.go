package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
)

// testOptions are the flags of `monosim test`.
type testOptions struct {
	seed    uint64
	seeds   int
	tags    string
	formats []string
	twice   bool
	choices []string
	quirks  string
	list    bool
}

// newTestCommand makes `monosim test`, which runs scenarios on a runner.
func newTestCommand(newRunner func() runners.Runner) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Run scenarios in virtual time",
		Long: `Run scenarios. PATH is a .feature file, a directory of them, or file:line with the
line on which one scenario begins; without any, the scenarios of this binary run.

The last line of the output gives the totals and a hash of everything that
happened; it is the same for the same seed. Where a format goes to standard
output that a line would spoil (junit, cucumber), the line goes to standard error.

The exit code is 0 when no scenario failed, 1 when one did, and 2 when what was
asked for makes no sense: a path or a filter that finds nothing, a sentence that
is not known.`,
		Example: `  monosim test
  monosim test features/rollout.feature:12 --seed 7
  monosim test --tags '@v3 && ~@outage' --seeds 1000
  monosim test --format progress --format junit:report.xml`,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args, newRunner())
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return badInput(err) })
	f := cmd.Flags()
	f.Uint64Var(&o.seed, "seed", 1, "first seed")
	f.IntVar(&o.seeds, "seeds", 1, "how many seeds to run each scenario with")
	f.StringVar(&o.tags, "tags", "", "run only scenarios with all of these tags, as '@a && ~@b'")
	f.StringArrayVar(&o.formats, "format", nil, "progress (default), pretty, junit or cucumber, with :FILE into a file; may be repeated")
	f.BoolVar(&o.twice, "check-determinism", false, "run everything twice and compare what happened")
	f.StringArrayVar(&o.choices, "choice", nil, "with --check-determinism: fix a choice of the second run, as node/site#k=value")
	f.StringVar(&o.quirks, "quirks", "", quirksHelp+"; for scenarios that do not say theirs (default python)")
	f.BoolVar(&o.list, "sentences", false, "print the sentences that scenarios may use, and run nothing")
	return cmd
}

func (o *testOptions) run(cmd *cobra.Command, paths []string, runner runners.Runner) error {
	if o.list {
		fmt.Fprintln(cmd.OutOrStdout(), strings.Join(steps.Vocabulary(), "\n"))
		return nil
	}
	outputs, err := parseFormats(o.formats)
	if err != nil {
		return badInput(err)
	}
	suite, err := o.suite(paths, runner)
	if err != nil {
		return badInput(err)
	}
	ticker := startTicker(cmd.ErrOrStderr())
	suite.Done = ticker.done
	begin := time.Now()
	report, err := suite.Run()
	ticker.stop()
	var input *steps.InputError
	if errors.As(err, &input) {
		return badInput(err)
	}
	if err != nil {
		return err
	}
	spoils := false
	for _, out := range outputs {
		if err := out.write(cmd.OutOrStdout(), report); err != nil {
			return err
		}
		spoils = spoils || out.spoilt()
	}
	var last io.Writer = cmd.OutOrStdout()
	if spoils {
		last = cmd.ErrOrStderr()
	}
	fmt.Fprintln(last, totals(report, time.Since(begin)))
	if report.Failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// suite checks the flags and makes what they ask for.
func (o *testOptions) suite(paths []string, runner runners.Runner) (*steps.Suite, error) {
	if o.seeds < 1 {
		return nil, fmt.Errorf("--seeds: found %d, want 1 or more", o.seeds)
	}
	if !quirkList.MatchString(o.quirks) {
		return nil, fmt.Errorf("--quirks: found %q, want python, fixed, ids to keep as Q22,Q117, or ids to repair as -Q22,-Q117", o.quirks)
	}
	if len(o.choices) > 0 && !o.twice {
		return nil, errors.New("--choice: found no --check-determinism, whose second run it changes")
	}
	var choices []runners.Choice
	for _, text := range o.choices {
		c, err := parseChoice(text)
		if err != nil {
			return nil, err
		}
		choices = append(choices, c)
	}
	fsys, paths, err := findFeatures(paths)
	if err != nil {
		return nil, err
	}
	return &steps.Suite{
		Runner: runner, FS: fsys, Paths: paths, Tags: o.tags, Seed: o.seed, Seeds: o.seeds,
		Quirks: o.quirks, Twice: o.twice, Choices: choices,
	}, nil
}

var (
	quirkList  = regexp.MustCompile(`^(?:|python|fixed|Q\d+(?:,Q\d+)*|-Q\d+(?:,-Q\d+)*)$`)
	choiceText = regexp.MustCompile(`^([^/]+)/(.+)#(\d+)=(\d+)$`)
)

// parseChoice reads "node/site#k=value".
func parseChoice(text string) (runners.Choice, error) {
	m := choiceText.FindStringSubmatch(text)
	if m == nil {
		return runners.Choice{}, fmt.Errorf("--choice: found %q, want node/site#k=value", text)
	}
	k, err := strconv.ParseUint(m[3], 10, 64)
	if err != nil {
		return runners.Choice{}, fmt.Errorf("--choice %s: %w", text, err)
	}
	value, err := strconv.ParseUint(m[4], 10, 64)
	if err != nil {
		return runners.Choice{}, fmt.Errorf("--choice %s: %w", text, err)
	}
	return runners.Choice{Node: m[1], Site: m[2], K: k, Value: value}, nil
}

// totals is the last line.
func totals(r *steps.Report, wall time.Duration) string {
	return fmt.Sprintf("%d scenarios (%d passed, %d failed, %d skipped), %d steps, %v virtual in %v wall, trace %016x",
		len(r.Results), r.Passed, r.Failed, r.Skipped, r.Steps,
		r.Virtual.Round(time.Millisecond), wall.Round(time.Millisecond), r.TraceHash())
}
