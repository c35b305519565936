package outlook

import (
	"encoding/json"
	"runtime"

	"github.com/monosim/monosim/engine/wholefile"
)

// Cost is what a run cost in time and memory. The memory is what is in use at the end of the run,
// minus what was in use before the run (see [New]).
type Cost struct {
	Agents     int     `json:"agents"`
	VirtualSec float64 `json:"virtual_s"`
	WallSec    float64 `json:"wall_s"`
	Events     uint64  `json:"events"`
	Reads      uint64  `json:"reads"`
	LiveBytes  int64   `json:"live_bytes"`
	StackBytes int64   `json:"stack_bytes"`
}

// WriteCost writes the cost of a run to a file. Call it while the run's cluster still exists.
func (o *Outlook) WriteCost(file string, far Far) error {
	// The second collection frees what the first has only found, and shrinks stacks.
	runtime.GC()
	runtime.GC()
	memory := ReadMemory()
	text, err := json.Marshal(Cost{
		Agents: o.size.Agents, VirtualSec: far.Now.Seconds(), WallSec: far.Wall.Seconds(), Events: far.Events, Reads: far.Reads,
		// a small run may end with less memory than it began with
		LiveBytes: memory.Live - o.base.Live, StackBytes: max(memory.Stacks-o.base.Stacks, 0),
	})
	if err != nil {
		return err
	}
	return wholefile.Write(file, append(text, '\n'))
}
