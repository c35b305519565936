package serve

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// eventLines are what upstream's manager and harness log around a change of
// state, which is what people search a server's log for. The machine itself logs
// what went wrong.
var eventLines = map[env.ModelState][]string{
	env.StateLoading: {
		"Successfully reserved resources to load servable",
		"Approving load for servable version",
		"Loading servable version",
	},
	env.StateAvailable: {"Successfully loaded servable version"},
	env.StateUnloading: {
		"Quiescing servable version",
		"Done quiescing servable version",
		"Unloading servable version",
	},
	env.StateEnd: {"Done unloading servable version"},
}

func (s *Server) logEvent(e tfserving.Event) {
	if e.Err != nil {
		return
	}
	for _, line := range eventLines[e.State] {
		s.log.logf(env.Info, "%s {name: %s version: %d}", line, e.Model, e.Version)
	}
}
