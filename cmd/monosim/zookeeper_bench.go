package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners/realrun/zkserver"
	"github.com/monosim/monosim/runners/zkbench"
)

// newZooKeeperBenchCommand makes `monosim zookeeper bench`.
func newZooKeeperBenchCommand() *cobra.Command {
	var opt zkbench.Options
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

func benchZooKeeper(out, notes io.Writer, opt zkbench.Options) (err error) {
	var servers []*zkbench.Server
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, s.Close())
		}
	}()
	real, err := zkbench.Real()
	switch {
	case errors.Is(err, zkserver.ErrNotInstalled):
		fmt.Fprintf(notes, "%v\nonly the simulated servers are measured\n", err)
	case err != nil:
		return err
	default:
		servers = append(servers, real)
	}
	dir, err := os.MkdirTemp("", "zkbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	serve := []string{self, "zookeeper", "--listen", "127.0.0.1:0", "--max-client-cnxns", "0"}
	for _, ours := range []struct {
		name  string
		flags []string
	}{{"simulated", nil}, {"simulated, --data-dir", []string{"--data-dir", dir}}} {
		s, err := zkbench.Start(ours.name, append(serve, ours.flags...)...)
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	progress := newProgress(notes, int64((opt.Rounds+1)*len(zkbench.Loads())*len(servers)), "runs",
		func(done int64) string { return fmt.Sprintf("%d runs done", done) })
	runs := int64(0)
	opt.Progress = func() { progress.at(runs); runs++ }
	result, err := zkbench.Compare(opt, servers...)
	progress.done()
	if err != nil {
		return &exitError{code: exitFailed, err: err}
	}
	return result.Write(out)
}
