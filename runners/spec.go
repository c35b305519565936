package runners

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
)

// What a cluster is made of, what can go wrong in it and what is seen of it are the
// plain types of engine/cluster, where they are documented. They have a name here
// too, so that whoever uses a runner needs one import.
type (
	Spec           = cluster.Spec
	ServingSpec    = cluster.ServingSpec
	BareServerSpec = cluster.BareServerSpec
	Location       = cluster.Location
	EnvVar         = cluster.EnvVar
	Model          = cluster.Model
	SubGraph       = cluster.SubGraph
	Pod            = cluster.Pod
	Choice         = env.Choice
	SpecError      = cluster.SpecError

	Fault     = cluster.Fault
	FaultKind = cluster.FaultKind

	Observation = cluster.Observation
	Stats       = cluster.Stats
	Counts      = cluster.Counts

	Load            = cluster.Load
	ZooKeeperLoad   = cluster.ZooKeeperLoad
	ModelServerLoad = cluster.ModelServerLoad
	Flow            = cluster.Flow
)

// BareServer is the name of the pod whose first process is a model server without
// an agent, where Spec.BareServer asks for one. StartPod starts it.
const BareServer = cluster.BareServer

// ErrUnsupported is what a runner answers to what it cannot do; the scenario is
// then skipped.
var ErrUnsupported = cluster.ErrUnsupported
