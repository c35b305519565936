// Command soak kills agents, model servers and ZooKeeper of clusters of processes at random
// moments. Each cluster has to recover within the longest time that the simulation takes:
//
//	go run ./cmd/soak -cycles 1000 -jobs 8
//
// The exit code is 0 when all clusters recovered, 1 when one did not, and 2 when the flags
// make no sense.
//
// Two things to read first, both in package runners/test/realrun/soak: Run soaks clusters,
// and Bounds takes the limits from the simulation. To change
//
//   - a flag: main.go
//   - what is killed, and what has to recover: runners/test/realrun/soak
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/runners/test/realrun/soak"
)

func main() {
	o := soak.Options{Loopback: loopback.Options{Agent: loopback.OwnAgent}, Progress: os.Stderr}
	flag.IntVar(&o.Cycles, "cycles", 1000, "how many kills")
	flag.IntVar(&o.Jobs, "jobs", 4, "on how many clusters at once")
	flag.Uint64Var(&o.Seed, "seed", 1, "what is killed and when follows from it")
	flag.Float64Var(&o.Loopback.TimeScale, "time-scale", 0.1, "wall time that a second of the cluster takes")
	flag.Parse()
	if flag.NArg() > 0 || o.Cycles < 1 || o.Jobs < 1 {
		fmt.Fprintln(os.Stderr, "soak: found arguments, or no cycles or jobs; want soak [-cycles N] [-jobs N] [-seed N] [-time-scale X]")
		os.Exit(2)
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// run builds monosim from this source and soaks it. If the soak fails, it keeps the folder with the
// logs.
func run(o soak.Options) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if o.Loopback.Dir, err = os.MkdirTemp("", "soak-"); err != nil {
		return err
	}
	defer func() {
		if err == nil {
			os.RemoveAll(o.Loopback.Dir)
		}
	}()
	o.Loopback.Monosim = filepath.Join(o.Loopback.Dir, "monosim")
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", o.Loopback.Monosim, "./cmd/monosim").CombinedOutput(); err != nil {
		return fmt.Errorf("build monosim: %w: %s", err, text)
	}
	summary, err := soak.Run(ctx, o)
	if summary != nil {
		if printErr := summary.Print(os.Stdout); err == nil {
			err = printErr
		}
	}
	return err
}
