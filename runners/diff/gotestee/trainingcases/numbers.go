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
		in.Wrong(name, "an int")
	}
	if !in.Has(name) {
		in.Wrong(name, "an int")
	}
	return 0, pysem.Raise("TypeError", "can't multiply sequence by non-int of type '%s'", pysem.TypeName(in.Value(name)))
}

// workerIndex returns a worker's index as an int. The case may give any value. A number too large
// for an int stays beyond every capacity. A float loses its fraction, as in TensorFlow. operator is
// the comparison that Python makes with the index, for the text of its TypeError.
func workerIndex(in caseworld.Arguments, operator string) (int, error) {
	switch v := in.Value("index").(type) {
	case int:
		return v, nil
	case *big.Int:
		return v.Sign() * math.MaxInt, nil
	case float64:
		switch {
		case math.IsNaN(v) && operator == ">":
			return 0, nil // n is not greater than any of the numbers
		case math.IsNaN(v):
			return 0, pysem.Raise("ValueError", "cannot convert float NaN to integer")
		case v > 0 && v < 1:
			in.Wrong("index", "a worker's index")
		case math.Abs(v) > math.MaxInt32:
			return math.MaxInt32 * int(math.Copysign(1, v)), nil
		}
		return int(v), nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	}
	return 0, pysem.Raise("TypeError", "'%s' not supported between instances of '%s' and 'int'", operator, pysem.TypeName(in.Value("index")))
}

// noWorker returns the ValueError for an index that no worker of a barrier has, if the case gives
// the index as something other than an int. Otherwise it returns nil. The barrier's own error would
// show such an index as an int.
func noWorker(index any, capacity int) error {
	if isStrange(index, capacity) {
		return pysem.Raise("ValueError", "Index [%s] must be non-negative and less than capacity [%d]. ", pysem.Str(index), capacity)
	}
	return nil
}

// outOfRange is noWorker for the flags of sync_hooks, whose error is an AssertionError.
func outOfRange(index any, workers int) error {
	if isStrange(index, workers) {
		return pysem.Raise("AssertionError", "Index %s is out range ", pysem.Str(index))
	}
	return nil
}

// isStrange reports whether an index is of no worker and no plain int.
func isStrange(index any, workers int) bool {
	_, large := index.(*big.Int)
	f, isFloat := index.(float64)
	return large || index == false || isFloat && !(f > 0 && f < float64(workers))
}
