// Package savedmodel reads what a model server needs of a saved_model.pb: tags,
// signatures and whether there are variables. The graph, which is nearly all of
// the file, is walked over and not kept. It also makes small models to serve.
//
// The three things to use first:
//
//	graph, err := savedmodel.Read(data, []string{"serve"})      // saved_model.pb
//	graph, err := savedmodel.ReadText(text, []string{"serve"})  // saved_model.pbtxt
//	data, err := savedmodel.Small{Input: "x", Output: "y", Type: framework.DataType_DT_FLOAT}.Marshal()
//
// The meta graph is the first whose set of tags is the one asked for
// (tensorflow cc/saved_model/reader.cc, FindMetaGraphDef). What testdata holds
// was made and loaded by a real TensorFlow; record.py there makes it again.
//
// To change what is read of a meta graph look in savedmodel.go; what counts as
// damage, in damage.go; what is known of the graph's nodes, in nodes.go; what a small
// model computes, in write.go.
package savedmodel

import (
	"errors"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/textpb"
)

// Graph is a meta graph without its nodes.
type Graph struct {
	Signatures map[string]*tfcore.SignatureDef
	// Variable is a variable that the graph reads; it has no name if there is
	// none.
	Variable Variable
	// ChecksShapes says that some operation takes inputs of certain shapes only.
	ChecksShapes bool
}

// Errors of Read and ReadText.
var (
	// ErrDamaged is data that is no SavedModel.
	ErrDamaged = errors.New("data is no SavedModel")
	// ErrTruncated is data that ends within a SavedModel.
	ErrTruncated = errors.New("data ends within a SavedModel")
	// ErrNoGraph is a SavedModel without any meta graph.
	ErrNoGraph = errors.New("no meta graph")
	// ErrNoTags is a SavedModel without a meta graph of the tags.
	ErrNoTags = errors.New("no meta graph of these tags")
)

// Field numbers of the messages on the way to a signature.
const (
	savedModelGraphs   = 2
	metaGraphInfo      = 1
	metaGraphGraph     = 2
	metaGraphSignature = 5
	infoTags           = 4
)

// Read finds the meta graph with the tags in a serialized tensorflow.SavedModel.
// Damage is found in the messages on the way to tags, signatures and operations,
// not in the rest. The Graph keeps nothing of data.
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

// addSignature reads an entry of the map of signatures, as a message that has
// nothing else.
func (g *Graph) addSignature(f file, entry span) error {
	data := protowire.AppendTag(nil, metaGraphSignature, protowire.BytesType)
	one := &tfcore.MetaGraphDef{}
	if err := proto.Unmarshal(protowire.AppendBytes(data, f.bytes(entry)), one); err != nil {
		return &damage{at: entry}
	}
	maps.Copy(g.Signatures, one.GetSignatureDef())
	return nil
}

// ReadText finds the meta graph with the tags in a saved_model.pbtxt. Fields that our
// messages do not have are passed over.
func ReadText(text []byte, tags []string) (*Graph, error) {
	message := &tfcore.SavedModel{}
	if err := textpb.UnmarshalKnown(string(text), message); err != nil {
		return nil, ErrDamaged
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		return nil, ErrDamaged
	}
	return Read(data, tags)
}

// SameTags reports whether two lists have the same tags, in whatever order.
func SameTags(a, b []string) bool {
	in := func(set []string) func(string) bool {
		return func(s string) bool { return !slices.Contains(set, s) }
	}
	return !slices.ContainsFunc(a, in(b)) && !slices.ContainsFunc(b, in(a))
}
