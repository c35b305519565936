package wire

// Bounds of what one connection remembers: few, for there may be thousands of
// connections.
const (
	maxNames    = 32
	maxNameSize = 256
)

// names keeps the paths that a connection used last, so that reading one again
// and again allocates nothing.
type names struct {
	known map[string]string
}

func (n *names) get(b []byte) string {
	if s, ok := n.known[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(b) > maxNameSize {
		return s
	}
	if n.known == nil {
		n.known = make(map[string]string)
	} else if len(n.known) >= maxNames {
		clear(n.known)
	}
	n.known[s] = s
	return s
}
