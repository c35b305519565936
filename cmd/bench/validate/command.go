package validate

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// New makes the command that prints the simulated value of each case beside its closed form.
func New() *cobra.Command {
	var short, asJSON bool
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Hold the model to the closed forms of queues, fork-join and failures",
		Args:  command.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runValidation(cmd, short, asJSON) },
	}
	cmd.Flags().BoolVar(&short, "short", false, "fewer cases")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

func runValidation(cmd *cobra.Command, short, asJSON bool) error {
	out := cmd.OutOrStdout()
	r := &result.Result{Format: result.Format, Command: "validate", Version: judge.Version, Architecture: runtime.GOARCH, Problems: plan.Problems{}, Warnings: plan.Problems{}}
	inside := 0
	outcomes, err := RunAll(All(short), func(o Outcome) {
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
	verdict := Judge(outcomes)
	if verdict != nil {
		r.Exit = command.ExitFailed
	}
	if asJSON {
		if err := r.Write(out); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%d of %d intervals of 95 %% have the closed form\n", inside, len(outcomes))
	}
	if verdict != nil {
		return &command.ExitError{Code: command.ExitFailed, Err: verdict}
	}
	return nil
}
