package tfserving

import _ "embed" // for Spec

// Spec is the text of SPEC.md, whose rules code and messages cite by number.
//
//go:embed SPEC.md
var Spec string
