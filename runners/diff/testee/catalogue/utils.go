package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// utilsOps declares the operations on utils.py and agent_base.py.
var utilsOps = operations{
	"utils.conf_parser": func(d *draws, c *testee.Case) object {
		c.Files = dict("a.conf", confText(d, true), "b.conf", confText(d, false), "sub/c.conf", confText(d, false))
		return object{"file_name", oneOf("a.conf", "a.conf", "sub/c.conf", "missing.conf"), "args?4 (object, default empty)", object{"a", "given", "deploy_type", "ps"}}
	},
	"utils.AgentConfig.from_file": configFile,
	"utils.AgentConfig":           configArguments,
	"utils.AgentConfig.get_cmd_and_port": onConfigFile("binary", oneOf("tfs", "/opt/bin/tfs", ""),
		"server_type (string or null)", oneOf("ps", "entry", "dense", nil, "mixed", "unified", "x"), "config_file (string or null)", oneOf("/cfg", nil, "")),
	"utils.AgentConfig._gen_model_server_config": onConfigFile("server_type", serverWord),
	"utils.AgentConfig.get_server_schedule_iter": onConfigFile("server_type", serverWord),
	"utils.AgentConfig.generate_platform_config_file": func(d *draws, c *testee.Case) object {
		configFile(d, c)
		text, _ := c.Files.Get("a.conf")
		c.Files.Set("a.conf", strings.TrimRight(text.(string), "\n")+"\nplatform_config_file p.cfg\n")
		return object{"fname", "a.conf"}
	},
	"utils.ZKPath":          in("path (string or null)", zkPath, "attribute?8", oneOf("bzid", "index", "task", "location", "nothing", "_x", "replica")),
	"utils.normalize_regex": in("pattern_str", pattern),
	"utils.expand_pattern":  in("pattern_str", rangePattern),
	"utils.parse_pattern": func(d *draws, _ *testee.Case) object {
		lp, rp := pick(d, "{", "[", "${", "<<", "a"), pick(d, "}", "]", "}", ">>", "b")
		return object{"pattern_str", oneOf(pattern, "a"+lp+"b"+rp+"c", lp+rp, rp+lp, lp+lp+"x"+rp+rp, "plain"), "lp", lp, "rp", rp,
			"init_val ([])", []any{}, "comb_fn (remark)", "append [p1, p2]"}
	},
	"utils.gen_model_spec": in("name", word, "version?", oneOf(1, 0, -1, "stable", "", nil, 1634631496, 1<<40),
		"signature_name?3", oneOf("serving_default", "", nil, "update")),
	"utils.gen_model_config": func(d *draws, _ *testee.Case) object {
		policy, data := pick[any](d, absent{}, "latest", "all", "specific", "latest_once", "Latest", "newest", ""), oneOf(1, 5, 0, 1<<31)
		if policy == "specific" {
			data = oneOf(1, []any{1, 2}, []any{}, []any{7, 3, 3}, 0)
		}
		return object{"name", word, "base_path", oneOf("/b/m", "/b", ""), "version_policy?1", policy, "version_data?", data,
			"model_platform?6", oneOf("tensorflow", "other", nil, ""), "version_labels?5", object{"stable", 1, "canary", 2}}
	},
	"utils.gen_status_proto": in(statusFields...),
	"utils.gen_model_version_status": in(append([]any{"version", oneOf(1, 0, -1, 1634631496, 1<<40), "state?", oneOf(0, 10, 20, 30, 40, 50)},
		statusFields...)...),
	"utils.make_tensor_proto": in("instances (list)", some(4, someBytes)),
	"utils.pasre_sub_model_name": in("sub_model_name (string or null)",
		nullable(oneOf(word, join(word, "_", numeral), join("ps_", numeral), join("a_b_", numeral), "ps_99999999999999999999"))),
	"utils.DeployType.compat_server_type": in("deploy_type", deployWord, "server_type (string or null)", nullable(deployWord)),
	"utils.DeployType":                    in("dtype", deployWord),
	"utils.replica_id_from_pod_name": func(d *draws, c *testee.Case) object {
		if !d.flip(8) {
			c.Env.Set("MY_POD_NAME", pick(d, "pod-1", "", "a", "dp-1234-abcdef-x9z8", text(d, 12)))
			noNUL(c.Env)
		}
		return nil
	},
	"utils.get_local_ip": surroundings(hostAndAddresses),
	"utils.isabs":        in("path", join(oneOf("", "hdfs:/", "hdfs:", "/"), word)),
	"agent_base.get_cmd_and_port": func(d *draws, c *testee.Case) object {
		fname := configFile(d, c)
		if d.flip(3) {
			c.Files.Set("proxy.conf", "x")
		}
		return append(fname, "conf_path", oneOf("<TMP>", "/nowhere", ""), "server_type", oneOf("ps", "entry", "dense", nil, "proxy", "unified"),
			"config_file", "/cfg")
	},
	"utils.InstanceFormater.from_json":    instanceFile(jsonInstance),
	"utils.InstanceFormater.from_pb_text": instanceFile(textInstance),
	"utils.InstanceFormater.from_dump":    instanceFile(dumpInstance),
	"utils.InstanceFormater.to_pb":        recorded("fname (null: a temporary file)", "instance (the message)"),
	"utils.InstanceFormater.to_json":      recorded("fname (null: a temporary file)", "instance (the message)"),
	"utils.InstanceFormater.to_pb_text":   recorded("fname (null: a temporary file)", "instance (the message)"),
}

