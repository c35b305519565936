package catalogue

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// programOps declares the operations that run programs by their command lines, and those on
// SvrClient.
var programOps = operations{
	"agent_client.main": program(agentClientArguments),
	"run.main": program(func(d *draws) []any {
		argv := agentClientArguments(d)
		if !d.flip(6) {
			argv = append(argv, "--bin_name="+pick(d, "agent_client", "agent_client", "agent", "tfs_client", "client"))
		}
		return append(argv, someArguments(d, "--tfs_log=/l", "--has_sort_id", "--nokafka_dump", "--nokafka_dump=1", "--batch_size=x", "--file_type=pb")...)
	}),
	"client.main": program(func(d *draws) []any {
		return someArguments(d, "--zk_servers=z:1", "--bzid=b", "--model_name=m", "--cmd_type=load", "--cmd_type=gr", "--conf=a.conf", "--model_dir=/d", "--input_type=dump")
	}),
	"svr_client.SvrClient": func(d *draws, c *testee.Case) object {
		programConf(d, c)
		t := oneOf(0, 1, 2, 3, oneOf("ps", "entry", "x"))
		return object{"argv", func(d *draws) []any { return someArguments(d, "--server_type=entry") }, "calls", steps(1, 4,
			do("heart_beat", "server_type", t), do("get_replicas", "server_type", t, "task", oneOf(0, 3, -1, 2147483648))), "agent", programAgent}
	},
}

// program declares an operation that runs a program. The case also has a configuration, an agent
// and znodes.
func program(argv func(d *draws) []any) declare {
	return func(d *draws, c *testee.Case) object {
		c.Env.Set("SHARD_ID", "0")
		c.Env.Set("REPLICA_ID", "0")
		programConf(d, c)
		return object{"argv", argv, "tree", distinct(5, []any{programPath, programValue}), "agent", programAgent}
	}
}

func programConf(d *draws, c *testee.Case) {
	conf := fmt.Sprintf("bzid %s\nbase_path /e\ndeploy_type %s\nzk_servers z:1\nagent_port 1234\n",
		pick(d, "b", "b", "b", "模"), pick(d, "unified", "mixed", "ps", "entry", "dense"))
	if !d.flip(3) {
		conf += "base_name ctr\n"
	}
	c.Files = dict("a.conf", conf)
	if d.flip(8) {
		c.Files.Set("flags", "--conf=a.conf\n# a comment\n\n--cmd_type=addr\n")
	}
	if d.flip(12) {
		c.Host = dict("gethostbyname", nil)
	}
}

func programAgent(d *draws) object {
	addresses := d.fill(entries(3, oneOf("ps:0", "ps:1", "entry:0", "lf:def/ps:0", ""), some(3, oneOf("h:1", "g:2", "[::1]:3", "")))).(*pysem.Dict)
	return object{"addresses?1", given(len(addresses.Items) > 0, addresses), "replicas?", some(3, oneOf("h:1", "g:2", "it's", `say "x"`)), "fail?8", true}
}

var programPath = join("/b/", oneOf("service/ctr/ps:0/0", "service/ctr/ps:0/1", "service/ctr/entry:0/0", "service/ctr/lf:def/ps:1/0", "service/ctr/lf:1", "service/ctr/lf:1/ps:0/0",
	"service/m/ps:0/0", "service/ctr/٣:٣/0", "service/ctr/dense:00/10", "portal/ctr", "portal/m", "portal/m/x", "publish/0:0:m", "publish/1:0:m", "resource/0:0", "resource/0:0/x",
	"lock/a", "locks/a", "election/e", "service", "portal", "publish", "resource", "lock", "election"))

var programValue = bytesOf(oneOf(`{"address": "h:1", "stat": 30, "archon_address": "h:2"}`, `{"address": "h:1", "stat": 0, "archon_address": "h:2"}`, "", "x",
	`{"address": null, "stat": 10}`, `{"address": ["h", 1], "stat": 40, "archon_address": 1.5}`, `{"stat": 50}`, `{"stat": 20}`, `{"stat": 7}`, `{"stat": "30"}`, `{"stat": null}`, `{"stat": 30.0}`,
	`{"stat": 30.5}`, `{"stat": true}`, `{"stat": 99999999999999999999}`, "{}", "\xff'", `it's "x"`))

func agentClientArguments(d *draws) []any {
	argv := []any{"--conf=a.conf"}
	switch {
	case d.flip(12):
		argv = []any{}
	case d.flip(12):
		argv = []any{"--flagfile=flags"}
	}
	if !d.flip(8) {
		argv = append(argv, "--cmd_type="+pick(d, "addr", "hb", "gr", "get", "load", "unload", "clean", "meta", "status", "profile", "GET"))
	}
	if !d.flip(3) {
		argv = append(argv, "--args="+pick(d, "addr", "portal", "pub", "res", "lock", "elect", "info", "x"))
	}
	return append(argv, someArguments(d, "--model_name=m", "--model_dir=/d", "--ckpt=model.ckpt-1", "--num_shard=3", "--task=1", "--port=7", "--server_type=entry",
		"--server_type=dense", "--task=2147483648", "--num_shard=0x10", "--port=-1", "--bzid=x")...)
}

// someArguments draws some command-line arguments, a few of them odd, in any form that absl
// accepts.
func someArguments(d *draws, arguments ...string) []any {
	argv := []any{}
	for range d.length(4) {
		name, value, _ := strings.Cut(pick(d, arguments...), "=")
		switch {
		case d.flip(5):
			argv = append(argv, strings.TrimPrefix(name, "-"), value)
		case d.flip(8):
			argv = append(argv, name+"=")
		case value == "":
			argv = append(argv, name)
		default:
			argv = append(argv, name+"="+value)
		}
	}
	if d.flip(6) {
		argv = append(argv, pick(d, "rest", "--", "--help", "--helpfull", "-?", "--nohelp", "--only_check_args", "--nope", "--undefok=nope", "--v=1", "-v", "--verbosity=x",
			"--pdb_post_mortem=maybe", "--nopdb=1", "--nopdb", "--stderrthreshold=error", "--stderrthreshold=loud", "--logger_levels=a", "--logger_levels=a:INFO", "--", "-",
			"--task=0x", "--task=0o17", "--task=1_0", "--task= 5 ", "--task=٣", "--task=", "--task", "--flagfile", "--flagfile=missing", "--flagfile="))
	}
	return argv
}
