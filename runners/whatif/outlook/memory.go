package outlook

import (
	"fmt"
	"runtime/metrics"
	"strconv"
	"strings"
)

// Memory is the memory of the program in bytes. Live is the part of the heap that was in use at the
// last garbage collection. Heap also includes objects that are no longer used. Stacks is the memory
// of goroutine stacks.
type Memory struct{ Live, Heap, Stacks int64 }

// Used returns the memory that cannot be freed.
func (m Memory) Used() int64 { return m.Live + m.Stacks }

// ReadMemory reads the memory of this program, without stopping it.
func ReadMemory() Memory {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(samples)
	value := func(i int) int64 {
		if samples[i].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return int64(samples[i].Value.Uint64())
	}
	return Memory{Live: value(0), Heap: value(1), Stacks: value(2)}
}

// ParseBytes parses an amount of memory, such as 8GiB, 512MiB or a number of bytes. Its
// error says what is wanted.
func ParseBytes(text string) (int64, error) {
	number, shift := text, 0
	for unit, s := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40} {
		if n, is := strings.CutSuffix(text, unit); is {
			number, shift = strings.TrimSpace(n), s
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0) || v > float64(int64(1)<<62>>shift) {
		return 0, fmt.Errorf("found %q, want an amount of memory above 0, as 8GiB or 512MiB", text)
	}
	return int64(v * float64(int64(1)<<shift)), nil
}
