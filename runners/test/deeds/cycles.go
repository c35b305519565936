package deeds

// A cycle of two or three deeds that is done so often is taken for one of each, done many
// times: how often it was, and in which of them the run ended, is a matter of time.
const (
	longestCycle = 3
	leastCycles  = 4
)

// cycles puts the deeds of cycles together.
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

// cycleAt finds the cycle with which a list begins: how long it is, and how many deeds of
// the list it takes. A deed that no cycle begins with is one of its own.
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
