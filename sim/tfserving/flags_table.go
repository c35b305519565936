package tfserving

import (
	"strconv"
	"strings"
)

// commandFlag is one command-line flag of model_servers/main.cc. A flag without a setter is parsed
// but has no effect. tfs-2.4 does not know a headOnly flag (TFS-1.3).
type commandFlag struct {
	name     string
	kind     flagKind
	headOnly bool
	help     string
	value    func(o *Options) string // value returns the default as the usage prints it
	setInt   func(o *Options, n int64)
	setBool  func(o *Options, on bool)
	setText  func(o *Options, text string)
}

type flagKind string

const (
	int32Flag  flagKind = "int32"
	int64Flag  flagKind = "int64"
	boolFlag   flagKind = "bool"
	floatFlag  flagKind = "float"
	stringFlag flagKind = "string"
)

// flags holds all flags in the order of main.cc at HEAD. The main.cc of 2.4 has its flags in the
// same order.
var flags = []commandFlag{
	number("port", "port for gRPC; tfs-head takes 0 for none", func(o *Options) *int { return &o.Port }),
	text("grpc_socket_path", "UNIX socket for gRPC", func(o *Options) *string { return &o.GRPCSocketPath }),
	number("rest_api_port", "port for REST, 0 for none", func(o *Options) *int { return &o.RESTAPIPort }),
	fixed(int32Flag, "rest_api_num_threads", fourPerCPU),
	number("rest_api_timeout_in_ms", "longest REST request, in milliseconds", func(o *Options) *int { return &o.RESTAPITimeoutInMs }),
	head(boolean("rest_api_enable_cors_support", "send CORS headers", func(o *Options) *bool { return &o.RESTAPIEnableCORS })),
	boolean("enable_batching", "compute requests to models in batches", func(o *Options) *bool { return &o.EnableBatching }),
	boolean("allow_version_labels_for_unavailable_models", "let unused labels point to versions that are not available",
		func(o *Options) *bool { return &o.AllowVersionLabelsForUnavailableModels }),
	text("batching_parameters_file", "BatchingParameters, as text", func(o *Options) *string { return &o.BatchingParametersFile }),
	head(boolean("enable_per_model_batching_parameters", "take all but the threads from batching_params.pbtxt of each version",
		func(o *Options) *bool { return &o.EnablePerModelBatchingParameters })),
	text("model_config_file", "ModelServerConfig, as text; takes the place of model_name and model_base_path",
		func(o *Options) *string { return &o.ModelConfigFile }),
	seconds("model_config_file_poll_wait_seconds", "seconds between two readings of model_config_file; 0 reads it once",
		func(o *Options) *int64 { return &o.ModelConfigFilePollWaitSeconds }),
	text("model_name", "name of the one model", func(o *Options) *string { return &o.ModelName }),
	text("model_base_path", "directory of the one model's versions", func(o *Options) *string { return &o.ModelBasePath }),
	head(number("num_load_threads", "threads that load; 0 loads on the manager's", func(o *Options) *int { return &o.NumLoadThreads })),
	head(number("num_unload_threads", "threads that unload; 0 unloads on the manager's", func(o *Options) *int { return &o.NumUnloadThreads })),
	number("max_num_load_retries", "tries of a load after the first", func(o *Options) *int { return &o.MaxNumLoadRetries }),
	long("load_retry_interval_micros", "microseconds before a retry; negative does not wait",
		func(o *Options) *int64 { return &o.LoadRetryIntervalMicros }),
	seconds("file_system_poll_wait_seconds", "seconds between two looks for versions; 0 looks once, negative never",
		func(o *Options) *int64 { return &o.FileSystemPollWaitSeconds }),
	fixed(boolFlag, "flush_filesystem_caches", constant("true")),
	long("tensorflow_session_parallelism", "checked against the two below only", func(o *Options) *int64 { return &o.SessionParallelism }),
	head(text("tensorflow_session_config_file", "ConfigProto, as text", func(o *Options) *string { return &o.SessionConfigFile })),
	long("tensorflow_intra_op_parallelism", "no effect here", func(o *Options) *int64 { return &o.IntraOpParallelism }),
	long("tensorflow_inter_op_parallelism", "no effect here", func(o *Options) *int64 { return &o.InterOpParallelism }),
	head(boolean("use_alts_credentials", "ALTS; checked against ssl_config_file only", func(o *Options) *bool { return &o.UseALTSCredentials })),
	text("ssl_config_file", "SSLConfig, as text", func(o *Options) *string { return &o.SSLConfigFile }),
	text("platform_config_file", "PlatformConfigMap, as text; takes the place of platform tensorflow",
		func(o *Options) *string { return &o.PlatformConfigFile }),
	fixed(floatFlag, "per_process_gpu_memory_fraction", constant("0.000000")),
	savedModelTags,
	text("grpc_channel_arguments", "key=value,... for gRPC: keepalive, ages, message lengths, so_reuseport",
		func(o *Options) *string { return &o.GRPCChannelArguments }),
	head(fixed(int32Flag, "grpc_max_threads", fourPerCPU)),
	enableModelWarmup,
	head(number("num_request_iterations_for_warmup", "how often each warm-up request is run, if above 0",
		func(o *Options) *int { return &o.NumRequestIterationsForWarmup })),
	boolean("version", "print the version and exit", func(o *Options) *bool { return &o.DisplayVersion }),
	text("monitoring_config_file", "MonitoringConfig, as text", func(o *Options) *string { return &o.MonitoringConfigFile }),
	fixed(boolFlag, "remove_unused_fields_from_bundle_metagraph", constant("true")),
	fixed(boolFlag, "prefer_tflite_model", constant("false")),
	head(fixed(int32Flag, "num_tflite_pools", perCPU)),
	head(fixed(int32Flag, "num_tflite_interpreters_per_pool", constant("1"))),
	boolean("enable_signature_method_name_check", "refuse requests to signatures of another method",
		func(o *Options) *bool { return &o.EnableSignatureMethodNameCheck }),
	head(fixed(boolFlag, "xla_cpu_compilation_enabled", constant("false"))),
	head(fixed(boolFlag, "xla_gpu_compilation_enabled", constant("false"))),
	head(fixed(boolFlag, "enable_profiler", constant("true"))),
	head(text("thread_pool_factory_config_file", "ThreadPoolFactoryConfig, as text", func(o *Options) *string { return &o.ThreadPoolFactoryConfigFile })),
	head(fixed(stringFlag, "mixed_precision", constant(`""`))),
	head(fixed(boolFlag, "skip_initialize_tpu", constant("false"))),
	head(boolean("enable_grpc_healthcheck_service", "serve the standard gRPC health service", func(o *Options) *bool { return &o.EnableGRPCHealthService })),
	head(boolean("enable_serialization_as_tensor_content", "answer predictions in tensor_content",
		func(o *Options) *bool { return &o.EnableSerializationAsTensorContent })),
}

