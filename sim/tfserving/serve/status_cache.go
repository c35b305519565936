package serve

import (
	"sync"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// statusCache holds the status answers of all known models. It is updated at every event.
// GetModelStatus reads it without mu, so a slow disk or a load cannot delay the answer (TFS-2.3
// item 4).
type statusCache struct{ models sync.Map } // maps string to *modelStatus

// modelStatus holds the status answers of one model. It is immutable.
type modelStatus struct {
	versions []env.ModelVersionStatus
	all      *apis.GetModelStatusResponse
}

// publish replaces the answers of one model by the server's present statuses. The caller holds the
// server's mu.
func (c *statusCache) publish(machine *tfserving.Server, model string) {
	versions, err := machine.Status(env.ModelSpec{Name: model})
	if err != nil {
		return // only the profile python-fake forgets models, and that profile does not read the cache
	}
	c.models.Store(model, &modelStatus{versions, modelconfig.StatusResponse(versions)})
}

// answer answers a status request for the model and version in spec.
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
