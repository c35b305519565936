// Package whatif has the rules of the capacity model, which lies in the folders below.
//
// Two things to use first: [Spec] is the text of the rules; package judge judges a plan.
//
// To change
//
//   - the rules, look in SPEC.md, and at what cites them;
//   - the model, in model;
//   - a plan's fields, in plan;
//   - what is printed, in report.
//
// Unstable: any commit may change it.
package whatif

import _ "embed" // for Spec

// Spec is the text of SPEC.md. Code, reports and errors cite its rules by number.
//
//go:embed SPEC.md
var Spec string
