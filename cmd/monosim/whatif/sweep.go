package whatif

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/outlook"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

func newSweep() *cobra.Command {
	f := planFlags{whole: true}
	var engine, out, beam string
	cmd := &cobra.Command{
		Use:   "sweep PLAN",
		Short: "Simulate every cell of a plan's sweeps",
		Long: `Simulate every cell of a plan's sweeps, min_replications each, however long it takes:
budget.wall does not end it. With --cache what was interrupted goes on the next time.

The exit code is that of the worst cell: 1 when one misses an objective or is excluded, as
its containers do not hold their models, 3 when one is undecided, 0 when all meet every
objective. A value that makes no sense in any cell is a mistake of the plan: 2. A shard
gives 0 when its file is written; what its cells say, monosim whatif merge tells.

--engine shard=i/N simulates every N-th point and writes a file into --out, which
monosim whatif merge puts together: the result is the same bytes as that of one process.
shard=/N takes i from JOB_COMPLETION_INDEX (a Kubernetes Indexed Job) or
SLURM_ARRAY_TASK_ID.

--engine beam simulates them on Apache Beam: on prism, which needs nothing beside, or on
Flink, Spark or Dataflow by --beam, with flags of Beam and of monosim-beam. The plan and
--out then lie where all workers see them.

On Flink it goes by way of Beam's job server, a jar that needs Java 11 or later:
org.apache.beam:beam-runners-flink-F-job-server, F the version of Flink (as 1.19), of the
version of Beam in runners/whatif/beam/go.mod. It listens at port 8099:

  java -jar beam-runners-flink-F-job-server-B.jar --flink-master=localhost:8081

With --flink-master=[local] it needs no other Flink, and with LOOPBACK, as below, the workers
are in monosim-beam itself; elsewhere they are pools (monosim-beam -workers 50000) that
--environment_type=EXTERNAL --environment_config=localhost:50000 names. make check-beam tests
it with FLINK_JOB_SERVER=JAR.`,
		Example: `  monosim whatif sweep plan.yaml --engine shard=3/64 --out shards
  monosim whatif sweep plan.yaml --engine beam --out /shared/cells --beam "--runner=universal --endpoint=localhost:8099 --environment_type=LOOPBACK"`,
		Args: onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			if text, ok := strings.CutPrefix(engine, "shard="); ok {
				return sweepShard(cmd, &f, args[0], text, out)
			}
			switch {
			case engine == "beam":
				return sweepBeam(cmd, &f, args[0], out, beam)
			case engine != "local":
				return command.BadInput(fmt.Errorf("--engine: found %q, want local, shard=i/N or beam", engine))
			case beam != "":
				return command.BadInput(fmt.Errorf("--beam: found %q without --engine beam", beam))
			}
			return f.with(cmd, args[0], sweepAll(&f))
		},
	}
	f.add(cmd)
	f.addMemory(cmd)
	cmd.Flags().StringVar(&engine, "engine", "local", "local, shard=i/N or beam")
	cmd.Flags().StringVar(&out, "out", "", "folder for the file of a shard, or for those of Beam's workers")
	cmd.Flags().StringVar(&beam, "beam", "", "flags of monosim-beam")
	return cmd
}

// sweepAll simulates all points of a sweep inside this process.
func sweepAll(f *planFlags) answer {
	return func(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
		grid, err := engines.Open(source, p, warnings)
		if err != nil {
			return nil, command.BadInput(err)
		}
		if err := f.holds(j, source, grid.KeptBytes()); err != nil {
			return nil, err
		}
		samples, err := collect(ctx, j, grid, engines.Local{Workers: f.jobs})
		if err != nil {
			return nil, err
		}
		return grid.Result(samples)
	}
}

// holds returns an error if the samples of a sweep, which take the given number of bytes, do not
// fit into memory.
func (f *planFlags) holds(j *judge.Judge, source *plan.Source, bytes float64) error {
	if j.MaxMemory <= 0 || bytes <= float64(j.MaxMemory) {
		return nil
	}
	return source.TooLarge("sweep", fmt.Sprintf("found samples that would take about %s of memory, want at most %s (--max-memory), or --engine shard=i/N", outlook.Bytes(int64(min(bytes, 1<<62))), outlook.Bytes(j.MaxMemory)))
}

func collect(ctx context.Context, j *judge.Judge, grid *engines.Grid, e engines.Engine) (engines.Samples, error) {
	samples := engines.Samples{}
	j.Expect(e.Share(len(grid.Points())))
	err := e.Run(ctx, grid.Points(), func(p engines.Point) (*model.Sample, error) { return grid.Simulate(ctx, j, p) },
		func(p engines.Point, s *model.Sample) error {
			samples[p] = s
			return nil
		})
	return samples, err
}

func sweepShard(cmd *cobra.Command, f *planFlags, path, text, out string) error {
	shard, err := engines.ParseShard(text)
	if err != nil {
		return command.BadInput(err)
	}
	if out == "" {
		return command.BadInput(fmt.Errorf("--out: found nothing, want the folder for the shard's file"))
	}
	shard.Workers = f.jobs
	source, p, warnings, err := readPlan(cmd, path, f)
	if err != nil {
		return err
	}
	if err := f.writable(); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return command.BadInput(fmt.Errorf("--out: %w", err))
	}
	j, done, err := f.judge(cmd, p)
	if err != nil {
		return err
	}
	if err := f.limit(cmd, j, source, p); err != nil {
		return f.refuse(cmd, path, err)
	}
	grid, err := engines.Open(source, p, warnings)
	if err != nil {
		return f.refuse(cmd, path, err)
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	if err := f.holds(j, source, grid.KeptBytes()/float64(shard.N)); err != nil {
		return f.refuse(cmd, path, err)
	}
	samples, err := collect(ctx, j, grid, shard)
	done()
	if ctx.Err() != nil {
		return command.InterruptedBy(ctx, "before the shard was whole; with --cache the next run goes on from here")
	}
	if err = f.outgrown(j, source, err); err != nil {
		return f.refuse(cmd, path, err)
	}
	if err := grid.WriteShard(out, shard, samples); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d points of %d\n", filepath.Join(out, engines.FileOf(shard)), len(samples), len(grid.Points()))
	return err
}

func newMerge() *cobra.Command {
	f := planFlags{whole: true}
	var planFile string
	cmd := &cobra.Command{
		Use:     "merge DIR --plan PLAN",
		Short:   "Put the files of a sweep's shards together",
		Example: "  monosim whatif merge shards --plan plan.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || planFile == "" {
				return command.BadInput(fmt.Errorf("found %d arguments and the plan %q, want a folder and --plan; see %s --help", len(args), planFile, cmd.CommandPath()))
			}
			f.folder = args[0]
			return f.with(cmd, planFile, func(_ context.Context, _ *judge.Judge, source *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
				return merged(source, p, warnings, args[0])
			})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&planFile, "plan", "", "the plan that the shards are of")
	return cmd
}

// merged computes the answer of a sweep from the files that its shards have written into a folder.
func merged(source *plan.Source, p *plan.Plan, warnings plan.Problems, dir string) (*result.Result, error) {
	grid, err := engines.Open(source, p, warnings)
	if err != nil {
		return nil, command.BadInput(err)
	}
	samples, err := grid.Merge(dir)
	if err != nil {
		return nil, command.BadInput(err)
	}
	r, err := grid.Result(samples)
	return r, command.BadInput(err)
}
