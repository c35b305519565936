package catalogue

import "strings"

// dataDefOps declares the operations on data_def.py and on the data classes of backends.py.
var dataDefOps = dataClassOps()

// field is a field of a data class with its usual value.
type field struct {
	name  string
	value any
}

var (
	anyAddr = oneOf("h:1", "10.0.0.1:80", "0.0.0.0:5", "[::]:5", "[fd00::1]:9", "", ":", "h", "::1", "localhost:3")
	anyPart = entries(4, oneOf("entry", "ps_0", "ps_1", "ps_12", "dense_0", "模", ""), oneOf("/exp/x/7", "/x/1", "", "/a/b/c/100", "7", "/x/y"))
)

var dataClasses = []struct {
	name   string
	fields []field
}{
	{"data_def.ModelMeta", []field{{"model_name", word}, {"model_dir", word}, {"ckpt", word}, {"num_shard", integer}, {"action", oneOf("NONE", "CREATED", "x")},
		{"spec_replicas", some(3, smallInt)}}},
	{"data_def.ResourceSpec", []field{{"address", anyAddr}, {"shard_id", integer}, {"replica_id", integer}, {"memory", integer},
		{"cpu", float}, {"network", float}, {"work_load", float}}},
	{"data_def.PublishMeta", []field{{"shard_id", integer}, {"replica_id", integer}, {"model_name", word}, {"num_ps", integer},
		{"total_publish_num", integer}, {"sub_models", anyPart}, {"ptype", oneOf("LOAD", "UNLOAD")}, {"is_spec", either}}},
	{"data_def.ReplicaMeta", replicaFields},
	{"data_def.Event", []field{{"path", word}, {"data", someBytes}, {"etype", oneOf("PORTAL", "SERVICE", "PUBLISH", "RESOURCE", "UNKNOWN")}}},
	{"backends.SavedModelDeployConfig", []field{{"model_base_path", word}, {"version_policy", word}}},
	{"backends.ContainerServiceInfo", serviceFields},
}

var replicaFields = []field{{"address", anyAddr}, {"address_ipv6", anyAddr}, {"stat", oneOf(30, 0, 10, 20, 40, 50, 99)}, {"model_name", word}, {"server_type", word},
	{"task", integer}, {"replica", integer}, {"archon_address", anyAddr}, {"archon_address_ipv6", anyAddr}}

var serviceFields = []field{{"grpc", anyAddr}, {"http", anyAddr}, {"archon", anyAddr}, {"agent", anyAddr}, {"idc", word}, {"debug_info", word}}

// fieldsOf returns the template of an object with some of the fields. Seldom a value has another
// type.
func fieldsOf(fields []field) object {
	var o object
	for _, f := range fields {
		value := f.value
		switch f.name {
		case "ptype", "etype", "data", "sub_models":
		default:
			value = seldom(15, anything, value)
		}
		o = append(o, f.name+"!2", value)
	}
	return o
}

func dataClassOps() operations {
	all := operations{
		"data_def.enums":                   in(),
		"data_def.ReplicaMeta.get_address": in("self", fieldsOf(replicaFields)),
		"backends.SavedModel":              in("args (positional)", []any{word, word}),
		"backends.Container":               in("args (positional)", []any{word, word}),
	}
	for _, class := range dataClasses {
		all[class.name+".serialize"] = in(fieldsOf(class.fields)...)
		all[class.name+".deserialize"] = in("serialized (bytes)", func(d *draws) any { return hexBytes(serialized(d, class.fields)) })
		if strings.HasPrefix(class.name, "data_def.") && class.name != "data_def.Event" {
			all[class.name+".get_path"] = in("self (keyword arguments)", fieldsOf(class.fields), "args (positional)", []any{oneOf("/b/x", "b", "", "/", "/b/x/")})
		}
	}
	return all
}

// serialized draws a JSON text for a decoder, complete or damaged.
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
