package bulk

import "strings"

// Numbers numbers the children of one znode, from 0 in the order in which they were first
// seen, so that whoever keeps something for each of very many can do so in arrays and
// bits. A child keeps its number when it goes. One Numbers may serve many processes of a
// world: nothing but the numbers depends on which of them came first.
type Numbers struct {
	prefix  string // of the children's paths
	numbers map[string]uint32
	paths   []string
	// last has the numbers of the list that was asked for last: nearly always the one that
	// the next process asks for.
	last struct {
		names   []string
		numbers []uint32
	}
}

// PrefixOf returns what the paths of all children of a znode begin with; its last byte is a slash.
func PrefixOf(parent string) string { return strings.TrimSuffix(parent, "/") + "/" }

// NewNumbers makes a numbering for the children of a znode.
func NewNumbers(parent string) *Numbers {
	return &Numbers{prefix: PrefixOf(parent), numbers: map[string]uint32{}}
}

// Prefix returns what the paths of all children begin with (see [PrefixOf]).
func (n *Numbers) Prefix() string { return n.prefix }

// Path returns the path of the child with a number.
func (n *Numbers) Path(number uint32) string { return n.paths[number] }

// Find returns the number of a child, false for one that nobody has seen.
func (n *Numbers) Find(name string) (number uint32, ok bool) {
	number, ok = n.numbers[name]
	return number, ok
}

// Number returns the number of a child, which is seen by that.
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

// Of returns the numbers of a list of children. Neither slice may be changed from now on.
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
