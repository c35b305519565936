package tfserving

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	configpb "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	bundlepb "github.com/monosim/monosim/engine/proto/tensorflow_serving/servables/tensorflow"
	"github.com/monosim/monosim/engine/proto/textpb"
	pythontext "github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// messages says which protobuf fields the messages of a server have. Our own messages have the
// fields of all servers.
type messages struct {
	profile Profile
	once    LatestOnce
}

// lack reports whether the server's messages lack a field that our messages have (TFS-1.3,
// TFS-15.1).
func (m messages) lack(field protoreflect.FieldDescriptor) bool {
	const policy = "tensorflow.serving.FileSystemStoragePathSourceConfig.ServableVersionPolicy."
	switch field.FullName() {
	case policy + "latest_once":
		return m.once == NoLatestOnce
	case policy + "LatestOnce.num_versions":
		return m.once != LatestOnceOfFork
	case "tensorflow.serving.ModelConfig.alias", "tensorflow.serving.BatchingParameters.support_diff_dim_size_inputs":
		return m.profile == ProfileHead
	}
	return m.profile != ProfileHead && later[field.FullName()]
}

// lackValue reports the same of a value of an enum.
func (m messages) lackValue(value protoreflect.EnumValueDescriptor) bool {
	return m.profile != ProfileHead && laterValues[value.FullName()]
}

// laterValues has the values of enums that were added after 2.4.0.
var laterValues = map[protoreflect.FullName]bool{
	"tensorflow.RewriterConfig.EXPERIMENTAL_MLIR": true, "tensorflow.RewriterConfig.EXPERIMENTAL_BOTH": true,
}

// texts returns the parser of text files of the server.
func (m messages) texts() textformat.Parser {
	return textformat.Parser{Hides: m.lack, HidesValue: m.lackValue}
}

// later has the fields of config files that were added after 2.4.0.
var later = func() map[protoreflect.FullName]bool {
	all := map[protoreflect.FullName]bool{}
	for _, of := range [][2]string{
		{"serving.LoggingConfig", "custom_logging_config"},
		{"serving.SamplingConfig", "per_task_sampling_configs attributes"},
		{"serving.ModelWarmupOptions", "num_model_warmup_threads model_name model_version enable_all_batch_sizes_warmup"},
		{"serving.SessionBundleConfig", "num_tflite_interpreters num_tflite_interpreters_per_pool num_tflite_pools wrap_session_with_no_threading_params " +
			"enable_per_model_batching_params enable_saved_model_config mixed_precision"},
		{"TensorProto", "float8_val"},
		{"ConfigProto", "pluggable_device_options"},
		{"ConfigProto.Experimental", "use_tfrt disable_functional_ops_lowering xla_prefer_single_graph_cluster coordination_config " +
			"disable_optimize_for_static_graph disable_eager_executor_streaming_enqueue enable_multi_host backend_server_port " +
			"target_tpu target_gpu stream_merge_threshold tfrt_use_ifrt finalize_function_library_runtime " +
			"finalize_resource_manager tf2xla_dump_dir online_cost_analysis"},
		{"GPUOptions.Experimental", "internal_fragmentation_fraction use_cuda_malloc_async disallow_retry_on_allocation_failure " +
			"gpu_host_mem_limit_in_mb gpu_host_mem_disallow_growth gpu_system_memory_size_in_mb " +
			"populate_pjrt_gpu_client_creation_info node_id stream_merge_options num_virtual_devices_per_gpu"},
		{"GPUOptions.Experimental.VirtualDevices", "device_ordinal"},
		{"OptimizerOptions", "cpu_global_jit"},
		{"RPCOptions", "num_channels_per_target"},
		{"RewriterConfig", "use_plugin_optimizers auto_mixed_precision_onednn_bfloat16 auto_mixed_precision_cpu disable_tfg_optimizer " +
			"experimental_conditional_code_motion experimental_disable_folding_quantization_emulation"},
	} {
		for _, name := range strings.Fields(of[1]) {
			all[protoreflect.FullName("tensorflow."+of[0]+"."+name)] = true
		}
	}
	return all
}()

// parseConfigText parses a model config file. An unknown field is an error.
func parseConfigText(m messages, data []byte) (modelconfig.ServerConfig, error) {
	var message configpb.ModelServerConfig
	parse := m.texts().Unmarshal
	if m.profile == ProfilePythonFake { // mocked_tfserving.py:372
		parse = pythontext.Parser{Hides: m.lack}.Parse
	}
	if err := parse(string(data), &message); err != nil {
		return modelconfig.ServerConfig{}, err
	}
	return modelconfig.ConfigFromProto(&message), nil
}

