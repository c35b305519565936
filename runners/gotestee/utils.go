package gotestee

import (
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
)

// utilsOps are sections 5 of the protocol: utils.py and agent_base.py.
var utilsOps = table{
	"utils.conf_parser":                               (*call).confParser,
	"utils.AgentConfig.from_file":                     (*call).configFromFile,
	"utils.AgentConfig":                               (*call).configFromArguments,
	"utils.AgentConfig.get_cmd_and_port":              (*call).command,
	"utils.AgentConfig._gen_model_server_config":      (*call).modelServerConfig,
	"utils.AgentConfig.get_server_schedule_iter":      (*call).serverSchedule,
	"utils.AgentConfig.generate_platform_config_file": (*call).platformConfig,
	"utils.ZKPath":                                    (*call).zkPath,
	"utils.normalize_regex":                           (*call).normalizeRegex,
	"utils.expand_pattern":                            (*call).expandPattern,
	"utils.parse_pattern":                             (*call).parsePattern,
	"utils.gen_model_spec":                            (*call).genModelSpec,
	"utils.gen_model_config":                          (*call).genModelConfig,
	"utils.pasre_sub_model_name":                      (*call).subModelName,
	"utils.DeployType.compat_server_type":             (*call).compatServerType,
	"utils.DeployType":                                (*call).deployType,
	"utils.replica_id_from_pod_name":                  (*call).replicaIDFromPodName,
	"utils.get_local_ip":                              (*call).localIP,
	"utils.isabs":                                     (*call).isAbs,
	"agent_base.get_cmd_and_port":                     (*call).baseCommand,
}

func (c *call) confParser() (any, error) {
	args := &pysem.Dict{}
	for _, item := range c.in.objectOr("args").Items {
		args.Set(item.Key, item.Value)
	}
	if err := agent.ParseConf(c.env.Files, c.in.str("file_name"), args, c.quirks); err != nil {
		return nil, err
	}
	return object("args", pairsOf(args)), nil
}

// pairsOf is a dict as a list of pairs.
func pairsOf(d *pysem.Dict) []any {
	list := []any{}
	for _, item := range d.Items {
		list = append(list, []any{item.Key, item.Value})
	}
	return list
}

func (c *call) fromFile() (*agent.AgentConfig, error) {
	return c.loader().FromFile(c.in.str("fname"))
}

// loader makes configurations with the case's quirks.
func (c *call) loader() agent.Loader { return agent.Loader{Env: c.env, Quirks: c.quirks} }

// config is the configuration of a case's keyword arguments.
func (c *call) config() (*agent.AgentConfig, error) {
	return c.loader().New(c.in.object("config").fields()...)
}

func (c *call) configFromFile() (any, error) { return c.dump(c.fromFile()) }

func (c *call) configFromArguments() (any, error) {
	return c.dump(c.loader().New(c.in.object("kwargs").fields()...))
}

// dump is a config dump of section 5.
func (c *call) dump(conf *agent.AgentConfig, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	fields := object()
	for _, f := range conf.Fields() {
		fields.Set(f.Name, f.Value)
	}
	file, _ := conf.Get("model_config_file")
	fields.Set("model_config_file", file)
	shards, shardsErr := conf.NumTCEShard()
	shard, shardErr := conf.ShardID()
	prefix, prefixErr := conf.PathPrefix()
	layout, layoutErr := conf.LayoutPath()
	return object("fields", fields, "properties", object(
		"num_tce_shard", attempt(shards, shardsErr), "shard_id", attempt(shard, shardErr),
		"idc", attempt(conf.IDC(), nil), "cluster", attempt(conf.Cluster(), nil), "location", attempt(conf.Location(), nil),
		"path_prefix", attempt(prefix, prefixErr), "layout_path", attempt(layout, layoutErr),
		"container_cluster", attempt(conf.ContainerCluster(), nil), "container_id", attempt(conf.ContainerID(), nil))), nil
}

func (c *call) command() (any, error) {
	conf, err := c.fromFile()
	if err != nil {
		return nil, err
	}
	file := c.in.optStr("config_file")
	cmd, port, err := conf.CmdAndPort(c.in.str("binary"), c.in.optStr("server_type"), file)
	if err != nil {
		return nil, err
	}
	words := strings.Split(cmd, " ")
	out := object("cmd", cmd, "binary", words[0], "flags", words[1:], "port", port)
	if !file.Set && len(words) > 1 {
		content, err := c.env.Files.ReadFile(strings.TrimPrefix(words[1], "--model_config_file="))
		if err != nil {
			return nil, err
		}
		out.Set("model_config_text", string(content))
	}
	return out, nil
}

func (c *call) modelServerConfig() (any, error) {
	conf, err := c.fromFile()
	if err != nil {
		return nil, err
	}
	m, err := conf.ModelServerConfig(c.in.optStr("server_type"))
	if err != nil {
		return nil, err
	}
	return namedConfig(m), nil
}

// namedConfig is a server's config with the names of its models in order.
func namedConfig(m *config.ModelServerConfig) *pysem.Dict {
	names := []string{}
	for _, mc := range m.GetModelConfigList().GetConfig() {
		names = append(names, mc.GetName())
	}
	return object("names", names, "config", pb(m))
}

func (c *call) serverSchedule() (any, error) {
	conf, err := c.fromFile()
	if err != nil {
		return nil, err
	}
	tasks, err := conf.ServerSchedule(c.in.str("server_type"))
	return object("items", tasks), err
}

