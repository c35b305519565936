package whatif

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/report"
	"github.com/monosim/monosim/runners/whatif/result"
)

// with reads a plan, computes its answer with the function do, and prints the answer.
func (f *planFlags) with(cmd *cobra.Command, path string, do answer) error {
	begin := time.Now()
	source, p, warnings, err := readPlan(cmd, path, f)
	if err != nil {
		return err
	}
	if err := f.writable(); err != nil {
		return err
	}
	f.wanted = p.Report
	j, done, err := f.judge(cmd, p)
	if err != nil {
		return err
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	var r *result.Result
	if err = f.limit(cmd, j, source, p); err == nil {
		r, err = do(ctx, j, source, p, warnings)
	}
	if err == nil {
		err = f.addAgents(ctx, source, p, r)
	}
	if err == nil && f.sensitivity {
		err = addSensitivity(ctx, j, source, p, r)
	}
	if err == nil && ctx.Err() == nil {
		err = f.addTraces(source, p, r)
	}
	done()
	if ctx.Err() != nil {
		return command.InterruptedBy(ctx, "before the answer; with --cache the next run goes on from here")
	}
	err = f.outgrown(j, source, err)
	if problems := (plan.Problems)(nil); errors.As(err, &problems) {
		return f.refuse(cmd, path, problems)
	}
	if err != nil {
		return err
	}
	return f.answered(cmd, j, r, begin)
}

// limit prints a warning if a plan takes long. It refuses a plan that needs more memory than there
// is. A later cell of a search or sweep is refused in the same way.
func (f *planFlags) limit(cmd *cobra.Command, j *judge.Judge, source *plan.Source, p *plan.Plan) error {
	if !f.bounded {
		return nil
	}
	most, err := command.MemoryFor(f.maxMemory)
	if err != nil {
		return command.BadInput(fmt.Errorf("--max-memory: %w", err))
	}
	j.MaxMemory = most
	if err := source.Limit(j.TooLarge); err != nil {
		return err
	}
	if long := j.TakesLong(p); long != "" { // only after Limit, which refuses a plan that is too large
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+long)
	}
	return nil
}

// outgrown turns the error of a simulation that ran out of memory into a problem of its plan. It
// returns other errors unchanged.
func (f *planFlags) outgrown(j *judge.Judge, source *plan.Source, err error) error {
	if large := (*model.TooLargeError)(nil); errors.As(err, &large) {
		return source.TooLarge(j.Outgrown(large))
	}
	return err
}

// writable checks, before anything is simulated, that all output files can be written at the end.
func (f *planFlags) writable() error {
	if f.jobs < 0 {
		return command.BadInput(fmt.Errorf("--jobs: found %d, want 0 or more", f.jobs))
	}
	for _, one := range []struct{ flag, path string }{{"--html", f.html}, {"--csv", f.csv}, {"--series", f.series}, {"--run-info", f.runInfo}} {
		if one.path == "" {
			continue
		}
		file, err := wholefile.Create(one.path)
		if err != nil {
			return command.BadInput(fmt.Errorf("%s: %w", one.flag, err))
		}
		file.Discard()
	}
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o777); err != nil {
			return command.BadInput(fmt.Errorf("--report: %w", err))
		}
	}
	return nil
}

// addSensitivity adds how the results would change with the inputs. The inputs are the plan's, with
// the values of the answer if one was found.
func addSensitivity(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan, r *result.Result) error {
	p, err := answeredPlan(source, p, r)
	if err != nil {
		return err
	}
	rows, err := j.Sensitivity(ctx, p)
	r.Sensitivity = rows
	return err
}

// answeredPlan returns the plan with the values of the found answer. Without an answer it returns
// the plan unchanged.
func answeredPlan(source *plan.Source, p *plan.Plan, r *result.Result) (*plan.Plan, error) {
	if r.Answer == nil {
		return p, nil
	}
	var values []plan.Value
	for _, path := range slices.Sorted(maps.Keys(r.Answer.Point)) {
		values = append(values, plan.Value{Path: path, Text: r.Answer.Point[path]})
	}
	answer, _, err := source.With(values)
	if err != nil {
		return nil, err
	}
	answer.Seed = p.Seed
	return answer, nil
}

// addTraces simulates again the parts that the plan wants traced, and adds their traces. They are
// files in the folder of --report.
func (f *planFlags) addTraces(source *plan.Source, p *plan.Plan, r *result.Result) error {
	if f.out == "" || len(r.Windows) == 0 { // there is no report, or nothing was simulated
		return nil
	}
	p, err := answeredPlan(source, p, r)
	if err != nil {
		return err
	}
	for _, t := range p.Report.Trace {
		one, err := judge.Trace(p, r, t)
		if err != nil {
			return err
		}
		name := "trace-" + strings.ReplaceAll(t.String(), " ", "-") + ".json"
		f.traces = append(f.traces, outFile{filepath.Join(f.out, name), func(w io.Writer) error { return report.Trace(w, one) }})
	}
	return nil
}

