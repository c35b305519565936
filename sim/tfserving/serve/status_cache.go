package serve

import (
	"sync"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// statusCache has the status answers of all known models, published at every event.
// GetModelStatus reads them without the machine's lock, so that neither a slow disk nor a load
// holds it up (TFS-2.3 item 4).
type statusCache struct{ models sync.Map } // string to *modelStatus

// modelStatus has the answers about one model. It never changes.
type modelStatus struct {
	versions []env.ModelVersionStatus
	all      *apis.GetModelStatusResponse
}

// publish replaces the answers about a model by what the machine knows now. The caller holds the
// machine's lock.
func (c *statusCache) publish(machine *tfserving.Server, model string) {
	versions, err := machine.Status(env.ModelSpec{Name: model})
	if err != nil {
		return // it is python-fake, which alone forgets models
	}
	c.models.Store(model, &modelStatus{versions, modelconfig.StatusResponse(versions)})
}

// answer answers a request that has a model_spec.
func (c *statusCache) answer(spec *apis.ModelSpec) (*apis.GetModelStatusResponse, error) {
	var versions []env.ModelVersionStatus
	if found, ok := c.models.Load(spec.GetName()); ok {
		known := found.(*modelStatus)
		if spec.GetVersion() == nil {
			return known.all, nil
		}
		versions = known.versions
	}
	selected, err := tfserving.SelectStatus(tfserving.SpecValue(spec), versions)
	if err != nil {
		return nil, err
	}
	return modelconfig.StatusResponse(selected), nil
}
