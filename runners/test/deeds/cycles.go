package deeds

// A cycle is a sequence of two or three deeds that repeats at least leastCycles times. Each of its
// deeds is listed only once, because how often the cycle ran, and at which deed the run ended,
// depends only on time.
const (
	longestCycle = 3
	leastCycles  = 4
)

// cycles replaces each repeated cycle by its deeds, each listed once.
func cycles(deeds []Deed) []Deed {
	var kept []Deed
	for i := 0; i < len(deeds); {
		length, n := cycleAt(deeds[i:])
		for k := i; k < i+n; k++ {
			if k < i+length {
				kept = append(kept, deeds[k])
				continue
			}
			d := &kept[len(kept)-length+(k-i)%length]
			d.Last, d.Times = deeds[k].Last, d.Times+deeds[k].Times
		}
		i += n
	}
	return kept
}

// cycleAt returns the length of the cycle at the start of a list, and the number n of deeds
// that its repetitions cover. A deed that begins no cycle counts as a cycle of length 1.
func cycleAt(deeds []Deed) (length, n int) {
	for length = 2; length <= longestCycle; length++ {
		n = length
		for n < len(deeds) && deeds[n].Who == deeds[n-length].Who && deeds[n].Text == deeds[n-length].Text {
			n++
		}
		if n >= length*leastCycles {
			return length, n
		}
	}
	return 1, 1
}
