package maps

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"time"
)

type znode struct {
	name  string
	data  []byte
	value int
	at    time.Duration
	gone  bool
}

func (z *znode) touch() bool { z.value++; return true }

func calls(m map[string]*znode) {
	for k := range m { // want `order of a map can be seen: line 24 calls println\(k\); range over slices.Sorted`
		println(k)
	}
}

func callInCondition(m map[string]*znode) (n int) {
	for _, z := range m { // want `calls z.touch, which is not known to have no effect`
		if z.touch() {
			n++
		}
	}
	return n
}

func firstFound(m map[string]int) string {
	for k, v := range m { // want `returns what depends on the first entry found`
		if v > 3 {
			return k
		}
	}
	return ""
}

func firstError(m map[string]int) error {
	for k, v := range m { // want `returns what depends on the first entry found`
		if v < 0 {
			return fmt.Errorf("%s is negative", k)
		}
	}
	return nil
}

func lastWins(m map[string]int) (last string) {
	for k := range m { // want `sets last to what depends on the last entry`
		last = k
	}
	return last
}

func keyOutside(m map[string]int) (k string) {
	for k = range m { // want `the last key stays in a variable outside the loop`
	}
	return k
}

func keyOfLargest(m map[string]int) (best string) {
	most := 0
	for k, v := range m { // want `sets most to what depends on the last entry`
		if v > most {
			most, best = v, k
		}
	}
	return best
}

func unsorted(m map[string]int) (keys []string) {
	for k := range m { // want `appends to keys, which is not sorted right after the loop`
		keys = append(keys, k)
	}
	return keys
}

func sortedTooLate(m map[string]int) []string {
	var keys []string
	for k := range m { // want `appends to keys, which is not sorted right after the loop`
		keys = append(keys, k)
	}
	println(keys[0])
	slices.Sort(keys)
	return keys
}

func otherSorted(m map[string]int) ([]string, []int) {
	var keys []string
	var values []int
	for k, v := range m { // want `appends to values, which is not sorted`
		keys = append(keys, k)
		values = append(values, v)
	}
	sort.Strings(keys)
	return keys, values
}

func floats(m map[string]float64) (sum float64) {
	for _, v := range m { // want `changes sum in an order: its sum does not commute, as it is no integer`
		sum += v
	}
	return sum
}

func text(m map[string]string) (all string) {
	for _, v := range m { // want `changes all in an order`
		all += v
	}
	return all
}

func numbered(m map[string]int) map[string]int {
	ids, next := map[string]int{}, 0
	for k := range m { // want `both changes and reads next`
		ids[k] = next
		next++
	}
	return ids
}

func shift(m map[string]int) (n int) {
	for _, v := range m { // want `changes n in an order`
		n <<= v
	}
	return n
}

func twoWays(m map[string]int) (n int) {
	for _, v := range m { // want `changes n in two ways \(sum, product\)`
		n += v
		n *= 2
	}
	return n
}

func twoValues(m map[string]int) (state string) {
	for _, v := range m { // want `changes state in two ways \(one value, one value\)`
		if v > 0 {
			state = "up"
		} else {
			state = "down"
		}
	}
	return state
}

func inverted(m map[string]int) map[int]string {
	byValue := map[int]string{}
	for k, v := range m { // want `sets byValue\[v\] to what depends on the last entry`
		byValue[v] = k
	}
	return byValue
}

func grows(m map[string]bool) {
	for k := range m { // want `changes the map that it ranges over`
		m[k+"/lock"] = true
	}
}

func deletesOthers(m map[string]string) {
	for _, parent := range m { // want `changes the map that it ranges over`
		delete(m, parent)
	}
}

func limited(m map[string]int) {
	n := 0
	for k := range m { // want `leaves the loop when only some entries have changed n`
		if m[k] == 3 {
			break
		}
		n++
		delete(m, k)
	}
}

func leavesTwice(m map[string]int) int {
	for _, v := range m { // want `leaves the loop in two ways`
		if v == 1 {
			return 1
		}
		if v == 2 {
			return 2
		}
	}
	return 0
}

func changesBeforeLeaving(m map[string]int) (n int) {
	for k := range m { // want `leaves the loop after a change that only some entries make`
		if k == "a" {
			n = 1
		}
		return n
	}
	return n
}

func counts(m map[string]int) (n int) {
	for _, v := range m { // want `leaves the loop after a sum`
		if v > 0 {
			n += v
			break
		}
	}
	return n
}

func throughPointer(m map[string]int, z *znode) {
	for k := range m { // want `sets z.name to what depends on the last entry`
		z.name = k
	}
}

func element(m map[string]int, list []int) {
	for _, v := range m { // want `assigns list\[0\]`
		list[0] = v
	}
}

func keyAssigned(m map[string]int, out map[string]int) {
	for k, v := range m { // want `assigns k`
		k = "same"
		out[k] = v
	}
}

func jumps(m map[string][]int) {
outer:
	for _, list := range m { // want `jumps: continue outer`
		for _, v := range list {
			if v > 0 {
				continue outer
			}
		}
	}
}

func innerBreak(m map[string][]int) (n int) {
	for _, list := range m { // want `breaks out of an inner loop`
		for _, v := range list {
			if v > 0 {
				break
			}
			n += v
		}
	}
	return n
}

func deferred(m map[string]func()) {
	for _, f := range m { // want `has a statement whose effects are not known to commute: defer f\(\)`
		defer f()
	}
}

func iterators(m map[string]int) ([]string, []int) {
	for k := range maps.Keys(m) { // want `calls println`
		println(k)
	}
	keys := slices.Collect(maps.Keys(m))                      // want `an iterator of package maps that is not sorted`
	return keys, slices.AppendSeq([]int(nil), maps.Values(m)) // want `an iterator of package maps that is not sorted`
}

func generic[M ~map[string]V, V any](m M) (last V) {
	for _, v := range m { // want `sets last to what depends on the last entry`
		last = v
	}
	return last
}

func reflected(m any) []reflect.Value {
	return reflect.ValueOf(m).MapKeys() // hidden speaks of this one
}

func excused(m map[string]int) {
	for k := range m { //lint:ordered one entry at most
		println(k)
	}
	//lint:ordered the log is sorted by its reader
	for k := range m {
		println(k)
	}
	// want +1 `//lint:ordered without a reason`
	//lint:ordered
	for k := range m {
		println(k)
	}

	//lint:ordered the body commutes // want `//lint:ordered where the rule finds nothing`
	for k := range m {
		delete(m, k)
	}
}
