package answers_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/answers"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Goal: an error in a script is reported with file, line and column, what was found and what is
// wanted (TFS-12.5).
func TestMistakes(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", "a.yaml:1:1: found nothing, want models"},
		{"models: 3", "a.yaml:1:9: found \"3\" for models, want a mapping"},
		{"model: {}", "a.yaml:1:1: found \"model\" in the script, want one of models"},
		{"models:\n  m: {}", "a.yaml:2:6: found a mapping for model m, want a list"},
		{"models:\n  m:\n    - input: {}", "a.yaml:3:7: found \"input\" in a rule, want one of delay, error, examples, inputs, method, outputs, signature, version"},
		{"models:\n  m:\n    - inputs: {x: 1}", "a.yaml:3:7: found no answer, want outputs, error or delay"},
		{"models: {m: [{outputs: {y: 1}, error: {code: INTERNAL}}]}", "a.yaml:1:14: found outputs and an error, want one of them"},
		{"models: {m: [{error: {code: BUSY}}]}", "a.yaml:1:22: found code \"BUSY\", want a code of gRPC, as UNAVAILABLE"},
		{"models: {m: [{delay: -1s}]}", "a.yaml:1:22: found delay \"-1s\", want a time above 0, as 20ms"},
		{"models: {m: [{delay: soon}]}", "a.yaml:1:22: found delay \"soon\", want a time above 0, as 20ms"},
		{"models: {m: [{version: new, delay: 1s}]}", "a.yaml:1:24: found \"new\" for version, want a whole number"},
		{"models: {m: [{method: Ask, delay: 1s}]}", "a.yaml:1:23: found method \"Ask\", want one of Predict, Classify, Regress, MultiInference"},
		{"models: {m: [{outputs: {y: [[1, 2], [3]]}}]}", "a.yaml:1:37: found a list of 1, want as many as before it"},
		{"models: {m: [{outputs: {y: [[1], 2]}}]}", "a.yaml:1:34: found \"2\", want a list as before it"},
		{"models: {m: [{outputs: {y: [1, [2]]}}]}", "a.yaml:1:32: found a list of 1, want as many as before it"},
		{"models: {m: [{outputs: {y: null}}]}", "a.yaml:1:28: found \"null\", want a text, a number or a boolean"},
		{"models: {m: [{outputs: {y: {dtype: FLOAT, values: 1}}}]}", "a.yaml:1:36: found dtype \"FLOAT\", want one as DT_FLOAT"},
		{"models: {m: [{outputs: {y: {shape: [2], values: [1]}}}]}", "a.yaml:1:28: found 1 values, want those of shape [2]"},
		{"models: {m: [{outputs: {y: {shape: [-2], values: [1]}}}]}", "a.yaml:1:37: found size -2, want one that is not negative"},
		{"models: {m: [{outputs: {y: {dtype: DT_INT32, values: [a]}}}]}", "a.yaml:1:28: found \"a\", want an element of DT_INT32"},
		{"models: {m: [{outputs: {y: {b64: '*'}}}]}", "a.yaml:1:34: found \"*\", want base64"},
		{"models: {m: [{outputs: {y: 1, y: 2}}]}", "a.yaml:1:31: found \"y\" twice in outputs"},
		{"models: {m: [", "a.yaml:1:1: did not find expected node content"},
	} {
		_, err := answers.Parse("a.yaml", []byte(row.text))
		if got := fmt.Sprint(err); got != row.want {
			t.Errorf("%s:\ngot  %s\nwant %s", row.text, got, row.want)
		}
	}
}

