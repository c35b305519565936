package serve

import (
	"strings"

	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/flags"
)

// usage is upstream's, and then our own flags in its form.
func usage(program string, profile tfserving.Profile) string {
	var b strings.Builder
	b.WriteString(flags.Usage(profile, program))
	b.WriteString("Flags of the simulation, on the command line or in " + FlagsVariable + ":\n")
	newOwnFlags(&Command{}).describe(&b)
	return b.String()
}
