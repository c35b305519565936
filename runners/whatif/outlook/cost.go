package outlook

import (
	"encoding/json"
	"runtime"

	"github.com/monosim/monosim/engine/wholefile"
)

// Cost is what a run has cost. Memory is what is in use at its end, without that of the
// program before it, as [New] found it.
type Cost struct {
	Agents     int     `json:"agents"`
	VirtualSec float64 `json:"virtual_s"`
	WallSec    float64 `json:"wall_s"`
	Events     uint64  `json:"events"`
	Reads      uint64  `json:"reads"`
	LiveBytes  int64   `json:"live_bytes"`
	StackBytes int64   `json:"stack_bytes"`
}

// WriteCost writes what a run has cost into a file, while its cluster is there.
func (o *Outlook) WriteCost(file string, far Far) error {
	// Two rounds of the collector see to what the first one only finds, and to stacks that
	// have become larger than their tasks need.
	runtime.GC()
	runtime.GC()
	memory := ReadMemory()
	text, err := json.Marshal(Cost{
		Agents: o.size.Agents, VirtualSec: far.Now.Seconds(), WallSec: far.Wall.Seconds(), Events: far.Events, Reads: far.Reads,
		LiveBytes: memory.Live - o.base.Live, StackBytes: max(memory.Stacks-o.base.Stacks, 0), // a small run may end with less than it began with
	})
	if err != nil {
		return err
	}
	return wholefile.Write(file, append(text, '\n'))
}
