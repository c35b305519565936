package gotestee_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee"
)

// Goal: an invalid case is answered with what is wrong with it, and the testee goes on. Method: one
// invalid case after another on one testee.

// Goal: a field that the protocol passes on unchecked accepts any value. Method: a value of each
// kind in each such field.
func TestValuesOfAnyKindArePassedOn(t *testing.T) {
	kinds := []string{"null", "true", "7", `{"$f64":"1.5"}`, `{"$int":"9223372036854775808"}`, `"x"`, `"\ud83d"`, `{"$hex":"61"}`, `{"$hex":"ff"}`, "[]", `["x"]`, "{}", `{"a":1}`, `{"$set":["x"]}`}
	const conf = `"config":{"bzid":"b","base_name":"n","deploy_type":"unified","agent_version":3}`
	engine := gotestee.New("test")
	for _, line := range []string{
		`"op":"utils.gen_model_spec","in":{"name":%s}`, `"op":"utils.gen_model_spec","in":{"name":"m","version":%s}`, `"op":"utils.gen_model_spec","in":{"name":"m","signature_name":%s}`,
		`"op":"utils.gen_model_config","in":{"name":%s,"base_path":"/b"}`, `"op":"utils.gen_model_config","in":{"name":"m","base_path":%s}`,
		`"op":"utils.gen_model_config","in":{"name":"m","base_path":"/b","version_policy":%s}`, `"op":"utils.gen_model_config","in":{"name":"m","base_path":"/b","version_data":%s}`,
		`"op":"utils.gen_model_config","in":{"name":"m","base_path":"/b","version_policy":"specific","version_data":[%s]}`,
		`"op":"utils.gen_model_config","in":{"name":"m","base_path":"/b","model_platform":%s}`, `"op":"utils.gen_model_config","in":{"name":"m","base_path":"/b","version_labels":%s}`,
		`"op":"utils.gen_status_proto","in":{"error_code":%s}`, `"op":"utils.gen_status_proto","in":{"error_message":%s}`,
		`"op":"utils.gen_model_version_status","in":{"version":%s}`, `"op":"utils.gen_model_version_status","in":{"version":1,"state":%s}`,
		`"op":"utils.make_tensor_proto","in":{"instances":%s}`, `"op":"utils.make_tensor_proto","in":{"instances":[%s]}`,
		`"op":"agent_service.AgentServiceImpl.v3","in":{` + conf + `,"addrs":{},"calls":[["GetReplicas",{"task":%s}]]}`,
		`"op":"agent_service.AgentServiceImpl.v3","in":{` + conf + `,"addrs":{},"calls":[["GetReplicas",{"model_name":%s}]]}`,
		`"op":"agent_service.AgentServiceImpl.v3","in":{` + conf + `,"addrs":{},"calls":[["HeartBeat",{"nothing":%s}]]}`,
		`"op":"agent_service.AgentServiceImpl.v1","in":{"config":{"bzid":"b","base_name":"n","deploy_type":"ps"},"calls":[["HeartBeat",{"nothing":%s}]]}`, // and no nodes
		`"op":"utils.AgentConfig","in":{"kwargs":{"num_ps":%s}}`, `"op":"data_def.ReplicaMeta.serialize","in":{"address":%s}`,
	} {
		for _, kind := range kinds {
			if kind == `{"$set":["x"]}` && (strings.Contains(line, "kwargs") || strings.Contains(line, "data_def")) {
				continue // a set has no order
			}
			request, err := testee.ParseCase(`{"id":"a","env":{"MY_HOST_IP":"10.1.2.3"},` + strings.ReplaceAll(line, "%s", kind) + `}`)
			if err != nil {
				t.Fatal(err)
			}
			if got := engine.Answer(request); got.Type == testee.BadCaseType || got.Kind == testee.Broken {
				t.Errorf("%s with %s: got %s", line, kind, got)
			}
		}
	}
}

