package servers

import (
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/zookeeper/bench"
)

// NewZooKeeper makes the command that measures monosim's ZooKeeper twin behind a real socket.
func NewZooKeeper() *cobra.Command {
	var opt bench.Options
	var sessions int
	var bare bool
	cmd := &cobra.Command{
		Use:   "zookeeper",
		Short: "Measure a real ZooKeeper and the simulated one, side by side",
		Long: `Measure create, get and set of 100 bytes over TCP, by 1 and by 16 connections that
keep many requests under way, creates by 4, 64 and 256 too, and the memory that each server has afterwards: on a
real server as it is and with forceSync=no, on the simulated one in memory, and on the
simulated one with a data directory. All get the same bytes from the same client on the
same machine, in turn; the table has medians.

The real server is Debian's (package zookeeper), with the heap that its own script
gives it. By itself it answers a write when its disk has it, as the simulated server
does with a data directory (fsync); with forceSync=no, and in memory, neither waits.

A second table has the processor time that one create takes of the server and of the
client, which hardly depends on what else the machine does, and what that foretells of
rates where both fill the processors. A server that only answers is beside them: what it
takes is for the sockets of so many connections, so where it misses an aim every server
would.

Where no real server is installed only the simulated ones are measured, and a line says
so.

Then many sessions are connected to a simulated server, from this process, which is
another one: each makes an ephemeral znode and leaves a watch, of which all fire in the
end. The limit of open files, which is raised where the system lets it, bounds how many
there can be; what more would take is foretold, and a line says so.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if bare {
				ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
				defer stop()
				return bench.ServeBare(ctx, cmd.OutOrStdout())
			}
			if opt.Length.Batch < 16 || opt.Rounds < 1 {
				return command.BadInput(fmt.Errorf("--batch and --rounds: found %d and %d, want at least 16 and 1", opt.Length.Batch, opt.Rounds))
			}
			if sessions < 0 {
				return command.BadInput(fmt.Errorf("--sessions: found %d, want 0 or more", sessions))
			}
			return benchZooKeeper(cmd.OutOrStdout(), cmd.ErrOrStderr(), opt, sessions)
		},
	}
	f := cmd.Flags()
	f.IntVar(&opt.Length.Batch, "batch", 50_000, "how many operations are done, and znodes made, between two deletions")
	f.DurationVar(&opt.Length.Least, "for", time.Second, "how long one run is at least, of which only the batches count")
	f.IntVar(&opt.Rounds, "rounds", 3, "how many runs to take the median of")
	f.BoolVar(&bare, bareFlag, false, "be the server that only answers")
	_ = f.MarkHidden(bareFlag) // which is there
	f.IntVar(&sessions, "sessions", 100_000, "how many sessions to connect; 0 for none")
	return cmd
}

// benchZooKeeper measures monosim, and a real server for comparison.
func benchZooKeeper(out, notes io.Writer, opt bench.Options, sessions int) error {
	monosim, self, remove, err := programs()
	if err != nil {
		return err
	}
	defer remove()
	serve := []string{monosim, "zookeeper", "--listen", "127.0.0.1:0", "--max-client-cnxns", "0"}
	if err := compareZooKeepers(out, notes, opt, serve, []string{self, "zookeeper", "--" + bareFlag}); err != nil || sessions == 0 {
		return err
	}
	held, err := bench.HoldOn(sessions, append(serve, bench.SessionFlags()...)...)
	if err != nil {
		return command.Ended(0, err)
	}
	return held.Write(out)
}

// compareZooKeepers prints a table with the request rates of the servers.
func compareZooKeepers(out, notes io.Writer, opt bench.Options, serve, bare []string) (err error) {
	servers, end, err := bench.Servers(notes, serve, bare)
	defer func() { err = errors.Join(err, end()) }()
	if err != nil {
		return err
	}
	progress := command.NewProgress(notes, int64((opt.Rounds+1)*len(bench.Loads())*len(servers)), "runs",
		func(done int64) string { return fmt.Sprintf("%d runs done", done) })
	runs := int64(0)
	opt.Progress = func() { progress.At(runs); runs++ }
	result, err := bench.Compare(opt, servers...)
	progress.Done()
	if err != nil {
		return command.Ended(0, err)
	}
	return result.Write(out)
}
