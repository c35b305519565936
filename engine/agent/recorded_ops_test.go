package agent

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// value is an argument of the case.
func (r *caseRunner) value(name string) any { return item(r.in, name) }

func (r *caseRunner) str(name string) string {
	s, _ := r.value(name).(string)
	return s
}

func (r *caseRunner) optString(name string) OptString {
	s, ok := r.value(name).(string)
	return OptString{V: s, Set: ok}
}

func (r *caseRunner) fromFile() (*AgentConfig, error) { return FromFile(r.env, r.str("fname")) }

// answer does an operation of the protocol.
func (r *caseRunner) answer(op string) (any, error) {
	switch op {
	case "utils.conf_parser":
		return r.confParser()
	case "utils.AgentConfig.from_file":
		return r.dump(r.fromFile())
	case "utils.AgentConfig":
		var fields []Field
		for _, f := range r.value("kwargs").(*pysem.Dict).Items {
			fields = append(fields, Field{Name: f.Key, Value: f.Value})
		}
		return r.dump(NewConfig(r.env, fields...))
	case "utils.AgentConfig.get_cmd_and_port":
		return r.command()
	case "utils.AgentConfig._gen_model_server_config":
		return r.modelServerConfig()
	case "utils.AgentConfig.get_server_schedule_iter":
		return r.schedule()
	case "utils.AgentConfig.generate_platform_config_file":
		return r.platformConfig()
	case "utils.ZKPath":
		return r.zkPath(), nil
	case "utils.normalize_regex":
		return NormalizeRegex(r.str("pattern_str")), nil
	case "utils.expand_pattern":
		names, err := ExpandPattern(r.str("pattern_str"), Python)
		return r.encode(names), err
	case "utils.parse_pattern":
		pieces := []any{}
		for _, p := range ParsePattern(r.str("pattern_str"), r.str("lp"), r.str("rp")) {
			pieces = append(pieces, []any{p.Text, p.Name.Any()})
		}
		return pieces, nil
	case "utils.gen_model_spec":
		spec, err := GenModelSpec(r.str("name"), r.value("version"), r.optString("signature_name"))
		return r.message(spec, err)
	case "utils.gen_model_config":
		return r.modelConfig()
	case "utils.pasre_sub_model_name":
		name, index, err := ParseSubModelName(r.optString("sub_model_name"))
		return []any{name, index}, err
	case "utils.DeployType.compat_server_type":
		t, err := NewDeployType(r.str("deploy_type"))
		if err != nil {
			return nil, err
		}
		return t.CompatServerType(r.optString("server_type"))
	case "utils.DeployType":
		t, err := NewDeployType(r.str("dtype"))
		return object("str", string(t), "eq_lower", string(t) == strings.ToLower(r.str("dtype")),
			"eq_raw", string(t) == r.str("dtype"), "eq_self", true, "eq_none", false,
			"in_set", t == DeployPS || t == DeployMixed), err
	case "utils.replica_id_from_pod_name":
		return r.encode(replicaIDFromPodName(r.env)), nil
	case "utils.get_local_ip":
		return LocalIP(r.env), nil
	case "zk_utils.is_ipv6_only":
		return object("ipv6_only", IsIPv6Only(r.env), "default", DefaultZKServers(), "default_v6", DefaultZKServers()), nil
	case "backends.SavedModel":
		args := r.value("args").([]any)
		text := SavedModel{ModelName: pysem.Str(args[0]), SubGraph: pysem.Str(args[1])}.String()
		return object("str", text, "repr", text), nil
	case "backends.Container":
		args := r.value("args").([]any)
		text := Container{Cluster: pysem.Str(args[0]), ID: pysem.Str(args[1])}.String()
		return object("str", text, "repr", text), nil
	case "data_def.enums":
		return enums(), nil
	case "data_def.ReplicaMeta.get_address":
		return r.address()
	}
	if fn, ok := toolOps[op]; ok {
		return fn(r)
	}
	class, action, _ := cutLast(op, ".")
	return r.dataClass(class, action)
}

func cutLast(text, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(text, sep)
	return text[:i], text[i+len(sep):], i >= 0
}

func (r *caseRunner) message(m proto.Message, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return r.encode(m), nil
}

func (r *caseRunner) confParser() (any, error) {
	var args pysem.Dict
	if err := ParseConf(r.files, r.str("file_name"), &args, Python); err != nil {
		return nil, err
	}
	pairs := []any{}
	for _, a := range args.Items {
		pairs = append(pairs, []any{a.Key, a.Value})
	}
	return object("args", r.encode(pairs)), nil
}