// of returns the config as a server with these protobuf messages reads it. It leaves out the fields
// that the messages lack.
func (l LatestOnce) of(config modelconfig.ServerConfig) modelconfig.ServerConfig {
	if l == LatestOnceOfFork {
		return config
	}
	config.Models = slices.Clone(config.Models)
	for i := range config.Models {
		if policy := &config.Models[i].Policy; policy.Kind == modelconfig.LatestOnce {
			policy.NumVersions = 0
			if l == NoLatestOnce {
				policy.Kind = modelconfig.NoPolicy
			}
		}
	}
	return config
}

// bundleSettings holds the fields of a SessionBundleConfig that affect loads.
type bundleSettings struct {
	tags           []string
	warmup         bool
	iterations     int
	transientBytes int64
	batching       *Batching
}

// adapterOf returns the settings of the source adapter that loads a model. They come from the
// model's platform (server_core.cc:616-640). Without a platform config file they come from the
// flags.
func (s *Server) adapterOf(model string) bundleSettings {
	p, _ := s.platformOf(model)
	return s.settingsOf(p)
}

// settingsOf returns the settings of a platform's adapter. For a nil platform, or one without its
// own settings, it returns the settings that the flags give.
func (s *Server) settingsOf(p *Platform) bundleSettings {
	if p != nil && p.settings != nil {
		return *p.settings
	}
	o := s.options
	return bundleSettings{o.SavedModelTags, !o.DisableModelWarmup, o.NumRequestIterationsForWarmup, o.TransientRAMBytesDuringLoad, o.Batching}
}

// parsePlatformText parses a platform config file and returns the platforms by name. An unknown
// field is an error.
func parsePlatformText(m messages, data []byte) (platformFile, error) {
	var message configpb.PlatformConfigMap
	if err := m.texts().Unmarshal(string(data), &message); err != nil {
		return platformFile{}, err
	}
	file := platformFile{given: true}
	for _, name := range slices.Sorted(maps.Keys(message.GetPlatformConfigs())) {
		s, err := adapterSettings(m.profile, message.GetPlatformConfigs()[name].GetSourceAdapterConfig())
		file.platforms = append(file.platforms, Platform{Name: name, ConfigError: err, settings: s})
	}
	return file, nil
}

// adapterSettings decodes the config of a source adapter from its Any, as upstream's class registry
// does (util/class_registration.h).
func adapterSettings(profile Profile, config *anypb.Any) (*bundleSettings, *env.RPCError) {
	var adapter bundlepb.SavedModelBundleSourceAdapterConfig
	if err := fromAny(config, &adapter); err != nil {
		return nil, err
	}
	c := adapter.GetLegacyConfig()
	var batching *Batching
	if p := c.GetBatchingParameters(); p != nil {
		batching = batchingOf(p, profile)
		batching.PerModel = profile == ProfileHead && c.GetEnablePerModelBatchingParams()
	}
	tags := c.GetSavedModelTags()
	if len(tags) == 0 {
		tags = []string{defaultTag}
	}
	return &bundleSettings{
		batching: batching,
		tags:     tags, warmup: c.GetEnableModelWarmup(),
		iterations:     int(c.GetModelWarmupOptions().GetNumRequestIterations().GetValue()),
		transientBytes: int64(c.GetExperimentalTransientRamBytesDuringLoad()),
	}, nil
}

// fromAny decodes the config of a class into registered, the message that the class registry has
// for the class. registered is nil if the registry has none. A real server knows some message types
// that this package does not know.
func fromAny(config *anypb.Any, registered proto.Message) *env.RPCError {
	url := config.GetTypeUrl()
	i := strings.LastIndexByte(url, '/')
	if i < 0 || i == len(url)-1 {
		return statusf(rpcerrors.InvalidArgument, "Supplied config's type_url could not be parsed: %s", url)
	}
	name := protoreflect.FullName(url[i+1:])
	known, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil || !strings.HasPrefix(string(name), "tensorflow.") && !strings.HasPrefix(string(name), "google.protobuf.") {
		return statusf(rpcerrors.Internal, "Unable to find compiled-in proto descriptor of type %s", name)
	}
	if registered == nil || name != proto.MessageName(registered) {
		message := known.New().Interface()
		if proto.Unmarshal(config.GetValue(), message) != nil {
			return malformed(config)
		}
		return statusf(rpcerrors.InvalidArgument, "Couldn't find factory for config proto message type %s\nconfig=%s", name, debugString(message))
	}
	if proto.Unmarshal(config.GetValue(), registered) != nil {
		return malformed(config)
	}
	return nil
}

func malformed(config *anypb.Any) *env.RPCError {
	url := strings.Replace(debugString(wrapperspb.String(config.GetTypeUrl())), "value", "type_url", 1)
	return statusf(rpcerrors.InvalidArgument, "Malformed content of Any: %s%s", url, debugString(wrapperspb.Bytes(config.GetValue())))
}

// debugString formats a message as Message::DebugString does.
func debugString(message proto.Message) string {
	text, err := textpb.Marshal(message)
	if err != nil {
		return "" // the message holds an Any that cannot be expanded
	}
	return text
}
