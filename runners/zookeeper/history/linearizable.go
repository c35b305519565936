package history

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// Linearizable searches for an order of the writes and of the reads after a sync. An order is valid
// if executing the operations in it gives the recorded answers, and if an operation that ended
// before another one began also comes first. Linearizable returns nil if each znode has such an
// order, else an error that names the znode. It does not use zxids. limit bounds the wall time of
// the search on one znode. Exceeding it is an error too.
func (h History) Linearizable(limit time.Duration) error {
	byPath := map[string][]porcupine.Operation{} // each znode is checked by itself, because znodes are independent of each other
	for i := range h {
		if o := &h[i]; o.writes() || o.Synced {
			byPath[o.Path] = append(byPath[o.Path], porcupine.Operation{
				ClientId: o.Client, Input: o, Call: int64(o.Call), Return: int64(o.Return),
			})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		switch result := porcupine.CheckOperationsTimeout(model, byPath[path], limit); result {
		case porcupine.Ok:
		case porcupine.Unknown:
			return fmt.Errorf("znode %s: found no order of its %d operations within %v, nor that there is none", path, len(byPath[path]), limit)
		default:
			return fmt.Errorf("znode %s: its %d operations are not linearizable", path, len(byPath[path]))
		}
	}
	return nil
}

// model describes one znode for the search. Each operation is both the input and the output
// of a step.
var model = porcupine.Model{
	Init: func() any { return znode{} },
	Step: func(state, input, _ any) (bool, any) {
		next, answered := state.(znode).after(input.(*Operation))
		return answered, next
	},
}
