package tfserving

import (
	"reflect"
	"unsafe"

	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Shared is what model servers that are alike have once for all of them: their flags, the
// configs of files with one content, and models that take every request. Nothing of it is
// changed once a server has it. It is for servers of one thread, whose storage gives out
// contents that are never written to; nil shares nothing.
type Shared struct {
	options  []*Options
	contents map[contentKey]readContent
	standIns map[infer.Options]*infer.Model
}

// NewShared makes one without anything.
func NewShared() *Shared {
	return &Shared{contents: map[contentKey]readContent{}, standIns: map[infer.Options]*infer.Model{}}
}

// maxShared bounds each kind of what is shared; what comes after it begins anew.
const maxShared = 256

// contentKey is the content of a file by where it lies, and how it is read.
type contentKey struct {
	data    *byte
	size    int
	profile Profile
	strict  bool
	kind    reflect.Type
}

// readContent is what came of a content, which it keeps in its place.
type readContent struct {
	data  []byte
	value any
}

// alike is o, or options equal to it that another server has.
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

// parsed is what parse makes of a content, once for all who read it alike. What it
// refuses is not kept.
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

// config is parseConfigText.
func (s *Shared) config(profile Profile, data []byte, refuseLatestOnce bool) (modelconfig.ServerConfig, error) {
	return parsed(s, contentKey{profile: profile, strict: refuseLatestOnce}, data, func() (modelconfig.ServerConfig, error) {
		return parseConfigText(profile, data, refuseLatestOnce)
	})
}

// platforms is parsePlatformText.
func (s *Shared) platforms(data []byte) (platformFile, error) {
	return parsed(s, contentKey{}, data, func() (platformFile, error) { return parsePlatformText(data) })
}

// standIn is a model without signatures.
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
