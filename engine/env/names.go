package env

import "unsafe"

// Names numbers the children of one znode, from 0 in the order in which they were first
// seen, so that whoever keeps something for each of very many can do so in arrays and
// bits. A name keeps its number when the child goes. One Names may serve many processes
// of a runtime; it says nothing that depends on which of them came first but the numbers.
type Names struct {
	prefix  string // of the children's paths
	numbers map[string]uint32
	paths   []string
	stamps  [][]int64 // by number
	kept    [][]any   // by number
	// followers are, by number, those that have followed a child in a list.
	followers [][]uint32
	// recent are names that were looked up lately, by the place of their text: in a storm
	// many processes look up one text at nearly the same time.
	recent [recentNames]recentName
	// last are the numbers of the list that was asked for last: nearly always the one
	// that the next process asks for.
	last struct {
		names   []string
		numbers []uint32
		paths   []string // nil until they are asked for
	}
}

// recentName is a name with its number.
type recentName struct {
	name   string
	number uint32
}

const recentNames = 64

// recently is where a name is that was looked up lately; found says that it is there.
func (n *Names) recently(name string) (r *recentName, found bool) {
	text := unsafe.StringData(name)
	r = &n.recent[uint64(uintptr(unsafe.Pointer(text)))*0x9e3779b97f4a7c15>>58]
	return r, unsafe.StringData(r.name) == text && len(r.name) == len(name) && len(name) > 0
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
	r, found := n.recently(name)
	if found {
		return r.number, true
	}
	if number, ok = n.numbers[name]; ok {
		*r = recentName{name, number}
	}
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
		numbers[i] = n.Number(name)
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

// maxKept bounds the values that are kept for one child.
const maxKept = 32

// Keep is Stamp of a value that is made of what a child holds, such as what its data say,
// for who remembers one for each of very many. A value that is kept already, or is equal
// to such a one, gets its stamp. Nobody may change one that has a stamp.
func (n *Names) Keep(number uint32, value any, equal func(kept any) bool) uint8 {
	for int(number) >= len(n.kept) {
		n.kept = append(n.kept, nil)
	}
	values := n.kept[number]
	for i := len(values) - 1; i >= 0; i-- {
		if values[i] == value || equal(values[i]) {
			return uint8(i + 1)
		}
	}
	if len(values) == maxKept {
		return 0
	}
	n.kept[number] = append(values, value)
	return uint8(len(values) + 1)
}

// Kept is the value that Keep has given a stamp.
func (n *Names) Kept(number uint32, stamp uint8) any { return n.kept[number][stamp-1] }

// maxFollowers bounds the children that are numbered behind one child.
const maxFollowers = 15

// Follower numbers the children that come behind a child in lists, from 1 in the order in
// which they are asked for, for who remembers a list for each of very many: such lists
// differ little. 0 says that there are no more numbers behind the child.
func (n *Names) Follower(number, next uint32) uint8 {
	for int(number) >= len(n.followers) {
		n.followers = append(n.followers, nil)
	}
	followers := n.followers[number]
	for i, other := range followers {
		if other == next {
			return uint8(i + 1)
		}
	}
	if len(followers) == maxFollowers {
		return 0
	}
	n.followers[number] = append(followers, next)
	return uint8(len(followers) + 1)
}

// Following is the child that Follower has numbered.
func (n *Names) Following(number uint32, follower uint8) uint32 {
	return n.followers[number][follower-1]
}

// Name is the name of the child with a number.
func (n *Names) Name(number uint32) string { return n.paths[number][len(n.prefix):] }

// Number is the number of a child, which is seen by that.
func (n *Names) Number(name string) uint32 {
	if number, ok := n.Find(name); ok {
		return number
	}
	number := uint32(len(n.paths))
	path := n.prefix + name
	n.paths = append(n.paths, path)
	n.numbers[path[len(n.prefix):]] = number
	return number
}
