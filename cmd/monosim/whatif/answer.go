package whatif

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/report"
	"github.com/monosim/monosim/runners/whatif/result"
)

// with reads a plan, lets do answer it, and prints the answer.
func (f *planFlags) with(cmd *cobra.Command, path string, do answer) error {
	begin := time.Now()
	source, p, warnings, err := readPlan(cmd, path, f)
	if err != nil {
		return err
	}
	j, done, err := f.judge(cmd, p)
	if err != nil {
		return err
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	r, err := do(ctx, j, source, p, warnings)
	if err == nil {
		err = f.addAgents(ctx, p, r)
	}
	if err == nil && f.sensitivity {
		err = addSensitivity(ctx, j, source, p, r)
	}
	done()
	if ctx.Err() != nil {
		return command.InterruptedBy(ctx, "before the answer; with --cache the next run goes on from here")
	}
	if err != nil {
		return err
	}
	return f.answered(cmd, j, r, begin)
}

// addSensitivity adds what changes of inputs do to the plan, or to the answer that was found.
func addSensitivity(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan, r *result.Result) error {
	if r.Answer != nil {
		var values []plan.Value
		for _, path := range slices.Sorted(maps.Keys(r.Answer.Point)) {
			values = append(values, plan.Value{Path: path, Text: r.Answer.Point[path]})
		}
		answer, _, err := source.With(values)
		if err != nil {
			return err
		}
		answer.Seed = p.Seed
		p = answer
	}
	rows, err := j.Sensitivity(ctx, p)
	r.Sensitivity = rows
	return err
}

// onePlan refuses all but one argument.
func onePlan(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return command.BadInput(fmt.Errorf("found %d arguments, want one plan file; see %s --help", len(args), cmd.CommandPath()))
	}
	return nil
}

// readPlan reads a plan; its problems are printed one a line, as they are.
func readPlan(cmd *cobra.Command, path string, f *planFlags) (*plan.Source, *plan.Plan, plan.Problems, error) {
	source, p, warnings, err := plan.Read(path)
	var problems plan.Problems
	if errors.As(err, &problems) {
		if f.json {
			r := &result.Result{Format: result.Format, Command: cmd.Name(), Plan: path, Problems: problems, Warnings: plan.Problems{}, Exit: command.ExitBadInput}
			if err := r.Write(cmd.OutOrStdout()); err != nil {
				return nil, nil, nil, err
			}
		}
		for _, one := range problems {
			fmt.Fprintln(cmd.ErrOrStderr(), one)
		}
		return nil, nil, nil, &command.ExitError{Code: command.ExitBadInput}
	}
	if err != nil {
		return nil, nil, nil, command.BadInput(err)
	}
	for _, w := range warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+strings.TrimPrefix(w.String(), "warning: "))
	}
	if cmd.Flags().Changed("seed") {
		p.Seed = f.seed
	}
	f.inputs = p.Canonical()
	f.again = fmt.Sprintf("%s %s --seed %d%s", cmd.CommandPath(), path, p.Seed, f.flagWords())
	return source, p, warnings, nil
}

// judge makes what simulates the plan and judges it, within its budget, with the points of
// --cache, and with its progress on standard error until the second result is called.
func (f *planFlags) judge(cmd *cobra.Command, p *plan.Plan) (*judge.Judge, func(), error) {
	j := &judge.Judge{Workers: f.jobs, Deadline: time.Now().Add(time.Duration(p.Budget.Wall))}
	if f.cache != "" {
		cache, err := judge.OpenCache(f.cache)
		if err != nil {
			return nil, nil, command.BadInput(err)
		}
		j.Cache = cache
	}
	progress := newFar(cmd.ErrOrStderr(), j.Deadline)
	j.Progress = progress.at
	return j, progress.bar.Done, nil
}

// answered prints a result and gives its exit code.
func (f *planFlags) answered(cmd *cobra.Command, j *judge.Judge, r *result.Result, begin time.Time) error {
	if f.runInfo != "" {
		if err := writeRunInfo(f.runInfo, j, begin); err != nil {
			return command.BadInput(err)
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
			return command.BadInput(err)
		}
	}
	if r.Exit != 0 {
		return &command.ExitError{Code: r.Exit}
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
