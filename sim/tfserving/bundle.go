package tfserving

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
)

// Bundle is a loaded SavedModel. The content of saved_model.pb decides what it is:
//
//   - A JSON object describes a model (bundle_json.go).
//   - A serialized tensorflow.SavedModel with a meta graph is a real model, with the tags
//     and signatures of the file. If its graph has variables, it runs only with a
//     variables directory. If an operation checks shapes, such as MatMul, inputs must have
//     the shapes of the signature.
//   - Other bytes are a stand-in that has the serving tag and takes every request. With
//     Options.StrictBundles they are a damaged file, and the load fails as upstream's does.
type Bundle struct {
	// Signatures holds the model's signatures by name. It never changes. It is nil for a model that
	// takes every request.
	Signatures map[string]*tfcore.SignatureDef
	LoadTime   time.Duration

	model   *infer.Model
	batcher *batcher      // batcher is nil where requests run by themselves
	err     *env.RPCError // err is the error that every load ends with; nil for none
	warmups int           // warmups is the number of warm-up requests, with every iteration counted
}

// export holds what a load read from an export directory, or in err why the load fails.
type export struct {
	bundle    *Bundle
	diskBytes int64
	err       *env.RPCError
}

// exportReader reads export directories with the settings of one source adapter.
type exportReader struct {
	*Server
	adapter bundleSettings
}

// readExport reads a version's export directory and returns the model, or the error of the load
// (TFS-5.7, TFS-5.9).
func (s exportReader) readExport(disk Storage, id servable, dir string) export {
	bundle, err := s.readBundle(disk, id, dir)
	if err != nil {
		return export{err: err}
	}
	size, failed := disk.SizeBytes(dir)
	if failed != nil {
		return export{err: storageError(dir, failed)}
	}
	if bundle.batcher, err = s.batchingFor(disk, bundle, dir); err != nil {
		return export{err: err}
	}
	return export{bundle: bundle, diskBytes: size, err: s.warmUp(disk, bundle, dir)}
}

func (s exportReader) readBundle(disk Storage, id servable, dir string) (*Bundle, *env.RPCError) {
	file := joinPath(dir, "saved_model.pb")
	if !disk.Exists(file) {
		file = joinPath(dir, "saved_model.pbtxt")
	}
	if !disk.Exists(file) {
		return nil, s.missingSavedModel(dir)
	}
	data, err := disk.ReadFile(file)
	if err != nil {
		return nil, storageError(file, err)
	}
	return s.parseBundle(disk, id, file, data)
}

// missingSavedModel returns the error for a directory without a model file. Only newer TensorFlow
// adds a hint to the text (TFS-21.4).
func (s *Server) missingSavedModel(dir string) *env.RPCError {
	text := "Could not find SavedModel .pb or .pbtxt at supplied export directory path: " + dir
	if s.profile == ProfileHead {
		text += ". Check that the directory exists and that you have the right permissions for accessing it."
	}
	return &env.RPCError{Code: rpcerrors.NotFound, Message: text}
}

// parseBundle makes a model from the content of a saved_model.pb or .pbtxt.
func (s exportReader) parseBundle(disk Storage, id servable, file string, data []byte) (*Bundle, *env.RPCError) {
	options := infer.Options{
		Name: id.model, Version: id.version, Head: s.profile == ProfileHead,
		CheckMethodNames: s.options.EnableSignatureMethodNameCheck,
		AnswerInContent:  s.options.EnableSerializationAsTensorContent,
	}
	if described, ok := parseDescription(data); ok {
		return s.describedBundle(disk, described, file, options)
	}
	graph, err := s.readGraph(file, data)
	if err != nil {
		return nil, err
	}
	if graph == nil {
		return s.standIn(options)
	}
	options.CheckShapes = graph.ChecksShapes
	if graph.Variable.Name != "" && !hasVariables(disk, file) {
		options.Unready = s.uninitialized(graph.Variable)
	}
	model := infer.New(graph.Signatures, options)
	model.Outputless(graph.Outputless)
	return &Bundle{Signatures: graph.Signatures, model: model}, nil
}

func parseDescription(data []byte) (described bundleJSON, ok bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return described, false
	}
	return described, json.Unmarshal(data, &described) == nil
}

// standIn returns a model that takes every request. It fails when the configured tags are not
// those of such a model.
func (s exportReader) standIn(options infer.Options) (*Bundle, *env.RPCError) {
	if !savedmodel.SameTags([]string{defaultTag}, s.adapter.tags) {
		return nil, s.wrongTags()
	}
	return &Bundle{model: s.options.Shared.standIn(options)}, nil
}

// readGraph parses a SavedModel. When the bytes are not one, it returns an error with
// Options.StrictBundles and nil without.
func (s exportReader) readGraph(file string, data []byte) (*savedmodel.Graph, *env.RPCError) {
	read, form := savedmodel.Read, "binary"
	if strings.HasSuffix(file, ".pbtxt") {
		read, form = savedmodel.ReadText, "text"
	}
	graph, err := read(data, s.adapter.tags)
	switch {
	case errors.Is(err, savedmodel.ErrNoTags):
		return nil, s.wrongTags()
	case err == nil || !s.options.StrictBundles:
		return graph, nil
	case errors.Is(err, savedmodel.ErrNoGraph):
		return nil, s.wrongTags()
	case errors.Is(err, savedmodel.ErrTruncated):
		return nil, statusf(rpcerrors.OutOfRange, "Read less bytes than requested")
	}
	return nil, statusf(rpcerrors.DataLoss, "Can't parse %s as %s proto", file, form)
}

func (s exportReader) wrongTags() *env.RPCError {
	return statusf(rpcerrors.NotFound,
		"Could not find meta graph def matching supplied tags: { %s }. To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`",
		strings.Join(s.adapter.tags, " "))
}

// hasVariables reports whether a variables directory is next to the file. A load succeeds
// without one (TFS-5.7).
func hasVariables(disk Storage, file string) bool {
	return disk.Exists(joinPath(file[:strings.LastIndexByte(file, '/')], "variables"))
}

// uninitialized returns the error of a run without the graph's variables, worded as
// TensorFlow 2.21 does in savedmodel/testdata/runtime.json. The older text for resource
// variables, of tfs-2.4, is known only from reports of its users.
func (s *Server) uninitialized(v savedmodel.Variable) *env.RPCError {
	missing := "Container localhost does not exist. (Could not find resource: localhost/" + v.Name + ")"
	switch {
	case !v.Resource:
		return statusf(rpcerrors.FailedPrecondition, "Attempting to use uninitialized value %s\n\t [[{{node %s/read}}]]", v.Name, v.Name)
	case s.profile == ProfileHead:
		return statusf(rpcerrors.FailedPrecondition,
			"Could not find variable %s. This could mean that the variable has been deleted. In TF1, it can also mean the variable is uninitialized. Debug info: container=localhost, status error message=%s",
			v.Name, missing)
	}
	return statusf(rpcerrors.FailedPrecondition,
		"Error while reading resource variable %s from Container: localhost. This could mean that the variable was uninitialized. Not found: %s",
		v.Name, missing)
}