var statusFields = []any{"error_code?", oneOf(0, 1, 5, 14, 16), "error_message?", oneOf("missing", "", nil, "模", "a\nb")}

// surroundings declares an operation without input. The operation reads the case's environment,
// host or files, which the function set draws.
func surroundings(set func(d *draws, c *testee.Case)) declare {
	return func(d *draws, c *testee.Case) object {
		set(d, c)
		return nil
	}
}

// noNUL removes NUL from the values of environment variables, which cannot contain it.
func noNUL(env *pysem.Dict) {
	for i, item := range env.Items {
		if s, ok := item.Value.(string); ok {
			env.Items[i].Value = strings.ReplaceAll(s, "\x00", "")
		}
	}
}

// hostAndAddresses draws what the host's look-ups return, and the environment variables that hold
// addresses.
func hostAndAddresses(d *draws, c *testee.Case) {
	c.Host = hostEntries(d)
	switch d.n(4) {
	case 1:
		c.Env = dict()
	case 2:
		c.Env.Set("MY_HOST_IP", pick(d, "10.9.8.7", "", "localhost", "127.0.0.1", "host", "::1"))
	case 3:
		c.Env = dict("MY_POD_IP", pick(d, "10.9.9.9", ""), "MY_HOST_IPV6", pick(d, "fd00::9", ""))
	}
}

func deployWord(d *draws) string {
	return pick(d, "ps", "entry", "dense", "mixed", "unified", "PS", "Mixed", "", "none", "ps ", "ENTRY", "ſp", "mıxed", "İ")
}

// confKey is a key of agent.conf, with the values that may be drawn for it.
type confKey struct {
	key    string
	values []string
}

