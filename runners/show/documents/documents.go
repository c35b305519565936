// Package documents lists the documents of this project that define numbered rules, such as
// ZK-14.3. The program prints these numbers as codes.
//
//   - [All] lists the documents.
//   - package rules finds a rule in a document.
//
// To change which documents there are, change [All]. To change the rules, change the SPEC.md that
// holds them.
//
// Unstable: any commit may change it.
package documents

import (
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/runners/show/rules"
	"github.com/monosim/monosim/runners/whatif"
	"github.com/monosim/monosim/sim/consul"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/zookeeper"
)

// All lists the specifications whose rules can be looked up. Quirks are not among them, because
// they have a register of their own.
func All() []rules.Document {
	return []rules.Document{
		{Prefix: "ZK", Path: "sim/zookeeper/SPEC.md", About: "what ZooKeeper does", Text: zookeeper.Spec},
		{Prefix: "TFS", Path: "sim/tfserving/SPEC.md", About: "what TensorFlow Serving does", Text: tfserving.Spec},
		{Prefix: "CNS", Path: "sim/consul/SPEC.md", About: "what the Consul agent does", Text: consul.Spec},
		{Prefix: "TRN", Path: "engine/training/SPEC.md", About: "what the reference's training side does", Text: training.Spec},
		{Prefix: "INV", Path: "engine/training/SPEC.md", About: "invariants of a training job", Text: training.Spec},
		{Prefix: "CAP", Path: "runners/whatif/SPEC.md", About: "what the capacity model computes, and the errors of plans", Text: whatif.Spec},
	}
}