func (r *caseRunner) dump(c *AgentConfig, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	fields := r.encode(c.Fields()).(*pysem.Dict)
	file, _ := c.Get("model_config_file")
	fields.Set("model_config_file", file)
	shards, shardsErr := c.NumTCEShard()
	shard, shardErr := c.ShardID()
	prefix, prefixErr := c.PathPrefix()
	layout, layoutErr := c.LayoutPath()
	properties := object(
		"num_tce_shard", r.attempt(exactShards(r.host, shards), shardsErr), "shard_id", r.attempt(shard, shardErr),
		"idc", r.attempt(c.IDC(), nil), "cluster", r.attempt(c.Cluster(), nil), "location", r.attempt(c.Location(), nil),
		"path_prefix", r.attempt(prefix, prefixErr), "layout_path", r.attempt(layout, layoutErr),
		"container_cluster", r.attempt(c.ContainerCluster(), nil), "container_id", r.attempt(c.ContainerID(), nil))
	return object("fields", fields, "properties", properties), nil
}

// exactShards undoes the saturation of a number beyond int64.
func exactShards(h *caseHost, shards int) any {
	if text, ok := h.vars[hostShardEnv]; ok {
		if n, err := pysem.ParseInt(text); err == nil {
			return pysem.Int(n)
		}
	}
	return shards
}

func (r *caseRunner) command() (any, error) {
	c, err := r.fromFile()
	if err != nil {
		return nil, err
	}
	cmd, port, err := c.CmdAndPort(r.str("binary"), r.optString("server_type"), r.optString("config_file"))
	if err != nil {
		return nil, err
	}
	words := strings.Split(cmd, " ")
	out := object("cmd", r.encode(cmd), "binary", words[0], "flags", r.encode(words[1:]), "port", r.encode(port))
	if !r.optString("config_file").Set {
		path := strings.TrimPrefix(words[1], "--model_config_file=")
		out.Set("model_config_text", string(r.files.content[path]))
	}
	return out, nil
}

func (r *caseRunner) modelServerConfig() (any, error) {
	c, err := r.fromFile()
	if err != nil {
		return nil, err
	}
	m, err := c.ModelServerConfig(r.optString("server_type"))
	if err != nil {
		return nil, err
	}
	names := []any{}
	for _, mc := range m.GetModelConfigList().GetConfig() {
		names = append(names, mc.Name)
	}
	return object("names", names, "config", r.encode(m)), nil
}

func (r *caseRunner) schedule() (any, error) {
	c, err := r.fromFile()
	if err != nil {
		return nil, err
	}
	tasks, err := c.ServerSchedule(r.str("server_type"))
	return object("items", r.encode(anyList(tasks))), err
}

func (r *caseRunner) platformConfig() (any, error) {
	c, err := r.fromFile()
	if err != nil {
		return nil, err
	}
	m, err := c.platformConfig()
	return object("text", string(r.files.content[caseDir+"/p.cfg"]), "message", r.encode(m)), err
}

func (r *caseRunner) zkPath() any {
	p := ParseZKPath(r.str("path"))
	out := object("bzid", p.Bzid, "base_name", p.BaseName, "idc", p.IDC, "cluster", p.Cluster,
		"server_type", p.ServerType, "index", p.Index, "replica_id", p.ReplicaID, "task", p.Task(), "location", p.Location())
	none, some := OptString{}, pysem.Some[string]
	for _, s := range []struct {
		name         string
		idc, cluster OptString
	}{
		{"none", none, none}, {"idc-none", some("lf"), none}, {"cluster-none", none, some("def")},
		{"lf-def", some("lf"), some("def")}, {"lf-c", some("lf"), some("c")}, {"lf-1", some("lf"), some("1")},
		{"empty", some(""), some("")}, {"LQ-Default-2", some("LQ"), some("Default-2")},
	} {
		out.Set("ship_in:"+s.name, p.ShipIn(s.idc, s.cluster))
	}
	attempts := &pysem.Dict{}
	for _, x := range out.Items {
		attempts.Set(x.Key, r.attempt(x.Value, nil))
	}
	return attempts
}

func (r *caseRunner) modelConfig() (any, error) {
	args := ModelConfigArgs{
		Name: r.str("name"), BasePath: r.optString("base_path"),
		VersionPolicy: pysem.Some("latest"), VersionData: 1, ModelPlatform: r.optString("model_platform"),
	}
	if _, ok := r.in.Get("version_policy"); ok {
		args.VersionPolicy = r.optString("version_policy")
	}
	switch v := r.value("version_data").(type) {
	case int:
		args.VersionData = v
	case []any:
		args.Versions, _ = typedList[int](v)
	}
	if labels, ok := r.value("version_labels").(*pysem.Dict); ok {
		args.VersionLabels = map[string]int64{}
		for _, l := range labels.Items {
			args.VersionLabels[l.Key] = int64(l.Value.(int))
		}
	}
	m, err := GenModelConfig(args)
	return r.message(m, err)
}

