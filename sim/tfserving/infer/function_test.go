package infer_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/tensor"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// Goal: invented outputs have the promised types, shapes and ranges, and depend only on the
// promised parts of the request.

const float = framework.DataType_DT_FLOAT

// info returns a TensorInfo with the given dtype and dimension sizes.
func info(dtype framework.DataType, sizes ...int64) *tfcore.TensorInfo {
	return &tfcore.TensorInfo{Encoding: &tfcore.TensorInfo_Name{}, Dtype: dtype, TensorShape: tensor.ShapeProto(sizes)}
}

// withOutputs returns a model with the given outputs, whose input x has rows of two floats.
func withOutputs(outputs map[string]*tfcore.TensorInfo) *infer.Model {
	return infer.New(map[string]*tfcore.SignatureDef{"serving_default": {
		Inputs: map[string]*tfcore.TensorInfo{"x": info(float, -1, 2)}, Outputs: outputs,
	}}, infer.Options{Name: "m", Version: 1})
}

func predict(t testing.TB, m *infer.Model, x *framework.TensorProto) map[string]*framework.TensorProto {
	t.Helper()
	run, err := m.Begin(&apis.PredictRequest{Inputs: map[string]*framework.TensorProto{"x": x}})
	if err != nil {
		t.Fatal(err)
	}
	response, err := run()
	if err != nil {
		t.Fatal(err)
	}
	return response.(*apis.PredictResponse).GetOutputs()
}

