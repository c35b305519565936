package rustport

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// GetDiscoveryFromRunConfig returns GetDiscovery for what the user says over base (row D26).
func GetDiscoveryFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, psm pysem.OptString, kinds runnerutils.Discoveries) (*RunnerDiscovery, error) {
	return GetDiscovery(e, c.ToRunnerConfig(base), psm, kinds)
}

// MonolithDiscoveryFromRunConfig returns MonolithDiscovery for what the user says over base (row D27).
func MonolithDiscoveryFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, psm pysem.OptString, kinds runnerutils.Discoveries) (*Guard, error) {
	return MonolithDiscovery(e, c.ToRunnerConfig(base), psm, kinds)
}

// InitializeRestoreFromRunConfig returns InitializeRestore for what the user says over base, with
// the time limits of both (row D31).
func InitializeRestoreFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, role Role, variant Variant) (*CheckpointState, error) {
	conf := c.ToRunnerConfig(base)
	return InitializeRestore(e, conf, role, variant, conf.Timing())
}
