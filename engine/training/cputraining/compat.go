package cputraining

import (
	"github.com/monosim/monosim/engine/env"
	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/saveutils"
)

// These configuration flags enable alerts. The chief has its own flag (cpu_training.py:2012).
const (
	FlagAlertProto      = "monolith_alert_proto"
	FlagChiefAlertProto = "monolith_chief_alert_proto"
)

// MakeConfigBackwardCompatible completes a configuration that does not specify the kind of hash
// table. It takes the kind from the checkpoint where training continues (cpu_training.py:1985).
func MakeConfigBackwardCompatible(e *env.Env, modelDir string, c *CPUTrainingConfig) error {
	if c.UseNativeMultiHashTable.Set {
		return nil
	}
	state, err := saveutils.MonolithCheckpointState(e, modelDir, saveutils.StateReading{})
	if err != nil || state == nil {
		return err
	}
	if state.GetBuiltinHashTableType() != nativetraining.MonolithCheckpointState_MULTI_CUCKOO_HASH_MAP {
		c.UseNativeMultiHashTable = pysem.Some(false)
	}
	return nil
}
