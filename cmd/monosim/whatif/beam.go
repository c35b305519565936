package whatif

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// beamProgram is the name of the program that runs sweeps on Apache Beam. It is a separate program,
// because Beam is ten times the size of monosim.
const beamProgram = "monosim-beam"

// sweepBeam runs beamProgram, which simulates all points of the sweep and writes files into a
// folder. It makes the answer from these files.
func sweepBeam(cmd *cobra.Command, f *planFlags, path, out, flags string) error {
	if len(f.beside) > 0 {
		return command.BadInput(errors.New("--files: found it beside --engine beam, want all files of the plan in its folder"))
	}
	program, err := command.FindProgram(beamProgram, "make beam builds it")
	if err != nil {
		return command.BadInput(fmt.Errorf("--engine beam: %w", err))
	}
	dir := out
	if dir == "" {
		if dir, err = os.MkdirTemp("", "monosim-beam-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	return f.with(cmd, path, func(ctx context.Context, _ *judge.Judge, source *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
		args := append([]string{"-plan", path, "-out", dir, "-seed", strconv.FormatUint(p.Seed, 10)}, strings.Fields(flags)...)
		if f.cache != "" {
			args = append(args, "-cache", f.cache)
		}
		beam := exec.CommandContext(ctx, program, args...)
		beam.Stderr = cmd.ErrOrStderr()
		if err := beam.Run(); err != nil {
			return nil, beamError(err)
		}
		return merged(source, p, warnings, dir)
	})
}

// beamError returns an error with the exit code of beamProgram. The program has printed the error
// text itself.
func beamError(err error) error {
	code := command.ExitFailed
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == command.ExitBadInput {
		code = command.ExitBadInput
	}
	return &command.ExitError{Code: code, Err: fmt.Errorf("%s: %w", beamProgram, err)}
}
