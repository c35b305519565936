package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners/realrun/zkserver"
	"github.com/monosim/monosim/runners/zkdiff"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// zooKeeperCheckOptions are the flags of `monosim zookeeper check`.
type zooKeeperCheckOptions struct {
	ops     int
	seed    uint64
	server  string
	profile string
	script  string
	asJSON  bool
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
  monosim zookeeper check --script differing.jsonl`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.IntVar(&o.ops, "ops", 100_000, "how many operations to play on each server")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the first script")
	f.StringVar(&o.server, "server", "", "address of a real server to compare with, set up as this command's own")
	f.StringVar(&o.profile, "profile", "zookeeper-3.8", "version to be: zookeeper-3.8, or zookeeper-3.9 with a --server of that version")
	f.StringVar(&o.script, "script", "", "play the script of this file only, and print what each server does")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON")
	return cmd
}

func (o *zooKeeperCheckOptions) run(cmd *cobra.Command) error {
	if o.ops < 1 {
		return badInput(fmt.Errorf("--ops: found %d, want 1 or more", o.ops))
	}
	var script zkdiff.Script
	if o.script != "" {
		text, err := os.ReadFile(o.script)
		if err != nil {
			return badInput(fmt.Errorf("--script: %w", err))
		}
		if script, err = zkdiff.ParseScript(text); err != nil {
			return badInput(fmt.Errorf("--script: %s: %w", o.script, err))
		}
	}
	servers, end, err := o.servers(cmd.ErrOrStderr())
	defer end()
	if err != nil {
		return badInput(err)
	}
	// Another root each time: the server of --server may have been here before.
	root := fmt.Sprintf("/monosim-check-%d", time.Now().UnixNano())
	if script != nil {
		return playOne(cmd.OutOrStdout(), root, script, servers)
	}
	progress := newProgress(cmd.ErrOrStderr(), int64(o.ops), "operations", func(done int64) string {
		return fmt.Sprintf("%d of %d operations", done, o.ops)
	})
	report, err := zkdiff.Check(zkdiff.Options{
		Seed: o.seed, Steps: o.ops, Root: root, Progress: func(steps int) { progress.at(int64(min(steps, o.ops))) },
	}, servers...)
	progress.done()
	if err != nil {
		return &exitError{code: exitFailed, err: err}
	}
	return o.write(cmd.OutOrStdout(), servers, report)
}

// servers are those to compare, the first to compare with. end must be called.
func (o *zooKeeperCheckOptions) servers(notes io.Writer) (servers []zkdiff.Server, end func(), err error) {
	var closers []func() error
	end = func() {
		for _, c := range closers {
			if err := c(); err != nil {
				fmt.Fprintln(notes, "monosim: "+err.Error())
			}
		}
	}
	profile, err := wire.ParseProfile(o.profile)
	if err != nil {
		return nil, end, fmt.Errorf("--profile: %w", err)
	}
	if o.server == "" && o.profile != "zookeeper-3.8" {
		return nil, end, fmt.Errorf("--profile: found %s without --server, want the address of a real server of that version", o.profile)
	}
	switch {
	case o.server != "":
		servers = append(servers, zkdiff.TCP{Label: "real server", Addr: o.server})
	default:
		real, err := zkserver.New(zkdiff.RealConfig())
		switch {
		case errors.Is(err, zkserver.ErrNotInstalled):
			fmt.Fprintf(notes, "%v\nthe simulated servers are compared with each other only\n", err)
		case err != nil:
			return nil, end, err
		default:
			closers = append(closers, real.Close)
			servers = append(servers, zkdiff.TCP{Label: "real server", Addr: real.Addr()})
		}
	}
	simulated, closeSimulated, err := zkdiff.Simulated(profile)
	if err != nil {
		return nil, end, err
	}
	closers = append(closers, closeSimulated)
	return append(servers, simulated...), end, nil
}

// playOne prints what each server makes of a script, once for those that agree.
func playOne(out io.Writer, root string, script zkdiff.Script, servers []zkdiff.Server) error {
	first, differ := "", false
	for i, server := range servers {
		lines, err := zkdiff.Play(server, root, script, nil)
		if err != nil {
			return &exitError{code: exitFailed, err: err}
		}
		text := strings.Join(lines, "\n")
		if i > 0 && text == first {
			fmt.Fprintf(out, "%s: the same\n", server.Name())
			continue
		}
		differ = differ || i > 0
		if i == 0 {
			first = text
		}
		fmt.Fprintf(out, "%s:\n%s\n", server.Name(), text)
	}
	if differ {
		return &exitError{code: exitFailed}
	}
	return nil
}

// zooKeeperCheckResult is the form of a result in JSON.
type zooKeeperCheckResult struct {
	Servers     []string                  `json:"servers"`
	Scripts     int                       `json:"scripts"`
	Operations  int                       `json:"operations"`
	Unsteady    int                       `json:"unsteady"`
	Missing     []string                  `json:"missing"`
	Answered    map[string]map[string]int `json:"answered"`
	Differences []zkdiff.Difference       `json:"differences"`
}

func (o *zooKeeperCheckOptions) write(out io.Writer, servers []zkdiff.Server, r *zkdiff.Report) error {
	result := zooKeeperCheckResult{
		Scripts: r.Scripts, Operations: r.Steps, Unsteady: r.Unsteady, Missing: r.Answered.Missing(),
		Answered: r.Answered.Names(), Differences: r.Differences,
	}
	for _, s := range servers {
		result.Servers = append(result.Servers, s.Name())
	}
	// A short run cannot meet everything.
	enough := len(result.Missing) == 0 || o.ops < 20_000
	if err := o.print(out, result); err != nil {
		return err
	}
	if len(r.Differences) > 0 || !enough {
		return &exitError{code: exitFailed}
	}
	return nil
}

func (o *zooKeeperCheckOptions) print(out io.Writer, r zooKeeperCheckResult) error {
	if o.asJSON {
		text, err := json.MarshalIndent(r, "", "  ")
		if err == nil {
			_, err = out.Write(append(text, '\n'))
		}
		return err
	}
	var b strings.Builder
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "seed %d: %s (-) and %s (+) differ:\n%s\nthe script, as small as it goes:\n%s\n", d.Seed, d.First, d.Then, d.Text, d.Script)
	}
	if len(r.Missing) > 0 {
		fmt.Fprintf(&b, "never met: %s\n", strings.Join(r.Missing, ", "))
	}
	fmt.Fprintf(&b, "%d operations in %d scripts on %s: %d differences, %d scripts differed once and not again\n",
		r.Operations, r.Scripts, strings.Join(r.Servers, ", "), len(r.Differences), r.Unsteady)
	_, err := io.WriteString(out, b.String())
	return err
}
