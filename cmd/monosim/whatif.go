package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/programs"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/report"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/validate"
)

// newWhatifCommand makes `monosim whatif`.
func newWhatifCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "whatif",
		Short: "Answer capacity questions from a plan, with confidence intervals",
		Long: `Simulate the data plane of a fleet that a plan describes: requests that fan out to all
shards, service times, batching, timeouts, retries, failures. Every number has a
confidence interval; what cannot be told is undecided.

The exit code is 0 when every objective is met, 1 when one is missed, 2 when the plan
makes no sense, and 3 when the budget ended before all was decided.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWhatifRunCommand(), newWhatifTheoryCommand(), newWhatifValidateCommand(), newWhatifSchemaCommand(), newWhatifExplainCommand(),
		newWhatifSolveCommand(), newWhatifSweepCommand(), newWhatifMergeCommand(), newWhatifBenchCommand())
	return cmd
}

// planFlags are what commands on a plan have in common.
type planFlags struct {
	json bool
	seed uint64

	jobs    int
	cache   string
	runInfo string
	html    string
	inputs  []byte
	again   string

	agents    int
	incidents []string
}

func (f *planFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print the whole result as JSON, the same bytes for the same plan and seed")
	flags.Uint64Var(&f.seed, "seed", 0, "seed in place of the plan's")
	flags.IntVar(&f.jobs, "jobs", 0, "replications at once (default: one a core); results do not depend on it")
	flags.StringVar(&f.cache, "cache", "", "folder of simulated points: what is there is not simulated again, so that what was interrupted goes on")
	flags.StringVar(&f.html, "html", "", "file for the report as one page that needs no network")
	flags.StringVar(&f.runInfo, "run-info", "", "file for what depends on this machine: time taken, cores, rates")
}

// onePlan refuses all but one argument.
func onePlan(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return badInput(fmt.Errorf("found %d arguments, want one plan file; see %s --help", len(args), cmd.CommandPath()))
	}
	return nil
}

// readPlan reads a plan; its problems are printed one a line, as they are.
func readPlan(cmd *cobra.Command, path string, f *planFlags) (*plan.Source, *plan.Plan, plan.Problems, error) {
	source, p, warnings, err := plan.Read(path)
	var problems plan.Problems
	if errors.As(err, &problems) {
		if f.json {
			r := &result.Result{Format: result.Format, Command: cmd.Name(), Plan: path, Problems: problems, Warnings: plan.Problems{}, Exit: exitBadInput}
			if err := r.Write(cmd.OutOrStdout()); err != nil {
				return nil, nil, nil, err
			}
		}
		for _, one := range problems {
			fmt.Fprintln(cmd.ErrOrStderr(), one)
		}
		return nil, nil, nil, &programs.ExitError{Code: exitBadInput}
	}
	if err != nil {
		return nil, nil, nil, badInput(err)
	}
	for _, w := range warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+strings.TrimPrefix(w.String(), "warning: "))
	}
	if cmd.Flags().Changed("seed") {
		p.Seed = f.seed
	}
	f.inputs = p.Canonical()
	f.again = fmt.Sprintf("%s %s --seed %d%s", cmd.CommandPath(), path, p.Seed, f.agentWords())
	return source, p, warnings, nil
}

// judged is a judge with progress on standard error.
func (f *planFlags) judge(cmd *cobra.Command, p *plan.Plan) (*judge.Judge, func(), error) {
	j := &judge.Judge{Workers: f.jobs, Deadline: time.Now().Add(time.Duration(p.Budget.Wall))}
	if f.cache != "" {
		cache, err := judge.OpenCache(f.cache)
		if err != nil {
			return nil, nil, badInput(err)
		}
		j.Cache = cache
	}
	progress := newProgress(cmd.ErrOrStderr(), -1, "requests", func(done int64) string { return fmt.Sprintf("%d requests simulated", done) })
	j.Progress = progress.at
	return j, progress.done, nil
}

// answered prints a result and gives its exit code.
func (f *planFlags) answered(cmd *cobra.Command, j *judge.Judge, r *result.Result, begin time.Time) error {
	if f.runInfo != "" {
		if err := writeRunInfo(f.runInfo, j, begin); err != nil {
			return badInput(err)
		}
	}
	if f.json {
		if err := r.Write(cmd.OutOrStdout()); err != nil {
			return err
		}
	} else {
		if err := report.Text(cmd.OutOrStdout(), r, f.again); err != nil {
			return err
		}
	}
	if f.html != "" {
		if err := f.writePage(r); err != nil {
			return badInput(err)
		}
	}
	if r.Exit != 0 {
		return &programs.ExitError{Code: r.Exit}
	}
	return nil
}

// writePage writes the page; it is whole, or not there.
func (f *planFlags) writePage(r *result.Result) error {
	file, err := wholefile.Create(f.html)
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := report.HTML(file, r, f.inputs, f.again); err != nil {
		return err
	}
	return file.Close()
}

func writeRunInfo(path string, j *judge.Judge, begin time.Time) error {
	requests, calls, events := j.Simulated()
	info := result.RunInfo{WallSec: time.Since(begin).Seconds(), CPUs: runtime.NumCPU(), GoVersion: runtime.Version(), Requests: requests, SubRequests: calls, Events: events}
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(path, append(data, '\n'))
}

func newWhatifRunCommand() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "run PLAN",
		Short: "Simulate a plan as it is written",
		Args:  onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.with(cmd, args[0], func(ctx context.Context, j *judge.Judge, _ *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
				return j.Run(ctx, p, warnings)
			})
		},
	}
	f.add(cmd)
	f.addAgentFlags(cmd)
	return cmd
}

// with reads a plan, lets do answer it, and prints the answer.
func (f *planFlags) with(cmd *cobra.Command, path string, do func(context.Context, *judge.Judge, *plan.Source, *plan.Plan, plan.Problems) (*result.Result, error)) error {
	begin := time.Now()
	source, p, warnings, err := readPlan(cmd, path, f)
	if err != nil {
		return err
	}
	j, done, err := f.judge(cmd, p)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	r, err := do(ctx, j, source, p, warnings)
	if err == nil {
		err = f.addAgents(ctx, p, r)
	}
	done()
	if ctx.Err() != nil {
		return interruptedBy(ctx, "before the answer; with --cache the next run goes on from here")
	}
	if err != nil {
		return err
	}
	return f.answered(cmd, j, r, begin)
}

func newWhatifTheoryCommand() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "theory PLAN",
		Short: "Print what closed forms say of a plan, at once",
		Args:  onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, p, warnings, err := readPlan(cmd, args[0], &f)
			if err != nil {
				return err
			}
			r := judge.New("theory", p, warnings)
			if err := f.addAgents(cmd.Context(), p, r); err != nil {
				return err
			}
			return f.answered(cmd, &judge.Judge{}, r, time.Now())
		},
	}
	f.add(cmd)
	f.addAgentFlags(cmd)
	return cmd
}

func newWhatifValidateCommand() *cobra.Command {
	var short, asJSON bool
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Hold the model to the closed forms of queues, fork-join and failures",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return whatifValidate(cmd, short, asJSON) },
	}
	cmd.Flags().BoolVar(&short, "short", false, "fewer cases")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

func whatifValidate(cmd *cobra.Command, short, asJSON bool) error {
	out := cmd.OutOrStdout()
	r := &result.Result{Format: result.Format, Command: "validate", Version: judge.Version, Architecture: runtime.GOARCH, Problems: plan.Problems{}, Warnings: plan.Problems{}}
	inside := 0
	outcomes, err := validate.RunAll(validate.All(short), func(o validate.Outcome) {
		mean, residual := o.Mean, o.Residual()
		r.Theory = append(r.Theory, result.ClosedForm{Name: o.Name, Section: o.Section, Theory: o.Theory, Sim: &mean, Residual: &residual})
		if o.Inside {
			inside++
		}
		if !asJSON {
			fmt.Fprintln(out, o.String())
		}
	})
	if err != nil {
		return err
	}
	verdict := validate.Judge(outcomes)
	if verdict != nil {
		r.Exit = exitFailed
	}
	if asJSON {
		if err := r.Write(out); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%d of %d intervals of 95 %% have the closed form\n", inside, len(outcomes))
	}
	if verdict != nil {
		return &programs.ExitError{Code: exitFailed, Err: verdict}
	}
	return nil
}

func newWhatifSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of plans, for editors",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(plan.Schema())
			return err
		},
	}
}

func newWhatifExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain METRIC",
		Short: "Say what a metric of an objective is",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return badInput(fmt.Errorf("found %d arguments, want one of %s", len(args), strings.Join(plan.MetricNames(), ", ")))
			}
			name, scope, _ := strings.Cut(strings.TrimSuffix(args[0], ")"), "(")
			i := slices.IndexFunc(plan.Metrics, func(m plan.Metric) bool { return m.Name == name })
			if i < 0 {
				return badInput(fmt.Errorf("found the unknown metric %q%s", args[0], plan.Nearest(args[0], plan.MetricNames())))
			}
			m := plan.Metrics[i]
			explain(cmd.OutOrStdout(), m, scope)
			return nil
		},
	}
}

func explain(w io.Writer, m plan.Metric, _ string) {
	fmt.Fprintf(w, "%s: %s\n", m.Name, m.Doc)
	fmt.Fprintf(w, "unit %s, as %s\n", m.Unit, m.Kind.Example())
	if len(m.Scopes) > 0 {
		fmt.Fprintf(w, "of %s\n", strings.Join(m.Scopes, ", "))
	}
}
