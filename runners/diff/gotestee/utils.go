package gotestee

import (
	"fmt"
	"math"
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// utilsOps holds the operations of section 5 of the protocol, on utils.py and agent_base.py.
var utilsOps = table{
	"utils.conf_parser":                               (*call).confParser,
	"utils.AgentConfig.from_file":                     func(c *call) (any, error) { return c.dump(c.fromFile()) },
	"utils.AgentConfig":                               (*call).configFromArguments,
	"utils.AgentConfig.get_cmd_and_port":              caseworld.With((*call).listedFromFile, (*call).command),
	"utils.AgentConfig._gen_model_server_config":      caseworld.With((*call).listedFromFile, (*call).modelServerConfig),
	"utils.AgentConfig.get_server_schedule_iter":      caseworld.With((*call).listedFromFile, (*call).serverSchedule),
	"utils.AgentConfig.generate_platform_config_file": (*call).platformConfig,
	"utils.ZKPath":                                    (*call).zkPath,
	"utils.normalize_regex":                           agentconfig.NormalizeRegex,
	"utils.expand_pattern":                            agentconfig.ExpandPattern,
	"utils.parse_pattern":                             parsePattern,
	"utils.gen_model_spec":                            (*call).modelSpec,
	"utils.gen_model_config":                          func(c *call) (any, error) { return modelConfig(c.In, c.Quirks) },
	"utils.pasre_sub_model_name":                      agentconfig.ParseSubModelName,
	"utils.DeployType.compat_server_type":             compatServerType,
	"utils.DeployType":                                deployType,
	"utils.replica_id_from_pod_name":                  agentconfig.ReplicaIDFromPodName,
	"utils.get_local_ip":                              agentconfig.LocalIP,
	"utils.isabs":                                     agentconfig.IsAbs,
	"agent_base.get_cmd_and_port":                     caseworld.With((*call).listedFromFile, (*call).baseCommand),
}

func (c *call) confParser() (any, error) {
	args := &pysem.Dict{}
	for _, item := range c.In.ObjectOr("args").Items {
		args.Set(item.Key, item.Value)
	}
	if err := agentconfig.ParseConf(c.Env, c.In.Str("file_name"), args, c.Quirks); err != nil {
		return nil, err
	}
	return caseworld.Object("args", pairsOf(args)), nil
}

// pairsOf converts a dict into a list of [key, value].
func pairsOf(d *pysem.Dict) []any {
	return lists.Map(d.Items, func(item pysem.Item) any { return []any{item.Key, item.Value} })
}

func (c *call) fromFile() (*agentconfig.AgentConfig, error) {
	return c.loader().FromFile(c.In.Str("fname"))
}

// listedFromFile returns the configuration of the case's file for an operation that lists the
// models of a server. It skips a case that has more shards of them than [caseworld.MostCounted].
func (c *call) listedFromFile() (*agentconfig.AgentConfig, error) {
	conf, err := c.fromFile()
	word, _ := c.In.Value("server_type").(string)
	if err == nil && word != "entry" && word != "dense" {
		err = skipManyShards(conf)
	}
	return conf, err
}

// skipManyShards returns the error of a case whose answer would have more models of shards than
// [caseworld.MostCounted], and otherwise nil.
func skipManyShards(conf *agentconfig.AgentConfig) error {
	if conf.NumPS > caseworld.MostCounted {
		return caseworld.Skipped(fmt.Sprintf("num_ps: found %d, want %d at most", conf.NumPS, caseworld.MostCounted))
	}
	return nil
}

// countedConfig makes the configuration of the case for an operation that lists the models of its
// shards.
func (c *call) countedConfig() (*agentconfig.AgentConfig, error) {
	conf, err := c.config()
	if err == nil {
		err = skipManyShards(conf)
	}
	return conf, err
}

// loader returns a loader of configurations that keeps the case's quirks.
func (c *call) loader() agentconfig.Loader { return agentconfig.Loader{Env: c.Env, Quirks: c.Quirks} }

// config makes the configuration from the keyword arguments in the case.
func (c *call) config() (*agentconfig.AgentConfig, error) {
	return c.loader().New(c.In.Object("config").Fields()...)
}

func (c *call) configFromArguments() (any, error) {
	return c.dump(c.loader().New(c.In.Object("kwargs").Fields()...))
}

// dump encodes a configuration in the form that section 5 of the protocol describes.
func (c *call) dump(conf *agentconfig.AgentConfig, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	fields := caseworld.Object()
	for _, f := range conf.Fields() {
		fields.Set(f.Name, f.Value)
	}
	file, _ := conf.Get("model_config_file")
	fields.Set("model_config_file", file)
	shards, shardsErr := conf.NumTCEShard()
	shard, shardErr := conf.ShardID()
	prefix, prefixErr := conf.PathPrefix()
	layout, layoutErr := conf.LayoutPath()
	return caseworld.Object("fields", fields, "properties", caseworld.Object(
		"num_tce_shard", caseworld.Attempt(shards, shardsErr), "shard_id", caseworld.Attempt(shard, shardErr),
		"idc", caseworld.Attempt(conf.IDC(), nil), "cluster", caseworld.Attempt(conf.Cluster(), nil), "location", caseworld.Attempt(conf.Location(), nil),
		"path_prefix", caseworld.Attempt(prefix, prefixErr), "layout_path", caseworld.Attempt(layout, layoutErr),
		"container_cluster", caseworld.Attempt(conf.ContainerCluster(), nil), "container_id", caseworld.Attempt(conf.ContainerID(), nil))), nil
}

func (c *call) command(conf *agentconfig.AgentConfig) (any, error) {
	file := c.In.OptStr("config_file")
	cmd, port, err := conf.CmdAndPort(c.In.Str("binary"), c.In.OptStr("server_type"), file)
	if err != nil {
		return nil, err
	}
	words := strings.Split(cmd, " ")
	out := caseworld.Object("cmd", cmd, "binary", words[0], "flags", words[1:], "port", port)
	if !file.Set && len(words) > 1 {
		content, err := c.Env.Files.ReadFile(strings.TrimPrefix(words[1], "--model_config_file="))
		if err != nil {
			return nil, err
		}
		out.Set("model_config_text", string(content))
	}
	return out, nil
}

func (c *call) modelServerConfig(conf *agentconfig.AgentConfig) (any, error) {
	m, err := conf.ModelServerConfig(c.In.OptStr("server_type"))
	if err != nil {
		return nil, err
	}
	return namedConfig(m), nil
}

// namedConfig encodes a model server's config, with the names of its models in order.
func namedConfig(m *config.ModelServerConfig) *pysem.Dict {
	names := lists.Map(m.GetModelConfigList().GetConfig(), (*config.ModelConfig).GetName)
	return caseworld.Object("names", names, "config", caseworld.PB(m))
}

func (c *call) serverSchedule(conf *agentconfig.AgentConfig) (any, error) {
	tasks, err := conf.ServerSchedule(c.In.Str("server_type"))
	return caseworld.Object("items", tasks), err
}

func (c *call) platformConfig() (any, error) {
	if _, err := c.fromFile(); err != nil {
		return nil, err
	}
	text, err := c.Env.Files.ReadFile("p.cfg")
	if err != nil {
		return nil, err
	}
	var m config.PlatformConfigMap
	if err := textformat.Parse(string(text), &m); err != nil {
		return nil, err
	}
	return caseworld.Object("text", string(text), "message", caseworld.PB(&m)), nil
}

func (c *call) zkPath() (any, error) {
	path := c.In.OptStr("path")
	if !path.Set {
		// The port's types do not allow a path that is not a text (utils.py:1170).
		return nil, pysem.Raise("TypeError", "expected string or bytes-like object")
	}
	p := agentconfig.ParseZKPath(c.Env, path.V)
	out := caseworld.Object("bzid", p.Bzid, "base_name", p.BaseName, "idc", p.IDC, "cluster", p.Cluster,
		"server_type", p.ServerType, "index", p.Index, "replica_id", p.ReplicaID, "task", p.Task(), "location", p.Location())
	none, some := pysem.OptString{}, pysem.Some[string]
	for _, s := range []struct {
		name         string
		idc, cluster pysem.OptString
	}{
		{"none", none, none}, {"idc-none", some("lf"), none}, {"cluster-none", none, some("def")},
		{"lf-def", some("lf"), some("def")}, {"lf-c", some("lf"), some("c")}, {"lf-1", some("lf"), some("1")},
		{"empty", some(""), some("")}, {"LQ-Default-2", some("LQ"), some("Default-2")},
	} {
		out.Set("ship_in:"+s.name, p.ShipIn(s.idc, s.cluster))
	}
	if name := c.In.OptStr("attribute"); name.Set {
		return p.Attribute(name.V)
	}
	attempts := caseworld.Object()
	for _, item := range out.Items {
		attempts.Set(item.Key, caseworld.Attempt(item.Value, nil))
	}
	return attempts, nil
}

func parsePattern(pattern, lp, rp string) []any {
	pieces := lists.Map(agentconfig.ParsePattern(pattern, lp, rp), func(p agentconfig.PatternPiece) any { return []any{p.Text, p.Name} })
	return pieces
}

// modelSpec calls gen_model_spec. Its keyword arguments may be of any type.
func (c *call) modelSpec() (any, error) {
	var texts apis.ModelSpec
	if err := message.Set(&texts, "name", c.In.Value("name")); err != nil {
		return nil, err
	}
	made, err := agentconfig.GenModelSpec(texts.GetName(), c.In.Value("version"), pysem.OptString{})
	if err == nil {
		err = message.Set(made, "signature_name", c.In.Value("signature_name"))
	}
	return made, err
}

// modelConfig calls gen_model_config. Its keyword arguments may be of any type.
func modelConfig(a caseworld.Arguments, quirks quirks.Set) (*config.ModelConfig, error) {
	var texts config.ModelConfig
	for _, name := range []string{"name", "base_path", "model_platform"} {
		if err := message.Set(&texts, name, a.Value(name)); err != nil {
			return nil, err
		}
	}
	args := agentconfig.ModelConfigArgs{
		Name: texts.GetName(), BasePath: pysem.Some(texts.GetBasePath()), VersionPolicy: pysem.Some("latest"), VersionData: 1, Quirks: quirks,
		NoPlatform: a.Has("model_platform") && a.Value("model_platform") == nil,
	}
	if a.Has("model_platform") {
		args.ModelPlatform = pysem.Some(texts.GetModelPlatform())
	}
	if a.Has("version_policy") {
		var err error
		if args.VersionPolicy, err = policyWord(a.Value("version_policy")); err != nil {
			return nil, err
		}
	}
	if a.Has("version_data") {
		args.VersionData = a.Value("version_data")
	}
	made, err := agentconfig.GenModelConfig(args)
	if err == nil && a.Value("version_labels") != nil {
		made.VersionLabels, err = versionLabels(a.Value("version_labels"))
	}
	return made, err
}

// policyWord returns a version policy in the port's type, a str or None. Other values are an error
// (utils.py:938-952).
func policyWord(v any) (pysem.OptString, error) {
	switch v := v.(type) {
	case nil:
		return pysem.OptString{}, nil
	case string:
		return pysem.Some(v), nil
	case []byte: // lower() of bytes equals no str, and bytes cannot be added to a str
		return pysem.OptString{}, pysem.Raise("TypeError", "can't concat str to bytes")
	}
	return pysem.OptString{}, pysem.AttributeError(v, "lower")
}

// versionLabels returns the labels of a message's map after an update with v. v is a dict, or pairs
// of a name and a version.
func versionLabels(v any) (map[string]int64, error) {
	pairs, err := caseworld.Pairs(v)
	if err != nil {
		return nil, err
	}
	labels := map[string]int64{}
	for _, p := range pairs {
		name, err := message.Text(p[0])
		if err != nil {
			return nil, err
		}
		if labels[name], err = message.Int(p[1], math.MinInt64, math.MaxInt64); err != nil {
			return nil, err
		}
	}
	return labels, nil
}

func compatServerType(deployType string, serverType pysem.OptString) (string, error) {
	t, err := agentconfig.NewDeployType(deployType)
	if err != nil {
		return "", err
	}
	return t.CompatServerType(serverType)
}

// deployType compares a deploy type as DeployType.__eq__ does. A deploy type equals its own text in
// upper or lower case and an equal deploy type, and nothing else.
func deployType(word string) (any, error) {
	t, err := agentconfig.NewDeployType(word)
	if err != nil {
		return nil, err
	}
	return caseworld.Object("str", string(t), "eq_lower", string(t) == pysem.Lower(word), "eq_raw", string(t) == word,
		"eq_self", true, "eq_none", false, "in_set", t == agentconfig.DeployPS || t == agentconfig.DeployMixed), nil
}

func (c *call) baseCommand(conf *agentconfig.AgentConfig) (any, error) {
	cmd, port, err := agent.CmdAndPort(c.Env, conf, c.In.OptStr("conf_path"), c.In.OptStr("server_type"), c.In.OptStr("config_file"))
	return caseworld.Object("cmd", cmd, "port", port), err
}
