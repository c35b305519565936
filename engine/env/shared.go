package env

// Shared keeps what was made of contents that many processes of one runtime read, as the
// records in znodes that each agent of a cluster mirrors, so that it is made once.
type Shared interface {
	// Lookup finds what was kept for a content, which is told by its place in memory, not
	// by its bytes. kind tells apart what different code makes of one content.
	Lookup(kind string, content []byte) (value any, ok bool)
	// Keep keeps a value for a content that nobody changes from now on. It may be dropped
	// when it was not looked up for long.
	Keep(kind string, content []byte, value any)
	// Same is the value that was given last for a place, when equal says that it is as good
	// as value; else it is value, and the one given last from now on. So equal values of
	// many processes, which none of them changes, are one.
	Same(place string, value any, equal func(last any) bool) any
	// Names is the one numbering of the children of a znode.
	Names(parent string) *Names
}