func TestABadCaseIsToldWhatIsWrong(t *testing.T) {
	cases := []struct{ name, line, kind, want string }{
		{"an unknown operation", `{"id":"a","op":"utils.nope","in":{}}`, "skipped", "unknown operation utils.nope"},
		{"a missing argument", `{"id":"a","op":"utils.expand_pattern","in":{}}`, "error", "in.pattern_str: found nothing, want a string"},
		{"an argument of another type", `{"id":"a","op":"utils.expand_pattern","in":{"pattern_str":5}}`, "error", "in.pattern_str: found 5, want a string"},
		{"bytes that are not hexadecimal", `{"id":"a","op":"data_def.Event.deserialize","in":{"serialized":{"$hex":"zz"}}}`, "error", `found $hex "zz", want hexadecimal`},
		{"a float that is none", `{"id":"a","op":"utils.AgentConfig","in":{"kwargs":{"x":{"$f64":"abc"}}}}`, "error", `found $f64 "abc", want a float`},
		{"an unknown step", `{"id":"a","op":"mocked_zkclient.sequence","in":{"ops":[["fly",{}]]}}`, "error", `found the step "fly"`},
		{"a step that is no pair", `{"id":"a","op":"mocked_zkclient.sequence","in":{"ops":["start"]}}`, "error", "want a list of [name, arguments]"},
		{"an unknown entry of the host", `{"id":"a","op":"utils.get_local_ip","host":{"colour":"red"},"in":{}}`, "error", "host.colour"},
		{"a variable that is no string", `{"id":"a","op":"utils.get_local_ip","env":{"A":1},"in":{}}`, "error", "env.A: found int, want a string"},
		{"a file that is a number", `{"id":"a","op":"utils.get_local_ip","files":{"f":1},"in":{}}`, "error", "files.f: found 1"},
		{"a set in a data class", `{"id":"a","op":"data_def.Event.serialize","in":{"data":[{"$set":["x"]}]}}`, "error", "in.data: found a set, want a value that has an order"},
		{"a member of no enum", `{"id":"a","op":"data_def.Event.serialize","in":{"etype":"NOPE"}}`, "error", "in.etype"},
		{"too few arguments", `{"id":"a","op":"backends.SavedModel","in":{"args":["m"]}}`, "error", "found 1 arguments, want 2"},
		{"a missing file", `{"id":"a","op":"utils.InstanceFormater.from_json","in":{"fname":"nope","batch_size":1}}`, "error", "nope"},
	}
	engine := gotestee.New("test")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			request, err := testee.ParseCase(c.line)
			if err != nil {
				t.Fatal(err)
			}
			got := engine.Answer(request)
			if got.Kind.String() != c.kind || !strings.Contains(got.String(), strings.Trim(strings.ReplaceAll(c.want, `"`, `\"`), " ")) {
				t.Errorf("got %s %s, want %s with %q", got.Kind, got, c.kind, c.want)
			}
		})
	}
}

// Goal: a case whose numbers would make an answer take minutes or more memory than there is gets a
// clear answer at once. Method: numbers above the limits, in each kind of field that counts.
func TestACaseWithoutEndIsSkipped(t *testing.T) {
	profile := `"op":"tfs_client.ProfileThread.%s","in":{"job_id":0,"model_name":"m","repeat_time":3,"answers":[0],"data":["a"],%s}`
	cases := []struct{ name, line, want string }{
		{"seconds of a fake server", `"op":"mocked_tfserving.FakeTFServing.sequence","in":{"server":{"model_name":"m","base_path":"/b","num_versions":1},"steps":[["seconds",{"n":4294967296}]]}`, "n: found 4294967296, want 65536 at most"},
		{"milliseconds of threads", `"op":"cpu_training.MetricsHeartBeatThread.sequence","in":{"steps":[["start",0]],"until_ms":9007199254740992}`, "not done after 24h0m0s"},
		{"threads that no sleep stops", fmt.Sprintf(profile, "sequence", `"threads":1,"servers":1,"until_ms":5000`), "262144 events"},
		{"calls that take no time", fmt.Sprintf(profile, "run", `"servers":1`), "more than 65536 calls"},
		{"threads", fmt.Sprintf(profile, "sequence", `"threads":2147483647,"servers":1,"until_ms":5000`), "in.threads: found 2147483647"},
		{"shards", `"op":"constants.HOST_SHARD_ENV","in":{"config":{"bzid":"b","base_name":"n","deploy_type":"mixed","num_ps":2147483647},"value":null}`, "num_ps: found 2147483647"},
		{"a number in a list", `"op":"tfs_client.generate_random_instance","in":{"slots":[1],"vocab_sizes":[4294967296]}`, "in.vocab_sizes: found 4294967296"},
		{"a number beyond 64 bits", `"op":"utils.InstanceFormater.from_json","in":{"fname":"f","batch_size":{"$int":"36893488147419103232"}},"files":{"f":"{}"}`, "in.batch_size: found 36893488147419103232"},
	}
	engine := gotestee.New("test")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			request, err := testee.ParseCase(`{"id":"a",` + c.line + `}`)
			if err != nil {
				t.Fatal(err)
			}
			if got := engine.Answer(request); got.Kind != testee.Skipped || !strings.Contains(got.Why, c.want) {
				t.Errorf("got %s %s, want it skipped with %q", got.Kind, got, c.want)
			}
		})
	}
}
