package parity

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/vectors/scope"
)

// Goal: each test case of monolith/agent_service, and of the ported parts of
// monolith/native_training, has a Go test of its name. Method: a list of all test cases. The Go
// tests must be exactly those on the list, and the register must call the files done.

// upstreamTests lists the test cases of the reference's agents, by file. One file has none.
var upstreamTests = map[string][]string{
	"agent_controller_test.py": {"test_decl_saved_models", "test_pub"},
	"agent_service_test.py":    {"test_heart_beat", "test_get_replicas"},
	"agent_v3_test.py":         {"test_service_info", "test_publish_models"},
	"backends_test.py": {
		"test_register_service", "test_layout_callback", "test_sync_available_models", "test_service_map",
		"test_sync_backend",
	},
	"data_def_test.py": {"test_model_info", "test_resource", "test_replica_meta"},
	"mocked_tfserving_test.py": {
		"test_get_model_metadata", "test_get_model_status", "test_handle_reload_config_request",
	},
	"mocked_zkclient_test.py": {
		"test_create", "test_set_get", "test_delete", "test_data_watch", "test_children_watch",
	},
	"model_manager_test.py":   {"test_start", "test_ignore_old"},
	"replica_manager_test.py": nil,
	"resource_utils_test.py":  {"test_cal_avaiable_memory_v2", "test_cal_cpu_usage_v2"},
	"tfs_client_test.py": {
		"test_get_instance_proto", "test_get_example_batch_to_instance_from_pb",
		"test_get_example_batch_to_instance_from_pbtxt",
	},
	"tfs_monitor_test.py": {"test_reload_config", "test_remove_config"},
	"utils_test.py": {
		"test_gen_model_spec", "test_gen_model_config", "test_gen_status_proto", "test_gen_model_version_status",
		"test_gen_from_file", "test_list_field", "test_instance_wrapper_from_json",
		"test_instance_wrapper_from_pbtext", "test_instance_wrapper_from_dump", "test_get_cmd_and_port",
		"test_zk_path_full", "test_zk_path_partial", "test_zk_path_old_full", "test_zk_path_old_partial",
		"test_zk_path_old_partial2",
	},
	"zk_mirror_test.py": {"test_crud", "test_zk_mirror"},
}

