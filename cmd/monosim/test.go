package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/project"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/tags"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/colour"
	"github.com/monosim/monosim/runners/show/timeline"
	"github.com/monosim/monosim/vectors/scope"
)

// testOptions holds the flags of `monosim test`. Some set fields of the suite directly.
type testOptions struct {
	suite     steps.Suite
	formats   []string
	choices   []string
	list      bool
	listTags  bool
	dryRun    bool
	sentences bool
	faults    bool
	explain   int
	trace     string
	runners   runnerOptions

	budget     time.Duration
	shard      string
	lastFailed bool
	quiet      bool
	json       bool
	// last lists the scenarios of the given paths that failed in their most recent run. It is nil
	// if no such list can be kept.
	last *project.Last
}

// newTestCommand makes `monosim test`, which runs scenarios on a runner.
func newTestCommand(newRunner func() runners.Runner) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Run scenarios in virtual time, or on real processes",
		Long: `Run scenarios. PATH is a .feature file, a directory of them, or file:line with any line
of a scenario, or of a row of its examples to run this row alone; without any, those of
the folder features run. What is not there is an error. builtin: names the scenarios of this
binary, builtin:features/startup.feature a file of them; then the last line says so.

The last line of the output gives the totals and a hash of everything that
happened; it is the same for the same seed. Where a format goes to standard
output that a line would spoil (junit, cucumber, messages, html), the line goes to standard error.

With --runner they run on other runners, too: as processes on the loopback (real), and
so with the reference's own agents (python) or with anybody's (agent). A scenario says by
a tag, as @not-real, where it does not run, and above it why not. With --compare what was
done on the others has to be what the first does with some seed, or explained by a quirk.

--runner agent --agent CMD holds an agent in any language to the simulation: each pod's
agent is that command of the shell. The report is a table with a verdict and the first
difference of each scenario, its cause, and how much agrees in all; --json prints it as data.

The exit code is 0 when no scenario failed, 1 when one did, 2 when what was asked for
makes no sense: a path or a filter that finds nothing, a sentence that is not known, and
3 when on one of the runners no scenario passed or failed, as on a machine that is too
busy to tell; the line before the totals names it.

With several seeds every scenario runs with the first, then every one with the next, so
that any part of a long run has met them all. --for ends a run after a time of the wall
clock, whole and with the code of what was run. --last-failed takes the scenarios that
failed when these paths ran last, by a file in the folder monosim of the user's cache.

The file monosim.yaml in the working folder may say features (paths), seeds, quirks,
runners and tags, which count where arguments and flags say nothing else. Its tags do not
count for file:line, and its seeds not beside --seed or --for.

A run that is interrupted (Ctrl-C, SIGTERM) ends its reports with what
was run so far, and with 128 and the number of the signal: 130, 143.`,
		Example: `  monosim test builtin:
  monosim test features/rollout.feature:12 --seed 7
  monosim test features --tags '@v3 and not (@outage or @dense)' --seeds 1000
  monosim test features --for 10m --shard 1/4 --format junit:report.xml
  monosim test features --last-failed -q
  monosim test builtin: --list --tags @Q117
  monosim test builtin:features/rollout.feature --runner sim,real --compare --time-scale 0.1
  monosim test builtin:features/rollout.feature --runner agent --agent './my-agent'
  monosim test features --format progress --format junit:report.xml --format html:report.html`,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args, newRunner)
		},
	}
	o.register(cmd)
	return cmd
}

