package servers

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/tfserving/bench"
)

// NewTFServing makes the command that measures monosim's TF Serving twin behind a real socket.
func NewTFServing() *cobra.Command {
	opt := bench.DefaultOptions()
	var asJSON, check, bare bool
	cmd := &cobra.Command{
		Use:   "tfserving",
		Short: "Measure the served model server over gRPC, and thousands of simulated ones",
		Long: `Measure the simulated model server against what is aimed at for it.

monosim is started, as a server on a directory of its own, and asked
over the loopback, from this process, by two connections with 100 requests under way
each: how often it answers GetModelStatus, and a Predict of 1 KiB, in a second
(medians), what that takes of its processors, and how late answers are when fewer are
due. In turn with it a server is asked that only answers, by grpc-go with the same
settings: nobody who serves by grpc-go can be much faster than that one, and where it
misses an aim too, the table says so. Models take no time here; what client and server
take of the processors foretells the rate of two with nothing else to do. A server with
many models then says what memory each takes and what a poll of all costs. The last row is in virtual time and in this process: many
servers that only poll for a day.

All aims are for two processors that do nothing else; the time of a processor per
call hardly depends on what else they do.

The exit code is 0 when everything was measured, 1 when something could not be or,
with --check, an aim was missed, and 2 when what was asked for makes no sense.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if bare {
				return bench.ServeBare(cmd.OutOrStdout())
			}
			if err := opt.Validate(); err != nil {
				return command.BadInput(err)
			}
			report, err := benchTFServing(cmd.ErrOrStderr(), opt)
			if err != nil {
				return command.Ended(0, err)
			}
			return printReport(cmd.OutOrStdout(), report, asJSON, check)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&opt.Length.For, "for", opt.Length.For, "how long one run of requests is")
	f.IntVar(&opt.Rounds, "rounds", opt.Rounds, "how many runs to take the median of")
	f.IntVar(&opt.Models, "models", opt.Models, "how many models are polled")
	f.DurationVar(&opt.PollFor, "poll-for", opt.PollFor, "for how long they are")
	f.IntVar(&opt.IdleServers, "servers", opt.IdleServers, "how many servers poll in virtual time")
	f.DurationVar(&opt.IdleFor, "idle-for", opt.IdleFor, "for how long they do, in virtual time")
	f.BoolVar(&bare, bareFlag, false, "be the server of grpc-go alone")
	_ = f.MarkHidden(bareFlag) // which is there
	f.BoolVar(&asJSON, "json", false, "print JSON instead of text")
	f.BoolVar(&check, "check", false, "fail when an aim is missed")
	return cmd
}

// benchTFServing measures monosim, and for comparison a bare server of grpc-go.
func benchTFServing(notes io.Writer, opt bench.Options) (*bench.Report, error) {
	monosim, self, remove, err := programs()
	if err != nil {
		return nil, err
	}
	defer remove()
	opt.Program, opt.Bare = []string{monosim, "tfserving"}, []string{self, "tfserving", "--" + bareFlag}
	step := ""
	progress := command.NewProgress(notes, int64(opt.Steps()), "steps", func(int64) string { return step })
	defer progress.Done()
	begun := int64(0)
	opt.Progress = func(next string) {
		step = next
		progress.At(begun)
		begun++
	}
	return bench.Run(opt)
}
