package clients

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// readsInstance checks that a file is read as the right instance, and that its tensor holds the
// instance five times. The labels and the line id are the same in all files of the reference.
func readsInstance(t *testing.T, read func(*env.Env, string) (*InstanceFormater, error), text string, want *matrix.Instance) {
	t.Helper()
	f, err := read(envtest.New(map[string]string{"inst": text}, nil), "inst")
	if err != nil {
		t.Fatal(err)
	}
	want.Label, want.LineId = []float32{0, 1}, &matrix.LineId{Actions: []int32{1}}
	if diff := cmp.Diff(want, f.Instance, protocmp.Transform()); diff != "" {
		t.Errorf("instance (-want +got):\n%s", diff)
	}
	tensor := f.TensorProto(5)
	isInstances(t, tensor, 5)
	for i, got := range instancesOf(t, tensor) {
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("instance %d of the tensor (-want +got):\n%s", i, diff)
		}
	}
}

// isInstances checks that a tensor holds n strings.
func isInstances(t *testing.T, tensor *framework.TensorProto, n int64) {
	t.Helper()
	if tensor.GetDtype() != 7 {
		t.Errorf("type: got %v, want DT_STRING, which is 7", tensor.GetDtype())
	}
	if size := tensor.GetTensorShape().GetDim()[0].GetSize(); size != n {
		t.Errorf("shape: got %d, want %d", size, n)
	}
	if got := len(tensor.GetStringVal()); int64(got) != n {
		t.Errorf("got %d instances, want %d", got, n)
	}
}

func TestUpstreamUtils_test_instance_wrapper_from_json(t *testing.T) {
	const text = `{"fid": [12345], "label": [0, 1], "line_id": {"actions": [1]}}`
	readsInstance(t, InstanceFromJSON, text, &matrix.Instance{Fid: []uint64{12345}})
}

func TestUpstreamUtils_test_instance_wrapper_from_pbtext(t *testing.T) {
	const text = `
fid: 1
fid: 2
label: 0.0
label: 1.0
line_id {
  actions: 1
}
feature {
  name: "a"
  fid: 3
}`
	readsInstance(t, InstanceFromText, text, &matrix.Instance{
		Fid: []uint64{1, 2}, Feature: []*matrix.Feature{{Name: proto.String("a"), Fid: []uint64{3}}},
	})
}

// Goal: an instance is read from a debugger's dump. The stray quote in the dump is the reference's
// own.
func TestUpstreamUtils_test_instance_wrapper_from_dump(t *testing.T) {
	lines := []string{
		`"root":`,
		`"feature":`,
		`0:`, `"fid":`, `0: "1"`, `"name": "fc_a"`,
		`1:`, `"fid":`, `0: "2"`, `"name": "fc_b"`,
		`2:`, `"fid":`, `0: "3"`, `1: "4"`,
		`label":`, `0: 0`, `1: 1`,
		`"line_id":`, `"actions":`, `0: 1`,
	}
	readsInstance(t, InstanceFromDump, strings.Join(lines, "\n")+"\n", &matrix.Instance{
		Feature: []*matrix.Feature{
			{Name: proto.String("fc_a"), Fid: []uint64{1}},
			{Name: proto.String("fc_b"), Fid: []uint64{2}},
			{Fid: []uint64{3, 4}},
		},
	})
}
