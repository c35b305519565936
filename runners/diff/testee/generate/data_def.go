package generate

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genDataDef invents for section 6 of the protocol.
var genDataDef = dataDefGenerators()

// field is a field of a data class with a usual value.
type field struct {
	name  string
	value func(d *draws) any
}

func anyWord(d *draws) any  { return word(d) }
func anyInt(d *draws) any   { return integer(d) }
func anyFloat(d *draws) any { return float(d) }
func anyFlag(d *draws) any  { return d.flip(2) }
func anyState(d *draws) any { return pick(d, 30, 0, 10, 20, 40, 50, 99) }
func anyAddr(d *draws) any {
	return pick(d, "h:1", "10.0.0.1:80", "0.0.0.0:5", "[::]:5", "[fd00::1]:9", "", ":", "h", "::1", "localhost:3")
}

var dataClasses = []struct {
	name   string
	fields []field
}{
	{"data_def.ModelMeta", []field{{"model_name", anyWord}, {"model_dir", anyWord}, {"ckpt", anyWord}, {"num_shard", anyInt},
		{"action", func(d *draws) any { return pick(d, "NONE", "CREATED", "x") }},
		{"spec_replicas", func(d *draws) any { return list(d, 3, func() any { return smallInt(d) }) }}}},
	{"data_def.ResourceSpec", []field{{"address", anyAddr}, {"shard_id", anyInt}, {"replica_id", anyInt}, {"memory", anyInt},
		{"cpu", anyFloat}, {"network", anyFloat}, {"work_load", anyFloat}}},
	{"data_def.PublishMeta", []field{{"shard_id", anyInt}, {"replica_id", anyInt}, {"model_name", anyWord}, {"num_ps", anyInt},
		{"total_publish_num", anyInt}, {"sub_models", anySubModels}, {"ptype", func(d *draws) any { return pick(d, "LOAD", "UNLOAD") }}, {"is_spec", anyFlag}}},
	{"data_def.ReplicaMeta", replicaFields},
	{"data_def.Event", []field{{"path", anyWord}, {"data", func(d *draws) any { return someBytes(d) }},
		{"etype", func(d *draws) any { return pick(d, "PORTAL", "SERVICE", "PUBLISH", "RESOURCE", "UNKNOWN") }}}},
	{"backends.SavedModelDeployConfig", []field{{"model_base_path", anyWord}, {"version_policy", anyWord}}},
	{"backends.ContainerServiceInfo", serviceFields},
}

var replicaFields = []field{{"address", anyAddr}, {"address_ipv6", anyAddr}, {"stat", anyState}, {"model_name", anyWord}, {"server_type", anyWord},
	{"task", anyInt}, {"replica", anyInt}, {"archon_address", anyAddr}, {"archon_address_ipv6", anyAddr}}

var serviceFields = []field{{"grpc", anyAddr}, {"http", anyAddr}, {"archon", anyAddr}, {"agent", anyAddr}, {"idc", anyWord}, {"debug_info", anyWord}}

func anySubModels(d *draws) any {
	m := dict()
	for range d.length(4) {
		m.Set(pick(d, "entry", "ps_0", "ps_1", "ps_12", "dense_0", "模", ""), pick(d, "/exp/x/7", "/x/1", "", "/a/b/c/100", "7", "/x/y"))
	}
	return m
}

// fieldsOf draws some of the fields, seldom with a value of another type.
func fieldsOf(d *draws, fields []field) *pysem.Dict {
	o := dict()
	for _, f := range fields {
		if d.flip(2) {
			continue
		}
		value := f.value(d)
		if d.flip(15) && f.name != "ptype" && f.name != "etype" && f.name != "data" && f.name != "sub_models" {
			value = anything(d)
		}
		o.Set(f.name, value)
	}
	return o
}

func dataDefGenerators() map[string]generator {
	all := map[string]generator{
		"data_def.enums": func(*draws, *testee.Case) {},
		"data_def.ReplicaMeta.get_address": func(d *draws, c *testee.Case) {
			c.In = dict("self", fieldsOf(d, replicaFields))
		},
		"backends.SavedModel": twoArguments,
		"backends.Container":  twoArguments,
	}
	for _, class := range dataClasses {
		all[class.name+".serialize"] = func(d *draws, c *testee.Case) { c.In = fieldsOf(d, class.fields) }
		all[class.name+".deserialize"] = func(d *draws, c *testee.Case) {
			c.In = dict("serialized", hexBytes(serialized(d, class.fields)))
		}
		if strings.HasPrefix(class.name, "data_def.") && class.name != "data_def.Event" {
			all[class.name+".get_path"] = func(d *draws, c *testee.Case) {
				c.In = dict("self", fieldsOf(d, class.fields), "args", []any{pick(d, "/b/x", "b", "", "/", "/b/x/")})
			}
		}
	}
	return all
}

func twoArguments(d *draws, c *testee.Case) { c.In = dict("args", []any{word(d), word(d)}) }

// serialized is a JSON text as a decoder may meet it.
func serialized(d *draws, fields []field) string {
	if d.flip(6) {
		return pick(d, "", "null", "[]", "1", "{", "{}", "\"x\"", " {} ", "{\"a\":1,}", "\xff", "\ufeff{}", "nul", "{\"a\":NaN}", "{'a':1}", "[{}]", "{} x")
	}
	var b strings.Builder
	b.WriteString("{")
	n := 0
	for _, f := range fields {
		if d.flip(3) {
			continue
		}
		if n++; n > 1 {
			b.WriteString(pick(d, ", ", ",", " ,\n"))
		}
		b.WriteString(`"` + f.name + `"` + pick(d, ": ", ":", " : ") + jsonValue(d))
		if d.flip(15) {
			b.WriteString(`, "` + f.name + `": ` + jsonValue(d))
		}
	}
	if d.flip(6) {
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`"unknown": ` + jsonValue(d))
	}
	b.WriteString("}")
	return b.String()
}

func jsonValue(d *draws) string {
	return pick(d, "null", "1", `"x"`, "0", "-1", "1.0", "1.5", "true", "false", `""`, "[]", "{}", "2", "3", "30", `"1"`, "[1, 2]", `{"entry": "/x/1"}`, `["a"]`,
		`"\u6a21"`, `"\ud83d"`, `"\ud83d\ude00"`, "1e400", "-0.0", "NaN", "-Infinity", "12345678901234567890", `"{\"a\": 1}"`, `"h:1"`, "1E2", `"\n\t\""`, "[null]", `"模"`)
}
