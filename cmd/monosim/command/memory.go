package command

import (
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/whatif/outlook"
)

// MemoryHelp is the help text of the flag --max-memory.
const MemoryHelp = "memory that the run may take, as 8GiB (default what this machine has to spare)"

// MemoryFor returns how many bytes of memory a run may take: the value of --max-memory, or else
// what the machine has to spare. It returns 0 if that is unknown.
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
