package programs

import (
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/quirks"
)

var serverTypes = []string{"ps", "entry", "dense"}

// utilsModule holds the flags that utils.py defines.
var utilsModule = absl.Module{Name: "monolith.agent_service.utils", Flags: []absl.Flag{
	{Name: "conf", Default: "", Help: "agent conf file"},
}}

// agentModule holds the flags that agent.py defines.
var agentModule = absl.Module{Name: "monolith.agent_service.agent", Flags: []absl.Flag{
	{Name: "tfs_log", Default: "/var/log/tfs.std.log", Help: "The tfs log file path"},
}}

// clientModule holds the flags that client.py defines.
var clientModule = absl.Module{Name: "monolith.agent_service.client", Flags: []absl.Flag{
	{Name: "cmd_type", Kind: absl.Enum, Default: "hb", Help: "cmd_type: hb, gr, addr, res, status",
		Words: []string{"hb", "gr", "addr", "get", "clean", "load", "unload", "meta", "status", "profile"}},
	{Name: "zk_servers", Help: "zk servers"},
	{Name: "bzid", Help: "business id"},
	{Name: "model_name", Help: "model name"},
	{Name: "target", Help: "host:port"},
	{Name: "input_type", Kind: absl.Enum, Default: "dump", Help: "inputs type for prediction",
		Words: []string{"json", "pbtext", "dump", "binary", "instance", "example_batch", "example_batch_to_instance"}},
	{Name: "input_file", Help: "The input file name"},
}}

// modelFlags holds the flags about the model to load. agent_client.py defines them. client.py reads
// them too, but defines them only with Q68 repaired.
var modelFlags = []absl.Flag{
	{Name: "model_dir", Help: "saved model dir"},
	{Name: "ckpt", Help: "ckpt name"},
	{Name: "num_shard", Kind: absl.Integer, Default: -1, Help: "number of shard will use of current model"},
}

// agentClientModule holds the flags that agent_client.py defines.
var agentClientModule = absl.Module{Name: "monolith.agent_service.agent_client", Flags: append([]absl.Flag{
	{Name: "port", Kind: absl.Integer, Default: 0, Help: "agent_port"},
	{Name: "args", Kind: absl.Enum, Default: "addr", Help: "args: addr, portal, pub, res, lock, elect",
		Words: []string{"addr", "portal", "pub", "res", "lock", "elect", "info"}},
	serverTypeFlag,
	taskFlag,
}, modelFlags...)}

var (
	serverTypeFlag = absl.Flag{Name: "server_type", Kind: absl.Enum, Default: "ps", Words: serverTypes, Help: "server_type, ps or entry or dense"}
	taskFlag       = absl.Flag{Name: "task", Kind: absl.Integer, Default: 0, Help: "task id of given server_type"}
)

// tfsClientModule holds the flags that tfs_client.py defines.
var tfsClientModule = absl.Module{Name: "monolith.agent_service.tfs_client", Flags: []absl.Flag{
	{Name: "signature_name", Default: "serving_default", Help: "signature name"},
	{Name: "feature_list", Help: "feature_list for prediction"},
	{Name: "file_type", Kind: absl.Enum, Default: "pb", Words: []string{"pb", "pbtxt"}, Help: "The input file type"},
	{Name: "batch_size", Kind: absl.Integer, Default: 8, Help: "batch_size for prediction"},
	{Name: "lagrangex_header", Kind: absl.Bool, Default: false, Help: "wheather has lagrangex_header"},
	{Name: "has_sort_id", Kind: absl.Bool, Default: false, Help: "wheather has sort_id"},
	{Name: "kafka_dump", Kind: absl.Bool, Default: false, Help: "wheather has kafka_dump"},
	{Name: "kafka_dump_prefix", Kind: absl.Bool, Default: false, Help: "wheather has kafka_dump_prefix"},
	{Name: "parallel_num", Kind: absl.Integer, Default: 1, Help: "parallel_num for profile"},
	{Name: "profile_duration", Kind: absl.Integer, Default: 600, Help: "second for profile"},
	{Name: "profile_data_dir", Help: "profile input dir"},
}}

// controllerModule holds the flags that agent_controller.py defines.
var controllerModule = absl.Module{Name: "monolith.agent_service.agent_controller", Flags: []absl.Flag{
	{Name: "zk_servers", Default: "", Help: "zk connection string"},
	{Name: "bzid", Default: "test", Help: "namespace"},
	{Name: "export_base", Default: "", Help: "exported model base path"},
	{Name: "overwrite", Kind: absl.Integer, Default: 0, Help: "overwrite existing saved_model configs"},
	{Name: "model_name", Default: "", Help: "model_name"},
	{Name: "layout", Default: "", Help: "layout base"},
	{Name: "arch", Default: "entry_ps", Help: "serving architecture"},
	{Name: "cmd", Default: "bzid_info", Help: "decl|pub|unpub|bzid_info"},
}}

// svrClientModule holds the flags of a program around svr_client.py. The reference has no such
// program.
var svrClientModule = absl.Module{Name: "monolith.agent_service.svr_client", Flags: []absl.Flag{
	{Name: "cmd_type", Kind: absl.Enum, Default: "hb", Words: []string{"hb", "gr"}, Help: "hb asks for all tasks of a server type, gr for one"},
	serverTypeFlag,
	taskFlag,
}}

// runModule holds the flags that run.py defines.
var runModule = absl.Module{Name: "monolith.agent_service.run", Flags: []absl.Flag{
	{Name: "bin_name", Kind: absl.Enum, Default: Agent, Words: []string{Agent, AgentClient, TFSClient}, Help: "bin_name: agent, agent_client"},
}}

// modulesOf returns the modules with flags that a program imports. The program's own module comes
// first.
func modulesOf(name string, keep quirks.Set) []absl.Module {
	switch name {
	case Agent:
		return []absl.Module{agentModule, utilsModule}
	case AgentClient:
		return []absl.Module{agentClientModule, clientModule, utilsModule}
	case AgentController:
		return []absl.Module{controllerModule}
	case Client:
		own := clientModule
		if !keep.Keeps(quirks.Q68) {
			own.Flags = append(append([]absl.Flag{}, own.Flags...), modelFlags...)
		}
		return []absl.Module{own, utilsModule}
	case SvrClient:
		return []absl.Module{svrClientModule, utilsModule}
	case TFSClient:
		return []absl.Module{tfsClientModule, clientModule, utilsModule}
	case Dispatcher:
		return []absl.Module{runModule, agentModule, agentClientModule, tfsClientModule, clientModule, utilsModule}
	}
	panic("programs: there is no program " + name)
}
