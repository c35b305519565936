package tfserving

import _ "embed" // for Spec

// Spec is the text of SPEC.md. Code and messages cite its rules by number.
//
//go:embed SPEC.md
var Spec string
