package node

import (
	"slices"
	"strings"
)

// readList holds the reads of children of a znode, one after the other, with the data that was
// found. It never changes once it is part of a question. All clients that have found the same share
// it.
type readList struct {
	parent   string // path of the parent, without a slash at its end
	children []string
	found    [][]byte
	// upTo holds the total sizes of the requests before every sizesBlock-th one. It is computed
	// when it is first needed.
	upTo []sizes
}

// sizes holds the total length in bytes of the paths that requests ask for, and of the data in
// their answers.
type sizes struct{ asked, answered int }

// sizesBlock is for how many requests sizes are summed up one by one at most.
const sizesBlock = 64

func (l *readList) path(i int) string { return l.parent + "/" + l.children[i] }

// mixed reports whether the paths belong to several classes of paths, whose traffic a server counts
// separately.
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
		// Data that ZooKeeper has returned never changes. So it is enough to compare where the data
		// is in memory, instead of its bytes.
		if (data == nil) != (o.found[i] == nil) || !oneList(data, o.found[i]) {
			return false
		}
	}
	return true
}

// oneList reports whether two slices are the same memory.
func oneList[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// sizes returns the total size of some requests and of their answers. The requests have the indices
// from, included, to to, excluded.
func (l *readList) sizes(from, to int) sizes {
	if to-from <= sizesBlock {
		return l.sum(from, to)
	}
	before, all := l.before(from), l.before(to)
	return sizes{all.asked - before.asked, all.answered - before.answered}
}

// sum adds up the sizes of some requests one by one. The requests have the indices from, included,
// to to, excluded.
func (l *readList) sum(from, to int) (s sizes) {
	for i := from; i < to; i++ {
		s.asked += len(l.parent) + 1 + len(l.children[i])
		s.answered += len(l.found[i])
	}
	return s
}

// before returns the total size of the requests before the one with index i, and of their answers.
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
