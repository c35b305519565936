package runners

// ConfV3 and ConfV1 are the agent.conf with which scenarios start, one setting a line, for
// Spec.Conf. With ConfV3, agents serve the models published to the layout "main". ConfV1 has the
// values of the reference's own agent.conf, with two exceptions: num_shard must equal the
// environment's (Q159), and the layout filters are missing, because only v3 reads them. Agents with
// ConfV1 serve the model below /models/predict_ctr.
const (
	ConfV3 = `bzid gip
deploy_type unified
agent_version 3
base_name ctr
base_path /models/ctr
layout_pattern main
zk_servers zookeeper:2181
`
	ConfV1 = `bzid predict_ctr
base_name predict_ctr
base_path /models/predict_ctr
num_ps 2
server_type entry
zk_servers zookeeper:2181
max_waiting_sec 600
agent_version 1
stand_alone_serving true
update_model_status_interval 10
enable_batching false
tensorflow_session_parallelism 0
tensorflow_intra_op_parallelism 0
tensorflow_inter_op_parallelism 0
per_process_gpu_memory_fraction 0
num_load_threads 0
num_unload_threads 0
max_num_load_retries 5
load_retry_interval_micros 60 * 1000 * 1000
file_system_poll_wait_seconds 1
file_system_poll_wait_seconds_ps 0
flush_filesystem_caches true
saved_model_tags none
grpc_channel_arguments none
grpc_max_threads 0
enable_model_warmup true
enable_signature_method_name_check false
xla_cpu_compilation_enabled false
enable_profiler true
dc_aware false
`
)
