package runnerutils

import (
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/gflagsutils"
)

// Names of the flags that this package reads and sets.
const (
	flagMode         = "mode"
	flagRestoreCkpt  = "restore_ckpt"
	flagKafkaTopics  = "kafka_topics"
	flagKafkaGroupID = "kafka_group_id"
	flagKafkaServers = "kafka_servers"
	// flagUseDataservice is the flag that sets the field use_dataservice (cpu_training.py:364).
	flagUseDataservice = "dataset_use_dataservice"
	// Flags of the data service (mlp_utils.py:375, mlp_utils.py:387).
	flagDispatcher       = "data_service_dispatcher"
	flagExtraDataWorkers = "num_extra_dsworker_on_gpu_worker"
)

// trainingFlags lists flags that a training program has because it imports other modules.
var trainingFlags = []absl.Module{
	{Name: "monolith.native_training.logging_ops", Flags: []absl.Flag{
		{Name: "monolith_default_machine_info_mem_limit", Kind: absl.Integer, Default: 1 << 62},
	}},
	{Name: "monolith.native_training.distributed_ps_sync", Flags: []absl.Flag{
		{Name: "enable_alltoall_metrics", Kind: absl.Bool, Default: false},
		{Name: "enable_alltoall_metrics_for_slot"},
	}},
	{Name: "monolith.native_training.data.datasets", Flags: []absl.Flag{
		{Name: flagDispatcher, Default: ""},
		{Name: flagUseDataservice, Kind: absl.Bool, Default: false},
		{Name: "dataset_input_patterns"},
		{Name: "dataset_input_use_snappy", Kind: absl.Bool},
		{Name: "dataset_input_compression_type", Kind: absl.Enum, Words: []string{"snappy", "zstd", "zlib", "gzip"}},
		{Name: "dataset_input_use_parquet", Kind: absl.Bool},
		{Name: "dataset_input_use_tfrecord", Kind: absl.Bool},
		{Name: "dataset_worker_idx", Kind: absl.Integer},
		{Name: "dataset_num_workers", Kind: absl.Integer},
		{Name: "kafka_other_metadata"},
	}},
	{Name: "monolith.native_training.alert.alert_manager", Flags: []absl.Flag{{Name: cputraining.FlagAlertProto, Default: ""}}},
	{Name: "monolith.native_training.cpu_training", Flags: []absl.Flag{{Name: cputraining.FlagChiefAlertProto, Default: ""}}},
	{Name: "monolith.agent_service.utils", Flags: []absl.Flag{{Name: "conf", Default: ""}}},
}

// NewFlags returns the flags of a training program. These are one flag for each field in
// flagFields, and the flags of the modules that the program imports.
func NewFlags() *absl.Flags {
	fields := absl.Module{Name: "monolith.native_training.gflags_utils", Flags: make([]absl.Flag, 0, len(flagFields))}
	for _, f := range flagFields {
		flag := absl.Flag{Name: f.Name, Default: f.Default}
		switch f.Kind {
		case gflagsutils.Int:
			flag.Kind = absl.Integer
		case gflagsutils.Bool:
			flag.Kind = absl.Bool
		case gflagsutils.Float:
			flag.Kind = absl.Float
		case gflagsutils.Enum:
			flag.Kind = absl.Enum
			for _, m := range f.Members {
				flag.Words = append(flag.Words, wordOf(m))
				if m.Value == f.Default {
					flag.Default = wordOf(m)
				}
			}
		}
		fields.Flags = append(fields.Flags, flag)
	}
	return absl.New(append([]absl.Module{fields}, trainingFlags...)...)
}
