package simrun

import (
	"errors"

	"github.com/monosim/monosim/runners"
)

// Operation answers a golden case with Runner.Operations, see runners.Operations. It fails if
// Runner.Operations is nil.
func (r *Runner) Operation(id, quirks string) (runners.Answer, error) {
	if r.Operations == nil {
		return runners.Answer{}, errors.New("recorded case " + id + ": this runner was given no Operations that answer it")
	}
	return r.Operations.Operation(id, quirks)
}

var _ runners.Operations = (*Runner)(nil)
