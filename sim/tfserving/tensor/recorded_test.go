package tensor_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// recorded holds the results of a real TensorFlow, as testdata/record.py recorded them.
type recorded struct {
	Parse []struct {
		Name, Proto, Error string
		Shape              []int64
		Elements           elements
	}
	Serialize []struct {
		Name, Content, Scalar, List string
		Elements                    elements
		ScalarElements              elements `json:"scalar_elements"`
	}
	Cast []struct {
		Input    string
		Half     uint16
		Bfloat16 uint16
	}
}

// elements holds the bytes of a tensor in hex. It is one JSON string, or a list with one for each
// element of a DT_STRING.
type elements json.RawMessage

func (e *elements) UnmarshalJSON(b []byte) error { *e = append((*e)[:0], b...); return nil }

func load(t *testing.T) (r recorded) {
	t.Helper()
	data, err := os.ReadFile("testdata/recorded.json")
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Goal: every recorded TensorProto parses to the same shape and bytes as in TensorFlow's runtime,
// or is refused by both.
func TestParseAsTensorFlow(t *testing.T) {
	for _, c := range load(t).Parse {
		t.Run(c.Name, func(t *testing.T) {
			got, err := tensor.Parse(unmarshal(t, c.Proto))
			if (err != nil) != (c.Error != "") {
				t.Fatalf("error %v, TensorFlow said %q", err, c.Error)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(c.Shape, got.Shape()); diff != "" {
				t.Errorf("shape (-TensorFlow +ours):\n%s", diff)
			}
			checkElements(t, c.Elements, got)
		})
	}
}

// Goal: messages are written as by TensorFlow's runtime: tensor_content byte for byte, and for a
// scalar of every dtype the list that make_tensor_proto fills.
func TestProtosAsTensorFlow(t *testing.T) {
	for _, c := range load(t).Serialize {
		t.Run(c.Name, func(t *testing.T) {
			content, scalar, list := unmarshal(t, c.Content), unmarshal(t, c.Scalar), unmarshal(t, c.List)
			for _, form := range []*framework.TensorProto{content, list} {
				checkElements(t, c.Elements, parse(t, form))
			}
			checkElements(t, c.ScalarElements, parse(t, scalar))
			if diff := cmp.Diff(scalar, parse(t, scalar).FieldProto(), protocmp.Transform()); diff != "" {
				t.Errorf("FieldProto (-TensorFlow +ours):\n%s", diff)
			}
			if len(content.TensorContent) == 0 { // for a DT_STRING, the op writes a list instead
				content.TensorContent, content.StringVal = contentOf(t, list), nil
			}
			if diff := cmp.Diff(content, parse(t, list).ContentProto(), protocmp.Transform()); diff != "" {
				t.Errorf("ContentProto (-TensorFlow +ours):\n%s", diff)
			}
			checkElements(t, c.Elements, parse(t, parse(t, content).FieldProto()))
		})
	}
}

// Goal: the 16-bit floating-point types round as casts in TensorFlow's runtime do.
func TestCastAsTensorFlow(t *testing.T) {
	for _, c := range load(t).Cast {
		value, err := strconv.ParseFloat(c.Input, 64)
		if err != nil {
			t.Fatal(err)
		}
		checkRounding(t, framework.DataType_DT_HALF, value, c.Half)
		checkRounding(t, framework.DataType_DT_BFLOAT16, value, c.Bfloat16)
	}
}

func checkRounding(t *testing.T, dtype framework.DataType, value float64, want uint16) {
	t.Helper()
	made, err := tensor.FromFloats(dtype, nil, []float64{value})
	if err != nil {
		t.Fatal(err)
	}
	if got := uint16(made.FieldProto().HalfVal[0]); got != want {
		t.Errorf("%s of %v is %#04x, want %#04x", tensor.DTypeName(dtype), value, got, want)
	}
}

func unmarshal(t *testing.T, text string) *framework.TensorProto {
	t.Helper()
	wire, err := hex.DecodeString(text)
	p := &framework.TensorProto{}
	if err == nil {
		err = proto.Unmarshal(wire, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parse(t *testing.T, p *framework.TensorProto) tensor.Tensor {
	t.Helper()
	got, err := tensor.Parse(p)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// contentOf returns a list of strings in the form of tensor_content. A length below 128 takes one
// byte, and a length below 16384 two.
func contentOf(t *testing.T, list *framework.TensorProto) (content []byte) {
	t.Helper()
	var all []byte
	for _, value := range list.StringVal {
		if n := len(value); n < 128 {
			content = append(content, byte(n))
		} else {
			content = append(content, byte(n&127|128), byte(n>>7))
		}
		all = append(all, value...)
	}
	return append(content, all...)
}

func checkElements(t *testing.T, want elements, got tensor.Tensor) {
	t.Helper()
	if want == nil {
		return
	}
	var ours any = hex.EncodeToString(got.Raw())
	if got.DType() == framework.DataType_DT_STRING {
		list := make([]string, got.Len())
		for i := range list {
			list[i] = hex.EncodeToString(got.Bytes(i))
		}
		ours = list
	}
	text, err := json.Marshal(ours)
	if err != nil {
		t.Fatal(err)
	}
	var compact any
	if err := json.Unmarshal(want, &compact); err != nil {
		t.Fatal(err)
	}
	wanted, _ := json.Marshal(compact)
	if diff := cmp.Diff(string(wanted), string(text)); diff != "" {
		t.Errorf("elements (-TensorFlow +ours):\n%s", diff)
	}
}
