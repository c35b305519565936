package serve

import (
	"sync"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// board has the status answers of all models that were ever heard of, published
// at every event. GetModelStatus reads it without the machine's lock, so that
// neither a slow disk nor a load holds it up (TFS-2.3 item 4).
type board struct{ models sync.Map } // string to *posted

// posted is what is known of one model. Neither part changes.
type posted struct {
	versions []env.ModelVersionStatus
	all      *apis.GetModelStatusResponse
}

// publish takes a model's answer over; call it with the machine's lock held.
func (b *board) publish(machine *tfserving.Server, model string) {
	versions, err := machine.Status(env.ModelSpec{Name: model})
	if err != nil {
		return // python-fake alone forgets models
	}
	b.models.Store(model, &posted{versions, tfserving.StatusResponse(versions)})
}

// answer is the answer to a request that has a model_spec.
func (b *board) answer(spec *apis.ModelSpec) (*apis.GetModelStatusResponse, error) {
	var versions []env.ModelVersionStatus
	if found, ok := b.models.Load(spec.GetName()); ok {
		known := found.(*posted)
		if spec.GetVersion() == nil {
			return known.all, nil
		}
		versions = known.versions
	}
	selected, err := tfserving.SelectStatus(env.ModelSpec{
		Name: spec.GetName(), HasVersion: spec.GetVersion() != nil, Version: spec.GetVersion().GetValue(),
	}, versions)
	if err != nil {
		return nil, err
	}
	return tfserving.StatusResponse(selected), nil
}
