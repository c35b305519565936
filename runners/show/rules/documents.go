package rules

import (
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/runners/whatif"
	"github.com/monosim/monosim/sim/consul"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Documents lists the documents whose rules the project prints as codes. Quirks have a register.
func Documents() []Document {
	return []Document{
		{"ZK", "sim/zookeeper/SPEC.md", "what ZooKeeper does", zookeeper.Spec},
		{"TFS", "sim/tfserving/SPEC.md", "what TensorFlow Serving does", tfserving.Spec},
		{"CNS", "sim/consul/SPEC.md", "what the Consul agent does", consul.Spec},
		{"TRN", "engine/training/SPEC.md", "what the reference's training side does", training.Spec},
		{"INV", "engine/training/SPEC.md", "invariants of a training job", training.Spec},
		{"CAP", "runners/whatif/SPEC.md", "what the capacity model computes, and the errors of plans", whatif.Spec},
	}
}
