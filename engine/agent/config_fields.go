package agent

import (
	"github.com/monosim/monosim/engine/pysem"
)

// configField is one field of [AgentConfig] under the reference's name.
type configField struct {
	name string
	ptr  func(c *AgentConfig) any
}

// tfServingFields is how many of configFields are the model server's flags.
const tfServingFields = 25

// configFields lists all fields in the reference's order, which is also that of
// get_type_hints: the model server's flags first.
var configFields = []configField{
	{"enable_batching", func(c *AgentConfig) any { return &c.EnableBatching }},
	{"allow_version_labels_for_unavailable_models", func(c *AgentConfig) any { return &c.AllowVersionLabelsForUnavailableModels }},
	{"batching_parameters_file", func(c *AgentConfig) any { return &c.BatchingParametersFile }},
	{"num_load_threads", func(c *AgentConfig) any { return &c.NumLoadThreads }},
	{"num_unload_threads", func(c *AgentConfig) any { return &c.NumUnloadThreads }},
	{"max_num_load_retries", func(c *AgentConfig) any { return &c.MaxNumLoadRetries }},
	{"load_retry_interval_micros", func(c *AgentConfig) any { return &c.LoadRetryIntervalMicros }},
	{"file_system_poll_wait_seconds", func(c *AgentConfig) any { return &c.FileSystemPollWaitSeconds }},
	{"flush_filesystem_caches", func(c *AgentConfig) any { return &c.FlushFilesystemCaches }},
	{"tensorflow_session_parallelism", func(c *AgentConfig) any { return &c.TensorflowSessionParallelism }},
	{"tensorflow_intra_op_parallelism", func(c *AgentConfig) any { return &c.TensorflowIntraOpParallelism }},
	{"tensorflow_inter_op_parallelism", func(c *AgentConfig) any { return &c.TensorflowInterOpParallelism }},
	{"ssl_config_file", func(c *AgentConfig) any { return &c.SSLConfigFile }},
	{"platform_config_file", func(c *AgentConfig) any { return &c.PlatformConfigFile }},
	{"per_process_gpu_memory_fraction", func(c *AgentConfig) any { return &c.PerProcessGPUMemoryFraction }},
	{"allow_growth", func(c *AgentConfig) any { return &c.AllowGrowth }},
	{"saved_model_tags", func(c *AgentConfig) any { return &c.SavedModelTags }},
	{"grpc_channel_arguments", func(c *AgentConfig) any { return &c.GrpcChannelArguments }},
	{"grpc_max_threads", func(c *AgentConfig) any { return &c.GrpcMaxThreads }},
	{"enable_model_warmup", func(c *AgentConfig) any { return &c.EnableModelWarmup }},
	{"version", func(c *AgentConfig) any { return &c.Version }},
	{"remove_unused_fields_from_bundle_metagraph", func(c *AgentConfig) any { return &c.RemoveUnusedFieldsFromBundleMetagraph }},
	{"enable_signature_method_name_check", func(c *AgentConfig) any { return &c.EnableSignatureMethodNameCheck }},
	{"xla_cpu_compilation_enabled", func(c *AgentConfig) any { return &c.XLACPUCompilationEnabled }},
	{"enable_profiler", func(c *AgentConfig) any { return &c.EnableProfiler }},
	{"bzid", func(c *AgentConfig) any { return &c.Bzid }},
	{"base_name", func(c *AgentConfig) any { return &c.BaseName }},
	{"base_path", func(c *AgentConfig) any { return &c.BasePath }},
	{"num_ps", func(c *AgentConfig) any { return &c.NumPS }},
	{"num_shard", func(c *AgentConfig) any { return &c.NumShard }},
	{"deploy_type", func(c *AgentConfig) any { return &c.DeployType }},
	{"replica_id", func(c *AgentConfig) any { return &c.ReplicaID }},
	{"stand_alone_serving", func(c *AgentConfig) any { return &c.StandAloneServing }},
	{"zk_servers", func(c *AgentConfig) any { return &c.ZKServers }},
	{"proxy_port", func(c *AgentConfig) any { return &c.ProxyPort }},
	{"tfs_entry_port", func(c *AgentConfig) any { return &c.TFSEntryPort }},
	{"tfs_entry_http_port", func(c *AgentConfig) any { return &c.TFSEntryHTTPPort }},
	{"tfs_entry_archon_port", func(c *AgentConfig) any { return &c.TFSEntryArchonPort }},
	{"tfs_ps_port", func(c *AgentConfig) any { return &c.TFSPSPort }},
	{"tfs_ps_http_port", func(c *AgentConfig) any { return &c.TFSPSHTTPPort }},
	{"tfs_ps_archon_port", func(c *AgentConfig) any { return &c.TFSPSArchonPort }},
	{"dense_alone", func(c *AgentConfig) any { return &c.DenseAlone }},
	{"dense_service_num", func(c *AgentConfig) any { return &c.DenseServiceNum }},
	{"tfs_dense_port", func(c *AgentConfig) any { return &c.TFSDensePort }},
	{"tfs_dense_http_port", func(c *AgentConfig) any { return &c.TFSDenseHTTPPort }},
	{"tfs_dense_archon_port", func(c *AgentConfig) any { return &c.TFSDenseArchonPort }},
	{"agent_port", func(c *AgentConfig) any { return &c.AgentPort }},
	{"update_model_status_interval", func(c *AgentConfig) any { return &c.UpdateModelStatusInterval }},
	{"agent_version", func(c *AgentConfig) any { return &c.AgentVersion }},
	{"max_waiting_sec", func(c *AgentConfig) any { return &c.MaxWaitingSec }},
	{"preload_jemalloc", func(c *AgentConfig) any { return &c.PreloadJemalloc }},
	{"version_policy", func(c *AgentConfig) any { return &c.VersionPolicy }},
	{"version_data", func(c *AgentConfig) any { return &c.VersionData }},
	{"fetch_ps_timeout_ms", func(c *AgentConfig) any { return &c.FetchPSTimeoutMs }},
	{"fetch_ps_long_conn_num", func(c *AgentConfig) any { return &c.FetchPSLongConnNum }},
	{"fetch_ps_long_conn_enable", func(c *AgentConfig) any { return &c.FetchPSLongConnEnable }},
	{"fetch_ps_retry", func(c *AgentConfig) any { return &c.FetchPSRetry }},
	{"aio_thread_num", func(c *AgentConfig) any { return &c.AIOThreadNum }},
	{"file_system_poll_wait_seconds_ps", func(c *AgentConfig) any { return &c.FileSystemPollWaitSecondsPS }},
	{"rough_sort_model_name", func(c *AgentConfig) any { return &c.RoughSortModelName }},
	{"rough_sort_model_local_path", func(c *AgentConfig) any { return &c.RoughSortModelLocalPath }},
	{"rough_sort_model_loaded_server", func(c *AgentConfig) any { return &c.RoughSortModelLoadedServer }},
	{"rough_sort_model_p2p_path", func(c *AgentConfig) any { return &c.RoughSortModelP2PPath }},
	{"rough_sort_resource_constrained", func(c *AgentConfig) any { return &c.RoughSortResourceConstrained }},
	{"dc_aware", func(c *AgentConfig) any { return &c.DCAware }},
	{"layout_pattern", func(c *AgentConfig) any { return &c.LayoutPattern }},
	{"layout_filters", func(c *AgentConfig) any { return &c.LayoutFilters }},
	{"tfs_port_archon", func(c *AgentConfig) any { return &c.TFSPortArchon }},
	{"tfs_port_grpc", func(c *AgentConfig) any { return &c.TFSPortGRPC }},
	{"tfs_port_http", func(c *AgentConfig) any { return &c.TFSPortHTTP }},
	{"use_metrics", func(c *AgentConfig) any { return &c.UseMetrics }},
}

