package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// zooKeeperCheckOptions holds the flags of `monosim zookeeper check`.
type zooKeeperCheckOptions struct {
	ops     int
	seed    uint64
	server  string
	profile string
	script  string
	asJSON  bool
	several int
	restart bool
}

// newZooKeeperCheckCommand makes `monosim zookeeper check`.
func newZooKeeperCheckCommand() *cobra.Command {
	var o zooKeeperCheckOptions
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Play scripts on a real ZooKeeper and on the simulated one, and compare",
		Long: `Play the same invented scripts (several clients, every operation, watches, ACLs,
multis, sessions that are left and taken up again) on a real server, on the
simulated server over TCP and on its state machine in process, and compare every
reply, error, stat and watch event and their order. Zxids are counted from the
beginning of a script, sessions named in their order, times only looked at.

The real server is Debian's (package zookeeper), started for the check on a free
port with a temporary directory, or the one of --server: never one with data that
is needed, for some scripts can destroy a server. Where there is none the simulated
ones are compared with each other, and a line says so.

A differing script is made as small as it goes and printed, ready for --script.

The exit code is 0 without differences, 1 with some or when not every operation and
error code has been met, and 2 when what was asked for makes no sense.`,
		Example: `  monosim zookeeper check
  monosim zookeeper check --ops 1000000 --seed 7
  monosim zookeeper check --ensemble 3 --ops 10000
  monosim zookeeper check --restarts --ops 2000
  monosim zookeeper check --script differing.jsonl`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.IntVar(&o.ops, "ops", 100_000, "how many operations to play on each server")
	f.Uint64Var(&o.seed, "seed", 1, "what the scripts follow from: the seed of the first")
	f.StringVar(&o.server, "server", "", "address of a real server to compare with, set up as this command's own")
	f.StringVar(&o.profile, "profile", "zookeeper-3.8", "version to be: zookeeper-3.8, or zookeeper-3.9 with a --server of that version")
	f.StringVar(&o.script, "script", "", "play the script of this file only, and print what each server does")
	f.IntVar(&o.several, "ensemble", 0, "compare ensembles of so many servers, over which the clients are spread, as 3")
	f.BoolVar(&o.restart, "restarts", false, "restart each server once in every script, which takes seconds")
	f.BoolVar(&o.asJSON, "json", false, "print JSON instead of text")
	return cmd
}

func (o *zooKeeperCheckOptions) run(cmd *cobra.Command) error {
	if o.ops < 1 {
		return command.BadInput(fmt.Errorf("--ops: found %d, want 1 or more", o.ops))
	}
	var script diff.Script
	if o.script != "" {
		text, err := os.ReadFile(o.script)
		if err != nil {
			return command.BadInput(fmt.Errorf("--script: %w", err))
		}
		if script, err = diff.ParseScript(text); err != nil {
			return command.BadInput(fmt.Errorf("--script: %s: %w", o.script, err))
		}
	}
	if _, err := wire.ParseProfile(o.profile); err != nil {
		return command.BadInput(fmt.Errorf("--profile: %w", err))
	}
	if o.server == "" && o.profile != "zookeeper-3.8" {
		return command.BadInput(fmt.Errorf("--profile: found %s without --server, want the address of a real server of that version", o.profile))
	}
	if o.restart && (o.server != "" || o.several > 0) {
		return command.BadInput(errors.New("--restarts: found --server or --ensemble too, want servers that are started for the check"))
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	servers, end, err := o.servers(ctx, cmd.ErrOrStderr())
	defer func() {
		if err := end(); err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "monosim: "+err.Error())
		}
	}()
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err != nil {
		return command.BadInput(err)
	}
	// Each run works below a root znode of its own, because the server of --server may have been
	// checked before.
	root := fmt.Sprintf("/monosim-check-%d", time.Now().UnixNano())
	if script != nil {
		agree, err := diff.PlayAll(cmd.OutOrStdout(), root, script, servers)
		return verdict(agree, err)
	}
	progress := command.NewProgress(cmd.ErrOrStderr(), int64(o.ops), "operations", func(done int64) string {
		return fmt.Sprintf("%d of %d operations", done, o.ops)
	})
	report, err := diff.Check(diff.Options{
		Context: ctx, Seed: o.seed, Steps: o.ops, Restarts: o.restart, Root: root, Progress: func(steps int) { progress.At(int64(min(steps, o.ops))) },
	}, servers...)
	progress.Done()
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err != nil {
		return &command.ExitError{Code: command.ExitFailed, Err: err}
	}
	result := report.Result(servers)
	write := result.Write
	if o.asJSON {
		write = result.WriteJSON
	}
	return verdict(result.Good(o.ops), write(cmd.OutOrStdout()))
}

// servers returns the servers to compare, and a function that ends them.
func (o *zooKeeperCheckOptions) servers(ctx context.Context, notes io.Writer) ([]diff.Server, func() error, error) {
	none := func() error { return nil }
	profile, err := wire.ParseProfile(o.profile)
	if err != nil {
		return nil, none, fmt.Errorf("--profile: %w", err)
	}
	if o.several == 0 {
		return diff.Servers(ctx, o.server, profile, notes)
	}
	switch {
	case o.several < 2 || o.several > 9:
		return nil, none, fmt.Errorf("--ensemble: found %d servers, want 2 to 9", o.several)
	case o.server != "":
		return nil, none, errors.New("--ensemble: found --server too, want one of them")
	}
	return diff.Ensembles(ctx, o.several, profile, notes)
}

// interrupted returns the error of a check that a signal has interrupted.
func interrupted(ctx context.Context) error {
	return &command.ExitError{Code: command.ExitFailed, Err: fmt.Errorf("broken off: %w", context.Cause(ctx))}
}

// verdict returns the error with which a check ends. Its Err is nil if the failure was already
// printed, and otherwise says why the check could not finish.
func verdict(good bool, err error) error {
	if err != nil || !good {
		return &command.ExitError{Code: command.ExitFailed, Err: err}
	}
	return nil
}
