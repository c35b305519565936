package env

// Names numbers the children of one znode, from 0 in the order in which they were first
// seen, so that whoever keeps something for each of very many can do so in arrays and
// bits. A name keeps its number when the child goes. One Names may serve many processes
// of a runtime; it says nothing that depends on which of them came first but the numbers.
type Names struct {
	prefix  string // of the children's paths
	numbers map[string]uint32
	paths   []string
	stamps  [][]int64 // by number
	// last are the numbers of the list that was asked for last: nearly always the one
	// that the next process asks for.
	last struct {
		names   []string
		numbers []uint32
		paths   []string // nil until they are asked for
	}
}

// NewNames makes a numbering for the children of a znode. A child's path is as
// posixpath.join makes it.
func NewNames(parent string) *Names {
	if parent == "" || parent[len(parent)-1] != '/' {
		parent += "/"
	}
	return &Names{prefix: parent, numbers: map[string]uint32{}}
}

// Prefix is what the paths of all children begin with; its last byte is a slash.
func (n *Names) Prefix() string { return n.prefix }

// Path is the path of the child with a number.
func (n *Names) Path(number uint32) string { return n.paths[number] }

// Find is the number of a child, false for one that nobody has seen.
func (n *Names) Find(name string) (number uint32, ok bool) {
	number, ok = n.numbers[name]
	return number, ok
}

// Of are the numbers of a list of children. Neither slice may be changed from now on.
func (n *Names) Of(names []string) []uint32 {
	if len(names) == 0 {
		return nil
	}
	if last := &n.last; len(last.names) == len(names) && &last.names[0] == &names[0] {
		return last.numbers
	}
	numbers := make([]uint32, len(names))
	for i, name := range names {
		numbers[i] = n.number(name)
	}
	n.last.names, n.last.numbers, n.last.paths = names, numbers, nil
	return numbers
}

// Paths are the paths of a list of children. Neither slice may be changed from now on.
func (n *Names) Paths(names []string) []string {
	numbers := n.Of(names)
	if len(numbers) == 0 {
		return nil
	}
	if n.last.paths == nil {
		n.last.paths = make([]string, len(numbers))
		for i, number := range numbers {
			n.last.paths[i] = n.paths[number]
		}
	}
	return n.last.paths
}

// maxStamps bounds the stamps of one child.
const maxStamps = 1024

// Stamp numbers the values that something of a child has, such as the zxid of its last
// change, from 1 in the order in which they come. It is for who remembers one for each of
// very many; 0 says that there are no more stamps for the child.
func (n *Names) Stamp(number uint32, value int64) uint16 {
	for int(number) >= len(n.stamps) {
		n.stamps = append(n.stamps, nil)
	}
	values := n.stamps[number]
	for i := len(values) - 1; i >= 0; i-- {
		if values[i] == value {
			return uint16(i + 1)
		}
	}
	if len(values) == maxStamps {
		return 0
	}
	n.stamps[number] = append(values, value)
	return uint16(len(values) + 1)
}

// Stamped is the value that Stamp has numbered.
func (n *Names) Stamped(number uint32, stamp uint16) int64 { return n.stamps[number][stamp-1] }

func (n *Names) number(name string) uint32 {
	if number, ok := n.numbers[name]; ok {
		return number
	}
	number := uint32(len(n.paths))
	path := n.prefix + name
	n.paths = append(n.paths, path)
	n.numbers[path[len(n.prefix):]] = number
	return number
}
