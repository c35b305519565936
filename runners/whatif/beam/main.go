// Command beam simulates the sweeps of a plan on Apache Beam: on prism, which is part of
// this program, or on Flink, Spark or Dataflow by Beam's own flags. It gives the same bytes
// as `monosim whatif sweep`. It is a module of its own, so that monosim needs none of
// Beam's modules.
//
// Two things to use first:
//
//   - `make beam` builds the program; `monosim-beam -plan PLAN -out DIR -json` sweeps on prism.
//   - `monosim-beam -workers 50000` serves workers for another program, which is started with --environment_type=EXTERNAL
//     --environment_config=localhost:50000.
//
// To change:
//
//   - what workers do: pipeline.go
//   - retries after a worker has died, and the collection of samples: sweep.go
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism" // --runner=prism
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
)

var (
	planFile = flag.String("plan", "", "the plan, under a name that all workers know")
	out      = flag.String("out", "", "folder for the files of cells, which all workers share")
	cache    = flag.String("cache", "", "folder of simulated points, which all workers share: what is there is not simulated again")
	attempts = flag.Int("attempts", 3, "how often to begin again when the run fails, as when a worker dies")
	runner   = flag.String("runner", "prism", "prism, or universal with --endpoint for the job server of Flink or Spark")
	workers  = flag.Int("workers", 0, "be a pool of workers on this port, and nothing else")
	asJSON   = flag.Bool("json", false, "print the result as JSON, the bytes of monosim whatif sweep --json")
)

// seed, unless nil, replaces the plan's seed.
var seed *uint64

func init() {
	flag.Func("seed", "seed in place of the plan's", func(text string) error {
		n, err := strconv.ParseUint(text, 10, 64)
		seed = &n
		return err
	})
}

func main() {
	flag.Parse()
	log.LogLevel = "warn"
	beam.Init() // does not return if this process is a worker that a runner has started
	if program, err := os.Executable(); err == nil && *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary = program // this program, so that Beam does not have to build one for its workers
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "monosim-beam: "+err.Error())
		os.Exit(exitCode(err))
	}
}

// errUsage marks wrong arguments.
var errUsage = errors.New("see -help")

func exitCode(err error) int {
	if errors.Is(err, errUsage) {
		return 2
	}
	return 1
}

func run(ctx context.Context, w io.Writer) error {
	switch {
	case *workers != 0:
		return serveWorkers(ctx, *workers)
	case *planFile == "" || *out == "" || flag.NArg() > 0:
		return fmt.Errorf("found -plan %q, -out %q and %d arguments, want a plan, a folder and no arguments; %w", *planFile, *out, flag.NArg(), errUsage)
	case *attempts < 1:
		return fmt.Errorf("-attempts: found %d, want 1 or more; %w", *attempts, errUsage)
	}
	r, err := sweep(ctx, options{plan: *planFile, out: *out, cache: *cache, seed: seed, runner: *runner, attempts: *attempts})
	if err != nil {
		return err
	}
	if *asJSON {
		return r.Write(w)
	}
	_, err = fmt.Fprintf(w, "%d sweeps in %s, result sha256 %s\nmonosim whatif merge %s --plan %s reports it\n", len(r.Sweeps), *out, r.SHA256(), *out, *planFile)
	return err
}

// serveWorkers runs a pool that starts a worker whenever a program asks for one. It returns
// when ctx ends.
func serveWorkers(ctx context.Context, port int) error {
	pool, err := extworker.StartLoopback(ctx, port)
	if err != nil {
		return fmt.Errorf("-workers: %w", err)
	}
	fmt.Printf("workers on %s\n", pool.EnvironmentConfig(ctx))
	<-ctx.Done()
	return pool.Stop(context.WithoutCancel(ctx))
}
