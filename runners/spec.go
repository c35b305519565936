package runners

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
)

// Aliases of the plain types of engine/cluster, where they are documented. Thanks to them, a
// package that uses a runner needs to import only this one.
type (
	Spec           = cluster.Spec
	ServingSpec    = cluster.ServingSpec
	BareServerSpec = cluster.BareServerSpec
	Location       = cluster.Location
	EnvVar         = cluster.EnvVar
	Model          = cluster.Model
	SubGraph       = cluster.SubGraph
	Pod            = cluster.Pod
	Group          = cluster.Group
	Choice         = env.Choice
	Chance         = cluster.Chance
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

// The values of Spec.Chance.
const (
	ChanceDrawn    = cluster.ChanceDrawn
	ChanceRecorded = cluster.ChanceRecorded
	ChanceNone     = cluster.ChanceNone
)

// BareServer is the name of a pod that runs a model server without an agent, if
// Spec.BareServer asks for one. StartPod starts it.
const BareServer = cluster.BareServer

// ErrUnsupported means that the runner cannot do what it is asked. The scenario is then
// skipped.
var ErrUnsupported = cluster.ErrUnsupported

// BackendError is an ErrUnsupported caused by the backend that was chosen for the run,
// rather than by the runner. With another backend the scenario runs.
type BackendError struct{ Reason string }

func (e *BackendError) Error() string { return e.Reason }

func (e *BackendError) Unwrap() error { return ErrUnsupported }
