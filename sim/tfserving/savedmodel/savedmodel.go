// Package savedmodel reads the parts of a saved_model.pb that a model server needs: tags,
// signatures, and whether there are variables. It passes over the graph, which is nearly all of
// the file, and does not keep it. It also makes small models to serve.
//
// The three things to use first, beside Meta, which returns what is passed over:
//
//	graph, err := savedmodel.Read(data, []string{"serve"})      // saved_model.pb
//	graph, err := savedmodel.ReadText(text, []string{"serve"})  // saved_model.pbtxt
//	data, err := savedmodel.Small{Input: "x", Output: "y", Type: framework.DataType_DT_FLOAT}.Marshal()
//
// The meta graph is the first one with the wanted set of tags (tensorflow
// cc/saved_model/reader.cc, FindMetaGraphDef). A real TensorFlow made and loaded what is in
// testdata; record.py there makes it again.
//
// To change:
//
//   - what is read of a meta graph: savedmodel.go
//   - what counts as damage: damage.go
//   - what is known about the graph's nodes: nodes.go
//   - what a small model computes: write.go
//
// Unstable: any commit may change it.
package savedmodel

import (
	"errors"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// Graph holds the parts of a meta graph that are needed here. It does not hold the nodes.
type Graph struct {
	Signatures map[string]*tfcore.SignatureDef
	// Variable is the first variable of the graph that a signature may read; its name is "" if
	// there is none.
	Variable Variable
	// ChecksShapes is true if some operation fails on inputs of wrong shapes.
	ChecksShapes bool
	// Outputless maps each node whose operation has no outputs to this operation.
	Outputless map[string]string
}

// Read and ReadText return these errors.
var (
	// ErrDamaged means that the data is not a SavedModel.
	ErrDamaged = errors.New("data is no SavedModel")
	// ErrTruncated means that the data ends in the middle of a SavedModel.
	ErrTruncated = errors.New("data ends within a SavedModel")
	// ErrNoGraph means that the SavedModel has no meta graph at all.
	ErrNoGraph = errors.New("no meta graph")
	// ErrNoTags means that no meta graph has the wanted tags.
	ErrNoTags = errors.New("no meta graph of these tags")
)

// These are the field numbers of the nested messages that lead to a signature.
const (
	savedModelGraphs   = 2
	metaGraphInfo      = 1
	metaGraphGraph     = 2
	metaGraphSignature = 5
	infoTags           = 4
)

// Read returns the meta graph with exactly these tags from a serialized tensorflow.SavedModel. It
// detects damage only in the messages that contain tags, signatures and operations. The Graph keeps
// no reference to data.
func Read(data []byte, tags []string) (*Graph, error) {
	var found *Graph
	graphs, f := 0, file(data)
	err := f.walk(f.all(), func(number protowire.Number, field span) error {
		if number != savedModelGraphs {
			return nil
		}
		graphs++
		own, err := f.readTags(field)
		if err == nil && found == nil && SameTags(own, tags) {
			found, err = f.readGraph(field)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, f.whatDamage(err)
	case graphs == 0:
		return nil, ErrNoGraph
	case found == nil:
		return nil, ErrNoTags
	}
	return found, nil
}

// Meta returns the serialized MetaGraphDef with the tags, as a slice of data; nil if there is none.
func Meta(data []byte, tags []string) (meta []byte) {
	f := file(data)
	_ = f.walk(f.all(), func(number protowire.Number, field span) error {
		own, err := f.readTags(field)
		if number == savedModelGraphs && err == nil && meta == nil && SameTags(own, tags) {
			meta = f.bytes(field)
		}
		return nil
	})
	return meta
}

func (f file) readTags(graph span) (tags []string, err error) {
	err = f.walk(graph, func(number protowire.Number, info span) error {
		if number != metaGraphInfo {
			return nil
		}
		return f.walk(info, func(number protowire.Number, tag span) error {
			if number == infoTags {
				tags = append(tags, string(f.bytes(tag)))
			}
			return nil
		})
	})
	return tags, err
}

func (f file) readGraph(graph span) (*Graph, error) {
	g := &Graph{Signatures: map[string]*tfcore.SignatureDef{}}
	err := f.walk(graph, func(number protowire.Number, field span) error {
		switch number {
		case metaGraphSignature:
			return g.addSignature(f, field)
		case metaGraphGraph:
			return g.readNodes(f, field)
		}
		return nil
	})
	return g, err
}

// addSignature decodes one entry of the map of signatures. It decodes the entry as part of a
// MetaGraphDef, because protobuf has no Go type for a map entry.
func (g *Graph) addSignature(f file, entry span) error {
	data := protowire.AppendTag(nil, metaGraphSignature, protowire.BytesType)
	one := &tfcore.MetaGraphDef{}
	if err := proto.Unmarshal(protowire.AppendBytes(data, f.bytes(entry)), one); err != nil {
		return &damage{at: entry}
	}
	maps.Copy(g.Signatures, one.GetSignatureDef())
	return nil
}

// ReadText returns the meta graph with the tags from a saved_model.pbtxt. It ignores fields that
// our messages lack.
func ReadText(text []byte, tags []string) (*Graph, error) {
	data, err := FromText(text)
	if err != nil {
		return nil, err
	}
	return Read(data, tags)
}

// FromText converts a saved_model.pbtxt to a saved_model.pb.
func FromText(text []byte) ([]byte, error) {
	message := &tfcore.SavedModel{}
	if err := textformat.UnmarshalKnown(string(text), message); err != nil {
		return nil, ErrDamaged
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		return nil, ErrDamaged
	}
	return data, nil
}

// SameTags reports whether two lists contain the same tags, in any order.
func SameTags(a, b []string) bool {
	in := func(set []string) func(string) bool {
		return func(s string) bool { return !slices.Contains(set, s) }
	}
	return !slices.ContainsFunc(a, in(b)) && !slices.ContainsFunc(b, in(a))
}
