package datadef

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// IsAvailable reports whether the replica is in the state AVAILABLE. Only then can it be called.
func (m *ReplicaMeta) IsAvailable() bool {
	return pysem.Equal(ReplicaMetaClass.Get(m, "stat"), int(env.StateAvailable))
}
