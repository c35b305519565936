package runners

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
)

// Second names for the plain types of engine/cluster, which documents them, so that a user
// of a runner needs one import.
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

// ErrUnsupported is the error of a runner that cannot do what it is asked. It skips the
// scenario.
var ErrUnsupported = cluster.ErrUnsupported

// BackendError is an ErrUnsupported whose reason is a backend that was chosen for the run, and not
// the runner: with another one the scenario runs.
type BackendError struct{ Reason string }

func (e *BackendError) Error() string { return e.Reason }

func (e *BackendError) Unwrap() error { return ErrUnsupported }
