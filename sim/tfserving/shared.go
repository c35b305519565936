package tfserving

import (
	"reflect"

	"github.com/monosim/monosim/engine/pysem/dict"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Shared holds data that similar model servers need only once: their flags, and models that accept
// every request. The data must not change once a server has it. Shared is for servers that run on one
// thread. A nil Shared shares nothing.
type Shared struct {
	options  []*Options
	standIns map[infer.Options]*infer.Model
}

// NewShared returns an empty Shared.
func NewShared() *Shared {
	return &Shared{standIns: map[infer.Options]*infer.Model{}}
}

// maxShared limits the number of entries of each kind. When a table is full, it is emptied.
const maxShared = 256

// alike returns the stored options of another server that equal o. If there are none, it stores and
// returns o.
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

// mostTexts is how many bytes of files each table of parsed files keeps.
const mostTexts = 256 << 10

// configTexts and platformTexts cache parsed files for all servers. The key is the result of
// [messages.before]: the file's content, preceded by the profile and the LatestOnce setting. Nobody
// may write to a cached value.
var (
	configTexts = dict.Readings[modelconfig.ServerConfig]{Most: mostTexts, Decode: func(of []byte) (modelconfig.ServerConfig, error) {
		return parseConfigText(messages{Profile(of[0]), LatestOnce(of[1])}, of[2:])
	}}
	platformTexts = dict.Readings[platformFile]{Most: mostTexts, Decode: func(of []byte) (platformFile, error) {
		return parsePlatformText(messages{Profile(of[0]), LatestOnce(of[1])}, of[2:])
	}}
)

// before returns a file's content with two bytes in front, the profile and the LatestOnce setting,
// because these decide how the file is parsed.
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
