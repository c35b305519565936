package tfserving

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	configpb "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// predictOf1KiB returns a Predict request with 256 floats for model a.
func predictOf1KiB() *apis.PredictRequest {
	return &apis.PredictRequest{
		ModelSpec: &apis.ModelSpec{Name: "a"},
		Inputs: map[string]*framework.TensorProto{"x": {
			Dtype:         framework.DataType_DT_FLOAT,
			TensorShape:   &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 4}, {Size: 64}}},
			TensorContent: make([]byte, 1024),
		}},
	}
}

const dense = `{"signatures": {"serving_default": {
	"inputs": {"x": {"name": "x:0", "dtype": 1, "shape": [-1, 64]}},
	"outputs": {"y": {"name": "y:0", "dtype": 1, "shape": [-1, 1]}}}}}`

func TestARequestThatTakesLongerThanItsDeadline(t *testing.T) {
	s := servingDescribed(t, Profile24, dense)
	for _, row := range []struct {
		limit time.Duration
		want  string
	}{
		{0, ""},
		{-time.Second, ""},
		{time.Millisecond, ""}, // the limit is exactly as long as the request takes
		{time.Microsecond, ""}, // no whole millisecond
		{2 * time.Millisecond, ""},
	} {
		inference, err := s.Begin(predictOf1KiB())
		if err != nil {
			t.Fatal(err)
		}
		inference.Limit(row.limit)
		if _, err := inference.Run(); err != nil {
			t.Errorf("limit %v for %v: got %v, want no error", row.limit, inference.Latency(), err)
		}
		inference.End()
	}
	s.options.Cost.PredictTime = 5 * time.Millisecond
	inference, err := s.Begin(predictOf1KiB())
	if err != nil {
		t.Fatal(err)
	}
	defer inference.End()
	inference.Limit(2500 * time.Microsecond)
	_, err = inference.Run()
	if want := "DEADLINE_EXCEEDED: Timed out waiting for notification"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if inference.Latency() != 5*time.Millisecond {
		t.Errorf("latency: got %v, want all of 5ms", inference.Latency())
	}
}

func TestRunsAtTheSameTimeAgree(t *testing.T) {
	s := servingDescribed(t, Profile24, dense)
	inference, err := s.Begin(predictOf1KiB())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inference.End)
	want, err := inference.Run()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "another", "a third"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := inference.Run(); err != nil || !proto.Equal(got, want) {
				t.Errorf("got %v (%v), want %v", got, err, want)
			}
		})
	}
}

func TestPythonFakeKnowsNoInference(t *testing.T) {
	s := servingDescribed(t, ProfilePythonFake, dense)
	for _, row := range []struct {
		request proto.Message
		want    string
	}{
		{&apis.PredictRequest{}, "INTERNAL: Failed to serialize response!"},
		{&apis.ClassificationRequest{}, "UNIMPLEMENTED: Method not implemented!"},
		{&apis.RegressionRequest{}, "UNIMPLEMENTED: Method not implemented!"},
		{&apis.MultiInferenceRequest{}, "UNIMPLEMENTED: Method not implemented!"},
	} {
		if got, failed := answer(s, row.request); !failed || got != row.want {
			t.Errorf("%T: got %s, want %s", row.request, got, row.want)
		}
	}
}

// TestUnknownFieldsSurvive checks that unknown fields of a message are kept when it is encoded
// again.
func TestUnknownFieldsSurvive(t *testing.T) {
	unknown := []byte{0xba, 0x3e, 3, 'n', 'e', 'w'} // field 999
	for _, message := range []proto.Message{
		predictOf1KiB(),
		&apis.ModelSpec{Name: "a", VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(1)}},
		&configpb.ModelConfig{Name: "a", BasePath: "/m"},
		&apis.ClassificationRequest{Input: &apis.Input{}},
		&apis.ReloadConfigRequest{},
	} {
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		want := append(data, unknown...)
		read := message.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(want, read); err != nil {
			t.Fatal(err)
		}
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(read)
		if err != nil || string(got) != string(want) {
			t.Errorf("%T: got %x (%v), want %x", message, got, err, want)
		}
	}
}

func BenchmarkPredict1KiB(b *testing.B) {
	s := servingDescribed(b, Profile24, dense)
	request := predictOf1KiB()
	b.ReportAllocs()
	for b.Loop() {
		inference, err := s.Begin(request)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := inference.Run(); err != nil {
			b.Fatal(err)
		}
		inference.End()
	}
}

func TestAPredictAllocatesLittle(t *testing.T) {
	s := servingDescribed(t, Profile24, dense)
	request := predictOf1KiB()
	const most = 30
	if n := testing.AllocsPerRun(100, func() { answerOnce(t, s, request) }); n > most {
		t.Errorf("got %v allocations, want at most %d", n, most)
	}
}

func answerOnce(t *testing.T, s *Server, request proto.Message) {
	inference, err := s.Begin(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inference.Run(); err != nil {
		t.Fatal(err)
	}
	inference.End()
}
