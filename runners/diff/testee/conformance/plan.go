package conformance

import (
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
	"github.com/monosim/monosim/vectors/golden"
)

// GeneratedOps returns the selected operations that have a generator of random cases.
func (s Selection) GeneratedOps() (ops []string, err error) {
	for _, op := range catalogue.DrawnOps() {
		ok, err := s.Takes(golden.SuiteOf(op), op)
		if err != nil {
			return nil, err
		}
		if ok {
			ops = append(ops, op)
		}
	}
	return ops, nil
}

// planned names a random case of the plan. The case itself is not kept: it is built again when it is
// asked.
type planned struct {
	op string
	// number counts the random cases of the operation. It is part of the case's id, so that the id
	// does not depend on how many cases are asked for.
	number int
}

// mostRepeats is how many random cases in a row may repeat earlier ones. After more, the
// operation counts as exhausted, because some operations have only a few inputs.
const mostRepeats = 300

// plan spreads count random cases evenly over the operations, without repeating a case. The other
// operations take the share that an exhausted operation leaves. The plan is shorter than count if
// all are exhausted. The result is in the order of ops.
func plan(ops []string, count int, seed uint64) []planned {
	makers := lists.Map(ops, func(op string) *inventor { return &inventor{op: op, seed: seed, seen: map[uint64]bool{}} })
	for left, active := count, true; left > 0 && active; {
		active = false
		for _, m := range makers {
			if left > 0 && m.find() {
				left--
				active = true
			}
		}
	}
	var all []planned
	for _, m := range makers {
		all = append(all, m.found...)
	}
	return all
}

// inventor generates the random cases of one operation and drops repeated ones.
type inventor struct {
	op        string
	seed      uint64
	next      int
	seen      map[uint64]bool // hashes of the lines of the cases so far
	found     []planned
	exhausted bool
}

// find finds one more.
func (m *inventor) find() bool {
	for range mostRepeats {
		if m.exhausted {
			return false
		}
		number := m.next
		m.next++
		c, _ := catalogue.Invent(m.op, m.seed, number)
		key := catalogue.HashOf(c.Line())
		if m.seen[key] {
			continue
		}
		m.seen[key] = true
		m.found = append(m.found, planned{m.op, number})
		return true
	}
	m.exhausted = true
	return false
}