// confKeys lists all keys of agent.conf with values to draw. Keys that are not written out here get
// values by their type.
var confKeys = withOtherKeys([]confKey{
	{"bzid", []string{"b1", "gip", "", "b 1"}},
	{"base_name", []string{"n1", "entry_model", "n-2"}},
	{"base_path", []string{"/m/x", "/m/x/", "hdfs://a/b", "rel/x", ""}},
	{"deploy_type", []string{"mixed", "ps", "entry", "dense", "unified", "MIXED", "bad"}},
	{"num_ps", []string{"2", "4", "5", "20", "0", "-1", "x", "3.0"}},
	{"num_shard", []string{"2", "3", "0"}},
	{"dense_alone", []string{"1", "0", "true", "False", "no", "off", "yes", "T", "x"}},
	{"dense_service_num", []string{"1", "3", "2"}},
	{"stand_alone_serving", []string{"1", "true", "0"}},
	{"agent_version", []string{"1", "2", "3", "4", "x"}},
	{"agent_port", []string{"6", "0", "x"}},
	{"zk_servers", []string{"127.0.0.1:2181", "[::1]:2181", "h:1,h:2", ""}},
	{"tfs_entry_port", []string{"5", "0"}}, {"tfs_ps_port", []string{"5", "x"}}, {"tfs_dense_port", []string{"5"}},
	{"tfs_port_grpc", []string{"7"}}, {"tfs_port_http", []string{"8"}}, {"tfs_port_archon", []string{"9"}}, {"proxy_port", []string{"7"}},
	{"version_policy", []string{"latest", "all", "specific", "latest_once", "Latest", "bad"}},
	{"version_data", []string{"1", "3", "0", "-2", "x"}},
	{"dc_aware", []string{"1", "true", "0"}},
	{"layout_pattern", []string{"grp/l1", "/gip/layouts/l", ""}},
	{"layout_filters", []string{"ps_{i};i % 2 == 0", "entry;", "dense", "ps_{i};i>3"}},
	{"rough_sort_model_name", []string{"rs", ""}}, {"rough_sort_model_local_path", []string{"/rs"}},
	{"rough_sort_model_loaded_server", []string{"entry", "ps", "dense", "x"}}, {"rough_sort_model_p2p_path", []string{"/p2p"}},
	{"rough_sort_resource_constrained", []string{"1", "0"}},
	{"enable_batching", []string{"true", "1", "0"}}, {"max_num_load_retries", []string{"3", "x"}}, {"flush_filesystem_caches", []string{"0", "1"}},
	{"per_process_gpu_memory_fraction", []string{"0.5", "1e-3", "nan", "x", "1"}}, {"platform_config_file", []string{"p.cfg", "/p.cfg", ""}},
	{"fetch_ps_timeout_ms", []string{"100", "1_000"}}, {"fetch_ps_long_conn_enable", []string{"0", "true"}}, {"aio_thread_num", []string{"4"}},
	{"file_system_poll_wait_seconds_ps", []string{"9"}}, {"file_system_poll_wait_seconds", []string{"2"}}, {"update_model_status_interval", []string{"5", "0"}},
	{"preload_jemalloc", []string{"0", "1"}}, {"use_metrics", []string{"0", "1"}}, {"tensorflow_session_parallelism", []string{"8"}},
	{"num_load_threads", []string{"2"}}, {"ssl_config_file", []string{"/ssl"}}, {"grpc_channel_arguments", []string{"a=b"}}, {"unknown_key", []string{"1", "x y"}},
})

// valuesFor holds values for keys of which only the type is known.
var valuesFor = map[agentconfig.Reading][]string{
	agentconfig.ReadText:  {"v", "v w", ""},
	agentconfig.ReadBool:  {"1", "0", "true", "x"},
	agentconfig.ReadInt:   {"2", "0", "-1", "2 * 3", "x"},
	agentconfig.ReadFloat: {"0.5", "1", "x"},
	agentconfig.ReadList:  {"a", "b c"},
}

func withOtherKeys(chosen []confKey) []confKey {
	keys := chosen
	for _, key := range agentconfig.Keys() {
		if !slices.ContainsFunc(chosen, func(k confKey) bool { return k.key == key.Name }) {
			values := valuesFor[key.Reading]
			if len(key.Words) > 0 {
				values = append(slices.Clone(key.Words), "x")
			}
			keys = append(keys, confKey{key.Name, values})
		}
	}
	return keys
}

// numberKeys holds the keys whose values the reference evaluates as expressions (utils.py:774).
var numberKeys = map[string]bool{
	"num_ps": true, "num_shard": true, "dense_service_num": true, "agent_version": true, "agent_port": true, "tfs_entry_port": true, "tfs_ps_port": true,
	"tfs_dense_port": true, "tfs_port_grpc": true, "tfs_port_http": true, "tfs_port_archon": true, "proxy_port": true, "version_data": true,
	"max_num_load_retries": true, "per_process_gpu_memory_fraction": true, "fetch_ps_timeout_ms": true, "aio_thread_num": true,
	"file_system_poll_wait_seconds_ps": true, "file_system_poll_wait_seconds": true, "update_model_status_interval": true,
	"tensorflow_session_parallelism": true, "num_load_threads": true,
}

