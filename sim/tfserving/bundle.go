package tfserving

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/graph"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
)

// Bundle is a loaded SavedModel. The content of saved_model.pb decides what it is:
//
//   - A JSON object describes a model (bundle_json.go).
//   - A serialized tensorflow.SavedModel with a meta graph is a real model, with the tags
//     and signatures of the file, which answers by its graph. Where that cannot be run, the
//     outputs are invented: if the graph has variables, it wants a variables directory, and if
//     an operation checks shapes, such as MatMul, inputs must have the shapes of the signature.
//   - Other bytes are a stand-in that has the serving tag and takes every request. With
//     Options.StrictBundles they are a damaged file, and the load fails as upstream's does.
type Bundle struct {
	// Signatures holds the model's signatures by name. It never changes. It is nil for a model that
	// accepts every request.
	Signatures map[string]*tfcore.SignatureDef
	LoadTime   time.Duration

	model      *infer.Model
	batcher    *batcher      // batcher is nil if requests are not batched
	err        *env.RPCError // err is the error that every load ends with; nil for none
	warmups    int           // warmups is the number of warm-up requests, with every iteration counted
	warmupWait time.Duration // warmupWait is how long the warm-up requests wait for the batch timeout
	starts     int           // starts is how often the load ran the graph
}

// export holds what a load read from an export directory. If the load fails, err holds the reason.
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

// readExport reads a version's export directory. It returns the model, or the error with which the
// load fails (TFS-5.7, TFS-5.9).
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

// parseBundle makes a model from data, the content of a saved_model.pb or .pbtxt. file is its path.
func (s exportReader) parseBundle(disk Storage, id servable, file string, data []byte) (*Bundle, *env.RPCError) {
	options := infer.Options{
		Name: id.model, Version: id.version, Head: s.profile == ProfileHead,
		CheckMethodNames: s.options.EnableSignatureMethodNameCheck,
		AnswerInContent:  s.options.EnableSerializationAsTensorContent,
	}
	if described, ok := parseDescription(data); ok {
		return s.describedBundle(disk, described, file, options)
	}
	read, err := s.readGraph(file, data)
	if err != nil {
		return nil, err
	}
	if read == nil {
		return s.standIn(options)
	}
	options.CheckShapes = read.ChecksShapes
	if read.Variable.Name != "" && !hasVariables(disk, file) {
		options.Unready = s.uninitialized(read.Variable)
	}
	options.Inventions = &inventions{server: s.Server, id: id, lock: s.reader.lock, told: map[string]bool{}}
	if options.Graph, err = s.loadGraph(disk, file, data, read.Signatures, options.Inventions); err != nil {
		return nil, err
	}
	model := infer.New(read.Signatures, options)
	model.Outputless(read.Outputless)
	bundle := &Bundle{Signatures: read.Signatures, model: model}
	if options.Graph != nil {
		bundle.starts = options.Graph.Starts()
	}
	return bundle, nil
}

func parseDescription(data []byte) (described bundleJSON, ok bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return described, false
	}
	return described, json.Unmarshal(data, &described) == nil
}

// standIn returns a stand-in model, which accepts every request. A stand-in has only the default
// tag, so the load fails if other tags are configured.
func (s exportReader) standIn(options infer.Options) (*Bundle, *env.RPCError) {
	if !savedmodel.SameTags([]string{defaultTag}, s.adapter.tags) {
		return nil, s.wrongTags()
	}
	return &Bundle{model: s.options.Shared.standIn(options)}, nil
}

// readGraph parses a SavedModel. If the bytes are no SavedModel, the result depends on
// Options.StrictBundles: an error if it is set, otherwise nil, so that a stand-in model serves.
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

// hasVariables reports whether there is a variables directory next to the model file. A load
// succeeds without it (TFS-5.7).
func hasVariables(disk Storage, file string) bool {
	return disk.Exists(joinPath(file[:strings.LastIndexByte(file, '/')], "variables"))
}

// uninitialized returns the error of a request that needs variables which the model lacks. The text
// is that of TensorFlow 2.21 in savedmodel/testdata/runtime.json. The older text of tfs-2.4 for
// resource variables is known only from users' bug reports.
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

// maxGraphBytes limits the size of a model whose graph is executed. A larger model would need too
// much memory and time for a test.
const maxGraphBytes = 256 << 20

// loadGraph loads the graph of a model for execution. If the graph cannot be executed, it returns
// nil and logs the reason for each signature. If restoring the variables or an initializer fails,
// the load fails with that error.
func (s exportReader) loadGraph(disk Storage, file string, data []byte, signatures map[string]*tfcore.SignatureDef, tell infer.Inventions) (*graph.Model, *env.RPCError) {
	model, err := s.tryGraph(disk, file, data)
	var status *env.RPCError
	switch {
	case err == nil:
		return model, nil
	case errors.As(err, &status):
		return nil, status
	}
	for _, name := range slices.Sorted(maps.Keys(signatures)) {
		tell.Invented(name, err.Error())
	}
	return nil, nil
}

func (s exportReader) tryGraph(disk Storage, file string, data []byte) (*graph.Model, error) {
	dir := file[:strings.LastIndexByte(file, '/')]
	if size, err := disk.SizeBytes(dir); err == nil && size > maxGraphBytes {
		return nil, errors.New("the model has more than 256 MiB")
	}
	if strings.HasSuffix(file, ".pbtxt") {
		var err error
		if data, err = savedmodel.FromText(data); err != nil {
			return nil, err
		}
	}
	return graph.Load(savedmodel.Meta(data, s.adapter.tags), graph.Options{
		Dir:    dir,
		Exists: disk.Exists,
		ReadFile: func(path string) ([]byte, error) {
			data, err := disk.ReadFile(path)
			if err != nil {
				return nil, storageError(path, err)
			}
			return data, nil
		},
		Lock: s.reader.lock,
		Missing: func(name string, resource bool) error {
			missing := s.uninitialized(savedmodel.Variable{Name: name, Resource: resource})
			missing.Message, _, _ = strings.Cut(missing.Message, "\n") // the graph adds the node
			return missing
		},
	})
}

// inventions logs why a model's outputs are invented instead of computed, once for each signature.
type inventions struct {
	server *Server
	id     servable
	lock   Locker
	told   map[string]bool
}

// Invented implements infer.Inventions.
func (i *inventions) Invented(signature, why string) {
	i.lock.Lock()
	told := i.told[signature]
	i.told[signature] = true
	i.lock.Unlock()
	if !told && !strings.HasPrefix(signature, "__") {
		i.server.warnf("Answers of signature %s of %s are invented: %s", signature, i.id, why)
	}
}
