package tfserving

import (
	"reflect"
	"unsafe"

	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Shared holds what similar model servers need only once: their flags, the configs from files
// with the same content, and models that take every request. Nothing in it changes once a
// server has it. It is for servers of one thread, whose storage returns contents that are
// never written to. A nil Shared shares nothing.
type Shared struct {
	options  []*Options
	contents map[contentKey]readContent
	standIns map[infer.Options]*infer.Model
}

// NewShared returns an empty Shared.
func NewShared() *Shared {
	return &Shared{contents: map[contentKey]readContent{}, standIns: map[infer.Options]*infer.Model{}}
}

// maxShared bounds the number of entries of each kind. A full table is emptied.
const maxShared = 256

// contentKey identifies the content of a file by its address, and how it is read.
type contentKey struct {
	data    *byte
	size    int
	profile Profile
	strict  bool
	kind    reflect.Type
}

// readContent is the value of a content. data keeps its address from being used again.
type readContent struct {
	data  []byte
	value any
}

// alike returns o, or equal options that another server has already.
func (s *Shared) alike(o *Options) *Options {
	if s == nil {
		return o
	}
	for _, known := range s.options {
		if reflect.DeepEqual(known, o) {
			return known
		}
	}
	if len(s.options) == maxShared {
		s.options = nil
	}
	s.options = append(s.options, o)
	return o
}

// parsed returns the result of parse, which is called once for all who read a content alike.
// Errors are not kept.
func parsed[T any](s *Shared, key contentKey, data []byte, parse func() (T, error)) (T, error) {
	if s == nil || len(data) == 0 {
		return parse()
	}
	key.data, key.size, key.kind = unsafe.SliceData(data), len(data), reflect.TypeFor[T]()
	if known, ok := s.contents[key]; ok {
		return known.value.(T), nil
	}
	value, err := parse()
	if err != nil {
		return value, err
	}
	if len(s.contents) == maxShared {
		clear(s.contents)
	}
	s.contents[key] = readContent{data, value}
	return value, nil
}

// config is a shared parseConfigText.
func (s *Shared) config(profile Profile, data []byte, refuseLatestOnce bool) (modelconfig.ServerConfig, error) {
	return parsed(s, contentKey{profile: profile, strict: refuseLatestOnce}, data, func() (modelconfig.ServerConfig, error) {
		return parseConfigText(profile, data, refuseLatestOnce)
	})
}

// platforms is a shared parsePlatformText.
func (s *Shared) platforms(data []byte) (platformFile, error) {
	return parsed(s, contentKey{}, data, func() (platformFile, error) { return parsePlatformText(data) })
}

// standIn returns a model without signatures.
func (s *Shared) standIn(o infer.Options) *infer.Model {
	if s == nil {
		return infer.New(nil, o)
	}
	m := s.standIns[o]
	if m == nil {
		if len(s.standIns) == maxShared {
			clear(s.standIns)
		}
		m = infer.New(nil, o)
		s.standIns[o] = m
	}
	return m
}
