package trainingcases

import (
	"math"
	"math/big"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// duration returns a field of seconds, which may be an int of any size or a float. If the field is
// missing, it returns the value of otherwise.
func duration(in caseworld.Arguments, name string, otherwise time.Duration) time.Duration {
	if !in.Has(name) {
		return otherwise
	}
	d, ok := times(in.Value(name), time.Second)
	if !ok {
		in.Wrong(name, "seconds, an int or a float")
	}
	return d
}

// times returns a number of a case times a unit. A product longer than longestWait becomes
// longestWait.
func times(number any, unit time.Duration) (d time.Duration, ok bool) {
	n := optNumber(number)
	if large, isLarge := number.(*big.Int); isLarge {
		f, _ := new(big.Float).SetInt(large).Float64()
		n = pysem.Some(f)
	}
	longest := float64(longestWait / unit)
	return time.Duration(max(-longest, min(n.V, longest)) * float64(unit)), n.Set && !math.IsNaN(n.V)
}

// longestWait is a century: two of them still fit into a duration.
const longestWait = 100 * 365 * 24 * time.Hour

// wait returns how long the case sleeps, which a field gives in seconds. The answer shows this
// sleep with the field's own number, so that 2.0 does not become 2.
func (l *lab) wait(in caseworld.Arguments, name string, otherwise time.Duration) time.Duration {
	d := duration(in, name, otherwise)
	if in.Has(name) {
		l.time.ShowAs(d, in.Value(name))
	}
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
	_, large := index.(*big.Int)
	f, isFloat := index.(float64)
	if large || index == false || isFloat && (f <= 0 || f >= float64(capacity)) {
		return pysem.Raise("ValueError", "Index [%s] must be non-negative and less than capacity [%d]. ", pysem.Str(index), capacity)
	}
	return nil
}
