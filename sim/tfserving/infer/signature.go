package infer

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/sim/tfserving/graph"
)

// These are the values of method_name in signatures (tensorflow
// cc/saved_model/signature_constants.h).
const (
	predictMethod  = "tensorflow/serving/predict"
	classifyMethod = "tensorflow/serving/classify"
	regressMethod  = "tensorflow/serving/regress"
)

// These are the aliases of the inputs and outputs of classification and regression signatures.
const (
	inputsAlias  = "inputs"
	outputsAlias = "outputs"
	classesAlias = "classes"
	scoresAlias  = "scores"
)

// Signature is a SignatureDef with its inputs and outputs prepared for requests.
type Signature struct {
	name    string
	def     *tfcore.SignatureDef
	inputs  []*input // inputs is sorted by alias
	outputs []*output
	seed    uint64
	answers *apis.ModelSpec // answers is the model_spec that all responses share
	plan    *graph.Plan     // plan computes all outputs; nil where they are invented
}

// port holds the fields that inputs and outputs have in common.
type port struct {
	alias   string
	tensor  string             // tensor is the name of the graph's tensor, or the alias if there is none
	dtype   framework.DataType // dtype DT_INVALID accepts any type
	shape   []int64            // a dimension of -1 has any size
	names   []string           // names holds the names of the dimensions, "" for none
	anyRank bool
	seed    uint64
	// wrong is the runtime's refusal to feed or fetch the tensor; nil for most.
	wrong *refusal
}

type input struct {
	port
	op  string // op is the runtime's name for the fed tensor
	arg int    // arg is the input's index among the fed tensors, sorted by name
}

type output struct{ port }

func newSignature(name string, def *tfcore.SignatureDef) *Signature {
	s := &Signature{name: name, def: def, seed: newDigest().text(name).sum()}
	for _, alias := range keys(def.GetInputs()) {
		s.inputs = append(s.inputs, &input{port: newPort(alias, def.GetInputs()[alias])})
	}
	for _, alias := range keys(def.GetOutputs()) {
		s.outputs = append(s.outputs, &output{newPort(alias, def.GetOutputs()[alias])})
	}
	s.numberArgs()
	return s
}

func newPort(alias string, info *tfcore.TensorInfo) port {
	dtype := info.GetDtype()
	if dtype > refOffset {
		dtype -= refOffset
	}
	p := port{
		alias: alias, tensor: cmp.Or(info.GetName(), alias), dtype: dtype, seed: newDigest().text(alias).sum(),
		anyRank: info.GetTensorShape() == nil || info.GetTensorShape().GetUnknownRank(),
	}
	if info.GetCooSparse() != nil || info.GetCompositeTensor() != nil {
		p.wrong = notFound("")
	}
	for _, dim := range info.GetTensorShape().GetDim() {
		p.shape = append(p.shape, max(dim.GetSize(), -1))
		p.names = append(p.names, dim.GetName())
	}
	return p
}

// refOffset is the difference between a dtype's number and that of its _REF form (TFS-15.5).
const refOffset = 100

// numberArgs numbers the inputs in the runtime's order, which is by the names of their tensors
// (direct_session.cc, GetOrCreateExecutors).
func (s *Signature) numberArgs() {
	name := func(in *input) string { return s.def.GetInputs()[in.alias].GetName() }
	byName := slices.Clone(s.inputs)
	slices.SortStableFunc(byName, func(a, b *input) int { return cmp.Compare(name(a), name(b)) })
	for i, in := range byName {
		in.arg, in.op = i, argName(cmp.Or(name(in), in.alias), i)
	}
}

// argName returns the name of the graph node that the runtime creates for a fed tensor
// (graph/subgraph.cc).
func argName(tensorName string, arg int) string {
	op, port, found := strings.Cut(tensorName, ":")
	if !found {
		port = "0"
	}
	return "_arg_" + op + "_" + port + "_" + strconv.Itoa(arg)
}

// input returns the input with an alias; nil if there is none. The method output does the same for
// outputs.
func (s *Signature) input(alias string) *input {
	return lists.Find(s.inputs, func(in *input) bool { return in.alias == alias })
}

func (s *Signature) output(alias string) *output {
	return lists.Find(s.outputs, func(out *output) bool { return out.alias == alias })
}

// debugString formats the SignatureDef as Message::DebugString does. textpb cannot fail here,
// because a SignatureDef holds no Any.
func (s *Signature) debugString() string {
	text, _ := textpb.Marshal(s.def)
	return text
}

// keys returns the keys of a map in ascending order, as in a std::set.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// joined formats the elements as absl::StrJoin does for a set.
func joined(sorted []string) string { return strings.Join(sorted, ",") }

func without(a, b []string) (rest []string) {
	return lists.Filter(a, func(s string) bool { return !slices.Contains(b, s) })
}
