// Package parity writes PARITY.md: what of the reference is ported, and the tests, cases
// and scenarios that show it.
//
// Two things to use first:
//
//   - [Text] is the page, from the registers, the project's sources and a run of all
//     scenarios; monosim parity writes it.
//   - [CheckPage] names what a page claims and the sources do not show, and [CheckRecords] the
//     results on other runners that are older than the code.
//
// What a box needs is in boxes.go and, of recorded cases, in cases*.go; of notes on cost in
// cost.go, of tests in asserts.go. What states the registers may claim is in rows.go, what
// shows a quirk in quirks.go, how sources are searched in tree.go, the page in write.go.
// What scenarios came to on other runners is compared.go's, what passed at night nightly.go's.
//
// Unstable: any commit may change it.
package parity

import (
	"io/fs"

	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/explore"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/vectors/scope"
)

// evidence holds everything from which PARITY.md is written.
type evidence struct {
	rows     []scope.Row
	modules  []scope.Module
	boxed    []scope.Module // other modules that have boxes in the report
	absences []scope.Absence
	names    []scope.ModuleNames
	ports    []scope.Port
	quirks   []scope.Quirk
	found    map[string]explore.Sight
	// unreached says why exploring cannot find a quirk, by id.
	unreached map[string]string
	report    *steps.Report
	tree      *sourceTree
	compared  *compare.Matrix // nil if nothing was recorded
	code      *compare.Code   // the code of today, with which the record is compared; nil without a record
	nightly   []nightlyPart
}

// Text returns the text of PARITY.md. It is made from the registers in this binary, the project's
// sources and the report of all scenarios. It fails if the sources cannot be read, or do not
// support a state that a register claims.
func Text(sources fs.FS, report *steps.Report) ([]byte, error) {
	p, err := read(sources, report)
	if err != nil {
		return nil, err
	}
	return p.text(), nil
}

func read(sources fs.FS, report *steps.Report) (*evidence, error) {
	p := &evidence{report: report}
	var err error
	if p.rows, err = scope.Rows(); err != nil {
		return nil, err
	}
	if p.modules, err = scope.Modules(); err != nil {
		return nil, err
	}
	if p.boxed, err = scope.Boxed(); err != nil {
		return nil, err
	}
	if p.absences, err = scope.Absences(); err != nil {
		return nil, err
	}
	if p.names, err = scope.Names(); err != nil {
		return nil, err
	}
	if p.ports, err = scope.Ports(); err != nil {
		return nil, err
	}
	if p.quirks, err = scope.Quirks(); err != nil {
		return nil, err
	}
	if err = p.readFound(sources); err != nil {
		return nil, err
	}
	if p.tree, err = readSources(sources); err != nil {
		return nil, err
	}
	if p.compared, p.code, err = readCompared(sources, report); err != nil {
		return nil, err
	}
	if p.nightly, err = readNightly(sources); err != nil {
		return nil, err
	}
	p.stateBoxRows()
	p.stateDerivedRows()
	return p, p.checkStates()
}

// Reference names the revision of the reference that the port follows: repository, commit
// and date.
const Reference = "bytedance/monolith 135c491 (2023-11-08)"
