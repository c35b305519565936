package datadef

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// IsAvailable reports whether the replica's state is AVAILABLE, so that it serves.
func (m *ReplicaMeta) IsAvailable() bool {
	return pysem.Equal(ReplicaMetaClass.Get(m, "stat"), int(env.StateAvailable))
}
