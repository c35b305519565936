package tfserving

import (
	"fmt"
	"strconv"
	"strings"
)

// commandFlag is one command-line flag: set reads its value; a flag without a field has
// no effect here. headOnly flags are unknown arguments to tfs-2.4 (TFS-1.3).
type commandFlag struct {
	boolean  bool
	headOnly bool
	set      func(o *Options, value string) error
}

func textFlag(field func(*Options) *string) commandFlag {
	return commandFlag{set: func(o *Options, v string) error {
		*field(o) = v
		return nil
	}}
}

func intFlag(field func(*Options) *int) commandFlag {
	return commandFlag{set: func(o *Options, v string) error {
		n, err := strconv.ParseInt(v, 10, 32)
		if err == nil {
			*field(o) = int(n)
		}
		return err
	}}
}

func int64Flag(field func(*Options) *int64) commandFlag {
	return commandFlag{set: func(o *Options, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err == nil {
			*field(o) = n
		}
		return err
	}}
}

func boolFlag(field func(*Options) *bool) commandFlag {
	return commandFlag{boolean: true, set: func(o *Options, v string) error {
		switch v {
		case "", "=true":
			*field(o) = true
		case "=false":
			*field(o) = false
		default:
			return fmt.Errorf("got %q, want true or false", strings.TrimPrefix(v, "="))
		}
		return nil
	}}
}

func ignored() commandFlag { return commandFlag{set: func(*Options, string) error { return nil }} }
func ignoredBool() commandFlag {
	return commandFlag{boolean: true, set: func(*Options, string) error { return nil }}
}

func headFlag(f commandFlag) commandFlag {
	f.headOnly = true
	return f
}

