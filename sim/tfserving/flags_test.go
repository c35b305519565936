package tfserving

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseFlags(t *testing.T) {
	tests := []struct {
		name    string
		profile Profile
		args    []string
		change  func(o *Options) // from the defaults
		unknown []string
		err     string
	}{
		{name: "none", change: func(*Options) {}},
		{
			name: "monolith agent v3 (TFS-16.3)",
			args: []string{"--model_config_file=/c", "--port=8600", "--rest_api_port=8601",
				"--model_config_file_poll_wait_seconds=60", "--archon_port=9000", "--num_load_threads=2", "--allow_growth=true"},
			change: func(o *Options) {
				o.ModelConfigFile, o.Port, o.RESTAPIPort, o.ModelConfigFilePollWaitSeconds = "/c", 8600, 8601, 60
			},
			unknown: []string{"--archon_port=9000", "--num_load_threads=2", "--allow_growth=true"},
		},
		{
			name: "flags of tfs-head", profile: ProfileHead,
			args: []string{"--num_load_threads=2", "--num_unload_threads=3", "--enable_grpc_healthcheck_service"},
			change: func(o *Options) {
				o.NumLoadThreads, o.NumUnloadThreads, o.EnableGRPCHealthService = 2, 3, true
			},
		},
		{
			name: "booleans",
			args: []string{"--enable_batching", "--allow_version_labels_for_unavailable_models=true",
				"--enable_model_warmup=false", "--version=false"},
			change: func(o *Options) {
				o.EnableBatching, o.AllowVersionLabelsForUnavailableModels, o.DisableModelWarmup = true, true, true
			},
		},
		{
			name:    "only --name=value is a flag",
			args:    []string{"--port", "8500", "-port=1", "positional", "--", "--port=2"},
			change:  func(*Options) {},
			unknown: []string{"--port", "8500", "-port=1", "positional", "--port=2"},
		},
		{name: "a bad number", args: []string{"--port=x"},
			err: `couldn't interpret value x for flag port: strconv.ParseInt: parsing "x": invalid syntax`},
		{name: "a bad boolean", args: []string{"--enable_batching=1"},
			err: `couldn't interpret value =1 for flag enable_batching: got "1", want true or false`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, unknown, err := ParseFlags(test.profile, test.args)
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Fatalf("got %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := DefaultOptions(test.profile)
			test.change(&want)
			want.UnknownArgs = test.unknown
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.unknown, unknown); diff != "" {
				t.Errorf("unknown arguments (-want +got):\n%s", diff)
			}
		})
	}
}
