package tfserving

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzConfigText checks that reading a model config file of arbitrary bytes never panics and always
// gives the same result. A server with such a file either starts, or ends with the one text that
// upstream has for a file that does not parse (TFS-9.2).
func FuzzConfigText(f *testing.F) {
	for _, text := range []string{
		"", "model_config_list {}", "model_config_list { config { name: 'a' base_path: '/a' model_platform: 'tensorflow' } }",
		"model_config_list: < config: { name: \"a\" model_version_policy { specific { versions: [1, 2] } } }, config {} >",
		"model_config_list { config { version_labels { key: 'x' value: 1 } version_labels { key: 'x' value: -1 } } }",
		"custom_model_config { [type.googleapis.com/tensorflow.serving.LogCollectorConfig] { type: 'x' } }",
		"model_config_list { config { model_version_policy { latest_once { num_versions: 3 } } } } # comment",
		"model_config_list { config { name: '\\x00\\377\\u1234' model_type: 7 alias: 'b' } }", "{", "a: 1", "\x00\xff",
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, head bool) {
		profile := Profile24
		if head {
			profile = ProfileHead
		}
		config, err := parseConfigText(messages{profile: profile}, data)
		again, errAgain := parseConfigText(messages{profile: profile}, data)
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("got %v, then %v", err, errAgain)
		}
		if diff := cmp.Diff(config, again); diff != "" {
			t.Fatalf("read twice (-first +second):\n%s", diff)
		}
		if err != nil && len(data) > 0 {
			wantInvalidFile(t, profile, data)
		}
	})
}

func wantInvalidFile(t *testing.T, profile Profile, data []byte) {
	t.Helper()
	host, file := newTestHost(), "/config"
	host.disk.put(file, testFile{data: data})
	var got string
	host.exit = func(code int, stdout string) { got = stdout }
	o := DefaultOptions(profile)
	o.ModelConfigFile = file
	New(o, host).Start()
	want := "Failed to start server. Error: " + profile.StatusString(invalidProtobufFile(file)) + "\n"
	if got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}
