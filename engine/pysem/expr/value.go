package expr

import (
	"hash/fnv"
	"math"
	"math/big"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyset"
)

const hashModulus = pyset.HashModulus

// hashOf returns Python's hash(v), or a TypeError. stable is true if CPython gives the same hash in
// every run. Otherwise the hash is one of this package's own.
func hashOf(v Value) (hash int64, stable bool, err error) {
	switch v := v.(type) {
	case int, bool, *big.Int:
		return hashInt(v), true, nil
	case float64:
		return hashFloat(v), !math.IsNaN(v), nil
	case Tuple:
		return hashTuple(v)
	case *Set:
		if v.frozen {
			return hashSet(v)
		}
	case *Range:
		return hashRange(v)
	}
	key, err := keyOf(v)
	if err != nil {
		return 0, false, err
	}
	h := fnv.New64a()
	switch key := key.(type) {
	case string:
		h.Write([]byte(key))
	case keyText:
		h.Write([]byte(key))
	default:
		h.Write([]byte(typeName(v)))
	}
	return int64(h.Sum64()), false, nil
}

func hashInt(v Value) int64 {
	n, _ := pysem.Big(v)
	return pyset.HashInt(n)
}

// hashFloat returns a float's hash, as CPython's _Py_HashDouble does. A float that equals an int
// has the hash of that int.
func hashFloat(f float64) int64 {
	switch {
	case math.IsInf(f, 1):
		return 314159
	case math.IsInf(f, -1):
		return -314159
	case math.IsNaN(f):
		return 0
	}
	fraction, exponent := math.Frexp(math.Abs(f))
	var x uint64
	for fraction != 0 {
		x = (x<<28)&hashModulus | x>>(61-28)
		fraction *= 1 << 28
		exponent -= 28
		whole := uint64(fraction)
		fraction -= float64(whole)
		if x += whole; x >= hashModulus {
			x -= hashModulus
		}
	}
	if exponent >= 0 {
		exponent %= 61
	} else {
		exponent = 61 - 1 - (-1-exponent)%61
	}
	x = (x<<exponent)&hashModulus | x>>(61-exponent)
	h := int64(x)
	if f < 0 {
		h = -h
	}
	if h == -1 {
		return -2
	}
	return h
}

func hashTuple(t Tuple) (int64, bool, error) {
	hashes := make([]int64, len(t))
	stable := true
	for i, item := range t {
		h, ok, err := hashOf(item)
		if err != nil {
			return 0, false, err
		}
		hashes[i], stable = h, stable && ok
	}
	return pyset.Tuple(hashes...), stable, nil
}

func hashSet(s *Set) (int64, bool, error) {
	var h uint64
	stable := true
	for _, item := range s.all() {
		one, ok, err := hashOf(item)
		if err != nil {
			return 0, false, err
		}
		stable = stable && ok
		x := uint64(one)
		h ^= (x ^ 89869747 ^ x<<16) * 3644798167
	}
	h ^= (uint64(s.len()) + 1) * 1927868237
	h ^= h>>11 ^ h>>25
	h = h*69069 + 907133923
	if h == math.MaxUint64 {
		return 590923713, stable, nil
	}
	return int64(h), stable, nil
}

// hashRange returns the hash of a range, which is that of the tuple (length, first, step). First
// and step are None where they do not matter.
func hashRange(r *Range) (int64, bool, error) {
	t := Tuple{r.Len(), nil, nil}
	if r.Len() > 0 {
		t[1] = r.Start
	}
	if r.Len() > 1 {
		t[2] = r.Step
	}
	return hashTuple(t)
}

// Value is a Python value. The package comment lists the Go types.
type Value = any

// Tuple is a tuple.
type Tuple = pysem.Tuple

// List is a Python list. It is used by pointer, so that all names of a list see its changes.
type List struct{ Items []Value }

// Range is a range of ints.
type Range struct{ Start, Stop, Step int }

// Slice is a Python slice, such as 1:2 in brackets. A part that is left out is nil.
type Slice struct{ Start, Stop, Step Value }

// ellipsis and notImplemented are the types of the constants "..." and NotImplemented.
type (
	ellipsis       struct{}
	notImplemented struct{}
)

// view is the keys, values or items of a dict.
type view struct {
	of   *Dict
	what string // which view it is: "keys", "values" or "items"
}

