package gotestee

import (
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// dataDefOps holds the operations of section 6 of the protocol, on data_def.py and the data classes
// of backends.py.
var dataDefOps = merge(
	classOps("data_def.ModelMeta", datadef.DefaultModelMeta, datadef.ParseModelMeta),
	classOps("data_def.ResourceSpec", datadef.DefaultResourceSpec, datadef.ParseResourceSpec),
	classOps("data_def.PublishMeta", datadef.DefaultPublishMeta, datadef.ParsePublishMeta),
	classOps("data_def.ReplicaMeta", datadef.DefaultReplicaMeta, datadef.ParseReplicaMeta),
	classOps("data_def.Event", datadef.DefaultEvent, datadef.ParseEvent),
	classOps("backends.SavedModelDeployConfig", zero[datadef.SavedModelDeployConfig], datadef.ParseSavedModelDeployConfig),
	classOps("backends.ContainerServiceInfo", zero[datadef.ContainerServiceInfo], datadef.ParseContainerServiceInfo),
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

// dataObject is a pointer to a data class, with the methods that all of them have.
type dataObject[T any] interface {
	*T
	Set(name string, value any) error
	Fields() []dataclass.Field
	Serialize() []byte
	Equal(*T) bool
}

// classOps returns the two operations of every data class, serialize and deserialize.
func classOps[T any, P dataObject[T]](class string, defaults func() T, parse func([]byte) (T, error)) table {
	return table{
		class + ".serialize": func(c *call) (any, error) {
			v, err := dataOf[T, P](c.In, defaults)
			if err != nil {
				return nil, err
			}
			data := P(&v).Serialize()
			back, err := parse(data)
			if err != nil {
				failed := caseworld.Attempt(nil, err)
				return caseworld.Object("serialized", data, "roundtrip", failed, "roundtrip_equal", failed), nil
			}
			return caseworld.Object("serialized", data, "roundtrip", caseworld.Attempt(P(&back).Fields(), nil),
				"roundtrip_equal", caseworld.Attempt(P(&back).Equal(&v), nil)), nil
		},
		class + ".deserialize": func(c *call) (any, error) {
			v, err := parse(c.In.Bytes("serialized"))
			if err != nil {
				return nil, err
			}
			return caseworld.Object("fields", P(&v).Fields(), "reserialized", caseworld.Attempt(P(&v).Serialize(), nil)), nil
		},
	}
}

// members maps names of enum members to their values. They occur in the fields ptype and etype.
var members = map[string]int{
	"LOAD": int(datadef.PublishLoad), "UNLOAD": int(datadef.PublishUnload),
	"PORTAL": int(datadef.EventPortal), "SERVICE": int(datadef.EventService), "PUBLISH": int(datadef.EventPublish),
	"RESOURCE": int(datadef.EventResource), "UNKNOWN": int(datadef.EventUnknown),
}

// dataOf makes an object of a data class. Keyword arguments replace the default values.
func dataOf[T any, P dataObject[T]](a caseworld.Arguments, defaults func() T) (T, error) {
	v := defaults()
	for _, item := range a.Fields() {
		value := item.Value
		if name, ok := value.(string); ok && (item.Name == "ptype" || item.Name == "etype") {
			if value, ok = members[name]; !ok {
				a.Wrong(item.Name, "the name of an enum member")
			}
		}
		if err := P(&v).Set(item.Name, value); err != nil {
			return v, err
		}
	}
	return v, nil
}

// pathArgument returns the i-th positional argument of get_path, counted from 0.
func (c *call) pathArgument(i int) string {
	args := c.In.List("args")
	if i >= len(args) {
		caseworld.BadCasef("in.args: found %d arguments, want %d", len(args), i+1)
	}
	s, ok := args[i].(string)
	if !ok {
		caseworld.BadCasef("in.args[%d]: found %s, want a string", i, pysem.Repr(args[i]))
	}
	return s
}

func (c *call) modelMetaPath() (any, error) {
	m, err := dataOf[datadef.ModelMeta](c.In.Object("self"), datadef.DefaultModelMeta)
	if err != nil {
		return nil, err
	}
	path, err := m.GetPath(c.pathArgument(0))
	return path, err
}

func (c *call) resourceSpecPath() (any, error) {
	m, err := dataOf[datadef.ResourceSpec](c.In.Object("self"), datadef.DefaultResourceSpec)
	return m.GetPath(c.pathArgument(0)), err
}

func (c *call) publishMetaPath() (any, error) {
	m, err := dataOf[datadef.PublishMeta](c.In.Object("self"), datadef.DefaultPublishMeta)
	return m.GetPath(c.pathArgument(0)), err
}

func (c *call) replicaMetaPath() (any, error) {
	m, err := dataOf[datadef.ReplicaMeta](c.In.Object("self"), datadef.DefaultReplicaMeta)
	if err != nil {
		return nil, err
	}
	sep := "/"
	if len(c.In.List("args")) > 1 {
		sep = c.pathArgument(1)
	}
	path, err := m.GetPath(c.pathArgument(0), sep)
	return path, err
}

func (c *call) replicaMetaAddress() (any, error) {
	m, err := dataOf[datadef.ReplicaMeta](c.In.Object("self"), datadef.DefaultReplicaMeta)
	if err != nil {
		return nil, err
	}
	out := caseworld.Object()
	for _, archon := range []bool{false, true} {
		prefix := "grpc-"
		if archon {
			prefix = "archon-"
		}
		for _, family := range []string{"ipv4", "ipv6", "IPV4", "None"} {
			out.Set(prefix+family, caseworld.Attempt(m.GetAddress(archon, family)))
		}
	}
	return out, nil
}

func (c *call) enums() (any, error) {
	pairs := func(types ...datadef.EventType) []any {
		return lists.Map(types, func(e datadef.EventType) any { return []any{e.String(), int(e)} })
	}
	aliases := []any{}
	for _, m := range []struct {
		name  string
		value datadef.EventType
	}{
		{"PORTAL", datadef.EventPortal}, {"SERVICE", datadef.EventService}, {"PUBLISH", datadef.EventPublish},
		{"RESOURCE", datadef.EventResource}, {"UNKNOWN", datadef.EventUnknown},
	} {
		aliases = append(aliases, []any{m.name, m.value.String()})
	}
	return caseworld.Object(
		"PublishType", []any{[]any{datadef.PublishLoad.String(), int(datadef.PublishLoad)}, []any{datadef.PublishUnload.String(), int(datadef.PublishUnload)}},
		"EventType", pairs(datadef.EventPortal, datadef.EventService, datadef.EventPublish, datadef.EventResource),
		"EventType.members", aliases,
		"default_event", caseworld.Raw{V: caseworld.Encode(datadef.DefaultEvent().EType)}), nil
}

// twoTexts returns the two positional arguments as texts, formatted as in a Python f-string.
func (c *call) twoTexts() (string, string) {
	args := c.In.List("args")
	if len(args) != 2 {
		caseworld.BadCasef("in.args: found %d arguments, want 2", len(args))
	}
	return pysem.Str(args[0]), pysem.Str(args[1])
}

func (c *call) savedModelText() (any, error) {
	model, graph := c.twoTexts()
	text := datadef.SavedModel{ModelName: model, SubGraph: graph}.String()
	return caseworld.Object("str", text, "repr", text), nil
}

func (c *call) containerText() (any, error) {
	cluster, id := c.twoTexts()
	text := datadef.Container{Cluster: cluster, ID: id}.String()
	return caseworld.Object("str", text, "repr", text), nil
}
