package backends

import (
	"slices"

	"github.com/monosim/monosim/engine/agent/datadef"
)

// common is one list of services for all agents that have found the same, which nobody
// changes. n containers of one model would keep n lists of n services.
func (b *ZKBackend) common(model string, services []SubGraphServices) []SubGraphServices {
	if b.e.Shared == nil {
		return services
	}
	return b.e.Shared.Same(b.path("binding", model), services, func(last any) bool {
		return slices.EqualFunc(last.([]SubGraphServices), services, sameSubGraph)
	}).([]SubGraphServices)
}

func sameSubGraph(a, b SubGraphServices) bool {
	return a.SubGraph == b.SubGraph && slices.EqualFunc(a.Services, b.Services, sameService)
}

func sameService(a, b *datadef.ContainerServiceInfo) bool {
	return a == b || !a.Odd() && !b.Odd() && *a == *b
}
