package tfserving

import (
	"os"
	"strings"
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
			name: "monolith's flags of the internal fork (TFS-16.2), on tfs-head too", profile: ProfileHead,
			args: []string{"--archon_port=1", "--archon_rpc_psm=p", "--archon_rpc_cluster=c", "--archon_entry_to_ps_rpc_timeout=1",
				"--archon_entry_to_ps_long_conn_num=1", "--archon_entry_to_ps_rpc_retry=1", "--archon_async_dispatcher_threads=1",
				"--archon_entry_to_ps_long_conn_enable=true", "--metrics_namespace_prefix=m", "--conf_file=f", "--log_conf=l", "--allow_growth"},
			change: func(*Options) {},
			unknown: []string{"--archon_port=1", "--archon_rpc_psm=p", "--archon_rpc_cluster=c", "--archon_entry_to_ps_rpc_timeout=1",
				"--archon_entry_to_ps_long_conn_num=1", "--archon_entry_to_ps_rpc_retry=1", "--archon_async_dispatcher_threads=1",
				"--archon_entry_to_ps_long_conn_enable=true", "--metrics_namespace_prefix=m", "--conf_file=f", "--log_conf=l", "--allow_growth"},
		},
		{
			name:    "only --name=value is a flag; what follows -- is not looked at",
			args:    []string{"--port", "8500", "-port=1", "positional", "--", "--port=2"},
			change:  func(*Options) {},
			unknown: []string{"--port", "8500", "-port=1", "positional", "--", "--port=2"},
		},
		{name: "the last of two wins", args: []string{"--port=1", "--port=2"}, change: func(o *Options) { o.Port = 2 }},
		{name: "a number in tfs-2.4 may have a sign and blanks before it", args: []string{"--port= +9"},
			change: func(o *Options) { o.Port = 9 }},
		{name: "and is cut to 32 bits", args: []string{"--port=4294967297", "--load_retry_interval_micros=99999999999999999999"},
			change: func(o *Options) { o.Port, o.LoadRetryIntervalMicros = 1, 1<<63-1 }},
		{name: "a number in tfs-head may have blanks on both sides", profile: ProfileHead, args: []string{"--port= +9 "},
			change: func(o *Options) { o.Port = 9 }},
		{name: "and has to fit", profile: ProfileHead, args: []string{"--port=4294967297"},
			err: "Couldn't interpret value 4294967297 for flag port."},
		{name: "bad numbers", args: []string{"--port=abc", "--rest_api_port=", "--max_num_load_retries=1 ", "--rest_api_num_threads=0x2",
			"--per_process_gpu_memory_fraction=half", "--model_name=a"},
			err: "Couldn't interpret value abc for flag port.\nCouldn't interpret value  for flag rest_api_port.\n" +
				"Couldn't interpret value 1  for flag max_num_load_retries.\nCouldn't interpret value 0x2 for flag rest_api_num_threads.\n" +
				"Couldn't interpret value half for flag per_process_gpu_memory_fraction."},
		{name: "a bad boolean", args: []string{"--enable_batching=1"}, err: "Couldn't interpret value =1 for flag enable_batching."},
		{name: "what begins with the name of a boolean", args: []string{"--version_of=1"}, err: "Couldn't interpret value _of=1 for flag version."},
		{name: "booleans of tfs-head", profile: ProfileHead, args: []string{"--enable_batching=1", "--enable_model_warmup=FALSE", "--version_of=1"},
			change:  func(o *Options) { o.EnableBatching, o.DisableModelWarmup = true, true },
			unknown: []string{"--version_of=1"}},
		{name: "a bad boolean of tfs-head", profile: ProfileHead, args: []string{"--enable_batching=yes"},
			err: "Couldn't interpret value yes for flag enable_batching."},
		{name: "tags", args: []string{"--saved_model_tags=a,b"}, change: func(o *Options) { o.SavedModelTags = []string{"a", "b"} }},
		{name: "no tags", args: []string{"--saved_model_tags="}, change: func(*Options) {}},
		{name: "help", args: []string{"--help"}, err: ErrHelp.Error()},
		{name: "help after something else", args: []string{"x", "--help"}, change: func(*Options) {}, unknown: []string{"x", "--help"}},
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
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Platform{}, bundleSettings{})); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.unknown, unknown); diff != "" {
				t.Errorf("unknown arguments (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: the usage text has upstream's format, flags and defaults.
func TestFlagsUsage(t *testing.T) {
	for _, profile := range []Profile{Profile24, ProfileHead} {
		file, got := "testdata/usage/"+profile.String(), FlagsUsage(profile, "tensorflow_model_server")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s (-file +now; -update rewrites it):\n%s", file, diff)
		}
	}
}