// register adds the flags.
func (o *testOptions) register(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(command.FlagError)
	f := cmd.Flags()
	f.Uint64Var(&o.suite.Seed, "seed", 1, "what every choice follows from; the first of --seeds")
	f.IntVar(&o.suite.Seeds, "seeds", 1, "how many seeds to run each scenario with")
	f.IntVar(&o.suite.Jobs, "jobs", 0, "how many scenarios to run at the same time, 0 for one for each core; changes nothing but the speed")
	f.DurationVar(&o.budget, "for", 0, "end after this time of the wall clock, as 10m; without --seeds run seed after seed until then")
	f.StringVar(&o.shard, "shard", "", "run one part of the scenarios, as 1/4 for the first of four")
	f.BoolVar(&o.lastFailed, "last-failed", false, "run only what failed when these paths ran last; all, if nothing did")
	f.StringVar(&o.suite.Name, "name", "", "run only scenarios whose title this regular expression matches")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print failures and the totals only")
	f.BoolVar(&o.json, "json", false, "with --list, --list-tags, --dry-run and --agent: print JSON")
	f.StringVar(&o.suite.Tags, "tags", "", "run only scenarios with such tags, as '@a and not (@b or @c)' or '@a && ~@b'")
	f.StringArrayVar(&o.formats, "format", nil, "progress (default), pretty, junit, cucumber (JSON), messages (Cucumber Messages) or html (a page for browsers), with :FILE into a file; may be repeated")
	f.BoolVar(&o.suite.Twice, "check-determinism", false, "run everything twice and compare what happened")
	f.StringArrayVar(&o.choices, "choice", nil, "with --check-determinism: fix a choice of the second run, as node/site#k=value")
	f.StringVar(&o.suite.Quirks, "quirks", "", quirksHelp+"; for scenarios that do not say theirs (default python)")
	f.IntVar(&o.explain, "explain", 20, "how many lines to write under a failed step on what led to it; 0 for none")
	f.StringVar(&o.trace, "trace", "", "write everything that happened into a file, which takes time: "+timeline.Help)
	f.BoolVar(&o.list, "list", false, "print the scenarios that would run, with their tags, and run nothing")
	f.BoolVar(&o.listTags, "list-tags", false, "print the tags of the scenarios that would run, with how many have each, and run nothing")
	f.BoolVar(&o.dryRun, "dry-run", false, "hold the scenarios to the sentences and to what a cluster can be, and run nothing")
	f.BoolVar(&o.suite.NoLeaps, "no-leaps", false, noLeapsHelp)
	f.BoolVar(&o.suite.FailFast, "fail-fast", false, "end with the first failure")
	f.BoolVar(&o.sentences, "sentences", false, "print the sentences that scenarios may use, and run nothing; monosim steps says more")
	f.BoolVar(&o.faults, "faults", false, "print the kinds of faults, what they do and the sentences that bring them about, and run nothing")
	o.runners.register(cmd)
	if err := cmd.RegisterFlagCompletionFunc("tags", featureTags); err != nil {
		panic(err) // cannot happen: the flag exists
	}
	completeFlags(cmd, map[string]func() []string{"format": func() []string { return slices.Sorted(maps.Keys(formats)) }})
}

func (o *testOptions) run(cmd *cobra.Command, paths []string, simulation func() runners.Runner) error {
	runner := simulation()
	if o.sentences {
		fmt.Fprintln(cmd.OutOrStdout(), strings.Join(steps.Vocabulary(runner.Faults()), "\n"))
		return nil
	}
	if o.faults {
		printFaults(cmd.OutOrStdout(), runner.Faults())
		return nil
	}
	outputs, err := parseFormats(o.formats, o.quiet)
	if err != nil {
		return command.BadInput(err)
	}
	if o.json && len(o.formats) == 0 {
		outputs = nil
	}
	if paths, err = o.settle(cmd, paths); err != nil {
		return command.BadInput(reportInput(cmd.OutOrStdout(), outputs, err))
	}
	suite, err := o.complete(cmd, paths, runner)
	if err != nil {
		return command.BadInput(reportInput(cmd.OutOrStdout(), outputs, err))
	}
	if o.list || o.listTags || o.dryRun {
		return inputError(o.look(cmd, suite))
	}
	list, err := o.runners.make(simulation)
	if err != nil {
		return command.BadInput(reportInput(cmd.OutOrStdout(), outputs, err))
	}
	if costs := o.runners.costs(); costs != "" && !o.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), costs)
	}
	err = o.stream(cmd, suite, list, outputs)
	if input := (*steps.InputError)(nil); errors.As(err, &input) {
		err = command.BadInput(reportInput(cmd.OutOrStdout(), outputs, err))
	}
	return err
}

// stream runs the suite and writes the reports while results arrive. At the end it prints the line
// of totals.
func (o *testOptions) stream(cmd *cobra.Command, suite *steps.Suite, list []runners.Runner, outputs []output) error {
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	if o.budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.budget)
		defer cancel()
	}
	o.runners.stdout = cmd.OutOrStdout()
	out := newScreen(cmd.OutOrStdout(), cmd.ErrOrStderr())
	last := cmd.OutOrStdout()
	if o.json {
		last = cmd.ErrOrStderr()
	}
	whose := &whose{}
	ran := ranListener{}
	told := listeners{whose, ran}
	if !o.quiet {
		told = append(told, &ticker{out: cmd.ErrOrStderr(), screen: out})
	}
	for _, to := range outputs {
		told = append(told, to.report(out))
		if to.spoilt() {
			last = cmd.ErrOrStderr()
		}
	}
	if o.trace != "" {
		told = append(told, &traceReport{name: o.trace})
	}
	if err := told.open(); err != nil {
		return command.BadInput(err)
	}
	defer told.discard()
	begin := time.Now()
	summary, err := o.on(ctx, suite, list, told, last)
	if err != nil {
		return err
	}
	if o.last != nil {
		if err := o.last.Keep(ran); err != nil && o.lastFailed {
			return command.BadInput(fmt.Errorf("--last-failed: %w", err))
		}
	}
	if summary.OutOfTime {
		fmt.Fprintln(last, summary.Remark())
	}
	undecided := summary.Undecided()
	for _, line := range undecided {
		fmt.Fprintln(last, line)
	}
	fmt.Fprintln(last, totals(colour.For(last), summary, whose.of(summary.Runs), time.Since(begin)))
	switch {
	case summary.OutOfTime && summary.Runs == 0:
		return command.BadInput(fmt.Errorf("--for %v: found no run that ended in this time, want a longer one", o.budget))
	case summary.Interrupted:
		return command.InterruptedBy(ctx, fmt.Sprintf("after %d of %d runs", summary.Runs, summary.Plan.Runs))
	case summary.Failed > 0:
		return &command.ExitError{Code: command.ExitFailed}
	case len(undecided) > 0:
		return &command.ExitError{Code: command.ExitUndecided}
	}
	return nil
}

