package node

import (
	"slices"
	"strings"
)

// readList is reads of the children of a znode, one after the other, with what they got. It
// never changes once it is the list of a question, and all clients that have read the same share
// it.
type readList struct {
	parent   string // without a slash at its end
	children []string
	found    [][]byte
	// upTo has the sizes before every sizesBlock-th request, once somebody has asked.
	upTo []sizes
}

// sizes holds the bytes of the paths that requests ask for, and of the data in their answers.
type sizes struct{ asked, answered int }

// sizesBlock bounds how many requests are summed up one by one.
const sizesBlock = 64

func (l *readList) path(i int) string { return l.parent + "/" + l.children[i] }

// mixed reports whether a server counts the reads apart, by classes of paths.
func (l *readList) mixed() bool { return strings.Count(l.parent, "/") < 2 }

// one returns the list that was read last below the same parent, where that is the same, else a
// copy.
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

// same reports whether the same was read from the same list.
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

// oneList reports whether two lists lie at one place.
func oneList[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// sizes sums up those from one request to before another.
func (l *readList) sizes(from, to int) sizes {
	if to-from <= sizesBlock {
		return l.sum(from, to)
	}
	before, all := l.before(from), l.before(to)
	return sizes{all.asked - before.asked, all.answered - before.answered}
}

// sum goes through the requests.
func (l *readList) sum(from, to int) (s sizes) {
	for i := from; i < to; i++ {
		s.asked += len(l.parent) + 1 + len(l.children[i])
		s.answered += len(l.found[i])
	}
	return s
}

// before sums up those up to a request.
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
