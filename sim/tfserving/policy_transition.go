package tfserving

import "cmp"

// Transition is the policy for the order in which a model's versions are loaded and unloaded
// (TFS-4.4).
type Transition uint8

// These are the transition policies. tensorflow_model_server always uses AvailabilityPreserving
// (model_servers/server.cc:312-313).
const (
	AvailabilityPreserving Transition = iota
	ResourcePreserving
)

type actionKind uint8

const (
	loadAction actionKind = iota
	unloadAction
)

type action struct {
	kind    actionKind
	harness *harness
}

// next returns at most one action for a model. Its versions must be in ascending order.
func (t Transition) next(versions []*harness) (action, bool) {
	if t == ResourcePreserving {
		return preserveResources(versions)
	}
	return preserveAvailability(versions)
}

// preserveAvailability keeps the last serving version loaded until an aspired version serves
// (core/availability_preserving_policy.cc:47-88).
func preserveAvailability(versions []*harness) (action, bool) {
	var aspired, aspiredServes bool
	var unaspiredServing int
	var lowest *harness
	for _, h := range versions {
		ready := h.state == harnessReady
		switch {
		case h.aspired:
			aspired = true
			aspiredServes = aspiredServes || ready
		case ready:
			unaspiredServing++
			lowest = cmp.Or(lowest, h)
		}
	}
	if lowest != nil && (!aspired || aspiredServes || unaspiredServing > 1) {
		return action{unloadAction, lowest}, true
	}
	return loadHighest(versions)
}

// preserveResources unloads all old versions before it loads a new one
// (core/resource_preserving_policy.cc:24-61).
func preserveResources(versions []*harness) (action, bool) {
	for _, h := range versions {
		if !h.aspired && h.state == harnessReady {
			return action{unloadAction, h}, true
		}
	}
	for _, h := range versions {
		if !h.aspired && h.state != harnessDisabled && h.state != harnessError {
			return action{}, false
		}
	}
	return loadHighest(versions)
}

func loadHighest(versions []*harness) (action, bool) {
	for i := len(versions) - 1; i >= 0; i-- {
		if h := versions[i]; h.aspired && h.state == harnessNew {
			return action{loadAction, h}, true
		}
	}
	return action{}, false
}