// confText draws an agent.conf. First come the settings that every configuration needs, then any
// keys in any order.
func confText(d *draws, top bool) string {
	var b strings.Builder
	if top {
		fmt.Fprintf(&b, "bzid b1\nbase_name n1\nbase_path /m/x\n")
		if !d.flip(12) {
			fmt.Fprintf(&b, "deploy_type %s\n", pick(d, "mixed", "ps", "entry", "dense", "unified"))
		}
		if d.flip(2) {
			fmt.Fprintf(&b, "agent_version %s\n", pick(d, "1", "2", "3"))
		}
	}
	for range d.length(9) {
		k := pick(d, confKeys...)
		key, value := k.key, pick(d, k.values...)
		switch {
		case d.flip(10):
			value = pick(d, numeral(d), text(d, 4))
		case numberKeys[key] && d.flip(2):
			value = confNumber(d)
		case key == "layout_filters" && d.flip(2):
			value = confLine(layoutFilter(d))
		}
		switch d.n(14) {
		case 9:
			fmt.Fprintf(&b, "%s\t %s  \n", key, value)
		case 10:
			fmt.Fprintf(&b, "%s=%s\n", key, value)
		case 11:
			fmt.Fprintf(&b, "# %s %s\n%s %s # note\n", key, value, key, value)
		case 12:
			fmt.Fprintf(&b, "%s\n", pick(d, "include b.conf", "include sub/c.conf", "include missing", "included b.conf", "include", key))
			if !top {
				b.Reset() // not drawn: a file that includes itself would be read for ever
			}
		case 13:
			fmt.Fprintf(&b, "%s\n", text(d, 8))
		default:
			fmt.Fprintf(&b, "%s %s\n", key, value)
		}
	}
	s := b.String()
	if !top {
		s = strings.ReplaceAll(s, "include", "exclude")
	}
	if d.flip(6) {
		s = strings.TrimSuffix(s, "\n")
	}
	return strings.ReplaceAll(s, "\x00", "")
}

// configFile draws an agent.conf and the files that it includes, in the environment of a container.
func configFile(d *draws, c *testee.Case) object {
	containerEnv(d, c.Env)
	c.Host = hostEntries(d)
	c.Files = dict("a.conf", confText(d, true), "b.conf", confText(d, false))
	noNUL(c.Env)
	return object{"fname", oneOf("a.conf", "a.conf", "a.conf", "missing.conf")}
}

// onConfigFile declares an operation on an agent.conf. more holds further fields of its input.
func onConfigFile(more ...any) declare {
	return func(d *draws, c *testee.Case) object { return append(configFile(d, c), more...) }
}

func serverWord(d *draws) string { return pick(d, "ps", "entry", "dense", "unified", "mixed") }

func configArguments(d *draws, c *testee.Case) object {
	containerEnv(d, c.Env)
	c.Host = hostEntries(d)
	kwargs := dict("deploy_type", pick(d, "ps", "mixed", "entry", "dense", "unified", "PS"))
	for range d.length(6) {
		k := pick(d, confKeys...)
		var value any = pick(d, k.values...)
		switch d.n(3) {
		case 1:
			value = smallInt(d)
		case 2:
			value = d.fill(anything)
		}
		if _, text := value.(string); k.key == "platform_config_file" && !text {
			// Python's open takes a number for a file descriptor. The testee would then write into
			// its own answers, and close them.
			value = nil
		}
		if k.key != "layout_filters" && k.key != "unknown_key" && k.key != "deploy_type" {
			kwargs.Set(k.key, value)
		}
	}
	noNUL(c.Env)
	return object{"kwargs (object)", kwargs}
}

func zkPath(d *draws) any {
	if d.flip(20) {
		return nil
	}
	parts := []string{"", pick(d, "b", "b-1", "", "B_2", "模"), pick(d, "service", "service", "svc"), pick(d, "n", "n_2", "n-3", "")}
	if d.flip(2) {
		parts = append(parts, pick(d, "lf:def", "lf:def-2", "LF:Def", "lf", ":def", "lf:"))
	}
	parts = append(parts, pick(d, "ps:0", "ps:10", "entry:0", "dense:0", "ps:007", "ps", "PS:1", "ps:x", "ps:٣", "ps:"))
	if d.flip(2) {
		parts = append(parts, pick(d, "3", "007", "00000000012", "x", ""))
	}
	if d.flip(8) {
		parts = append(parts, text(d, 3))
	}
	return strings.Join(parts, "/") + pick(d, "", "", "", "/", "\n")
}

