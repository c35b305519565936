package node

import (
	"slices"
	"strings"
)

// readList holds successive reads of the children of a znode, with the data found. It never changes
// once it is part of a question. All clients that have read the same data share it.
type readList struct {
	parent   string // without a slash at its end
	children []string
	found    [][]byte
	// upTo holds the cumulative sizes before every sizesBlock-th request. It is computed at the
	// first use.
	upTo []sizes
}

// sizes holds the total length in bytes of the paths that requests ask for, and of the data in
// their answers.
type sizes struct{ asked, answered int }

// sizesBlock limits how many requests are summed up one by one.
const sizesBlock = 64

func (l *readList) path(i int) string { return l.parent + "/" + l.children[i] }

// mixed reports whether the reads belong to different classes of paths, so that a server counts
// their traffic separately.
func (l *readList) mixed() bool { return strings.Count(l.parent, "/") < 2 }

// one returns a shared list equal to l: the last list read below the same parent, or else a copy of
// l.
func (c *Calls) one(l *readList) *readList {
	if last := c.lists[l.parent]; last != nil && last.same(l) {
		return last
	}
	if c.lists == nil {
		c.lists = map[string]*readList{}
	}
	l = &readList{parent: l.parent, children: l.children, found: slices.Clone(l.found)}
	c.lists[l.parent] = l
	return l
}

// same reports whether two lists have the same children and the same data.
func (l *readList) same(o *readList) bool {
	if !oneList(l.children, o.children) || len(l.found) != len(o.found) {
		return false
	}
	for i, data := range l.found {
		// Data that ZooKeeper has returned never changes. So oneList compares where the data lie in
		// memory, and not their bytes.
		if (data == nil) != (o.found[i] == nil) || !oneList(data, o.found[i]) {
			return false
		}
	}
	return true
}

// oneList reports whether two slices are the same memory.
func oneList[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// sizes returns the total sizes of the requests [from, to) and of their answers.
func (l *readList) sizes(from, to int) sizes {
	if to-from <= sizesBlock {
		return l.sum(from, to)
	}
	before, all := l.before(from), l.before(to)
	return sizes{all.asked - before.asked, all.answered - before.answered}
}

// sum computes the total sizes of the requests [from, to) one by one.
func (l *readList) sum(from, to int) (s sizes) {
	for i := from; i < to; i++ {
		s.asked += len(l.parent) + 1 + len(l.children[i])
		s.answered += len(l.found[i])
	}
	return s
}

// before returns the total sizes of the requests before i.
func (l *readList) before(i int) sizes {
	if l.upTo == nil {
		all := sizes{}
		for from := 0; ; from += sizesBlock {
			l.upTo = append(l.upTo, all)
			if from >= len(l.children) {
				break
			}
			block := l.sum(from, min(from+sizesBlock, len(l.children)))
			all = sizes{all.asked + block.asked, all.answered + block.answered}
		}
	}
	all, rest := l.upTo[i/sizesBlock], l.sum(i-i%sizesBlock, i)
	return sizes{all.asked + rest.asked, all.answered + rest.answered}
}
