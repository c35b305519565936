package gotestee_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee"
)

// The goal is that a case that makes no sense is answered with what is wrong, and
// nothing worse. The method is one bad case after another on one testee.

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