// configFieldIndex finds a field by its name.
var configFieldIndex = func() map[string]int {
	index := make(map[string]int, len(configFields))
	for i, f := range configFields {
		index[f.name] = i
	}
	return index
}()

// ConfigFieldNames lists the reference's names of all fields in its order.
func ConfigFieldNames() []string {
	names := make([]string, len(configFields))
	for i, f := range configFields {
		names[i] = f.name
	}
	return names
}

// Set assigns a Python value to the field of that name, as a keyword argument or
// an attribute assignment does. An unknown name is a TypeError.
func (c *AgentConfig) Set(name string, value any) error {
	i, ok := configFieldIndex[name]
	if !ok {
		return pysem.Raise("TypeError", "AgentConfig.__init__() got an unexpected keyword argument '%s'", name)
	}
	c.odd.put(name, configFields[i].ptr(c), value)
	return nil
}

// Get is the Python value of the field of that name; model_config_file, which
// is no field, is None.
func (c *AgentConfig) Get(name string) (value any, ok bool) {
	i, ok := configFieldIndex[name]
	if !ok {
		return nil, name == "model_config_file"
	}
	return c.odd.get(name, configFields[i].ptr(c)), true
}

// Fields lists all fields with their Python values, in the reference's order.
func (c *AgentConfig) Fields() []Field {
	fields := make([]Field, len(configFields))
	for i, f := range configFields {
		fields[i] = Field{Name: f.name, Value: c.odd.get(f.name, f.ptr(c))}
	}
	return fields
}