// flags are those of model_servers/main.cc.
var flags = map[string]commandFlag{
	"port":                                intFlag(func(o *Options) *int { return &o.Port }),
	"grpc_socket_path":                    textFlag(func(o *Options) *string { return &o.GRPCSocketPath }),
	"rest_api_port":                       intFlag(func(o *Options) *int { return &o.RESTAPIPort }),
	"rest_api_timeout_in_ms":              intFlag(func(o *Options) *int { return &o.RESTAPITimeoutInMs }),
	"rest_api_enable_cors_support":        headFlag(boolFlag(func(o *Options) *bool { return &o.RESTAPIEnableCORS })),
	"enable_batching":                     boolFlag(func(o *Options) *bool { return &o.EnableBatching }),
	"batching_parameters_file":            textFlag(func(o *Options) *string { return &o.BatchingParametersFile }),
	"model_config_file":                   textFlag(func(o *Options) *string { return &o.ModelConfigFile }),
	"model_config_file_poll_wait_seconds": int64Flag(func(o *Options) *int64 { return &o.ModelConfigFilePollWaitSeconds }),
	"model_name":                          textFlag(func(o *Options) *string { return &o.ModelName }),
	"model_base_path":                     textFlag(func(o *Options) *string { return &o.ModelBasePath }),
	"num_load_threads":                    headFlag(intFlag(func(o *Options) *int { return &o.NumLoadThreads })),
	"num_unload_threads":                  headFlag(intFlag(func(o *Options) *int { return &o.NumUnloadThreads })),
	"max_num_load_retries":                intFlag(func(o *Options) *int { return &o.MaxNumLoadRetries }),
	"load_retry_interval_micros":          int64Flag(func(o *Options) *int64 { return &o.LoadRetryIntervalMicros }),
	"file_system_poll_wait_seconds":       int64Flag(func(o *Options) *int64 { return &o.FileSystemPollWaitSeconds }),
	"allow_version_labels_for_unavailable_models": boolFlag(func(o *Options) *bool {
		return &o.AllowVersionLabelsForUnavailableModels
	}),
	"platform_config_file":   textFlag(func(o *Options) *string { return &o.PlatformConfigFile }),
	"monitoring_config_file": textFlag(func(o *Options) *string { return &o.MonitoringConfigFile }),
	"saved_model_tags": {set: func(o *Options, v string) error {
		o.SavedModelTags = strings.Split(v, ",")
		return nil
	}},
	"enable_model_warmup": {boolean: true, set: func(o *Options, v string) error {
		enabled := !o.DisableModelWarmup
		err := boolFlag(func(*Options) *bool { return &enabled }).set(o, v)
		o.DisableModelWarmup = !enabled
		return err
	}},
	"num_request_iterations_for_warmup": headFlag(intFlag(func(o *Options) *int { return &o.NumRequestIterationsForWarmup })),
	"enable_grpc_healthcheck_service":   headFlag(boolFlag(func(o *Options) *bool { return &o.EnableGRPCHealthService })),
	"version":                           boolFlag(func(o *Options) *bool { return &o.DisplayVersion }),

	"rest_api_num_threads":                       ignored(),
	"flush_filesystem_caches":                    ignoredBool(),
	"tensorflow_session_parallelism":             ignored(),
	"tensorflow_intra_op_parallelism":            ignored(),
	"tensorflow_inter_op_parallelism":            ignored(),
	"ssl_config_file":                            ignored(),
	"per_process_gpu_memory_fraction":            ignored(),
	"grpc_channel_arguments":                     ignored(),
	"remove_unused_fields_from_bundle_metagraph": ignoredBool(),
	"prefer_tflite_model":                        ignoredBool(),
	"enable_signature_method_name_check":         ignoredBool(),
	"enable_per_model_batching_parameters":       headFlag(ignoredBool()),
	"tensorflow_session_config_file":             headFlag(ignored()),
	"use_alts_credentials":                       headFlag(ignoredBool()),
	"grpc_max_threads":                           headFlag(ignored()),
	"num_tflite_pools":                           headFlag(ignored()),
	"num_tflite_interpreters_per_pool":           headFlag(ignored()),
	"xla_cpu_compilation_enabled":                headFlag(ignoredBool()),
	"xla_gpu_compilation_enabled":                headFlag(ignoredBool()),
	"enable_profiler":                            headFlag(ignoredBool()),
	"thread_pool_factory_config_file":            headFlag(ignored()),
	"mixed_precision":                            headFlag(ignored()),
	"skip_initialize_tpu":                        headFlag(ignoredBool()),
	"enable_serialization_as_tensor_content":     headFlag(ignoredBool()),
}

// ParseFlags reads the arguments after the program's name as
// tensorflow::Flags::Parse does: only --name=value, and --name for booleans.
// Other arguments are no error (TFS-9.3); they come back in order and are also
// in Options.UnknownArgs. An error is a value that cannot be read, at which the
// server prints its usage and exits with 255.
func ParseFlags(profile Profile, args []string) (o Options, unknown []string, err error) {
	o = DefaultOptions(profile)
	for i, arg := range args {
		if arg == "--" {
			unknown = append(unknown, args[i+1:]...)
			break
		}
		name, value, known := splitFlag(profile, arg)
		if !known {
			unknown = append(unknown, arg)
			continue
		}
		if err := flags[name].set(&o, value); err != nil {
			return o, unknown, fmt.Errorf("couldn't interpret value %s for flag %s: %w", value, name, err)
		}
	}
	o.UnknownArgs = unknown
	return o, unknown, nil
}

// splitFlag finds the flag of an argument. The value of a boolean keeps its "=",
// which tells --x from --x=.
func splitFlag(profile Profile, arg string) (name, value string, known bool) {
	if !strings.HasPrefix(arg, "--") {
		return "", "", false
	}
	name, value, assigned := strings.Cut(arg[2:], "=")
	f, known := flags[name]
	if !known || f.headOnly && profile != ProfileHead || !f.boolean && !assigned {
		return "", "", false
	}
	if f.boolean && assigned {
		value = "=" + value
	}
	return name, value, true
}
