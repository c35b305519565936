// Package vectors holds what the project knows of the reference as data, in two packages
// and the register of quirks:
//
//   - [github.com/monosim/monosim/vectors/golden] has the cases recorded from the real
//     Python, one suite for each of its modules.
//   - [github.com/monosim/monosim/vectors/scope] reads the registers: the rows of the
//     scope, the modules and their state, where each public name went, and the quirks.
//
// quirks.yaml lists the surprises and faults of the reference, Q1 and on, with what is done
// about each. To add one, append it there; PARITY.md follows with make parity.
// compared.json has the results of scenarios on other runners than the simulation, as of
// the last comparison (monosim test --compare --record).
//
// Unstable: any commit may change it.
package vectors

import _ "embed"

// QuirksYAML is the text of the register of quirks; package scope parses it.
//
//go:embed quirks.yaml
var QuirksYAML []byte
