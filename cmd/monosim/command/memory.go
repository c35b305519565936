package command

import (
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/whatif/outlook"
)

// MemoryHelp is what --max-memory says of itself.
const MemoryHelp = "memory that the run may take, as 8GiB (default what this machine has to spare)"

// MemoryFor returns the memory that a run may take: that of --max-memory, or what the machine
// has to spare. It is 0 where that is unknown.
func MemoryFor(flag string) (int64, error) {
	if flag != "" {
		return outlook.ParseBytes(flag)
	}
	available, err := process.Available()
	if err != nil {
		return 0, nil // no Linux
	}
	return available, nil
}
