package wire

import "hash/maphash"

// Bounds of what one connection remembers: few, for there may be 100,000 of them.
const (
	maxNames    = 16
	maxNameSize = 256
)

// names keeps paths that a connection used lately, so that reading one again and again
// allocates nothing: of those with one hash the last.
type names struct{ known *[maxNames]string }

var namesSeed = maphash.MakeSeed()

func (n *names) get(b []byte) string {
	if len(b) > maxNameSize {
		return string(b)
	}
	if n.known == nil {
		n.known = new([maxNames]string)
	}
	place := &n.known[maphash.Bytes(namesSeed, b)%maxNames]
	if *place != string(b) {
		*place = string(b)
	}
	return *place
}
