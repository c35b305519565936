package gotestee

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/pysem"
)

// dataDefOps are section 6 of the protocol: data_def.py and the values of
// backends.py.
var dataDefOps = merge(
	classOps("data_def.ModelMeta", agent.DefaultModelMeta, agent.ParseModelMeta),
	classOps("data_def.ResourceSpec", agent.DefaultResourceSpec, agent.ParseResourceSpec),
	classOps("data_def.PublishMeta", agent.DefaultPublishMeta, agent.ParsePublishMeta),
	classOps("data_def.ReplicaMeta", agent.DefaultReplicaMeta, agent.ParseReplicaMeta),
	classOps("data_def.Event", agent.DefaultEvent, agent.ParseEvent),
	classOps("backends.SavedModelDeployConfig", zero[agent.SavedModelDeployConfig], agent.ParseSavedModelDeployConfig),
	classOps("backends.ContainerServiceInfo", zero[agent.ContainerServiceInfo], agent.ParseContainerServiceInfo),
	table{
		"data_def.ModelMeta.get_path":      (*call).modelMetaPath,
		"data_def.ResourceSpec.get_path":   (*call).resourceSpecPath,
		"data_def.PublishMeta.get_path":    (*call).publishMetaPath,
		"data_def.ReplicaMeta.get_path":    (*call).replicaMetaPath,
		"data_def.ReplicaMeta.get_address": (*call).replicaMetaAddress,
		"data_def.enums":                   (*call).enums,
		"backends.SavedModel":              (*call).savedModelText,
		"backends.Container":               (*call).containerText,
	},
)

func zero[T any]() T {
	var v T
	return v
}

// dataObject is what all data definitions have.
type dataObject[T any] interface {
	*T
	Set(name string, value any) error
	Fields() []agent.Field
	Serialize() []byte
	Equal(*T) bool
}

// classOps are the two operations that every class has.
func classOps[T any, P dataObject[T]](class string, defaults func() T, parse func([]byte) (T, error)) table {
	return table{
		class + ".serialize": func(c *call) (any, error) {
			v, err := dataOf[T, P](c.in, defaults)
			if err != nil {
				return nil, err
			}
			data := P(&v).Serialize()
			back, err := parse(data)
			if err != nil {
				failed := attempt(nil, err)
				return object("serialized", data, "roundtrip", failed, "roundtrip_equal", failed), nil
			}
			return object("serialized", data, "roundtrip", attempt(P(&back).Fields(), nil),
				"roundtrip_equal", attempt(P(&back).Equal(&v), nil)), nil
		},
		class + ".deserialize": func(c *call) (any, error) {
			v, err := parse(c.in.bytes("serialized"))
			if err != nil {
				return nil, err
			}
			return object("fields", P(&v).Fields(), "reserialized", attempt(P(&v).Serialize(), nil)), nil
		},
	}
}

// members are the enum members by which ptype and etype are given.
var members = map[string]int{
	"LOAD": int(agent.PublishLoad), "UNLOAD": int(agent.PublishUnload),
	"PORTAL": int(agent.EventPortal), "SERVICE": int(agent.EventService), "PUBLISH": int(agent.EventPublish),
	"RESOURCE": int(agent.EventResource), "UNKNOWN": int(agent.EventUnknown),
}

// dataOf makes an object of keyword arguments.
func dataOf[T any, P dataObject[T]](a arguments, defaults func() T) (T, error) {
	v := defaults()
	for _, item := range a.Items {
		value := item.Value
		if name, ok := value.(string); ok && (item.Key == "ptype" || item.Key == "etype") {
			if value, ok = members[name]; !ok {
				a.wrong(item.Key, "the name of an enum member")
			}
		}
		if err := P(&v).Set(item.Key, value); err != nil {
			return v, err
		}
	}
	return v, nil
}

// pathArgument is positional argument i of get_path.
func (c *call) pathArgument(i int) string {
	args := c.in.list("args")
	if i >= len(args) {
		badCasef("in.args: found %d arguments, want %d", len(args), i+1)
	}
	s, ok := args[i].(string)
	if !ok {
		badCasef("in.args[%d]: found %s, want a string", i, pysem.Repr(args[i]))
	}
	return s
}

func (c *call) modelMetaPath() (any, error) {
	m, err := dataOf[agent.ModelMeta](c.in.object("self"), agent.DefaultModelMeta)
	if err != nil {
		return nil, err
	}
	path, err := m.GetPath(c.pathArgument(0))
	return path, err
}

func (c *call) resourceSpecPath() (any, error) {
	m, err := dataOf[agent.ResourceSpec](c.in.object("self"), agent.DefaultResourceSpec)
	return m.GetPath(c.pathArgument(0)), err
}

func (c *call) publishMetaPath() (any, error) {
	m, err := dataOf[agent.PublishMeta](c.in.object("self"), agent.DefaultPublishMeta)
	return m.GetPath(c.pathArgument(0)), err
}

func (c *call) replicaMetaPath() (any, error) {
	m, err := dataOf[agent.ReplicaMeta](c.in.object("self"), agent.DefaultReplicaMeta)
	if err != nil {
		return nil, err
	}
	sep := "/"
	if len(c.in.list("args")) > 1 {
		sep = c.pathArgument(1)
	}
	path, err := m.GetPath(c.pathArgument(0), sep)
	return path, err
}

func (c *call) replicaMetaAddress() (any, error) {
	m, err := dataOf[agent.ReplicaMeta](c.in.object("self"), agent.DefaultReplicaMeta)
	if err != nil {
		return nil, err
	}
	out := object()
	for _, archon := range []bool{false, true} {
		prefix := "grpc-"
		if archon {
			prefix = "archon-"
		}
		for _, family := range []string{"ipv4", "ipv6", "IPV4", "None"} {
			addr, err := m.GetAddress(archon, family)
			out.Set(prefix+family, attempt(addr, err))
		}
	}
	return out, nil
}

func (c *call) enums() (any, error) {
	pairs := func(types ...agent.EventType) []any {
		list := []any{}
		for _, e := range types {
			list = append(list, []any{e.String(), int(e)})
		}
		return list
	}
	aliases := []any{}
	for _, m := range []struct {
		name  string
		value agent.EventType
	}{
		{"PORTAL", agent.EventPortal}, {"SERVICE", agent.EventService}, {"PUBLISH", agent.EventPublish},
		{"RESOURCE", agent.EventResource}, {"UNKNOWN", agent.EventUnknown},
	} {
		aliases = append(aliases, []any{m.name, m.value.String()})
	}
	return object(
		"PublishType", []any{[]any{agent.PublishLoad.String(), int(agent.PublishLoad)}, []any{agent.PublishUnload.String(), int(agent.PublishUnload)}},
		"EventType", pairs(agent.EventPortal, agent.EventService, agent.EventPublish, agent.EventResource),
		"EventType.members", aliases,
		"default_event", raw{encode(agent.DefaultEvent().EType)}), nil
}

// twoTexts are the two positional arguments as f-strings show them.
func (c *call) twoTexts() (string, string) {
	args := c.in.list("args")
	if len(args) != 2 {
		badCasef("in.args: found %d arguments, want 2", len(args))
	}
	return pysem.Str(args[0]), pysem.Str(args[1])
}

func (c *call) savedModelText() (any, error) {
	model, graph := c.twoTexts()
	text := agent.SavedModel{ModelName: model, SubGraph: graph}.String()
	return object("str", text, "repr", text), nil
}

func (c *call) containerText() (any, error) {
	cluster, id := c.twoTexts()
	text := agent.Container{Cluster: cluster, ID: id}.String()
	return object("str", text, "repr", text), nil
}
