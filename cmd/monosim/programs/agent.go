package programs

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/programs"
)

// newAgentCommand makes `monosim agent`.
func newAgentCommand() *cobra.Command {
	var o programs.AgentOptions
	cmd := &cobra.Command{
		Use:   "agent --conf FILE",
		Short: "Run an agent against real ZooKeeper and model servers",
		Long: `Run the agent of an agent.conf, as the reference's agent.py does: it starts the
model servers of its deploy type, registers itself in the ZooKeeper that zk_servers
names, and answers HeartBeat, GetReplicas and GetResource over gRPC. That AgentService
is discovery, not inference: it tells where models are served, and takes no inputs of
models, which go to the model servers. A dense deploy type with dense_service_num above
1 runs one agent for each, in processes of their own.

Agents of version 1 start bin/tensorflow_model_server of the directory --tfs_home,
in its bin; those of version 3 start what MONOLITH_TFS_BINARY names. Everything that
the reference reads from its environment is read: MY_HOST_IP, SHARD_ID, REPLICA_ID,
PORT to PORT6, TCE_PSM and so on. PYTHONHASHSEED orders sets as it does Python's;
without it they are sorted. ` + "`monosim tfserving`" + ` and ` + "`monosim zookeeper`" + ` will do as model
server and ZooKeeper.

Log lines go to standard error, in absl's form. The exit code is the reference's: 1
for an exception, such as a conf that cannot be read or an agent_version that is none
of 1 and 3; 2 when the flags make no sense. Mostly an agent ends by killing itself
with SIGKILL, which a shell shows as 137: when a model server has ended, a process
cannot be started, or after SIGTERM and SIGINT. On Linux model servers end with their
agent, however it ends, unless --outlive is given.`,
		Example: `  monosim agent --conf agent.conf --tfs_log tfs.log --tfs_home home
  monosim agent --conf agent.conf --speed 10x`,
		Args: command.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := o.Validate(); err != nil {
				return command.BadInput(err)
			}
			if os.Getenv("GOGC") == "" {
				// An agent runs for long beside other programs, so garbage is collected at Go's
				// default rate to save memory.
				defer debug.SetGCPercent(debug.SetGCPercent(100))
			}
			return command.Ended(programs.Agent(o))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Conf, "conf", "", "agent conf file")
	f.StringVar(&o.TFSLog, "tfs_log", "/var/log/tfs.std.log", "the tfs log file path")
	f.StringVar(&o.TFSHome, "tfs_home", os.Getenv("TFS_HOME"), "where model servers and their configuration are installed; TFS_HOME, else /opt/tiger/monolith_serving")
	f.StringVar(&o.Quirks, "quirks", "python", "which faults of the reference are kept: python (all), fixed (none), or a list as Q22,Q25; -Q25 keeps all others")
	f.BoolVar(&o.Outlive, "outlive", false, "leave model servers running when the agent is killed, as without a container")
	addSurroundings(f, &o.Surroundings)
	return cmd
}
