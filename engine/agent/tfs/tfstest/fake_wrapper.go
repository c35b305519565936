// Package tfstest has the double that the reference's tests use instead of a model server beside an
// agent v3.
//
// Use [NewFakeTFSWrapper] for the option Server of an agent; the real one is tfs.TFSWrapper. To
// change its answers: fake_wrapper.go.
//
// Unstable: any commit may change it.
package tfstest

import (
	"slices"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// FakeTFSWrapper is the reference's fake of the wrapper (tfs_wrapper.py:172). It runs no process,
// and reports every model in the model config file as AVAILABLE.
type FakeTFSWrapper struct {
	e          *env.Env
	configFile string
	quirks     quirks.Set
}

// NewFakeTFSWrapper makes a fake that reads a model config file. Of all quirks, only Q25 has an
// effect on it.
func NewFakeTFSWrapper(e *env.Env, configFile string, keep quirks.Set) *FakeTFSWrapper {
	return &FakeTFSWrapper{e: e, configFile: configFile, quirks: keep}
}

// Start starts nothing.
func (w *FakeTFSWrapper) Start() error {
	w.e.Log.Logf(env.Info, "starting tfs")
	return nil
}

// Stop stops nothing.
func (w *FakeTFSWrapper) Stop() error {
	w.e.Log.Logf(env.Info, "stoping tfs")
	return nil
}

// Poll always reports that the process still runs.
func (w *FakeTFSWrapper) Poll() (int, bool) { return 0, false }

// IsGRPCRemoteOp returns an AttributeError, because the reference's fake lacks this method. So a
// HeartBeat fails once there are addresses to return (Q28).
func (w *FakeTFSWrapper) IsGRPCRemoteOp() (bool, error) {
	return false, pysem.Raise("AttributeError", "'FakeTFSWrapper' object has no attribute 'is_grpc_remote_op'")
}

// ListSavedModels lists the models in the model config file, in their order there.
func (w *FakeTFSWrapper) ListSavedModels() ([]string, error) {
	return tfs.ModelNames(w.e.Files, w.configFile, agentconfig.PublicProtos(w.quirks))
}

// ListSavedModelsStatus returns AVAILABLE for each model in the model config file. A name that is
// listed twice there appears once.
func (w *FakeTFSWrapper) ListSavedModelsStatus() ([]tfs.SavedModelStatus, error) {
	names, err := w.ListSavedModels()
	if err != nil {
		return nil, err
	}
	list := make([]tfs.SavedModelStatus, 0, len(names))
	for i, name := range names {
		if !slices.Contains(names[:i], name) {
			list = append(list, tfs.SavedModelStatus{Name: name, Status: env.ModelVersionStatus{State: env.StateAvailable}})
		}
	}
	return list, nil
}

var _ tfs.ModelServerProcess = (*FakeTFSWrapper)(nil)