// iterator is a Python iterator. next returns values until ok is false or there is an error.
type iterator struct {
	typ  string // name of the Python class, such as "map"
	next func() (v Value, ok bool, err error)
}

// typeName returns the name of v's class.
func typeName(v Value) string {
	switch v := v.(type) {
	case *List:
		return "list"
	case *Dict:
		return "dict"
	case *Set:
		if v.frozen {
			return "frozenset"
		}
		return "set"
	case *Range:
		return "range"
	case *Slice:
		return "slice"
	case *view:
		return "dict_" + v.what
	case *iterator:
		return v.typ
	case *function:
		return "function"
	case *builtin:
		return v.typeName()
	case *method:
		return "builtin_function_or_method"
	case *class:
		return "type"
	case ellipsis:
		return "ellipsis"
	case notImplemented:
		return "NotImplementedType"
	}
	return pysem.TypeName(v)
}

// Truth returns bool(v).
func Truth(v Value) bool {
	switch v := v.(type) {
	case *List:
		return len(v.Items) > 0
	case *Dict:
		return v.Len() > 0
	case *Set:
		return v.len() > 0
	case *Range:
		return v.Len() > 0
	case *view:
		return v.of.Len() > 0
	}
	return pysem.Truth(v)
}

// Len returns len(r).
func (r *Range) Len() int {
	switch {
	case r.Step > 0 && r.Start < r.Stop:
		return int((uint(r.Stop)-uint(r.Start)-1)/uint(r.Step)) + 1
	case r.Step < 0 && r.Start > r.Stop:
		return int((uint(r.Start)-uint(r.Stop)-1)/uint(-r.Step)) + 1
	}
	return 0
}

// at returns the item of the range with the index i.
func (r *Range) at(i int) int { return r.Start + i*r.Step }

// find returns the index of n in the range, or -1 if it is not in it.
func (r *Range) find(n int) int {
	if r.Step > 0 && (n < r.Start || n >= r.Stop) || r.Step < 0 && (n > r.Start || n <= r.Stop) {
		return -1
	}
	if distance := uint(n) - uint(r.Start); r.Step > 0 {
		if distance%uint(r.Step) == 0 {
			return int(distance / uint(r.Step))
		}
	} else if distance = -distance; distance%uint(-r.Step) == 0 {
		return int(distance / uint(-r.Step))
	}
	return -1
}

// isInt reports whether v is an int or a bool.
func isInt(v Value) bool {
	switch v.(type) {
	case bool, int, *big.Int:
		return true
	}
	return false
}

// asInt returns v as a Go int. It returns false if v is not an int or bool, or does not fit.
func asInt(v Value) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// indexOf returns v as an index or a count. If v is not an int, it returns a TypeError with the
// text in what. A number beyond 64 bits is an OverflowError.
func indexOf(v Value, what string) (int, error) {
	if n, ok := asInt(v); ok {
		return n, nil
	}
	if _, big := v.(*big.Int); big {
		return 0, raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	}
	return 0, &pysem.Error{Type: "TypeError", Message: what}
}

// wantIndex returns v as an index or a count. Its errors have the texts that most functions use.
func wantIndex(v Value) (int, error) {
	if n, ok := asInt(v); ok {
		return n, nil
	}
	n, err := indexOf(v, "'"+typeName(v)+"' object cannot be interpreted as an integer")
	if isInt(v) {
		return 0, raise("OverflowError", "Python int too large to convert to C ssize_t")
	}
	return n, err
}

// wantInt returns v as an int of C, which has 32 bits.
func wantInt(v Value) (int, error) {
	n, err := wantIndex(v)
	if isInt(v) && (err != nil || n < math.MinInt32 || n > math.MaxInt32) {
		return 0, raise("OverflowError", "Python int too large to convert to C int")
	}
	return n, err
}

// given returns the number that an optional argument has, or usual if the argument is not given.
// want converts it.
func given(v Value, usual int, want func(v Value) (int, error)) (int, error) {
	if !has(v) {
		return usual, nil
	}
	return want(v)
}

func raise(typ, format string, args ...any) error { return pysem.Raise(typ, format, args...) }

func typeError(format string, args ...any) error { return pysem.Raise("TypeError", format, args...) }
