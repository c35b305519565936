package rustport

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// GetDiscoveryFromRunConfig does what GetDiscovery does for the user's settings over base (row
// D26).
func GetDiscoveryFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, psm pysem.OptString, kinds runnerutils.Discoveries) (*RunnerDiscovery, error) {
	return GetDiscovery(e, c.ToRunnerConfig(base), psm, kinds)
}

// MonolithDiscoveryFromRunConfig does what MonolithDiscovery does for the user's settings over base
// (row D27).
func MonolithDiscoveryFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, psm pysem.OptString, kinds runnerutils.Discoveries) (*Guard, error) {
	return MonolithDiscovery(e, c.ToRunnerConfig(base), psm, kinds)
}

// InitializeRestoreFromRunConfig does what InitializeRestore does for the user's settings over
// base, with the time limits of both (row D31).
func InitializeRestoreFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, role Role, variant Variant) (*CheckpointState, error) {
	conf := c.ToRunnerConfig(base)
	return InitializeRestore(e, conf, role, variant, conf.Timing())
}
