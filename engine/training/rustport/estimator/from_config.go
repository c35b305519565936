package estimator

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/rustport"
	"github.com/monosim/monosim/engine/training/rustport/runner"
)

// FromRunnerConfig exports the configuration's environment variables and makes an estimator of it
// (row D19).
func FromRunnerConfig(e *env.Env, c rustport.RunnerConfig, model ModelFn) *Estimator {
	c.ExportEnv(e.Host)
	return New(c.ToEstimatorConfig(), model)
}

// FromRunConfig calls FromRunnerConfig with the user's settings applied to base (row D16).
func FromRunConfig(e *env.Env, c rustport.RunConfig, base rustport.RunnerConfig, model ModelFn) *Estimator {
	return FromRunnerConfig(e, c.ToRunnerConfig(base), model)
}

// InitializeRuntime calls rustport.InitializeRestore for a worker, with the configuration's time
// limits (row D25). Its errors have kind RunnerUtils.
func InitializeRuntime(e *env.Env, c rustport.RunnerConfig) (*rustport.CheckpointState, error) {
	state, err := rustport.InitializeRestore(e, c, rustport.Worker, rustport.AsRows, c.Timing())
	return state, wrap(RunnerUtils, err)
}

// FromRunnerConfigInitialized calls InitializeRuntime and then FromRunnerConfig, and also returns
// the restored state (row D32).
func FromRunnerConfigInitialized(e *env.Env, c rustport.RunnerConfig, model ModelFn) (*Estimator, *rustport.CheckpointState, error) {
	state, err := InitializeRuntime(e, c)
	if err != nil {
		return nil, nil, err
	}
	return FromRunnerConfig(e, c, model), state, nil
}

// FromRunConfigInitialized calls FromRunnerConfigInitialized with the user's settings applied to
// base (row D28).
func FromRunConfigInitialized(e *env.Env, c rustport.RunConfig, base rustport.RunnerConfig, model ModelFn) (*Estimator, *rustport.CheckpointState, error) {
	return FromRunnerConfigInitialized(e, c.ToRunnerConfig(base), model)
}

// RunDistributedRuntime runs a process of a training (row D21). Its errors have kind Distributed.
func RunDistributedRuntime(e *env.Env, by runner.Services, c rustport.RunnerConfig, run runner.Config) error {
	return wrap(Distributed, runner.RunFromRunnerConfig(e, by, c, run))
}

// RunDistributedRuntimeFromRunConfig calls RunDistributedRuntime with the user's settings applied
// to base (row D30).
func RunDistributedRuntimeFromRunConfig(e *env.Env, by runner.Services, c rustport.RunConfig, base rustport.RunnerConfig, role rustport.Role, bindAddr string) error {
	return wrap(Distributed, runner.RunFromRunConfig(e, by, c, base, role, bindAddr))
}