// savedModelTags is a list separated by commas. An empty value means serve
// (servables/tensorflow/saved_model_bundle_factory.cc:127-131).
var savedModelTags = commandFlag{
	name: "saved_model_tags", kind: stringFlag, help: "tags of the graph to load, with commas between",
	value: func(o *Options) string { return `"` + strings.Join(o.SavedModelTags, ",") + `"` },
	setText: func(o *Options, text string) {
		o.SavedModelTags = []string{"serve"}
		if text != "" {
			o.SavedModelTags = strings.Split(text, ",")
		}
	},
}

var enableModelWarmup = commandFlag{
	name: "enable_model_warmup", kind: boolFlag, help: "run a version's warm-up requests when it is loaded",
	value:   func(o *Options) string { return strconv.FormatBool(!o.DisableModelWarmup) },
	setBool: func(o *Options, on bool) { o.DisableModelWarmup = !on },
}

func head(f commandFlag) commandFlag {
	f.headOnly = true
	return f
}

func constant(value string) func(*Options) string { return func(*Options) string { return value } }
func perCPU(o *Options) string                    { return strconv.Itoa(o.CPUs) }
func fourPerCPU(o *Options) string                { return strconv.Itoa(4 * o.CPUs) }

// fixed returns a flag without effect here.
func fixed(kind flagKind, name string, value func(*Options) string) commandFlag {
	return commandFlag{name: name, kind: kind, help: "no effect here", value: value}
}

func text(name, help string, field func(*Options) *string) commandFlag {
	return commandFlag{
		name: name, kind: stringFlag, help: help,
		value:   func(o *Options) string { return `"` + *field(o) + `"` },
		setText: func(o *Options, text string) { *field(o) = text },
	}
}

func boolean(name, help string, field func(*Options) *bool) commandFlag {
	return commandFlag{
		name: name, kind: boolFlag, help: help,
		value:   func(o *Options) string { return strconv.FormatBool(*field(o)) },
		setBool: func(o *Options, on bool) { *field(o) = on },
	}
}

func number(name, help string, field func(*Options) *int) commandFlag {
	return commandFlag{
		name: name, kind: int32Flag, help: help,
		value:  func(o *Options) string { return strconv.Itoa(*field(o)) },
		setInt: func(o *Options, n int64) { *field(o) = int(n) },
	}
}

func long(name, help string, field func(*Options) *int64) commandFlag {
	return commandFlag{
		name: name, kind: int64Flag, help: help,
		value:  func(o *Options) string { return strconv.FormatInt(*field(o), 10) },
		setInt: func(o *Options, n int64) { *field(o) = n },
	}
}

// seconds returns a flag for an int64 option. The flag is parsed as an int32, as upstream stores
// it.
func seconds(name, help string, field func(*Options) *int64) commandFlag {
	f := long(name, help, field)
	f.kind = int32Flag
	return f
}
