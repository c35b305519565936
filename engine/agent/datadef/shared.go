package datadef

import "github.com/monosim/monosim/engine/env"

// shared decodes a content, or returns the value that s keeps for it. Neither content nor value may
// be changed, because other processes may have the same. A nil s keeps nothing. Errors are not
// kept.
func shared[T any](s env.Shared, kind string, content []byte, decode func([]byte) (T, error)) (*T, error) {
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