// inputError marks an error in the user's input, so that the program exits with code 2. Other
// errors stay as they are.
func inputError(err error) error {
	var input *steps.InputError
	if errors.As(err, &input) {
		return command.BadInput(err)
	}
	return err
}

// look lists the scenarios that would run, without running them.
func (o *testOptions) look(cmd *cobra.Command, suite *steps.Suite) error {
	list, err := suite.List()
	if err != nil {
		return err
	}
	if o.json {
		return o.lookJSON(cmd, list)
	}
	w := cmd.OutOrStdout()
	for _, line := range scope.QuirkLines(o.suite.Tags) {
		fmt.Fprintln(cmd.ErrOrStderr(), "about "+line)
	}
	if o.list {
		for _, sc := range list {
			fmt.Fprintf(w, "%s:%d\t%s\t%s\t%s\n", sc.Path, sc.Line, sc.Name, strings.Join(sc.Tags, " "), runnersOf(sc))
		}
	}
	if o.listTags {
		count := countTags(list)
		for _, tag := range slices.Sorted(maps.Keys(count)) {
			about := strings.Join(scope.QuirkLines(tag), "")
			fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%s\t%d\t%s", tags.Escape(tag), count[tag], about), "\t"))
		}
	}
	if o.dryRun {
		total := 0
		for _, sc := range list {
			total += sc.Steps
		}
		fmt.Fprintf(w, "%d scenarios, %d steps, every one of them known; nothing was run\n", len(list), total)
	}
	return nil
}

// lookJSON prints what would run as JSON.
func (o *testOptions) lookJSON(cmd *cobra.Command, list []steps.Listed) error {
	type listed struct {
		steps.Listed
		Runners []string `json:"runners"`
	}
	type tag struct {
		Tag   string `json:"tag"`
		Count int    `json:"count"`
		About string `json:"about,omitempty"`
	}
	count, all, byTag, total := countTags(list), []listed{}, []tag{}, 0
	for _, sc := range list {
		on, _ := runsOn(sc)
		all, total = append(all, listed{sc, on}), total+sc.Steps
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		byTag = append(byTag, tag{tags.Escape(name), count[name], strings.Join(scope.QuirkLines(name), "")})
	}
	switch {
	case o.list:
		return command.PrintJSON(cmd, all)
	case o.listTags:
		return command.PrintJSON(cmd, byTag)
	}
	return command.PrintJSON(cmd, map[string]int{"scenarios": len(list), "steps": total})
}

// countTags counts the scenarios that have each tag.
func countTags(list []steps.Listed) map[string]int {
	count := map[string]int{}
	for _, sc := range list {
		for _, tag := range sc.Tags {
			count[tag]++
		}
	}
	return count
}

// printFaults lists kinds of faults, each with its help and its sentences.
func printFaults(out io.Writer, kinds []runners.FaultKind) {
	for _, k := range kinds {
		fmt.Fprintf(out, "%s: %s\n", k.Name, k.Help)
		for _, sentence := range steps.FaultSentences(k) {
			fmt.Fprintf(out, "  %s\n", sentence)
		}
	}
}

// settle takes settings from monosim.yaml where no flag or argument is given. It returns the paths
// of the scenarios to run.
func (o *testOptions) settle(cmd *cobra.Command, paths []string) ([]string, error) {
	says, err := project.Read(project.File)
	if err != nil {
		return nil, err
	}
	given := cmd.Flags().Changed
	if len(says.Runners) > 0 && !given("runner") {
		o.runners.names = says.Runners
	} else if len(says.Runners) > 0 && o.runners.simulated() {
		o.suite.Flags = "--runner sim" // flags for the commands that repeat a run
	}
	o.runners.port()
	if says.Quirks != "" && !given("quirks") {
		o.suite.Quirks = says.Quirks
	}
	if says.Tags != "" && !given("tags") && !slices.ContainsFunc(paths, lineNumber.MatchString) {
		o.suite.Tags = says.Tags
	}
	if says.Seeds > 0 && !given("seeds") && !given("seed") && o.runners.simulated() {
		o.suite.Seeds = says.Seeds
	}
	if o.budget > 0 && !given("seeds") && o.runners.simulated() {
		o.suite.Seeds = steps.Endless
	}
	if len(paths) == 0 && len(says.Features) > 0 {
		paths = says.Features
	}
	return paths, nil
}

