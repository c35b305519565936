package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners/zookeeper/bench"
)

// newZooKeeperBenchCommand makes `monosim zookeeper bench`.
func newZooKeeperBenchCommand() *cobra.Command {
	var opt bench.Options
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure a real ZooKeeper and the simulated one, side by side",
		Long: `Measure create, get and set of 100 bytes over TCP, by 1 and by 16 connections that
keep many requests under way, and the memory that each server has afterwards: on a
real server, on the simulated one in memory, and on the simulated one with a data
directory. All get the same bytes from the same client on the same machine, in turn;
the table has medians.

The real server is Debian's (package zookeeper), with the heap that its own script
gives it and forceSync=no: it writes its log and does not wait for the disk. With a
data directory the simulated server does wait (fsync). Where no real server is
installed only the simulated ones are measured, and a line says so.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.Length.Batch < 16 || opt.Rounds < 1 {
				return badInput(fmt.Errorf("--batch and --rounds: found %d and %d, want at least 16 and 1", opt.Length.Batch, opt.Rounds))
			}
			return benchZooKeeper(cmd.OutOrStdout(), cmd.ErrOrStderr(), opt)
		},
	}
	f := cmd.Flags()
	f.IntVar(&opt.Length.Batch, "batch", 50_000, "how many operations are done, and znodes made, between two deletions")
	f.DurationVar(&opt.Length.Least, "for", time.Second, "how long one run is at least, of which only the batches count")
	f.IntVar(&opt.Rounds, "rounds", 3, "how many runs to take the median of")
	return cmd
}

// benchZooKeeper measures this program beside a real server.
func benchZooKeeper(out, notes io.Writer, opt bench.Options) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	servers, end, err := bench.Servers(notes, self, "zookeeper", "--listen", "127.0.0.1:0", "--max-client-cnxns", "0")
	defer func() { err = errors.Join(err, end()) }()
	if err != nil {
		return err
	}
	progress := newProgress(notes, int64((opt.Rounds+1)*len(bench.Loads())*len(servers)), "runs",
		func(done int64) string { return fmt.Sprintf("%d runs done", done) })
	runs := int64(0)
	opt.Progress = func() { progress.at(runs); runs++ }
	result, err := bench.Compare(opt, servers...)
	progress.done()
	if err != nil {
		return &exitError{code: exitFailed, err: err}
	}
	return result.Write(out)
}