// onePlan returns an error of bad input unless there is exactly one argument.
func onePlan(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return command.BadInput(fmt.Errorf("found %d arguments, want one plan file; see %s --help", len(args), cmd.CommandPath()))
	}
	return nil
}

// ReadPlan reads a plan for a command that does not simulate it. It prints each problem of the plan
// on a line, and with asJSON also as a result in JSON.
func ReadPlan(cmd *cobra.Command, path string, asJSON bool) (*plan.Plan, error) {
	_, p, _, err := readPlan(cmd, path, &planFlags{json: asJSON})
	return p, err
}

// readPlan reads a plan, and prints its problems one a line.
func readPlan(cmd *cobra.Command, path string, f *planFlags) (*plan.Source, *plan.Plan, plan.Problems, error) {
	for _, folder := range f.beside {
		if _, err := os.ReadDir(folder); err != nil {
			return nil, nil, nil, command.BadInput(fmt.Errorf("--files: %w", err))
		}
	}
	source, p, warnings, err := plan.Read(path, f.beside...)
	if err != nil {
		return nil, nil, nil, f.refuse(cmd, path, err)
	}
	if bad := warnings.NoEffect(); f.strict && len(bad) > 0 {
		return nil, nil, nil, f.refuse(cmd, path, bad)
	}
	for _, w := range warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+w.Unmarked())
	}
	if cmd.Flags().Changed("seed") {
		p.Seed = f.seed
	}
	f.inputs = p.Canonical()
	f.again = fmt.Sprintf("%s %s --seed %d%s", cmd.CommandPath(), path, p.Seed, f.flagWords())
	if f.folder != "" {
		f.again = fmt.Sprintf("%s %s --plan %s --seed %d", cmd.CommandPath(), f.folder, path, p.Seed)
	}
	return source, p, warnings, nil
}

// refuse prints the problems of a plan, with --json also as a result, and returns the error that
// ends the command. It treats any other error as bad input.
func (f *planFlags) refuse(cmd *cobra.Command, path string, err error) error {
	var problems plan.Problems
	if !errors.As(err, &problems) {
		return command.BadInput(err)
	}
	if f.json {
		r := &result.Result{Format: result.Format, Command: cmd.Name(), Plan: path, Problems: problems, Warnings: plan.Problems{}, Exit: command.ExitBadInput}
		if err := r.Write(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	for _, one := range problems {
		fmt.Fprintln(cmd.ErrOrStderr(), one)
	}
	return &command.ExitError{Code: command.ExitBadInput}
}

// judge makes the judge that simulates a plan within its budget. It reuses results from the folder
// of --cache. Progress appears on standard error until the returned function is called.
func (f *planFlags) judge(cmd *cobra.Command, p *plan.Plan) (*judge.Judge, func(), error) {
	j := &judge.Judge{Workers: f.jobs}
	if !f.whole {
		j.Deadline = time.Now().Add(time.Duration(p.Budget.Wall))
	}
	if f.cache != "" {
		cache, err := judge.OpenCache(f.cache)
		if err != nil {
			return nil, nil, command.BadInput(err)
		}
		var one sync.Mutex
		cache.Damaged = func(path string) {
			one.Lock()
			defer one.Unlock()
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: --cache: %s was altered, want its checksum: it is simulated again\n", path)
		}
		j.Cache = cache
	}
	progress := newFar(cmd.ErrOrStderr(), j.Deadline)
	j.Progress = progress.at
	return j, progress.bar.Done, nil
}

// answered prints a result, and returns the error that carries the command's exit code.
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
	for _, file := range f.files(r) {
		if err := writeFile(file.path, file.write); err != nil {
			return command.BadInput(err)
		}
	}
	if r.Exit != 0 {
		return &command.ExitError{Code: r.Exit}
	}
	return nil
}

// outFile is a file that a result is written to.
type outFile struct {
	path  string
	write func(io.Writer) error
}

// files lists the output files that flags ask for. With --report they include the files of the
// report's folder.
func (f *planFlags) files(r *result.Result) (list []outFile) {
	add := func(wanted bool, path string, write func(io.Writer) error) {
		if wanted {
			list = append(list, outFile{path, write})
		}
	}
	page := func(w io.Writer) error { return report.HTML(w, r, f.inputs, f.again) }
	table := func(w io.Writer) error { return report.CSV(w, r) }
	add(f.html != "", f.html, page)
	series := func(w io.Writer) error { return report.SeriesCSV(w, r) }
	add(f.csv != "", f.csv, table)
	add(f.series != "", f.series, series)
	in := func(name string) string { return filepath.Join(f.out, name) }
	add(f.out != "", in("report.txt"), func(w io.Writer) error { return report.Text(w, r, f.again) })
	add(f.out != "" && f.wanted.HTML, in("report.html"), page)
	add(f.out != "" && f.wanted.JSON, in("report.json"), r.Write)
	add(f.out != "" && f.wanted.CSV, in("report.csv"), table)
	add(f.out != "" && f.wanted.CSV && len(r.Series) > 0, in("series.csv"), series)
	return append(list, f.traces...)
}

// writeFile writes a file completely or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := wholefile.Create(path)
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := write(file); err != nil {
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