// share reads --shard.
func (o *testOptions) share(suite *steps.Suite) (err error) {
	suite.Shard, suite.Shards, err = command.Shard(o.shard)
	return err
}

// again limits the suite to the scenarios that failed last, if --last-failed is set.
func (o *testOptions) again(cmd *cobra.Command, suite *steps.Suite) error {
	last, err := project.LastOf(suite.Paths)
	if err != nil && o.lastFailed {
		return fmt.Errorf("--last-failed: %w", err)
	}
	o.last = last
	switch {
	case !o.lastFailed:
	case len(last.Failed) == 0:
		fmt.Fprintln(cmd.ErrOrStderr(), "--last-failed: found no failure of the last run of these paths, so all run")
	default:
		suite.Only = func(sc steps.Listed) bool { return last.Has(sc.Path, sc.Name) }
	}
	return nil
}

// complete checks the flags and returns the suite to run.
func (o *testOptions) complete(cmd *cobra.Command, paths []string, runner runners.Runner) (*steps.Suite, error) {
	if o.suite.Seeds < 1 {
		return nil, fmt.Errorf("--seeds: found %d, want 1 or more", o.suite.Seeds)
	}
	if cmd.Flags().Changed("for") && o.budget <= 0 {
		return nil, fmt.Errorf("--for: found %v, want more than 0, as 10m", o.budget)
	}
	if o.json && !o.list && !o.listTags && !o.dryRun && o.runners.agent == "" {
		return nil, errors.New("--json: found none of --list, --list-tags, --dry-run and --agent, whose output it is; --format cucumber is for results")
	}
	if o.suite.Jobs < 0 {
		return nil, fmt.Errorf("--jobs: found %d, want 1 or more, or 0 for one for each core", o.suite.Jobs)
	}
	if o.explain < 0 {
		return nil, fmt.Errorf("--explain: found %d, want a number of lines, or 0 for none", o.explain)
	}
	if err := o.runners.check(); err != nil {
		return nil, err
	}
	if !o.runners.simulated() && (o.suite.Seeds > 1 || o.suite.Twice) {
		return nil, fmt.Errorf("--runner %s: found --seeds or --check-determinism, which are for virtual time", strings.Join(o.runners.names, ","))
	}
	if err := checkQuirks(o.suite.Quirks); err != nil {
		return nil, err
	}
	if len(o.choices) > 0 && !o.suite.Twice {
		return nil, errors.New("--choice: found no --check-determinism, whose second run it changes")
	}
	suite := o.suite
	for _, text := range o.choices {
		c, err := parseChoice(text)
		if err != nil {
			return nil, err
		}
		suite.Choices = append(suite.Choices, c)
	}
	suite.Runner, suite.Explain, suite.Detail = runner, cmp.Or(o.explain, -1), o.trace != ""
	suite.Clock = time.Now
	suite.Remark = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "remark: "+text) }
	var err error
	suite.FS = featureFS{}
	if suite.Paths, err = findFeatures(paths); err == nil {
		err = errors.Join(o.share(&suite), o.again(cmd, &suite))
	}
	return &suite, err
}

// noLeapsHelp is the help of --no-leaps.
const noLeapsHelp = "have every step of a loop that polls happen by itself: slower, with the same results; with --check-determinism in the second run only"

var choiceText = regexp.MustCompile(`^([^/]+)/(.+)#(\d+)=(\d+)$`)

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

// totals formats the last line of the output. whose tells if scenarios were built into this binary.
func totals(ink colour.Ink, s *steps.Summary, whose string, wall time.Duration) string {
	passed, failed := fmt.Sprintf("%d passed", s.Passed), fmt.Sprintf("%d failed", s.Failed)
	if s.Failed > 0 {
		failed = ink.Bad(failed)
	} else {
		passed = ink.Good(passed)
	}
	if s.Busy > 0 {
		failed += fmt.Sprintf(", %d too busy to tell", s.Busy)
	}
	return fmt.Sprintf("%d scenarios%s (%s, %s, %d skipped), %d steps, %v virtual in %v wall, trace %016x",
		s.Runs, whose, passed, failed, s.Skipped-s.Busy, s.Steps,
		s.Virtual.Round(time.Millisecond), wall.Round(time.Millisecond), s.TraceHash())
}
