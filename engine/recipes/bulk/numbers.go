package bulk

import "strings"

// Numbers gives a number to each child of a znode, from 0, in the order in which the children were
// first seen. Code that stores something for very many children can then use arrays and bit sets. A
// deleted child keeps its number. Many processes of a world can share a Numbers, because the order
// in which they see children affects only the numbers.
type Numbers struct {
	prefix  string // common prefix of the children's paths
	numbers map[string]uint32
	paths   []string
	// last caches the numbers of the last list, because the next process nearly always asks for the
	// same list.
	last struct {
		names   []string
		numbers []uint32
	}
}

// PrefixOf returns the common prefix of the paths of a znode's children. It ends with a slash.
func PrefixOf(parent string) string { return strings.TrimSuffix(parent, "/") + "/" }

// NewNumbers makes a numbering for the children of a znode.
func NewNumbers(parent string) *Numbers {
	return &Numbers{prefix: PrefixOf(parent), numbers: map[string]uint32{}}
}

// Prefix returns the common prefix of the children's paths (see [PrefixOf]).
func (n *Numbers) Prefix() string { return n.prefix }

// Path returns the path of the child with the given number.
func (n *Numbers) Path(number uint32) string { return n.paths[number] }

// Find returns the number of a child, and false if the child was never seen.
func (n *Numbers) Find(name string) (number uint32, ok bool) {
	number, ok = n.numbers[name]
	return number, ok
}

// Number returns the number of a child. A child that was never seen gets the next number.
func (n *Numbers) Number(name string) uint32 {
	number, ok := n.numbers[name]
	if !ok {
		number = uint32(len(n.paths))
		path := n.prefix + name
		n.paths = append(n.paths, path)
		n.numbers[path[len(n.prefix):]] = number
	}
	return number
}

// Of returns the numbers of a list of children. The caller must not change either slice afterwards.
func (n *Numbers) Of(names []string) []uint32 {
	if len(names) == 0 {
		return nil
	}
	last := &n.last
	if len(last.names) != len(names) || &last.names[0] != &names[0] {
		last.names, last.numbers = names, make([]uint32, len(names))
		for i, name := range names {
			last.numbers[i] = n.Number(name)
		}
	}
	return last.numbers
}
