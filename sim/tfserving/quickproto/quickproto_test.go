package quickproto_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/quickproto"
)

func shape(dims ...int64) *framework.TensorShapeProto {
	s := &framework.TensorShapeProto{}
	for _, d := range dims {
		s.Dim = append(s.Dim, &framework.TensorShapeProto_Dim{Size: d})
	}
	return s
}

func request() *apis.PredictRequest {
	return &apis.PredictRequest{
		ModelSpec: &apis.ModelSpec{Name: "ranker", SignatureName: "serving_default", VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(7)}},
		Inputs: map[string]*framework.TensorProto{
			"x": {Dtype: framework.DataType_DT_FLOAT, TensorShape: shape(2, -1, 3), TensorContent: make([]byte, 984)},
			"y": {Dtype: framework.DataType_DT_FLOAT, TensorShape: shape(), FloatVal: []float32{1, 2.5, -3}},
		},
	}
}

func response() *apis.PredictResponse {
	return &apis.PredictResponse{
		ModelSpec: &apis.ModelSpec{Name: "ranker", SignatureName: "serving_default", VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(7)}},
		Outputs: map[string]*framework.TensorProto{
			"scores": {Dtype: framework.DataType_DT_FLOAT, TensorShape: shape(1, 0), FloatVal: []float32{0.5}},
			"many":   {Dtype: framework.DataType_DT_FLOAT, TensorShape: shape(300, 70, 1, 1), FloatVal: make([]float32, 300)},
			"":       {Dtype: framework.DataType_DT_FLOAT, TensorContent: make([]byte, 130)},
		},
	}
}

func marshal(t testing.TB, m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Goal: the fast decoder accepts all usual requests.
func TestUsualRequestsAreRead(t *testing.T) {
	cases := map[string]*apis.PredictRequest{
		"both ways to give floats": request(),
		"empty":                    {},
		"no version":               {ModelSpec: &apis.ModelSpec{Name: "ranker"}},
		"version 0":                {ModelSpec: &apis.ModelSpec{VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(0)}}},
		"an empty tensor":          {Inputs: map[string]*framework.TensorProto{"x": {}}},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		want := cases[name]
		got := &apis.PredictRequest{}
		if !quickproto.ReadPredict(marshal(t, want), got) {
			t.Errorf("%s: left to the general library", name)
		} else if !proto.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// Goal: the fast decoder returns false for unusual requests, and leaves the message empty.
func TestOtherRequestsAreLeftAlone(t *testing.T) {
	change := func(do func(r *apis.PredictRequest)) []byte {
		r := request()
		do(r)
		return marshal(t, r)
	}
	twice := func(b []byte) []byte { return append(b, marshal(t, request())...) }
	cases := map[string][]byte{
		"an output filter": change(func(r *apis.PredictRequest) { r.OutputFilter = []string{"scores"} }),
		"a label": change(func(r *apis.PredictRequest) {
			r.ModelSpec.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: "stable"}
		}),
		"integers": change(func(r *apis.PredictRequest) { r.Inputs["x"].IntVal = []int32{1} }),
		"a name of a dimension": change(func(r *apis.PredictRequest) {
			r.Inputs["x"].TensorShape.Dim[0].Name = "batch"
		}),
		"an unknown rank":     change(func(r *apis.PredictRequest) { r.Inputs["x"].TensorShape.UnknownRank = true }),
		"four dimensions":     change(func(r *apis.PredictRequest) { r.Inputs["x"].TensorShape = shape(1, 1, 1, 1) }),
		"a large type":        change(func(r *apis.PredictRequest) { r.Inputs["x"].Dtype = 1000 }),
		"everything twice":    twice(marshal(t, request())),
		"an unknown field":    append(marshal(t, request()), 0xba, 0x3e, 1, 'n'),
		"cut off":             marshal(t, request())[:40],
		"a text that is none": {bytesOf1, 3, bytesOf1, 1, 0xff},
		"a field 0":           {0, 0},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		b := cases[name]
		got := &apis.PredictRequest{}
		if quickproto.ReadPredict(b, got) {
			t.Errorf("%s: was read", name)
		}
		if !proto.Equal(got, &apis.PredictRequest{}) {
			t.Errorf("%s: the request is %v, want it empty", name, got)
		}
	}
}

const bytesOf1 = 1<<3 | 2

// Goal: a request that the fast decoder accepts is decoded equally by the general protobuf library.
// Method: serialized requests with fields changed, left out or repeated.
func TestReadsAsTheGeneralLibrary(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	base := marshal(t, &apis.PredictRequest{
		ModelSpec: &apis.ModelSpec{Name: "m", SignatureName: "s", VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(300)}},
		Inputs:    map[string]*framework.TensorProto{"x": {Dtype: 1, TensorShape: shape(2, 1), TensorContent: []byte("abcd"), FloatVal: []float32{1}}},
	})
	read := 0
	for range 200_000 {
		b := append([]byte(nil), base...)
		for range 1 + draw.IntN(3) {
			switch i := draw.IntN(len(b)); draw.IntN(4) {
			case 0:
				b[i] = byte(draw.IntN(256))
			case 1:
				b[i] ^= 1 << draw.IntN(8)
			case 2:
				b = append(b[:i], b[min(i+1+draw.IntN(4), len(b)):]...)
			case 3:
				b = append(b, base[:draw.IntN(len(base))]...)
			}
			if len(b) == 0 {
				break
			}
		}
		got, want := &apis.PredictRequest{}, &apis.PredictRequest{}
		if !quickproto.ReadPredict(b, got) {
			continue
		}
		read++
		if err := proto.Unmarshal(b, want); err != nil || !proto.Equal(got, want) {
			t.Fatalf("%x: got %v, want %v, %v", b, got, want, err)
		}
	}
	if read < 1000 {
		t.Errorf("only %d of 200,000 were read here: the test shows little", read)
	}
}

