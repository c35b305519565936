package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// labelMap maps a model and a label to a version; nil means that no labels were ever installed. An
// update replaces the whole map, so readers need no copy.
type labelMap map[string]map[string]int64

// version returns the version that a label points to (TFS-11).
func (l labelMap) version(model, label string) (int64, *env.RPCError) {
	if l == nil {
		return 0, statusf(rpcerrors.Unavailable, "Model labels does not init yet.%s", label)
	}
	version, ok := l[model][label]
	if !ok {
		return 0, statusf(rpcerrors.InvalidArgument, "Unrecognized servable version label: %s", label)
	}
	return version, nil
}

// requestedLabel resolves the label of a request (model_servers/server_core.cc:852-861). The
// caller holds the lock.
func (r *Reader) requestedLabel(model, label string) (int64, *env.RPCError) {
	if r.server.options.RefuseVersionLabels {
		return 0, statusf(rpcerrors.InvalidArgument, "ModelSpec has 'version_label' set, but it is not currently allowed by the server.")
	}
	return r.labels.version(model, label)
}

// updateLabels checks that every label points to an available version, and then replaces the
// whole map (TFS-8.2 step 7).
func (c *core) updateLabels(config modelconfig.ServerConfig) *env.RPCError {
	fresh := labelMap{}
	for _, model := range config.Models {
		for _, label := range model.Labels {
			if !c.mayAssign(model.Name, label) {
				return statusf(rpcerrors.FailedPrecondition,
					"Request to assign label to version %d of model %s, which is not currently available for inference",
					label.Version, model.Name)
			}
			if fresh[model.Name] == nil {
				fresh[model.Name] = map[string]int64{}
			}
			fresh[model.Name][label.Name] = label.Version
		}
	}
	if c.server.options.RefuseVersionLabels {
		if len(fresh) > 0 {
			return statusf(rpcerrors.FailedPrecondition, "Model version labels are not currently allowed by the server.")
		}
		return nil
	}
	c.server.reader.set(func(r *Reader) { r.labels = fresh })
	return nil
}

// mayAssign reports whether a label may point to its version. The version must be available, unless
// the options allow other versions.
func (c *core) mayAssign(model string, label modelconfig.Label) bool {
	if c.server.states.state(servable{model, label.Version}) == env.StateAvailable {
		return true
	}
	if c.server.options.ForceAllowLabels {
		return true
	}
	if !c.server.options.AllowVersionLabelsForUnavailableModels {
		return false
	}
	// The lock is not needed here, because only the server's thread changes the labels.
	existing, err := c.server.reader.labels.version(model, label.Name)
	return err != nil || existing == label.Version
}
