package sequences

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// sequence is one parsed example.
type sequence struct {
	context map[string]*tfexample.Feature
	lists   map[string][]*tfexample.Feature
}

// numbers of fields in SequenceExample, FeatureLists and FeatureList, and of the entries of a map
const (
	featureListsField = 2
	listsField        = 1
	featureField      = 1
	keyField          = 1
	entryField        = 2
)

func read(data []byte) (sequence, bool) {
	context, ok := ops.Features(data)
	s := sequence{context, map[string][]*tfexample.Feature{}}
	return s, ok && eachBytes(data, featureListsField, func(lists []byte) bool {
		return eachBytes(lists, listsField, s.readList)
	})
}

// readList reads an entry of the map of feature lists.
func (s sequence) readList(entry []byte) bool {
	var key string
	list := []*tfexample.Feature{}
	ok := eachBytes(entry, keyField, func(b []byte) bool { key = string(b); return true }) &&
		eachBytes(entry, entryField, func(b []byte) bool {
			return eachBytes(b, featureField, func(b []byte) bool {
				f := &tfexample.Feature{}
				list = append(list, f)
				return proto.Unmarshal(b, f) == nil
			})
		})
	s.lists[key] = list
	return ok
}

// eachBytes calls visit with each field of a message that has the number and bytes. It returns
// false if the message cannot be read, or visit has returned false.
func eachBytes(data []byte, wanted protowire.Number, visit func([]byte) bool) bool {
	for ok := true; len(data) > 0; {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return false
		}
		data = data[n:]
		if number == wanted && kind == protowire.BytesType {
			part, n := protowire.ConsumeBytes(data)
			if n < 0 || !visit(part) {
				return false
			}
			data = data[n:]
			continue
		}
		if data, ok = ops.Skipped(data, number, kind); !ok {
			return false
		}
	}
	return true
}
