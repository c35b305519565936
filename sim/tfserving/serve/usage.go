package serve

import (
	"strings"

	"github.com/monosim/monosim/sim/tfserving"
)

// usage is upstream's, and then our own flags in its form.
func usage(program string, profile tfserving.Profile) string {
	var b strings.Builder
	b.WriteString(tfserving.FlagsUsage(profile, program))
	b.WriteString("Flags of the simulation, on the command line or in " + FlagsVariable + ":\n")
	newOwnFlags(&Command{}).describe(&b)
	return b.String()
}
