package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

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
restart_after and so on) and script: a list of lines as "10m: ps0 is killed", in the sentences
of scenarios; monosim test --sentences lists them.

A field of run_config goes before that of runner_config, unless it is what a RunConfig has by
itself: that says nothing, as in the reference. The report says which values do not count, and
which fields have no effect on a simulated job.

The invariants INV-1 to INV-8 of a job are held throughout: what broke is told, with the quirk
or rule where the reference breaks it, too, and which had nothing to check. INV-8 is that a job
goes on: one that stands still fails, with what each process waits for, unless the plan's
expect: [INV-8] says so.

The exit code is 0 when the run came to its end, 1 when it broke off, a line of the script
failed, an invariant broke that the reference holds or the job came to stand still, and 2 for a plan that makes no sense, with file, line and column of each mistake.`,
		Example: `  monosim train runners/train/plans/failure.yaml
  monosim train plan.yaml --seed 7 --quirks fixed --at '25m: ps1 is killed'
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
			o.instead.HasSeed = cmd.Flags().Changed("seed")
			return o.run(cmd, args[0])
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of plans, for editors, and end")
	f := cmd.Flags()
	f.BoolVar(&o.asJSON, "json", false, "print JSON instead of text")
	f.Uint64Var(&o.instead.Seed, "seed", 1, "what every choice of the run follows from, instead of the plan's seed")
	f.StringVar(&o.instead.Quirks, "quirks", "", quirksHelp+"; instead of the plan's")
	f.StringArrayVar(&o.at, "at", nil, atHelp+"; beside the plan's script")
	return cmd
}

// trainFlags holds the flags of `monosim train`.
type trainFlags struct {
	instead train.Instead
	at      []string
	asJSON  bool
}

func (o *trainFlags) run(cmd *cobra.Command, name string) error {
	if o.instead.Quirks != "" {
		if err := checkQuirks(o.instead.Quirks); err != nil {
			return command.BadInput(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return command.BadInput(err)
	}
	plan, err := train.ReadInstead(name, text, o.instead)
	var acts []runners.Act
	if plan != nil && plan.For > 0 && plan.Job.Check() == nil { // else the script's lines cannot be held to the job
		var wrong error
		acts, wrong = o.acts(plan)
		err = errors.Join(err, wrong)
	}
	if err != nil {
		return command.BadInput(err)
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	report, failure := plan.Run(ctx, acts)
	if report == nil {
		return command.BadInput(failure)
	}
	if o.asJSON {
		encoder := json.NewEncoder(cmd.OutOrStdout())
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(report); err != nil {
			return err
		}
	} else {
		report.Print(cmd.OutOrStdout())
	}
	switch {
	case ctx.Err() != nil && failure != nil:
		return command.InterruptedBy(ctx, fmt.Sprintf("after %vs of %v", report.VirtualSec, plan.For))
	case failure != nil:
		return broken(failure)
	case report.Failed() > 0:
		return broken(fmt.Errorf("%d of %d lines of the script failed", report.Failed(), len(report.Acts)))
	case report.Wrong() != "":
		return broken(errors.New(report.Wrong()))
	}
	return nil
}

// acts reads the script of a plan and what --at adds.
func (o *trainFlags) acts(plan *train.Plan) ([]runners.Act, error) {
	var lines []steps.ScriptLine
	for _, line := range plan.Script {
		lines = append(lines, steps.ScriptLine{Where: line.Where, Text: line.Text})
	}
	return steps.ReadScript(atLines(lines, o.at), &simrun.Runner{}, plan.Spec(), plan.For)
}