const rules = `models:
  m:
    - {version: 2, outputs: {y: 1}}
    - {signature: other, outputs: {y: 2}}
    - {method: Regress, outputs: {y: 3}}
    - {inputs: {x: [0.1, 2]}, outputs: {y: 4}, delay: 1m}
    - {inputs: {x: [[1, 2]]}, error: {code: NOT_FOUND, message: no}}
    - {inputs: {s: [a, {b64: /w==}]}, outputs: {y: 5}}
    - {inputs: {b: true}, outputs: {y: 6}}
    - {inputs: {n: 9007199254740993}, outputs: {y: 7}}
    - {inputs: {x: .nan}, outputs: {y: 8}}
    - {inputs: {x: 1, n: 1}, outputs: {y: 9}}
    - {examples: [{age: 30, name: [ann, bob]}, {}], outputs: {y: 10}}
  all:
    - {outputs: {y: 0}}
`

// Goal: the first rule that fits a question gives the answer.
func TestWhichRuleAnswers(t *testing.T) {
	script, err := answers.Parse("a.yaml", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	floats := func(dtype framework.DataType, shape []int64, values ...float64) tensor.Tensor {
		return made(t)(tensor.FromFloats(dtype, shape, values))
	}
	x := func(v tensor.Tensor) map[string]tensor.Tensor { return map[string]tensor.Tensor{"x": v} }
	const f32, f64 = framework.DataType_DT_FLOAT, framework.DataType_DT_DOUBLE
	large := made(t)(tensor.FromInts(framework.DataType_DT_INT64, nil, []int64{9007199254740993}))
	next := made(t)(tensor.FromInts(framework.DataType_DT_INT64, nil, []int64{9007199254740992}))
	words := made(t)(tensor.FromStrings([]int64{2}, []string{"a", "\xff"}))
	yes := made(t)(tensor.FromBools(nil, []bool{true}))
	examples := made(t)(tensor.FromStrings([]int64{2}, []string{ages(t, 30), ages(t, 7)}))
	younger := made(t)(tensor.FromStrings([]int64{2}, []string{ages(t, 29), ages(t, 30)}))
	for _, row := range []struct {
		name string
		q    answers.Question
		want string
	}{
		{"another model", answers.Question{Model: "n"}, ""},
		{"any request", answers.Question{Model: "all"}, "0"},
		{"a version", answers.Question{Model: "m", Version: 2, Signature: "other"}, "1"},
		{"a signature", answers.Question{Model: "m", Signature: "other"}, "2"},
		{"a method", answers.Question{Model: "m", Method: "Regress"}, "3"},
		{"an input, as its dtype rounds it", answers.Question{Model: "m", Inputs: x(floats(f32, []int64{2}, 0.1, 2))}, "4 after 1m0s"},
		{"an input of another dtype", answers.Question{Model: "m", Inputs: x(floats(f64, []int64{2}, 0.1, 2))}, "4 after 1m0s"},
		{"an input of another shape", answers.Question{Model: "m", Inputs: x(floats(f32, []int64{2, 1}, 0.1, 2))}, ""},
		{"an error", answers.Question{Model: "m", Inputs: x(floats(f32, []int64{1, 2}, 1, 2))}, "NOT_FOUND: no"},
		{"strings", answers.Question{Model: "m", Inputs: map[string]tensor.Tensor{"s": words}}, "5"},
		{"a boolean", answers.Question{Model: "m", Inputs: map[string]tensor.Tensor{"b": yes}}, "6"},
		{"a large integer", answers.Question{Model: "m", Inputs: map[string]tensor.Tensor{"n": large}}, "7"},
		{"the one before it", answers.Question{Model: "m", Inputs: map[string]tensor.Tensor{"n": next}}, ""},
		{"NaN", answers.Question{Model: "m", Inputs: x(floats(f32, nil, nan()))}, "8"},
		{"one of two inputs", answers.Question{Model: "m", Inputs: x(floats(f32, nil, 1))}, ""},
		{"examples", answers.Question{Model: "m", Inputs: map[string]tensor.Tensor{"inputs": examples}}, "10"},
		{"other examples", answers.Question{Model: "m", Inputs: map[string]tensor.Tensor{"inputs": younger}}, ""},
	} {
		if got := shown(t, script.Find(row.q)); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
	var none *answers.Script
	if none.Find(answers.Question{Model: "all"}) != nil {
		t.Error("no script answers")
	}
}

func made(t *testing.T) func(tensor.Tensor, error) tensor.Tensor {
	return func(v tensor.Tensor, err error) tensor.Tensor {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

// ages returns a serialized tf.Example with the given age and two names.
func ages(t *testing.T, age int64) string {
	t.Helper()
	data, err := proto.Marshal(&tfexample.Example{Features: &tfexample.Features{Feature: map[string]*tfexample.Feature{
		"age":  {Kind: &tfexample.Feature_Int64List{Int64List: &tfexample.Int64List{Value: []int64{age}}}},
		"name": {Kind: &tfexample.Feature_BytesList{BytesList: &tfexample.BytesList{Value: [][]byte{[]byte("ann"), []byte("bob")}}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// shown returns the answer's output y with the delay, or the error text; "" for no answer.
func shown(t *testing.T, a *answers.Answer) string {
	t.Helper()
	if a == nil {
		return ""
	}
	if a.Err != nil {
		return a.Err.Error()
	}
	v := made(t)(a.Outputs["y"].Tensor(framework.DataType_DT_INT64))
	text := fmt.Sprint(v.Int(0))
	if a.Delay > 0 {
		text += " after " + a.Delay.String()
	}
	return text
}

// Goal: scripted outputs are converted to the dtype of the signature. Values that do not fit the
// dtype are an error.
func TestOutputsTakeTheDTypeOfTheSignature(t *testing.T) {
	script, err := answers.Parse("a.yaml", []byte("models: {m: [{outputs: {n: [1, 2], s: hello, o: {dtype: DT_INT32, shape: [0, 3], values: []}}}]}"))
	if err != nil {
		t.Fatal(err)
	}
	outputs := script.Find(answers.Question{Model: "m"}).Outputs
	for _, row := range []struct {
		alias string
		dtype framework.DataType
		want  string
	}{
		{"n", framework.DataType_DT_HALF, "half[2]"}, {"n", framework.DataType_DT_INVALID, "float[2]"}, {"n", framework.DataType_DT_UINT64, "uint64[2]"},
		{"n", framework.DataType_DT_STRING, "found 1, want an element of DT_STRING"},
		{"s", framework.DataType_DT_INVALID, "string[]"}, {"s", framework.DataType_DT_FLOAT, `found "hello", want an element of DT_FLOAT`},
		{"o", framework.DataType_DT_INVALID, "int32[0 3]"},
	} {
		v, err := outputs[row.alias].Tensor(row.dtype)
		got := v.String()
		if err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s of %s: got %s, want %s", row.alias, row.dtype, got, row.want)
		}
	}
}

func Example() {
	script, err := answers.Parse("answers.yaml", []byte(`
models:
  ranker:
    - error: {code: UNAVAILABLE, message: busy}
      delay: 20ms
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := script.Find(answers.Question{Model: "ranker", Method: "Predict"})
	fmt.Println(answer.Err.Code == rpcerrors.Unavailable, answer.Delay == 20*time.Millisecond)
	_, err = answers.Parse("answers.yaml", []byte("models: {ranker: [{delay: soon}]}"))
	fmt.Println(err)
	// Output:
	// true true
	// answers.yaml:1:27: found delay "soon", want a time above 0, as 20ms
}

// FuzzParse checks that no text makes the parser panic, and that each error has its place.
func FuzzParse(f *testing.F) {
	f.Add(rules)
	f.Add("models: {m: [{outputs: {y: {shape: [9999999999, 9999999999], values: []}}}]}")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := answers.Parse("a", []byte(text))
		if err == nil {
			script.Find(answers.Question{Model: "m", Inputs: map[string]tensor.Tensor{"x": {}}})
		}
	})
}
