package tpurunner

import (
	"github.com/monosim/monosim/engine/pysem/absl"
)

// Modes of a job.
const (
	ModeTrain        = "train"
	ModeEval         = "eval"
	ModeTrainAndEval = "train_and_eval"
)

// Module returns the program's flags (tpu_runner.py:52).
func Module() absl.Module {
	text := func(name string, value any, help string) absl.Flag {
		return absl.Flag{Name: name, Kind: absl.String, Default: value, Help: help}
	}
	number := func(name string, value any, help string) absl.Flag {
		return absl.Flag{Name: name, Kind: absl.Integer, Default: value, Help: help}
	}
	boolean := func(name string, value bool, help string) absl.Flag {
		return absl.Flag{Name: name, Kind: absl.Bool, Default: value, Help: help}
	}
	return absl.Module{Name: "monolith.tpu_runner", Flags: []absl.Flag{
		text("tf_version", "nightly", "version of TensorFlow"),
		text("tpu", nil, "name or address of the TPU"),
		text("gcp_project", nil, "project of the TPU"),
		text("tpu_zone", nil, "zone of the TPU"),
		text("task", nil, "name of the task"),
		text("model_dir", nil, "directory of the model and its summaries"),
		{Name: "mode", Kind: absl.Enum, Default: ModeTrain, Words: []string{ModeTrainAndEval, ModeTrain, ModeEval}, Help: "what the job does"},
		number("save_checkpoints_steps", nil, "steps between checkpoints; none are saved without it"),
		number("iterations_per_loop", iterationsPerLoop, "steps that the TPU takes in a row"),
		boolean("pipeline_execution", false, "look up embeddings while the step before computes"),
		boolean("enable_tpu_version_config", true, "set the version of the TPU first"),
		number("host_call_every_n_steps", hostCallEverySteps, "steps between calls of the host; 0 for none"),
		boolean("enable_stopping_signals", false, "end with the input and save a checkpoint then"),
		boolean("cpu_test", false, "run on the CPU, to see whether it runs"),
		text("partition_strategy", "mod", "how tables are parted: div or mod"),
		text("overwrite_end_date", "", "end date in the place of the task's"),
	}}
}

// tensorFlowVersion is the TensorFlow version that the TPU is told to run (tpu_runner.py:204). The
// reference was written for this version.
const tensorFlowVersion = "2.4.4"

// Defaults and fixed numbers (tpu_runner.py:82, :92, :150, :236, :303, :387).
const (
	iterationsPerLoop   = 10000
	hostCallEverySteps  = 500
	replicasPerHost     = 8
	hostCallAtLeast     = 100
	cpuBatchSize        = 128
	evalIdleTimeSeconds = 60 * 60 * 5
)