// floats returns a value for the input x, with two numbers in each row.
func floats(t testing.TB, values ...float64) tensor.Tensor {
	value, err := tensor.FromFloats(float, []int64{int64(len(values) / 2), 2}, values)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestOutputsHaveTheTypesAndShapesOfTheSignature(t *testing.T) {
	unknownRank := info(float)
	unknownRank.TensorShape = &framework.TensorShapeProto{UnknownRank: true}
	outputs := map[string]*tfcore.TensorInfo{
		"scalar": info(float), "row": info(float, -1), "matrix": info(float, -1, 3), "open": info(float, -1, -1),
		"fixed": info(float, 2, 2), "unknown": unknownRank,
	}
	for _, number := range slices.Sorted(maps.Keys(framework.DataType_name)) {
		dtype := framework.DataType(number)
		if dtype < 100 && (tensor.Size(dtype) > 0 || dtype == framework.DataType_DT_STRING) {
			outputs[dtype.String()] = info(dtype, -1, 40)
		}
	}
	got := predict(t, withOutputs(outputs), floats(t, 1, 2, 3, 4, 5, 6).FieldProto())
	shapes := map[string][]int64{
		"scalar": {}, "row": {3}, "matrix": {3, 3}, "open": {3, 1}, "fixed": {2, 2}, "unknown": {3},
	}
	for _, alias := range slices.Sorted(maps.Keys(shapes)) {
		want := shapes[alias]
		if shape, _ := tensor.Shape(got[alias].GetTensorShape()); !slices.Equal(shape, want) {
			t.Errorf("%s: got shape %v, want %v", alias, shape, want)
		}
	}
	for _, alias := range slices.Sorted(maps.Keys(outputs)) {
		checkRange(t, alias, outputs[alias].GetDtype(), got[alias])
	}
}

// checkRange checks that invented floats are in [0, 1), integers in [0, 100), strings have eight
// hexadecimal digits, and not all elements are equal.
func checkRange(t *testing.T, alias string, dtype framework.DataType, encoded *framework.TensorProto) {
	value, err := tensor.Parse(encoded)
	if err != nil {
		t.Errorf("%s: %v", alias, err)
		return
	}
	if value.DType() != dtype {
		t.Errorf("%s: got type %s, want %s", alias, value.DType(), dtype)
	}
	different := value.Len() < 40
	for i := range value.Len() {
		switch dtype {
		case framework.DataType_DT_STRING:
			if len(value.Bytes(i)) != 8 {
				t.Errorf("%s: got %q, want 8 digits", alias, value.Bytes(i))
			}
			different = different || string(value.Bytes(i)) != string(value.Bytes(0))
		default:
			v := real(value.Complex(i))
			limit := 100.0
			if dtype != framework.DataType_DT_BOOL && v != math.Trunc(v) {
				limit = 1
			}
			if v < 0 || v >= limit {
				t.Errorf("%s: got %v, want [0, %v)", alias, v, limit)
			}
			different = different || v != real(value.Complex(0))
		}
	}
	if !different {
		t.Errorf("%s: all %d elements are the same", alias, value.Len())
	}
}

func TestOutputsDoNotDependOnEncodings(t *testing.T) {
	m := withOutputs(map[string]*tfcore.TensorInfo{"y": info(float, -1), "all": info(float)})
	x := floats(t, 1, 2, 3, 3, 3, 3)
	short := x.FieldProto()
	short.FloatVal = short.FloatVal[:3] // the missing values are copies of the last one
	want := predict(t, m, x.FieldProto())
	for _, encoded := range []*framework.TensorProto{x.ContentProto(), short} {
		if diff := cmp.Diff(want, predict(t, m, encoded), protocmp.Transform()); diff != "" {
			t.Errorf("(-one encoding +another):\n%s", diff)
		}
	}
}

func TestARowHasTheSameOutputsInEveryBatch(t *testing.T) {
	m := withOutputs(map[string]*tfcore.TensorInfo{"y": info(float, -1, 2)})
	batch := predict(t, m, floats(t, 1, 2, 3, 4).FieldProto())["y"].GetFloatVal()
	first := predict(t, m, floats(t, 1, 2).FieldProto())["y"].GetFloatVal()
	second := predict(t, m, floats(t, 3, 4).FieldProto())["y"].GetFloatVal()
	if !slices.Equal(batch, append(slices.Clone(first), second...)) {
		t.Errorf("got %v in a batch, %v and %v alone", batch, first, second)
	}
	if slices.Equal(first, second) {
		t.Errorf("different rows both give %v", first)
	}
}

func TestOutputsDependOnModelVersionSignatureAndInputs(t *testing.T) {
	def := &tfcore.SignatureDef{
		Inputs:  map[string]*tfcore.TensorInfo{"x": info(float, -1, 2)},
		Outputs: map[string]*tfcore.TensorInfo{"y": info(float, -1, 4), "z": info(float, -1, 4)},
	}
	answers := map[string]bool{}
	for _, o := range []infer.Options{{Name: "m", Version: 1}, {Name: "m", Version: 2}, {Name: "n", Version: 1}} {
		for _, signature := range []string{"serving_default", "other"} {
			for _, x := range []tensor.Tensor{floats(t, 1, 2), floats(t, 2, 1)} {
				m := infer.New(map[string]*tfcore.SignatureDef{signature: def}, o)
				run, err := m.Begin(&apis.PredictRequest{
					ModelSpec: &apis.ModelSpec{SignatureName: signature},
					Inputs:    map[string]*framework.TensorProto{"x": x.FieldProto()},
				})
				if err != nil {
					t.Fatal(err)
				}
				response, err := run()
				if err != nil {
					t.Fatal(err)
				}
				for _, alias := range []string{"y", "z"} {
					text, err := textpb.Marshal(response.(*apis.PredictResponse).GetOutputs()[alias])
					if err != nil {
						t.Fatal(err)
					}
					answers[text] = true
				}
			}
		}
	}
	if want := 3 * 2 * 2 * 2; len(answers) != want {
		t.Errorf("got %d different outputs, want %d", len(answers), want)
	}
}

func TestOpenDimensionsOfTheSameNameHaveTheSameSize(t *testing.T) {
	in, out := info(float, -1, -1), info(float, -1, -1)
	in.TensorShape.Dim[1].Name, out.TensorShape.Dim[1].Name = "width", "width"
	m := infer.New(map[string]*tfcore.SignatureDef{"serving_default": {
		Inputs: map[string]*tfcore.TensorInfo{"x": in}, Outputs: map[string]*tfcore.TensorInfo{"y": out},
	}}, infer.Options{})
	got, _ := tensor.Shape(predict(t, m, floats(t, 1, 2, 3, 4).FieldProto())["y"].GetTensorShape())
	if want := []int64{2, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAnEmptyBatchGivesEmptyOutputs(t *testing.T) {
	m := withOutputs(map[string]*tfcore.TensorInfo{"y": info(float, -1, 3)})
	y := predict(t, m, floats(t).FieldProto())["y"]
	if shape, _ := tensor.Shape(y.GetTensorShape()); !slices.Equal(shape, []int64{0, 3}) || len(y.GetFloatVal()) != 0 {
		t.Errorf("got %v, want no values of shape [0 3]", y)
	}
}

// Goal: an empty input of more rows than a server has memory for is answered, with an empty output.
func TestEmptyRowsTakeNoMemory(t *testing.T) {
	m := infer.New(map[string]*tfcore.SignatureDef{"serving_default": {
		Inputs: map[string]*tfcore.TensorInfo{"x": info(float, -1, 0)}, Outputs: map[string]*tfcore.TensorInfo{"y": info(float, -1, 0)},
	}}, infer.Options{Name: "m", Version: 1})
	want := []int64{1 << 40, 0}
	got := predict(t, m, &framework.TensorProto{Dtype: float, TensorShape: tensor.ShapeProto(want)})
	if diff := cmp.Diff(tensor.ShapeProto(want), got["y"].GetTensorShape(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestAnOutputThatIsTooLargeIsRefused(t *testing.T) {
	m := withOutputs(map[string]*tfcore.TensorInfo{"y": info(float, -1, 1<<40)})
	run, err := m.Begin(&apis.PredictRequest{Inputs: map[string]*framework.TensorProto{"x": floats(t, 1, 2).FieldProto()}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = run()
	want := "RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[1,1099511627776] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestScoresSumToOne(t *testing.T) {
	m := infer.New(map[string]*tfcore.SignatureDef{"serving_default": {
		Inputs:     map[string]*tfcore.TensorInfo{"inputs": info(framework.DataType_DT_STRING, -1)},
		Outputs:    map[string]*tfcore.TensorInfo{"scores": info(float, -1, 7), "classes": info(framework.DataType_DT_STRING, -1, 7)},
		MethodName: "tensorflow/serving/classify",
	}}, infer.Options{})
	request := &apis.ClassificationRequest{}
	if err := textformat.Unmarshal("input { example_list { examples {} examples {} } }", request); err != nil {
		t.Fatal(err)
	}
	run, err := m.Begin(request)
	if err != nil {
		t.Fatal(err)
	}
	response, err := run()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range response.(*apis.ClassificationResponse).GetResult().GetClassifications() {
		sum := 0.0
		for _, class := range c.GetClasses() {
			sum += float64(class.GetScore())
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("example %d: scores sum to %v, want 1", i, sum)
		}
	}
}

// TestDefaultsOfSignatures checks that in tfs-head an input with a default may be missing, and the
// default then counts as sent. In tfs-2.4 there are no defaults.
func TestDefaultsOfSignatures(t *testing.T) {
	def := &tfcore.SignatureDef{
		Inputs:   map[string]*tfcore.TensorInfo{"a": info(float, -1, 2), "b": info(float, -1, 2)},
		Outputs:  map[string]*tfcore.TensorInfo{"y": info(float, -1)},
		Defaults: map[string]*framework.TensorProto{"b": floats(t, 5, 6).FieldProto()},
	}
	ask := func(head bool, inputs map[string]*framework.TensorProto) string {
		m := infer.New(map[string]*tfcore.SignatureDef{"serving_default": def}, infer.Options{Head: head})
		run, err := m.Begin(&apis.PredictRequest{Inputs: inputs})
		if err != nil {
			return err.Error()
		}
		response, err := run()
		if err != nil {
			return err.Error()
		}
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	a, b, other := floats(t, 1, 2).FieldProto(), floats(t, 5, 6).FieldProto(), floats(t, 7, 8).FieldProto()
	without := map[string]*framework.TensorProto{"a": a}
	if got, want := ask(true, without), ask(true, map[string]*framework.TensorProto{"a": a, "b": b}); got != want {
		t.Errorf("tfs-head with the default: got %q, want %q", got, want)
	}
	if got, other := ask(true, without), ask(true, map[string]*framework.TensorProto{"a": a, "b": other}); got == other {
		t.Errorf("tfs-head with another value: got %q, too", got)
	}
	for _, row := range []struct {
		head   bool
		inputs map[string]*framework.TensorProto
		want   string
	}{
		{false, without, "INVALID_ARGUMENT: input size does not match signature: 1!=2 len({a}) != len({a,b}). Sent extra: {}. Missing but required: {b}."},
		{true, map[string]*framework.TensorProto{"b": b}, "INVALID_ARGUMENT: Signature input alias: a(feed name: ) not found in request and no default value provided. Inputs expected to be in the request {b}, or default input alias set: b"},
		{true, map[string]*framework.TensorProto{"a": a, "c": b}, "INVALID_ARGUMENT: Inputs contains invalid name. Used request inputs: a, request input: a,c"},
	} {
		if got := ask(row.head, row.inputs); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

// FuzzPredict checks that no request crashes a model, and that equal requests get equal answers.
func FuzzPredict(f *testing.F) {
	m := withOutputs(map[string]*tfcore.TensorInfo{"y": info(float, -1, 3)})
	seed, err := proto.MarshalOptions{Deterministic: true}.Marshal(&apis.PredictRequest{
		Inputs: map[string]*framework.TensorProto{"x": floats(f, 1, 2).ContentProto()},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		request := &apis.PredictRequest{}
		if proto.Unmarshal(data, request) != nil {
			t.Skip()
		}
		run, err := m.Begin(request)
		if err != nil {
			return
		}
		first, err := run()
		second, again := run()
		if (err == nil) != (again == nil) || err == nil && !proto.Equal(first, second) {
			t.Errorf("got %v (%v), then %v (%v)", first, err, second, again)
		}
	})
}

func TestAnswersInContent(t *testing.T) {
	signatures := map[string]*tfcore.SignatureDef{"serving_default": {
		Inputs: map[string]*tfcore.TensorInfo{"x": info(float, -1, 2)}, Outputs: map[string]*tfcore.TensorInfo{"y": info(float, -1)},
	}}
	x := floats(t, 1, 2).FieldProto()
	fields := predict(t, infer.New(signatures, infer.Options{}), x)["y"]
	content := predict(t, infer.New(signatures, infer.Options{AnswerInContent: true}), x)["y"]
	if len(fields.GetFloatVal()) != 1 || len(content.GetTensorContent()) != 4 || len(content.GetFloatVal()) != 0 {
		t.Fatalf("got %v and %v, want one float_val and four bytes", fields, content)
	}
	value, err := tensor.Parse(content)
	if err != nil || float32(value.Float(0)) != fields.GetFloatVal()[0] {
		t.Errorf("got %v (%v), want %v", value.Float(0), err, fields.GetFloatVal()[0])
	}
}