func (c *call) platformConfig() (any, error) {
	if _, err := c.fromFile(); err != nil {
		return nil, err
	}
	text, err := c.env.Files.ReadFile("p.cfg")
	if err != nil {
		return nil, err
	}
	var m config.PlatformConfigMap
	if err := textpb.Unmarshal(string(text), &m); err != nil {
		return nil, err
	}
	return object("text", string(text), "message", pb(&m)), nil
}

func (c *call) zkPath() (any, error) {
	path := c.in.optStr("path")
	if !path.Set {
		// The port's types leave no other way to ask for it (utils.py:1170).
		return nil, pysem.Raise("TypeError", "expected string or bytes-like object")
	}
	p := agent.ParseZKPath(path.V)
	out := object("bzid", p.Bzid, "base_name", p.BaseName, "idc", p.IDC, "cluster", p.Cluster,
		"server_type", p.ServerType, "index", p.Index, "replica_id", p.ReplicaID, "task", p.Task(), "location", p.Location())
	none, some := agent.OptString{}, pysem.Some[string]
	for _, s := range []struct {
		name         string
		idc, cluster agent.OptString
	}{
		{"none", none, none}, {"idc-none", some("lf"), none}, {"cluster-none", none, some("def")},
		{"lf-def", some("lf"), some("def")}, {"lf-c", some("lf"), some("c")}, {"lf-1", some("lf"), some("1")},
		{"empty", some(""), some("")}, {"LQ-Default-2", some("LQ"), some("Default-2")},
	} {
		out.Set("ship_in:"+s.name, p.ShipIn(s.idc, s.cluster))
	}
	if name := c.in.optStr("attribute"); name.Set {
		v, ok := out.Get(name.V)
		if !ok {
			return nil, pysem.AttributeError(nil, name.V)
		}
		return v, nil
	}
	attempts := object()
	for _, item := range out.Items {
		attempts.Set(item.Key, attempt(item.Value, nil))
	}
	return attempts, nil
}

func (c *call) normalizeRegex() (any, error) {
	return agent.NormalizeRegex(c.in.str("pattern_str")), nil
}

func (c *call) expandPattern() (any, error) {
	names, err := agent.ExpandPattern(c.in.str("pattern_str"), c.quirks)
	return names, err
}

func (c *call) parsePattern() (any, error) {
	pieces := []any{}
	for _, p := range agent.ParsePattern(c.in.str("pattern_str"), c.in.str("lp"), c.in.str("rp")) {
		pieces = append(pieces, []any{p.Text, p.Name})
	}
	return pieces, nil
}

func (c *call) genModelSpec() (any, error) {
	spec, err := agent.GenModelSpec(c.in.str("name"), c.in.value("version"), c.in.optStr("signature_name"))
	return spec, err
}

func (c *call) genModelConfig() (any, error) {
	m, err := modelConfig(c.in, c.quirks)
	return m, err
}

// modelConfig is gen_model_config with keyword arguments.
func modelConfig(a arguments, quirks agent.Quirks) (*config.ModelConfig, error) {
	args := agent.ModelConfigArgs{
		Name: a.str("name"), BasePath: a.optStr("base_path"), ModelPlatform: a.optStr("model_platform"),
		VersionPolicy: pysem.Some("latest"), VersionData: 1, Quirks: quirks,
		NoPlatform: a.has("model_platform") && a.value("model_platform") == nil,
	}
	if a.has("version_policy") {
		args.VersionPolicy = a.optStr("version_policy")
	}
	switch v := a.value("version_data").(type) {
	case nil:
		if a.has("version_data") {
			args.VersionData = 0
		}
	case int:
		args.VersionData = v
	case []any:
		args.Versions = []int{}
		for _, x := range v {
			n, ok := x.(int)
			if !ok {
				a.wrong("version_data", "an int or a list of ints")
			}
			args.Versions = append(args.Versions, n)
		}
	default:
		a.wrong("version_data", "an int or a list of ints")
	}
	if a.value("version_labels") != nil {
		args.VersionLabels = map[string]int64{}
		labels := a.object("version_labels")
		for _, item := range labels.Items {
			args.VersionLabels[item.Key] = int64(labels.integer(item.Key))
		}
	}
	return agent.GenModelConfig(args)
}

func (c *call) subModelName() (any, error) {
	name, index, err := agent.ParseSubModelName(c.in.optStr("sub_model_name"))
	return []any{name, index}, err
}

func (c *call) compatServerType() (any, error) {
	t, err := agent.NewDeployType(c.in.str("deploy_type"))
	if err != nil {
		return nil, err
	}
	word, err := t.CompatServerType(c.in.optStr("server_type"))
	return word, err
}

// deployType compares as DeployType.__eq__ does: a string in any case, another
// DeployType, and nothing else.
func (c *call) deployType() (any, error) {
	word := c.in.str("dtype")
	t, err := agent.NewDeployType(word)
	if err != nil {
		return nil, err
	}
	return object("str", string(t), "eq_lower", string(t) == pysem.Lower(word), "eq_raw", string(t) == word,
		"eq_self", true, "eq_none", false, "in_set", t == agent.DeployPS || t == agent.DeployMixed), nil
}

func (c *call) replicaIDFromPodName() (any, error) {
	return agent.ReplicaIDFromPodName(c.env), nil
}

func (c *call) localIP() (any, error) { return agent.LocalIP(c.env), nil }

func (c *call) baseCommand() (any, error) {
	conf, err := c.fromFile()
	if err != nil {
		return nil, err
	}
	cmd, port, err := agent.CmdAndPort(c.env, conf, c.in.optStr("conf_path"), c.in.optStr("server_type"), c.in.optStr("config_file"))
	return object("cmd", cmd, "port", port), err
}

func (c *call) isAbs() (any, error) { return agent.IsAbs(c.in.str("path")), nil }
