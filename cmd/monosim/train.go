package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/train"
)

// newTrainCommand makes `monosim train`.
func newTrainCommand() *cobra.Command {
	var o trainFlags
	schema := false
	cmd := &cobra.Command{
		Use:   "train PLAN",
		Short: "Run a training job from a plan: restore, steps, barriers, failures, saves, exports",
		Long: `Run a training job in virtual time, from a YAML plan, and print what happened to it
and what it cost: a chief, workers and PS with their ZooKeeper and their checkpoints.

A plan has the keys seed, for, quirks, run_config (the fields of the reference's RunConfig:
num_ps, num_workers, model_dir, save_checkpoints_secs and so on), runner_config (those of its
RunnerConfig, as the command line of the processes has them: num_redundant_ps, tide_start_hour,
discovery_type and so on), job (sizes and times that neither has: step_time, export_dir,
restart_after and so on), serving (agents that serve what the job exports, and take what its
PS push: model, entry, ps_shards, ps_replicas, dense and so on) and script: a list of lines as
"10m: ps0 is killed", in the sentences of scenarios; monosim test --sentences lists them.

A field of run_config goes before that of runner_config, unless it is what a RunConfig has by
itself: that says nothing, as in the reference. The report says which values do not count, and
which fields have no effect on a simulated job.

The invariants INV-1 to INV-8 of a job are held throughout: what broke is told, with the quirk
or rule where the reference breaks it, too, and which had nothing to check. INV-8 is that a job
goes on: one that stands still fails, with what each process waits for, unless the plan's
expect: [INV-8] says so.

--sweep runs once for each value of a place in the plan, or of several, and prints a row of CSV
for each, whatever became of the job.

The exit code is 0 when the run came to its end, 1 when it broke off, a line of the script
failed, an invariant broke that the reference holds, one held that the plan expects to break or
the job came to stand still, and 2 for a plan that makes no sense, with the place of each mistake.`,
		Example: `  monosim train runners/train/plans/failure.yaml
  monosim train plan.yaml --seed 7 --quirks fixed --at '25m: ps1 is killed'
  monosim train plan.yaml --html run.html --series run.csv
  monosim train plan.yaml --sweep job.max_retries=0,6 --sweep seed=1,2,3
  monosim train plan.yaml --json
  monosim train --schema > train.schema.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if schema {
				return command.NoArguments(cmd, args)
			}
			return command.OneArgument("PLAN")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				_, err := cmd.OutOrStdout().Write(train.Schema())
				return err
			}
			return o.run(cmd, args[0])
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of plans, for editors, and end")
	f := cmd.Flags()
	f.BoolVar(&o.asJSON, "json", false, "print JSON instead of text")
	f.Uint64("seed", 1, "what every choice of the run follows from, instead of the plan's seed")
	f.StringVar(&o.quirks, "quirks", "", quirksHelp+"; instead of the plan's")
	f.StringArrayVar(&o.at, "at", nil, atHelp+"; beside the plan's script")
	f.StringVar(&o.series, "series", "", "write a time series into a file, as CSV: steps, processes that run and that wait")
	f.DurationVar(&o.every, "every", 0, "how far the rows of --series are apart (default: some 500 rows)")
	f.StringVar(&o.html, "html", "", "write a page into a file: steps over time, what processes did, what failures took")
	f.StringArrayVar(&o.sweep, "sweep", nil, "run once for each value of a place in the plan, as job.max_retries=0,6 or seed=1,2,3, and print CSV; may be repeated")
	return cmd
}

// trainFlags holds the flags of `monosim train`.
type trainFlags struct {
	quirks       string
	at, sweep    []string
	asJSON       bool
	series, html string
	every        time.Duration
}

func (o *trainFlags) run(cmd *cobra.Command, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return command.BadInput(err)
	}
	if o.every < 0 {
		return command.BadInput(fmt.Errorf("--every: found %v, want a time above 0", o.every))
	}
	if every := cmd.Flags().Lookup("every"); every.Changed && (o.every == 0 || o.series == "" && o.html == "") {
		return command.BadInput(fmt.Errorf("--every: found %v, want a time above 0, and a file for its rows by --series or --html", o.every))
	}
	var instead []train.Value
	if seed := cmd.Flags().Lookup("seed"); seed.Changed {
		instead = append(instead, train.Value{Place: "seed", Text: seed.Value.String()})
	}
	if o.quirks != "" {
		if err := checkQuirks(o.quirks); err != nil {
			return command.BadInput(err)
		}
		instead = append(instead, train.Value{Place: "quirks", Text: strconv.Quote(o.quirks)})
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	if len(o.sweep) > 0 {
		return o.sweepAll(ctx, cmd, name, text, instead)
	}
	job, err := o.read(name, text, instead)
	if err != nil {
		return command.BadInput(err)
	}
	files, err := command.OpenFiles(command.OutFile[*train.Report]{Name: o.series, Form: (*train.Report).WriteSeries}, command.OutFile[*train.Report]{Name: o.html, Form: (*train.Report).WriteHTML})
	if err != nil {
		return command.BadInput(err)
	}
	defer files.Discard()
	report, failure := job.Run(ctx, job.acts)
	if report == nil {
		return command.BadInput(failure)
	}
	if o.asJSON {
		if err := command.PrintJSON(cmd, report); err != nil {
			return err
		}
	} else {
		report.Print(cmd.OutOrStdout())
	}
	if err := files.Write(report); err != nil {
		return err
	}
	return job.outcome(ctx, report, failure)
}

// trainJob is a plan of a training job with the scheduled acts of its script.
type trainJob struct {
	*train.Plan
	acts []runners.Act
}

// read reads a plan. The values in instead replace the plan's own values.
func (o *trainFlags) read(name string, text []byte, instead []train.Value) (*trainJob, error) {
	plan, err := train.ReadInstead(name, text, instead)
	job := &trainJob{Plan: plan}
	if plan != nil && plan.Job.Check() == nil { // the lines of the script can be checked only against a valid job
		var wrong error
		job.acts, wrong = o.acts(plan)
		if wrong == nil { // Unplayed has to see all lines, because any of them may give a setting its effect
			wrong = plan.Unplayed(job.acts)
		}
		err = errors.Join(err, wrong)
	}
	if err == nil && (o.series != "" || o.html != "") {
		plan.Every = cmp.Or(o.every, max((plan.For/500).Truncate(time.Second), time.Second))
	}
	return job, err
}

// outcome returns the error with which the command ends after its report was made.
func (j *trainJob) outcome(ctx context.Context, report *train.Report, failure error) error {
	switch {
	case ctx.Err() != nil && failure != nil:
		return command.InterruptedBy(ctx, command.Far(report.VirtualSec, j.For))
	case failure != nil:
		return broken(failure)
	case report.Failed() > 0:
		return broken(fmt.Errorf("%d of %d lines of the script failed", report.Failed(), len(report.Acts)))
	case report.Wrong() != "":
		return broken(errors.New(report.Wrong()))
	}
	return nil
}

// sweepAll runs the plan for each combination of the swept values, and prints a row for each run.
// The row also holds the error of a run that failed.
func (o *trainFlags) sweepAll(ctx context.Context, cmd *cobra.Command, name string, text []byte, instead []train.Value) error {
	for _, v := range instead {
		if slices.ContainsFunc(o.sweep, func(swept string) bool { return strings.HasPrefix(swept, v.Place+"=") }) {
			return command.BadInput(fmt.Errorf("--%s: found it beside --sweep %s=, want one of them", v.Place, v.Place))
		}
	}
	values := map[string]string{}
	read := func() (*trainJob, error) {
		all := slices.Clone(instead)
		for _, place := range slices.Sorted(maps.Keys(values)) {
			all = append(all, train.Value{Place: place, Text: values[place]})
		}
		return o.read(name, text, all)
	}
	columns := train.SweepColumns
	if plan, _ := train.ReadInstead(name, text, instead); plan != nil && plan.Serving != nil || slices.ContainsFunc(o.sweep, train.HasServing) {
		columns = slices.Concat(columns, train.ServingColumns)
	}
	return command.Sweep{
		Values: o.sweep, Example: "a place of the plan and its values, as job.max_retries=0,6", Columns: columns,
		Known: func(string) error { return nil }, // nothing to do: the plan itself checks the places
		Set: func(place, value string) error {
			values[place] = value
			return nil
		},
		Read: func() error {
			_, err := read()
			return err
		},
		Run: func() ([]string, error) {
			job, err := read()
			if err != nil {
				return nil, command.BadInput(err)
			}
			report, failure := job.Run(ctx, job.acts)
			if failure != nil {
				return nil, job.outcome(ctx, report, failure)
			}
			return report.SweepRow(), nil
		},
	}.All(cmd, "html", "json", "series")
}

// acts parses the lines of the plan's script and of --at.
func (o *trainFlags) acts(plan *train.Plan) ([]runners.Act, error) {
	var lines []steps.ScriptLine
	for _, line := range plan.Script {
		lines = append(lines, steps.ScriptLine{Where: line.Where, Text: line.Text})
	}
	end := plan.For
	if end <= 0 {
		end = time.Duration(math.MaxInt64) // that mistake has been reported already
	}
	return steps.ReadScript(atLines(lines, o.at), &simrun.Runner{}, plan.Spec(), end)
}
