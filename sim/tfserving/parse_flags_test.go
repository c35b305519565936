package tfserving_test

import (
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/flags"
)

// Scripts begin with flags, whose room imports this one.
func init() { tfserving.SetParseFlags(flags.Parse) }
