// Package pyre is Python 3.11's re.match: its syntax, its errors with their positions, and
// what CPython's engine matches and captures, also where that is odd.
//
// Two things to use first:
//
//   - [Compile] is re.compile of a str pattern; what is malformed is an error of the
//     type "error", as re.error is called.
//   - [Pattern.Match] matches from the beginning of a text on.
//
// The engine backtracks as CPython's does (Modules/_sre/sre_lib.h), so a pattern can take
// time beyond all bounds. [MaxSteps] ends that with a refusal (Q231), by a count and not
// by a clock.
//
// To change the syntax look in parse*.go, character classes and case in charset.go, the
// instructions in compile.go, what they do in match*.go.
package pyre
