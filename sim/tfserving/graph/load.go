package graph

import (
	"errors"
	"io/fs"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/graph/bundle"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// Options says where a model's files are, and supplies the error for missing variables.
type Options struct {
	// Dir is the version's directory, as the model server names it.
	Dir string
	// Exists and ReadFile access files. They are called only for paths below Dir.
	Exists   func(path string) bool
	ReadFile func(path string) ([]byte, error)
	// Lock is held while a variable or table is looked up or changes.
	Lock ops.Locker
	// Missing returns the error for reading a variable that has no value. resource is false for a
	// reference variable of TensorFlow 1.
	Missing func(name string, resource bool) error
}

// Model is a loaded graph. Its plans may run on several threads at once.
type Model struct {
	options   Options
	main      *program
	functions map[string]*framework.FunctionDef
	opDefs    map[string]*framework.OpDef
	plans     map[string]*Plan
	state     *ops.State
	variables *bundle.Bundle // variables is nil once the model is loaded
	starts    int
	loading   bool
}

// Load makes a model from a serialized MetaGraphDef (cc/saved_model/loader.cc). An *env.RPCError
// means that TensorFlow's load fails with this error, too. Any other error says why this package
// cannot run the graph.
func Load(meta []byte, o Options) (*Model, error) {
	def := &tfcore.MetaGraphDef{}
	if err := proto.Unmarshal(meta, def); err != nil {
		return nil, err
	}
	m := &Model{
		options: o, functions: map[string]*framework.FunctionDef{}, opDefs: map[string]*framework.OpDef{},
		plans: map[string]*Plan{}, state: ops.NewState(o.Lock, o.Missing), loading: true,
	}
	for _, op := range def.GetMetaInfoDef().GetStrippedOpList().GetOp() {
		m.opDefs[op.GetName()] = op
	}
	for _, f := range def.GetGraphDef().GetLibrary().GetFunction() {
		m.functions[f.GetSignature().GetName()] = f
	}
	m.main = m.newProgram(def.GetGraphDef().GetNode(), false)
	if err := m.restore(def.GetSaverDef()); err != nil {
		return nil, err
	}
	if err := m.initialise(def); err != nil {
		return nil, err
	}
	m.loading, m.variables = false, nil
	return m, nil
}

// Forget frees what is needed only for making plans, which is most of the graph. No plan can be
// made afterwards.
func (m *Model) Forget() { m.main, m.functions, m.opDefs = nil, nil, nil }

// Starts returns how often the load ran the graph: to restore the variables, and to initialise it.
func (m *Model) Starts() int { return m.starts }

// variablesPrefix is the beginning of the paths of variable files, below the version's directory
// (constants.h).
const variablesPrefix = "/variables/variables"

// restore restores the variables by running the graph's restore node. A model without a variables
// index has nothing to restore.
func (m *Model) restore(saver *tfcore.SaverDef) error {
	prefix := m.options.Dir + variablesPrefix
	if saver.GetRestoreOpName() == "" || !m.options.Exists(prefix+".index") {
		return nil
	}
	var err error
	if m.variables, err = bundle.Open(prefix, m.options.ReadFile); err != nil {
		return asStatus(err)
	}
	return m.runOnce([]string{saver.GetFilenameTensorName()}, []string{prefix}, saver.GetRestoreOpName())
}

// runOnce runs a node of the graph. feeds names the input tensors, and texts holds their string
// values.
func (m *Model) runOnce(feeds, texts []string, node string) error {
	name, _, _ := strings.Cut(node, ":")
	plan, err := m.plan(m.main, feeds, nil, []string{name})
	if err != nil {
		return err
	}
	values := lists.Map(texts, func(s string) value.Value { return value.Strings(nil, []string{s}) })
	m.starts++
	_, err = plan.run(&run{model: m}, values)
	return withNode(err)
}

// These names identify the initializer that runs after the variables are restored, and its assets
// (cc/saved_model/constants.h).
const (
	initSignature    = "__saved_model_init_op"
	mainCollection   = "saved_model_main_op"
	legacyCollection = "legacy_init_op"
	assetsCollection = "saved_model_assets"
	assetsDirectory  = "/assets/"
)

// initialise runs the graph's own initializer, which for example fills look-up tables.
func (m *Model) initialise(def *tfcore.MetaGraphDef) error {
	node := def.GetSignatureDef()[initSignature].GetOutputs()[initSignature].GetName()
	for _, name := range []string{mainCollection, legacyCollection} {
		if list := def.GetCollectionDef()[name].GetNodeList().GetValue(); node == "" && len(list) > 0 {
			node = list[0]
		}
	}
	if node == "" {
		return nil
	}
	assets, err := assetsOf(def)
	if err != nil {
		return err
	}
	var feeds, paths []string
	for _, asset := range assets {
		feeds = append(feeds, asset.GetTensorInfo().GetName())
		paths = append(paths, m.options.Dir+assetsDirectory+asset.GetFilename())
	}
	return m.runOnce(feeds, paths, node)
}

func assetsOf(def *tfcore.MetaGraphDef) ([]*tfcore.AssetFileDef, error) {
	if list := def.GetAssetFileDef(); len(list) > 0 {
		return list, nil
	}
	var assets []*tfcore.AssetFileDef
	for _, packed := range def.GetCollectionDef()[assetsCollection].GetAnyList().GetValue() {
		asset := &tfcore.AssetFileDef{}
		if err := packed.UnmarshalTo(asset); err != nil {
			return nil, err
		}
		assets = append(assets, asset)
	}
	return assets, nil
}

// readFile reads a file of the model during the load. A graph may name any path, but paths outside
// the model's directory are refused.
func (m *Model) readFile(path string) ([]byte, error) {
	below, ok := strings.CutPrefix(path, m.options.Dir+"/")
	if !ok || !fs.ValidPath(below) {
		return nil, unsupported("file %s, which is not of the model", path)
	}
	if !m.loading {
		return nil, unsupported("file %s, read by a request", path)
	}
	data, err := m.options.ReadFile(path)
	if err != nil {
		return nil, asStatus(err)
	}
	return data, nil
}

// asStatus converts an error of reading a file to the error of a load.
func asStatus(err error) error {
	var status *env.RPCError
	var what *ops.Unsupported
	if errors.As(err, &status) || errors.As(err, &what) {
		return err
	}
	return &env.RPCError{Code: rpcerrors.Unknown, Message: err.Error()}
}

// Restore returns the value of a variable from the model's files. It works only during the load.
func (r *run) Restore(prefix, name string) (value.Value, error) {
	if r.model.variables == nil || prefix != r.model.options.Dir+variablesPrefix {
		return value.Value{}, unsupported("variables of %s", prefix)
	}
	return r.model.variables.Tensor(name)
}