func enums() any {
	pairs := func(types ...EventType) []any {
		list := []any{}
		for _, e := range types {
			list = append(list, []any{e.String(), int(e)})
		}
		return list
	}
	members := []any{}
	for _, m := range []struct {
		name  string
		value EventType
	}{{"PORTAL", EventPortal}, {"SERVICE", EventService}, {"PUBLISH", EventPublish}, {"RESOURCE", EventResource}, {"UNKNOWN", EventUnknown}} {
		members = append(members, []any{m.name, m.value.String()})
	}
	event := DefaultEvent().EType
	return object(
		"PublishType", []any{[]any{PublishLoad.String(), int(PublishLoad)}, []any{PublishUnload.String(), int(PublishUnload)}},
		"EventType", pairs(EventPortal, EventService, EventPublish, EventResource),
		"EventType.members", members,
		"default_event", object("$enum", "EventType", "name", event.String(), "value", int(event)))
}

func (r *caseRunner) address() (any, error) {
	m := DefaultReplicaMeta()
	for _, f := range r.value("self").(*pysem.Dict).Items {
		if err := m.Set(f.Key, f.Value); err != nil {
			return nil, err
		}
	}
	out := &pysem.Dict{}
	for _, archon := range []bool{false, true} {
		for _, family := range []string{"ipv4", "ipv6", "IPV4", "None"} {
			prefix := map[bool]string{false: "grpc-", true: "archon-"}[archon]
			addr, err := m.GetAddress(archon, family)
			out.Set(prefix+family, r.attempt(addr, err))
		}
	}
	return out, nil
}

// dataObject is what all data definitions have.
type dataObject interface {
	Set(name string, value any) error
	Fields() []Field
	Serialize() []byte
}

func (r *caseRunner) dataClass(class, action string) (any, error) {
	switch class {
	case "data_def.ModelMeta":
		return dataAnswer(r, action, &modelMetaClass, func(m *ModelMeta, args []any) (any, error) {
			return m.GetPath(args[0].(string))
		})
	case "data_def.ResourceSpec":
		return dataAnswer(r, action, &resourceSpecClass, func(m *ResourceSpec, args []any) (any, error) {
			return m.GetPath(args[0].(string)), nil
		})
	case "data_def.PublishMeta":
		return dataAnswer(r, action, &publishMetaClass, func(m *PublishMeta, args []any) (any, error) {
			return m.GetPath(args[0].(string)), nil
		})
	case "data_def.ReplicaMeta":
		return dataAnswer(r, action, &replicaMetaClass, func(m *ReplicaMeta, args []any) (any, error) {
			sep := "/"
			if len(args) > 1 {
				sep = args[1].(string)
			}
			return m.GetPath(args[0].(string), sep)
		})
	case "data_def.Event":
		return dataAnswer[Event](r, action, &eventClass, nil)
	case "backends.SavedModelDeployConfig":
		return dataAnswer[SavedModelDeployConfig](r, action, &deployConfigClass, nil)
	case "backends.ContainerServiceInfo":
		return dataAnswer[ContainerServiceInfo](r, action, &serviceInfoClass, nil)
	}
	r.t.Fatalf("unknown operation on %s", class)
	return nil, nil
}

func dataAnswer[T any, P interface {
	*T
	dataObject
	Equal(*T) bool
}](r *caseRunner, action string, class *dataClass[T], path func(P, []any) (any, error)) (any, error) {
	defaults := class.defaults()
	m := P(&defaults)
	switch action {
	case "deserialize":
		parsed, err := class.decode(r.value("serialized").([]byte))
		if err != nil {
			return nil, err
		}
		return object("fields", r.encode(P(parsed).Fields()), "reserialized", r.attempt(P(parsed).Serialize(), nil)), nil
	case "get_path":
		if err := setAll(m, r.value("self").(*pysem.Dict)); err != nil {
			return nil, err
		}
		return path(m, r.value("args").([]any))
	}
	if err := setAll(m, r.in); err != nil {
		return nil, err
	}
	data := m.Serialize()
	parsed, err := class.decode(data)
	if err != nil {
		failed := r.attempt(nil, err)
		return object("serialized", r.encode(data), "roundtrip", failed, "roundtrip_equal", failed), nil
	}
	return object("serialized", r.encode(data), "roundtrip", r.attempt(P(parsed).Fields(), nil),
		"roundtrip_equal", r.attempt(P(parsed).Equal((*T)(m)), nil)), nil
}

// setAll assigns keyword arguments; enum members are given by name.
func setAll(m dataObject, fields *pysem.Dict) error {
	members := map[string]int{"LOAD": 1, "UNLOAD": 2, "PORTAL": 1, "SERVICE": 2, "PUBLISH": 3, "RESOURCE": 4, "UNKNOWN": 1}
	for _, f := range fields.Items {
		value := f.Value
		if name, ok := value.(string); ok && (f.Key == "ptype" || f.Key == "etype") {
			value = members[name]
		}
		if err := m.Set(f.Key, value); err != nil {
			return err
		}
	}
	return nil
}

var _ env.Host = (*caseHost)(nil)
var _ env.Files = (*caseFiles)(nil)
