package programs

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/programs"
	"github.com/monosim/monosim/runners/train"
)

// newTrainerCommand makes `monosim trainer`.
func newTrainerCommand() *cobra.Command {
	var o programs.TrainerOptions
	cmd := &cobra.Command{
		Use:   "trainer PLAN --server_type=TYPE --index=N --zk_server=ADDRESS",
		Short: "Run one process of a training job: the chief, a worker or a PS",
		Long: `Run one process of the training job of a PLAN, as monosim train runs all of them in
virtual time: on the clock, with the files of this machine, a real ZooKeeper in which the
processes find each other, and gRPC between them. With the job's discovery consul they find
each other by the Consul agent that CONSUL_HTTP_HOST and CONSUL_HTTP_PORT name; with primus
TF_CONFIG says what the process is and where all are, with mlp the variables of MLP. Of the
plan the keys run_config, runner_config and job count, with directories of this machine below
--root, out of which neither a name nor a link leads; quirks too, unless there is --quirks. Every
process of the job has the same plan.

--server_type and --index are the reference's flags: ps 0 to num_ps-1, worker 0 to
num_workers-1. Worker 0 is the chief, who may be called so. An evaluator, of a job with
evaluator: true, evaluates the checkpoints as they come. The chief saves into the
model_dir, where controller_server_addr.txt has the address of its controller.

Log lines go to standard error, in absl's form. The exit code is 0 when training came to
its end, 1 for an exception, and 2 when the flags or the plan make no sense.`,
		Example: `  monosim trainer plan.yaml --server_type=ps --index=0 --zk_server=127.0.0.1:2181
  monosim trainer plan.yaml --server_type=chief --zk_server=127.0.0.1:2181`,
		Args: command.OneArgument("PLAN"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[0])
			if err != nil {
				return command.BadInput(err)
			}
			o.Root = cmp.Or(o.Root, filepath.Dir(args[0]))
			plan, err := train.Read(args[0], text, o.CheckDirs)
			if err != nil {
				return command.BadInput(err)
			}
			o.Job = plan.Job
			if o.Quirks == "" {
				o.Quirks = plan.Quirks
			}
			if err = o.Validate(); err == nil {
				err = checkEvents(o.Events)
			}
			if err != nil {
				return command.BadInput(err)
			}
			return command.Ended(programs.Trainer(o))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.ServerType, "server_type", "worker", "what it is: chief, worker, ps or evaluator")
	f.IntVar(&o.Index, "index", 0, "its number among the workers, of which the chief is 0, or among the PS")
	f.StringVar(&o.ZooKeeper, "zk_server", "", "ZooKeeper, as 127.0.0.1:2181")
	f.StringVar(&o.Quirks, "quirks", "", "which faults of the reference are kept, over those of the plan: python (all), fixed (none), or a list as Q22,Q25; -Q25 keeps all others")
	f.StringVar(&o.Root, "root", "", "directory of this machine below which those of the plan are, and all that the process writes (default: the plan's own)")
	f.StringVar(&o.Events, "events", "", "file to which a line of JSON is added for what the process comes to: saves, restores, barriers")
	addSurroundings(f, &o.Surroundings)
	return cmd
}

// checkEvents returns an error for a file of events that cannot be written. It creates the file.
func checkEvents(name string) error {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("--events: %w", err)
	}
	return file.Close()
}
