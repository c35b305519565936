// Package pyre is re.match of Python 3.11: it accepts the same patterns, reports the same errors at
// the same positions, and matches and captures what CPython's engine does, odd cases included.
//
//   - [Compile] is re.compile of a str pattern. For a malformed pattern the error has the type
//     "error", which is the name of the class re.error.
//   - [Pattern.Match] matches a pattern at the beginning of a text.
//
// The engine backtracks as CPython's does (Modules/_sre/sre_lib.h), so some patterns would take
// practically for ever. After [MaxSteps] instructions a match is refused (Q231); counting them,
// rather than the time, makes that the same in every run.
//
// Unstable: any commit may change it.
package pyre
