package tfserving

import (
	"reflect"
	"unsafe"

	"github.com/monosim/monosim/engine/pysem/dict"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Shared holds data that similar model servers need only once: their flags, parsed configs of equal
// files, and models that accept every request. The data must not change once a server has it.
// Shared is for servers that run on one thread, with a storage whose returned contents are never
// written to. A nil Shared shares nothing.
type Shared struct {
	options  []*Options
	contents map[contentKey]readContent
	standIns map[infer.Options]*infer.Model
}

// NewShared returns an empty Shared.
func NewShared() *Shared {
	return &Shared{contents: map[contentKey]readContent{}, standIns: map[infer.Options]*infer.Model{}}
}

// maxShared limits the number of entries of each kind. When a table is full, it is emptied.
const maxShared = 256

// contentKey identifies a parsed file by the address of its bytes and by how they were parsed.
type contentKey struct {
	data *byte
	size int
	messages
	kind reflect.Type
}

// readContent is the result of parsing a file. data keeps the bytes alive, so that their address is
// not reused.
type readContent struct {
	data  []byte
	value any
}

// alike returns options of another server that equal o, or o itself if there are none.
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

// parsed calls parse once for each key and returns the same result to all later callers. Errors are
// not cached.
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

// config calls parseConfigText, but only once for all servers that read the same bytes, and for
// servers of other worlds that have read equal ones.
func (s *Shared) config(m messages, data []byte) (modelconfig.ServerConfig, error) {
	return parsed(s, contentKey{messages: m}, data, func() (modelconfig.ServerConfig, error) { return configTexts.Read(m.before(data)) })
}

// platforms calls parsePlatformText, but only once for all servers that read the same bytes, and for
// servers of other worlds that have read equal ones.
func (s *Shared) platforms(m messages, data []byte) (platformFile, error) {
	return parsed(s, contentKey{messages: m}, data, func() (platformFile, error) { return platformTexts.Read(m.before(data)) })
}

// mostTexts is how many bytes of files each table of parsed files keeps.
const mostTexts = 256 << 10

// configTexts and platformTexts keep parsed files by what before returns.
var (
	configTexts = dict.Readings[modelconfig.ServerConfig]{Most: mostTexts, Decode: func(of []byte) (modelconfig.ServerConfig, error) {
		return parseConfigText(messages{Profile(of[0]), LatestOnce(of[1])}, of[2:])
	}}
	platformTexts = dict.Readings[platformFile]{Most: mostTexts, Decode: func(of []byte) (platformFile, error) {
		return parsePlatformText(Profile(of[0]), of[2:])
	}}
)

// before returns a file's content with the messages in front that it is read as.
func (m messages) before(data []byte) []byte {
	return append([]byte{byte(m.profile), byte(m.once)}, data...)
}

// standIn returns a shared model that accepts every request.
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