func pattern(d *draws) string {
	return pick(d, "ps_{i}", "entry", "a{b}c{d}e", "{", "}", "{}", "{{i}}", "ps_{i}_{j}", "{i", "i}", "ps_{i1}", "{i-j}", "{模}", text(d, 8))
}

func rangePattern(d *draws) string {
	n := func() string { return pick(d, "0", "3", "1", "10", "007", "-1", "x", "") }
	return pick(d, "ps_["+n()+"-"+n()+"]", "a", "ps_["+n()+"]", "["+n()+"-"+n()+"]["+n()+"-"+n()+"]", "ps_[0-2,4-6]", "ps_[0-2,5]", "[", "[]", "]0-1[", "a[0-1]b[0-1]c", text(d, 6))
}

// instanceFile declares an operation on a file that contains an instance. content draws the file.
func instanceFile(content func(d *draws) string) declare {
	return func(d *draws, c *testee.Case) object {
		c.Files = dict("i", content(d))
		return object{"fname", oneOf("i", "i", "i", "i", "missing"), "batch_size", oneOf(1, 0, 2, 3)}
	}
}

func jsonInstance(d *draws) string {
	return pick(d,
		`{"fid": ["`+numeral(d)+`", 2]}`, `{"label": [`+pick(d, "1", "0.5", "-1e3", `"NaN"`, `"x"`, "null", "true", "1e400")+`]}`,
		`{"feature": [{"name": "`+pick(d, "a", "模", "")+`", "fid": [`+pick(d, "1", `"18446744073709551615"`, "-1", "1.0", "1.5")+`]}]}`,
		`{"lineId": {"uid": `+pick(d, "1", `"5"`, "-1", "1e3", `""`)+`, "sample_rate": 0.1}}`,
		`{"line_id": {"reqTime": `+pick(d, "1", "true", "null", `"a"`)+`}}`, `{}`, `[]`, `{"unknown": 1}`, `{"fid": 1}`, ``, `{"fid": [1,]}`, ` {"fid":[1],"fid":[2]}`, `{"fid": null}`)
}

func textInstance(d *draws) string {
	if !d.flip(3) {
		return spoil(d, derive(d, "instance"))
	}
	return pick(d,
		"fid: "+pick(d, "1", "0x10", "010", "18446744073709551616", "-1", "'a'", "1.0")+"\n", "feature {\n  name: '"+pick(d, "a", `\303\251`, `\x41`, `\n`, "模")+"'\n  fid: [1, 2]\n}\n",
		"feature: < name: 'a' >", "label: "+pick(d, "1", "-1.5", "inf", "-inf", "nan", "1f", ".5", "5.", "1e3", "Infinity"), "line_id { uid: 5; sample_rate: 0.25, }",
		"", "# comment\nfid: 3 # more\n", "unknown: 1", "fid 1", "fid: 1 fid: 2", "feature { name: 'a' 'b' }", "label: [1, 2.5]", "line_id { uid: 1 uid: 2 }", "}", "feature {")
}

func dumpInstance(d *draws) string {
	number := func() string { return pick(d, "1", `"5"`, `"18446744073709551615"`, "-1", "0.5", `"x"`) }
	return pick(d,
		"\"root\":\n\"fid\":\n0: "+number()+"\n1: "+number()+"\n", "\"root\":\n\"feature\":\n0:\n\"fid\":\n0: "+number()+"\n\"name\": \""+pick(d, "fa", "a:b", "")+"\"\n",
		"\"root\":\n\"label\":\n0: "+number()+"\n", "\"root\":\n\"line_id\":\n\"uid\": "+number()+"\n\"label\":\n0: 1\n", "", "\"root\":\n", "x", "a: b: c", "\"fid\":\n0: 1\n")
}
