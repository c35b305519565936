package trainingcases

import (
	"math"
	"math/big"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// duration returns a field of seconds that Python compares with a float. NaN, which nothing is
// greater than, is a century. If Python cannot compare the field's value, duration returns
// Python's TypeError.
func duration(in caseworld.Arguments, name string, otherwise time.Duration) (time.Duration, error) {
	if !in.Has(name) {
		return otherwise, nil
	}
	d, _ := times(in.Value(name), time.Second)
	_, err := pysem.Compare(0.0, ">", in.Value(name))
	return d, err
}

// times returns a number of a case times a unit. What would be longer than longestWait, and NaN,
// is longestWait. ok is false for NaN and for what is no number.
func times(number any, unit time.Duration) (d time.Duration, ok bool) {
	n := optNumber(number)
	if large, isLarge := number.(*big.Int); isLarge {
		f, _ := new(big.Float).SetInt(large).Float64()
		n = pysem.Some(f)
	}
	if math.IsNaN(n.V) {
		return longestWait, false
	}
	longest := float64(longestWait / unit)
	return time.Duration(math.Floor(max(-longest, min(n.V, longest)) * float64(unit))), n.Set
}

// longestWait is a century: two of them still fit into a duration.
const longestWait = 100 * 365 * 24 * time.Hour

// wait returns how long the case sleeps, which a field gives in seconds. The answer shows this
// sleep with the field's own value, so that 2.0 does not become 2. A value that Python cannot sleep
// raises at the sleep.
func (l *lab) wait(in caseworld.Arguments, name string, otherwise time.Duration) time.Duration {
	if !in.Has(name) {
		return otherwise
	}
	d, _ := times(in.Value(name), time.Second)
	l.time.ShowAs(d, in.Value(name))
	return d
}

// mostItems is the longest list that a case may ask for. Python has no memory for much longer ones.
const mostItems = 1 << 28

// listLength returns the length of a list of one item after Python multiplies the list by the
// number in a field. If Python would raise an exception, it returns that exception.
func listLength(in caseworld.Arguments, name string) (int, error) {
	switch v := in.Value(name).(type) {
	case int:
		if v > mostItems {
			return 0, pysem.Raise("MemoryError", "")
		}
		return v, nil
	case *big.Int:
		return 0, pysem.Raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	}
	if !in.Has(name) {
		in.Wrong(name, "an int")
	}
	return 0, pysem.Raise("TypeError", "can't multiply sequence by non-int of type '%s'", pysem.TypeName(in.Value(name)))
}