// Goal: the general protobuf library decodes an encoded response to an equal message. The fast
// encoder returns false for unusual responses.
func TestResponses(t *testing.T) {
	for _, want := range []*apis.PredictResponse{
		response(), {},
		{ModelSpec: &apis.ModelSpec{VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(-1)}}},
	} {
		got := &apis.PredictResponse{}
		b, ok := quickproto.AppendPredict(nil, want)
		if err := proto.Unmarshal(b, got); !ok || err != nil || !proto.Equal(got, want) {
			t.Errorf("got %v (%v, %v), want %v", got, ok, err, want)
		}
		if n := proto.Size(want); len(b) != n {
			t.Errorf("got %d bytes, the general library needs %d", len(b), n)
		}
	}
	changes := map[string]func(r *apis.PredictResponse){
		"strings":             func(r *apis.PredictResponse) { r.Outputs["scores"].StringVal = [][]byte{nil} },
		"another type":        func(r *apis.PredictResponse) { r.Outputs["scores"].Dtype = framework.DataType_DT_INT64 },
		"no tensor":           func(r *apis.PredictResponse) { r.Outputs["scores"] = nil },
		"a text that is none": func(r *apis.PredictResponse) { r.ModelSpec.Name = "\xff" },
		"no version":          func(r *apis.PredictResponse) { r.ModelSpec.VersionChoice = nil },
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		r := response()
		changes[name](r)
		if _, ok := quickproto.AppendPredict(nil, r); ok {
			t.Errorf("%s: was written", name)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	data := marshal(b, request())
	b.ReportAllocs()
	for b.Loop() {
		quickproto.ReadPredict(data, &apis.PredictRequest{})
	}
}

func BenchmarkReadByTheGeneralLibrary(b *testing.B) {
	data := marshal(b, request())
	b.ReportAllocs()
	for b.Loop() {
		if err := proto.Unmarshal(data, &apis.PredictRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}
