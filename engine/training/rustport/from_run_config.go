package rustport

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// GetDiscoveryFromRunConfig calls GetDiscovery with the user's settings applied to base (row D26).
func GetDiscoveryFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, psm pysem.OptString, kinds runnerutils.Discoveries) (*RunnerDiscovery, error) {
	return GetDiscovery(e, c.ToRunnerConfig(base), psm, kinds)
}

// MonolithDiscoveryFromRunConfig calls MonolithDiscovery with the user's settings applied to base
// (row D27).
func MonolithDiscoveryFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, psm pysem.OptString, kinds runnerutils.Discoveries) (*Guard, error) {
	return MonolithDiscovery(e, c.ToRunnerConfig(base), psm, kinds)
}

// InitializeRestoreFromRunConfig calls InitializeRestore with the user's settings applied to base,
// and with the resulting time limits (row D31).
func InitializeRestoreFromRunConfig(e *env.Env, c RunConfig, base RunnerConfig, role Role, variant Variant) (*CheckpointState, error) {
	conf := c.ToRunnerConfig(base)
	return InitializeRestore(e, conf, role, variant, conf.Timing())
}
