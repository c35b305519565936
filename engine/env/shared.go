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
}

// Decoded is what decode makes of a content: a value that s kept, or a new one. The caller
// must change neither content nor value, for other processes may have the same. s may be
// nil, which keeps nothing. Errors are not kept.
func Decoded[T any](s Shared, kind string, content []byte, decode func([]byte) (T, error)) (*T, error) {
	if s != nil && len(content) > 0 {
		if v, ok := s.Lookup(kind, content); ok {
			return v.(*T), nil
		}
	}
	v, err := decode(content)
	if err != nil {
		return &v, err
	}
	if s != nil && len(content) > 0 {
		s.Keep(kind, content, &v)
	}
	return &v, nil
}
