package programs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/programs"
)

// IsProgram reports whether monosim was called, through a link or a copy, by the name of a program
// of the reference, such as agent_client or agent_client.py. It returns the name for [RunAs].
func IsProgram(called string) (name string, is bool) {
	name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(called), ".exe"), ".py")
	return name, slices.Contains(programs.Names(), name)
}

// RunAs runs monosim's version of a program of the reference, with the reference's flags and exit
// codes.
func RunAs(name, called string, args []string) error {
	return command.Ended(programs.Client(programs.ClientOptions{
		Name: name, Called: filepath.Base(called), Args: args, AsPython: true, Stdout: os.Stdout, Stderr: os.Stderr,
	}))
}

// clientCommands makes the commands of the programs that query or control a cluster.
func clientCommands() []*cobra.Command {
	return []*cobra.Command{
		client("agent_client", &cobra.Command{
			Use:   "agent-client --conf=FILE [--cmd_type=hb] [--flag=value ...]",
			Short: "Ask an agent where models are served, and see and change what is in ZooKeeper",
			Long: `Ask the agent of an agent.conf, or its ZooKeeper, as the reference's agent_client.py
does. --cmd_type is hb (HeartBeat: the addresses of all tasks of a --server_type), gr
(GetReplicas: those of one --task), addr or get --args=addr (the replicas of a model),
get --args=portal|pub|res|lock|elect (what is in ZooKeeper), get --args=info (the sizes
of the export --model_dir), load, unload, or clean --args=portal|pub|addr|res.

The AgentService that it asks is discovery, not inference: it tells where models are
served. Inputs of models go to the model servers there, as tfs-client sends them.`,
			Example: `  monosim agent-client --conf=agent.conf
  monosim agent-client --conf=agent.conf --cmd_type=get --args=pub --json`,
		}),
		client("agent_controller", &cobra.Command{
			Use:   "agent-controller --zk_servers=ADDRESSES --bzid=NAME --cmd=bzid_info [--flag=value ...]",
			Short: "Declare, publish and withdraw models for agents of version 3",
			Long: `Declare and publish models in ZooKeeper, as the reference's agent_controller.py does.
--cmd is decl (the sub-graphs of the export --export_base), pub and unpub (those that the
pattern --model_name=ctr:ps_* matches, in the --layout), or bzid_info (all there is).`,
			Example: `  monosim agent-controller --zk_servers=127.0.0.1:2181 --bzid=b --cmd=decl --export_base=exported
  monosim agent-controller --zk_servers=127.0.0.1:2181 --bzid=b --cmd=pub --layout=l --model_name='ctr:*'`,
		}),
		client("client", &cobra.Command{
			Use:   "client --zk_servers=ADDRESSES --bzid=NAME --model_name=NAME [--cmd_type=status] [--flag=value ...]",
			Short: "Ask agents of version 2 to load and unload a model, and how far it is",
			Long: `Load (--cmd_type=load --model_dir=DIR), unload or look at a model, as the reference's
client.py would if it did not end at its first call (Q67, Q68).`,
			Example: `  monosim client --zk_servers=127.0.0.1:2181 --bzid=b --model_name=m
  monosim client --zk_servers=127.0.0.1:2181 --bzid=b --model_name=m --cmd_type=load --model_dir=/models/m`,
		}),
		client("run", &cobra.Command{
			Use:   "run [--bin_name=agent|agent_client|tfs_client] [--flag=value ...]",
			Short: "Run an agent, agent-client or tfs-client, by name",
			Long:  `Run the program --bin_name, agent unless told otherwise, as the reference's run.py does.`,
			Example: `  monosim run --bin_name=agent_client --conf=agent.conf
  monosim run --bin_name=agent --conf=agent.conf --tfs_log=tfs.log`,
		}),
		client("svr_client", &cobra.Command{
			Use:   "svr-client --conf=FILE [--cmd_type=hb|gr] [--server_type=ps] [--task=0]",
			Short: "Ask an agent with the reference's SvrClient, and print what that prints",
			Long: `Ask the agent of an agent.conf as the reference's class SvrClient does, which has no
program there: hb for HeartBeat, gr for GetReplicas. The AgentService is discovery, not
inference: it tells where models are served, and takes no inputs of models.`,
			Example: `  monosim svr-client --conf=agent.conf
  monosim svr-client --conf=agent.conf --cmd_type=gr --server_type=ps --task=0`,
		}),
		client("tfs_client", &cobra.Command{
			Use:   "tfs-client --conf=FILE --cmd_type=status [--target=HOST:PORT] [--flag=value ...]",
			Short: "Ask a model server, send it a configuration, or measure it",
			Long: `Ask a model server, as the reference's tfs_client.py would if it did not end at its
first call (Q67). --cmd_type is status, meta, load (the ModelServerConfig --input_file),
get (a Predict for --input_file) or profile (the load of --parallel_num threads for
--profile_duration seconds, with the files of --profile_data_dir). --input_type of a
file is instance, example_batch, or any other for an example batch that is sent as
instances, with --file_type=pbtxt as text; --lagrangex_header, --has_sort_id,
--kafka_dump and --kafka_dump_prefix say what stands before each message.`,
			Example: `  monosim tfs-client --conf=agent.conf --cmd_type=status --target=127.0.0.1:8500 --model_name=m
  monosim tfs-client --conf=agent.conf --cmd_type=get --target=127.0.0.1:8500 --model_name=m --input_type=instance --input_file=data`,
		}),
	}
}

// clientHelp is the part of the help that all commands made by clientCommands share.
const clientHelp = `

Flags are absl's: --name=value or --name value. --help lists them, --helpfull those of
the modules beside. --json prints what was found as JSON; --quirks says which faults of
the reference are kept, all but those for which a command would not work at all. Log
lines go to standard error.

The exit code is 0 when it did what it was asked, 1 for an exception, whose class and
text are on standard error, and 2 when the flags make no sense. Called by the Python
program's name, as a link to monosim may be, the last two are 1, as there.`

// about returns the text that comes before a command's flags in its help.
func about(cmd *cobra.Command) string {
	text := cmd.Long + "\n"
	if cmd.Example != "" {
		text += "\nExamples:\n" + cmd.Example + "\n"
	}
	return text
}

// client fills in a command that runs the named program of the reference.
func client(name string, cmd *cobra.Command) *cobra.Command {
	cmd.Long += clientHelp
	cmd.Aliases = []string{name}
	cmd.DisableFlagParsing = true // absl's rules for flags hold, not cobra's
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return command.Ended(programs.Client(programs.ClientOptions{
			Name: name, Called: cmd.CommandPath(), About: about(cmd), Args: args, Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
		}))
	}
	return cmd
}
