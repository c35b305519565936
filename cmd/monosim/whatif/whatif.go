// Package whatif has the commands of `monosim whatif`: capacity questions about a plan.
//
// Two things to use first:
//
//   - [New] makes the command with its subcommands.
//   - planCommand makes every command on a plan file: it reads the plan, answers it, and
//     prints the answer.
//
// To change
//
//   - flags that all commands have: whatif.go
//   - how plans are read and answers printed: answer.go
//   - a command: the file of its name, or of the command that it is used with
//   - the answers: package runners/whatif/judge and its neighbours
//
// Unstable: any commit may change it.
package whatif

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/search"
)

// New makes `monosim whatif`. The function others explains codes and words of reports.
func New(others Explain) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "whatif",
		Short: "Answer capacity questions from a plan, with confidence intervals",
		Long: `Simulate the data plane of a fleet that a plan describes: requests that fan out to all
shards, service times, batching, timeouts, retries, failures. Every number has a
confidence interval; what cannot be told is undecided.

The exit code is 0 when every objective is met, 1 when one is missed, 2 when the plan
makes no sense, and 3 when the budget ended before all was decided.`,
		Example: `  monosim whatif theory plan.yaml
  monosim whatif run plan.yaml --html report.html
  monosim whatif solve plan.yaml`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRun(), newSolve(), newSweep(), newMerge(), newManifest(), newTheory(), newSchema(), newExplain(others), newDiff())
	return cmd
}

// planFlags holds the flags that all commands on a plan have in common.
type planFlags struct {
	json bool
	seed uint64

	beside  []string // folders of --files
	jobs    int
	cache   string
	runInfo string
	html    string
	csv     string
	series  string
	out     string
	wanted  plan.Report // report options of the plan, for the command's flags
	traces  []outFile   // in out
	inputs  []byte
	again   string

	agents      int
	incidents   []string
	sensitivity bool
	// whole means that everything is simulated, however long it takes, so that a sweep gives the
	// same bytes wherever it runs.
	whole bool
	// folder is the folder with the files of the shards to merge.
	folder string

	strict bool
	// bounded is set for a command that simulates. maxMemory limits the memory of such a command.
	bounded   bool
	maxMemory string
}

func (f *planFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print the whole result as JSON, with what every replication counted: the same bytes for the same plan and seed")
	flags.Uint64Var(&f.seed, "seed", 0, "seed in place of the plan's")
	flags.StringArrayVar(&f.beside, "files", nil, "folder whose files the plan may name, beside those of its own folder; may be given again")
	flags.IntVar(&f.jobs, "jobs", 0, "replications at once (default: one a core); results do not depend on it")
	flags.StringVar(&f.cache, "cache", "", "folder of simulated points: what is there is not simulated again, so that what was interrupted goes on")
	flags.StringVar(&f.html, "html", "", "file for the report as one page that needs no network")
	flags.StringVar(&f.csv, "csv", "", "file for the estimates as a table, in base units")
	flags.StringVar(&f.series, "series", "", "file for what happens over time around events, as a table with a row for each second, in base units")
	flags.StringVar(&f.out, "report", "", "folder, made if it is missing, for report.txt and what the plan's report asks for: report.html, report.json, report.csv, series.csv, and traces of requests for ui.perfetto.dev")
	flags.BoolVar(&f.strict, "strict", false, "refuse keys of the plan that change nothing, of which there is a warning else")
	flags.StringVar(&f.runInfo, "run-info", "", "file for what depends on this machine: time taken, cores, rates")
}

// addMemory adds --max-memory, for commands that simulate.
func (f *planFlags) addMemory(cmd *cobra.Command) {
	f.bounded = true
	cmd.Flags().StringVar(&f.maxMemory, "max-memory", "", command.MemoryHelp+"; a plan that would take more is refused")
}

// answer is a function that computes the result of one command for a plan.
type answer func(context.Context, *judge.Judge, *plan.Source, *plan.Plan, plan.Problems) (*result.Result, error)

// planCommand makes a command that takes one plan file, with the common flags. simulated says
// whether the command simulates the plan.
func planCommand(use string, simulated bool, short string, do answer) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:     use + " PLAN",
		Short:   short,
		Example: fmt.Sprintf("  monosim whatif %[1]s plan.yaml\n  monosim whatif %[1]s plan.yaml --json --seed 7", use),
		Args:    onePlan,
		RunE:    func(cmd *cobra.Command, args []string) error { return f.with(cmd, args[0], do) },
	}
	f.add(cmd)
	f.addAgentFlags(cmd)
	if simulated {
		f.addMemory(cmd)
		cmd.Flags().BoolVar(&f.sensitivity, "sensitivity", false, "simulate each input a tenth less and a tenth more, too, and say what becomes of p99")
	}
	return cmd
}

func newRun() *cobra.Command {
	return planCommand("run", true, "Simulate a plan as it is written",
		func(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
			r, err := j.Run(ctx, p, warnings)
			if err == nil && len(p.Uncertain) > 0 {
				err = j.AddWorlds(ctx, source, p, nil, r)
			}
			return r, err
		})
}

func newTheory() *cobra.Command {
	return planCommand("theory", false, "Print what closed forms say of a plan, at once",
		func(_ context.Context, _ *judge.Judge, _ *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
			return judge.New("theory", p, warnings), nil
		})
}

func newSolve() *cobra.Command {
	return planCommand("solve", true, "Search the cheapest configuration that holds, and show that no cheaper one does",
		func(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
			r, err := search.Solve(ctx, j, source, p, warnings)
			if err != nil && ctx.Err() == nil {
				return nil, command.BadInput(err)
			}
			return r, err
		})
}