// trainingTests lists the test cases of the reference's training code, by file. Each begins with
// the class that it tests, because a file may have cases of several classes.
var trainingTests = map[string][]string{
	"barrier_ops_test.py": {
		"BarrierOps_test_basic", "BarrierOps_test_barrier_hook_not_blocked", "BarrierOps_test_barrier_hook_blocked",
	},
	"cluster_manager_test.py": {"ClusterManager_testBasic"},
	"gflags_utils_test.py": {
		"GflagUtils_test_extract_help_info", "GflagUtils_test_update", "GflagUtils_test_extract_gflags_decorator", "GflagUtils_test_link_flag",
		"GflagUtils_test_link_flag_inheritance",
	},
	"hooks/ckpt_hooks_test.py": {
		"WorkerCkptHooks_testIteratorSaveRestore", "WorkerCkptHooks_testNoCkpt", "WorkerCkptHooks_testNoSaveables",
		"WorkerCkptHooks_testCkptDisabled", "WorkerCkptHooks_test_saver_with_barrier",
	},
	"hooks/controller_hooks_test.py": {"ControllerHook_testStop", "ControllerHook_testSave", "QueryActionHook_testStop"},
	"hooks/hook_utils_test.py":       {"HookUtils_testBeforeAfterSaverListener"},
	"hooks/ps_check_hooks_test.py": {
		"PsCheckHooks_test_basic", "PsCheckHooks_test_oom", "PsCheckHooks_test_raise_in_after_create_session",
		"PsCheckHooks_test_raise_in_before_run", "PsCheckHooks_test_default_report",
	},
	"hooks/server/server_lib_test.py": {"Server_test_basic"},
	"hooks/session_hooks_test.py":     {"SessionHooks_testBasic"},
	"model_export/export_hooks_test.py": {
		"ExportHook_testBasic", "ExportHook_testExporterReturnsDict", "ExportHook_testDeleted",
	},
	"model_export/export_state_utils_test.py": {"ExportStateUtils_test_basic"},
	"file_ops_test.py":                        {"WritableFile_test_basic", "WritableFile_test_hook"},
	"nested_tensors_test.py": {
		"NestedTensor_testBasic", "NestedTensor_testConstant", "NestedTensor_testRaggedTensor", "NestedTensor_testRaggedTensorWithPlaceHolder",
	},
	// In this file of the reference, two functions have the same name, and the second one counts.
	"prefetch_queue_test.py": {
		"GPUCompatiblePaddingFIFOQueue_testEnqueueAndDequeue", "GPUCompatiblePaddingFIFOQueue_testGPUQueueCPUTensor",
		"GPUCompatiblePaddingFIFOQueue_testMultiEnqueueAndDequeue", "GPUCompatiblePaddingFIFOQueue_testIdentityHelper",
		"FIFOQueue_test_fifo_queue_data", "FIFOQueue_test_fifo_queue_capacity", "Prefetch_test_enqueue_dicts_with_queue_return",
		"Prefetch_test_enqueue_dicts_with_control_flow", "Prefetch_test_enqueue_with_zero_capacity", "Prefetch_test_estimator_prefetch",
		"AsyncManager_testBasic", "AsyncManager_testSync", "AsyncManager_testEmptyInput",
	},
	"yarn_runtime_test.py": {
		"YarnRuntime_test_get_local_host_overwrite", "YarnRuntime_test_get_local_host_overwrite_by_cloudnative", "YarnRuntime_test_get_local_host_basic",
		"YarnRuntime_test_kill", "YarnRuntime_test_finish", "YarnRuntime_test_save_primus",
	},
	"../utils_test.py": {
		"MonolithUtils_testFindMain", "MonolithUtils_testGetLibopsPath", "MonolithUtils_testLoadMonitoredSession",
		"MonolithUtils_testMultiThreadedCopy",
	},
	"consul_test.py": {"Consul_test_lookup", "Consul_test_register", "Consul_test_deregister"},
	"runner_utils_test.py": {
		"RunnerUtils_test_get_discovery_local", "RunnerUtils_test_get_discovery_primus", "RunnerUtils_test_get_discovery_consul",
		"RunnerUtils_test_get_discovery_zk", "RunnerUtils_test_copy_ckpt",
	},
	"sync_hooks_test.py": {"SyncHooks_test_sync_process", "SyncHooks_test_hook_helper"},
	"service_discovery_test.py": {
		"ConsulServiceDiscovery_test_basic", "ConsulServiceDiscovery_test_duplicate_registration", "ConsulServiceDiscovery_test_multi_names",
		"ConsulServiceDiscovery_test_retry", "ConsulServiceDiscovery_test_registeration_failed", "TfConfigServiceDiscovery_test_tf_conf_sd",
		"ZKServiceDiscovery_test_basic", "ZKServiceDiscovery_test_duplicate_registration", "ZKServiceDiscovery_test_multi_names",
		"ZKServiceDiscovery_test_periodic_registration", "ZKServiceDiscovery_test_listener", "ServiceDiscoveryUtils_test_deregister_all",
	},
	"net_utils_test.py": {"NetUtils_test_basic", "NetUtils_test_concat_ip_and_port", "NetUtils_test_get_local_server_addr"},
	"session_run_hooks_test.py": {
		"GlobalStepWaiterHook_test_not_wait_for_step_zero", "GlobalStepWaiterHook_test_not_wait_if_tide_not_available",
		"GlobalStepWaiterHook_test_wait_for_step", "TideStoppingHook_test_stop_if_tide_not_available",
		"TideStoppingHook_test_do_not_stop_if_tide_available",
	},
	// names.yaml says why the other cases, about TensorFlow's graphs and tensors, are not here.
	"save_utils_test.py": {
		"SecondOrStepTimerWithTideSetting_testNoTideSetting", "SecondOrStepTimerWithTideSetting_testTideAvailable",
		"SecondOrStepTimerWithTideSetting_testTideNotAvailable", "RecoverLastCheckpoints_test_recover_last_checkpoints",
		"KeepCheckpointEveryNHours_testNonSharded", "SaveUtils_test_get_ckpt_steps", "SaveUtils_test_exempt_checkpoints",
		"SaverHook_test_basic", "SaverHook_test_op_error", "SaverHook_test_trigger_save", "Saver_testSaveMaxToKeep",
		"MaxToKeep_testNonSharded", "MaxToKeep_testSharded", "MaxToKeep_testNoMaxToKeep", "MaxToKeep_testNoMetaGraph",
		"MaxToKeep_testMaxToKeepEager", "Saver_testBasic", "Saver_testInt64", "Saver_testSaveCopyRestoreWithSaveRelativePaths",
		"Saver_testInvalidPath", "Saver_testCacheRereadsFile", "Saver_testAllowEmpty", "Saver_testSaveWithGlobalStep",
		"Saver_testSaveWithGlobalStepWithPadding", "Saver_testSaveToNonexistingPath",
		"SaveRestoreWithVariableNameMap_testNonReshapeVariable",
	},
	"cpu_training_test.py": {
		"DistributedTrain_test0_basic", "DistributedTrain_test0_with_redundant_ps", "DistributedTrain_test2_temporary_error",
	},
	"logging_ops_test.py": {"LoggingOps_test_machine_health", "LoggingOps_test_machine_health_oom"},
}

func TestEveryUpstreamTestHasOneOfItsName(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	tree, err := readSources(os.DirFS(filepath.Join("..", "..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, file := range slices.Sorted(maps.Keys(upstreamTests)) {
		cases := upstreamTests[file]
		got := map[string]int{}
		for _, name := range tree.upstreamOf(file) {
			_, name, _ = strings.Cut(name, "_")
			got[name]++
		}
		want := map[string]int{}
		for _, name := range cases {
			want[name]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tests of %s, each with how often it is there (-want +got):\n%s", file, diff)
		}
		listed += len(cases)
	}
	var all []string
	for _, f := range tree.files {
		all = append(all, f.upstream...)
	}
	for file, cases := range trainingTests {
		for _, name := range cases {
			if !slices.Contains(all, "TestUpstream"+name) {
				t.Errorf("%s: found no test TestUpstream%s", file, name)
			}
		}
		listed += len(cases)
	}
	if listed != 167 || len(all) != 167 {
		t.Errorf("got %d cases on the lists and %d tests TestUpstream<Module>_<case>, want 167 of both", listed, len(all))
	}
}

func TestUpstreamTestsThatAreMirroredAreDone(t *testing.T) {
	modules, err := scope.Modules()
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, m := range modules {
		if !isTestModule(m) {
			continue
		}
		files = append(files, m.File)
		want := "done"
		if len(upstreamTests[m.File]) == 0 {
			want = "none"
		}
		if m.State != want {
			t.Errorf("%s: got state %s, want %s", m.File, m.State, want)
		}
	}
	if len(files) != len(upstreamTests) {
		t.Errorf("the register has the tests %s, want the %d of the list", strings.Join(slices.Sorted(slices.Values(files)), " "), len(upstreamTests))
	}
}
