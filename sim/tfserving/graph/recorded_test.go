package graph_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/graph"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// recorded holds the answers of a real TensorFlow session to the test requests
// (testdata/record.py).
type recorded struct {
	TensorFlow string                `json:"tensorflow"`
	Models     map[string][]exchange `json:"models"`
}

// exchange is a request with the recorded outputs, or with the code and text of the error.
type exchange struct {
	Signature string               `json:"signature"`
	Inputs    map[string]described `json:"inputs"`
	Filter    []string             `json:"filter"`
	Outputs   map[string]described `json:"outputs"`
	Code      rpcerrors.Code       `json:"code"`
	Message   string               `json:"message"`

	several bool // several is set where more than one node fails
}

type described struct {
	DType  framework.DataType `json:"dtype"`
	Shape  []int64            `json:"shape"`
	Values []any              `json:"values"`
}

func (d described) float(i int) float64 {
	x, err := strconv.ParseFloat(fmt.Sprint(d.Values[i]), 64)
	if err != nil {
		panic(err)
	}
	return x
}

func (d described) int(i int) int64 {
	x, err := d.Values[i].(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return x
}

// text decodes the string value i, in which each character stands for one byte.
func (d described) text(i int) string {
	var out []byte
	for _, r := range d.Values[i].(string) {
		out = append(out, byte(r))
	}
	return string(out)
}

func (d described) complex(i int) complex128 {
	pair := described{Values: d.Values[i].([]any)}
	return complex(pair.float(0), pair.float(1))
}

func (d described) tensor(t *testing.T) tensor.Tensor {
	t.Helper()
	list := func(i int) float64 { return d.float(i) }
	var made tensor.Tensor
	var err error
	switch d.DType {
	case framework.DataType_DT_STRING:
		made, err = tensor.FromStrings(d.Shape, filled(len(d.Values), d.text))
	case framework.DataType_DT_BOOL:
		made, err = tensor.FromBools(d.Shape, filled(len(d.Values), func(i int) bool { return d.Values[i].(bool) }))
	case framework.DataType_DT_COMPLEX64, framework.DataType_DT_COMPLEX128:
		made, err = tensor.FromComplexes(d.DType, d.Shape, filled(len(d.Values), d.complex))
	case framework.DataType_DT_INT64:
		made, err = tensor.FromInts(d.DType, d.Shape, filled(len(d.Values), d.int))
	default:
		made, err = tensor.FromFloats(d.DType, d.Shape, filled(len(d.Values), list))
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func filled[T any](n int, at func(int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = at(i)
	}
	return list
}

func readRecorded(t *testing.T) recorded {
	t.Helper()
	data, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var all recorded
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // not as float64, which cannot hold every int64
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}

// load loads a model of testdata, and returns its signatures.
func load(t *testing.T, name string) (*graph.Model, map[string]*tfcore.SignatureDef) {
	t.Helper()
	dir := path.Join("testdata/models", name)
	data, err := os.ReadFile(path.Join(dir, "saved_model.pb"))
	if err != nil {
		t.Fatal(err)
	}
	meta, err := savedmodel.Read(data, []string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	model, err := graph.Load(savedmodel.Meta(data, []string{"serve"}), graph.Options{
		Dir:      dir,
		Exists:   func(path string) bool { _, err := os.Stat(path); return err == nil },
		ReadFile: os.ReadFile,
		Lock:     noLock{},
		Missing: func(name string, _ bool) error {
			return &env.RPCError{Code: rpcerrors.FailedPrecondition, Message: name}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return model, meta.Signatures
}

// several lists requests for which more than one node fails. TensorFlow reports the node that
// happened to fail first. In two of them the text also names a fed tensor as only the runtime does. In
// those of placeholders, and in edges_blocks/10 and 142, one node fails, but the runtime's optimizer has
// sorted its operands by name.
var several = []string{
	"arithmetic/9", "checks/5", "checks/6", "edges_blocks/10", "edges_blocks/50", "edges_blocks/51", "edges_blocks/142",
	"keras_recurrent/47", "keras_recurrent/53", "keras_recurrent/70", "keras_recurrent/72",
	"placeholders/1", "placeholders/4", "shapes/2", "shapes/3", "shapes/30", "sparse/1", "sparse/2", "sparse/7",
}

// TestAsTensorFlow plays every recorded request (TFS-12.5). The outcome, dtypes, shapes and error
// texts must equal those of a real TensorFlow. Values must agree to 1e-5.
func TestAsTensorFlow(t *testing.T) {
	all := readRecorded(t)
	count := tally{}
	for _, name := range slices.Sorted(maps.Keys(all.Models)) {
		t.Run(name, func(t *testing.T) {
			model, signatures := load(t, name)
			for i, x := range all.Models[name] {
				x.several = slices.Contains(several, fmt.Sprintf("%s/%d", name, i))
				t.Run(fmt.Sprint(i), func(t *testing.T) { x.check(t, model, signatures[x.Signature], &count) })
			}
		})
	}
	spec, err := os.ReadFile("../SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, figure := range []string{fmt.Sprintf("%d operations", len(graph.Operations())), fmt.Sprintf("%d requests to %d models", count.requests, len(all.Models))} {
		if !strings.Contains(string(spec), figure) {
			t.Errorf("SPEC.md does not say %q", figure)
		}
	}
	if len(all.Models) < 15 || count.requests < 60 || count.nodes < count.errors*3/4 {
		t.Errorf("%d models, %d requests, %d of %d errors with the same node: too few", len(all.Models), count.requests, count.nodes, count.errors)
	}
	t.Logf("%d operations, %d models, %d requests: %d of %d outputs of equal values, %d of %d texts, %d with the same node",
		len(graph.Operations()), len(all.Models), count.requests, count.values, count.outputs, count.texts, count.errors, count.nodes)
}

// numbered matches the name of an array of tensors, which ends in the number of arrays that the
// process has made before.
var numbered = regexp.MustCompile(`^(TensorArray \S*_)\d+`)

type tally struct{ requests, outputs, values, errors, texts, nodes int }

func (x exchange) check(t *testing.T, model *graph.Model, signature *tfcore.SignatureDef, count *tally) {
	count.requests++
	var feeds, fetches []string
	var values []tensor.Tensor
	for _, alias := range slices.Sorted(maps.Keys(x.Inputs)) {
		feeds, values = append(feeds, signature.GetInputs()[alias].GetName()), append(values, x.Inputs[alias].tensor(t))
	}
	all := slices.Sorted(maps.Keys(signature.GetOutputs()))
	aliases, asked := all, []int{}
	if len(x.Filter) > 0 {
		aliases = x.Filter
	}
	for _, alias := range all {
		fetches = append(fetches, signature.GetOutputs()[alias].GetName())
	}
	for _, alias := range aliases {
		asked = append(asked, slices.Index(all, alias))
	}
	for alias, sent := range x.Inputs { //lint:ordered each is looked at by itself
		if want := signature.GetInputs()[alias].GetDtype(); want != sent.DType {
			return // nothing to do: the caller looks at the dtypes of inputs
		}
	}
	plan, err := model.Plan(feeds, fetches)
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := plan.Only(asked).Run(values)
	if x.Outputs == nil {
		x.checkError(t, err, count)
		return
	}
	if err != nil {
		t.Fatalf("got %v, want outputs", err)
	}
	for i, alias := range aliases {
		count.outputs++
		if diff := difference(outputs[i], x.Outputs[alias].tensor(t)); diff != "" {
			t.Errorf("%s: %s", alias, diff)
			continue
		}
		count.values++
	}
}

func (x exchange) checkError(t *testing.T, err error, count *tally) {
	t.Helper()
	count.errors++
	var status *env.RPCError
	if x.several && errors.As(err, &status) {
		return
	}
	if !errors.As(err, &status) || status.Code != x.Code {
		t.Fatalf("got %v, want %v: %s", err, x.Code, x.Message)
	}
	status.Message, x.Message = numbered.ReplaceAllString(status.Message, "$1"), numbered.ReplaceAllString(x.Message, "$1")
	got, _, _ := strings.Cut(status.Message, "\n")
	want, _, _ := strings.Cut(x.Message, "\n")
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
		return
	}
	count.texts++
	if status.Message == x.Message {
		count.nodes++
	}
}

// difference describes how two tensors differ. It returns "" if they are equal, with a tolerance of
// 1e-5 for floats.
func difference(got, want tensor.Tensor) string {
	if got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) {
		return fmt.Sprintf("got %s, want %s", got, want)
	}
	for i := range got.Len() {
		if string(got.Bytes(i)) != string(want.Bytes(i)) {
			return fmt.Sprintf("element %d: got %q, want %q", i, got.Bytes(i), want.Bytes(i))
		}
		a, b := got.Complex(i), want.Complex(i)
		if !near(real(a), real(b)) || !near(imag(a), imag(b)) {
			return fmt.Sprintf("element %d: got %v, want %v", i, a, b)
		}
	}
	return ""
}

func near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-5*max(1, math.Abs(b))
}
