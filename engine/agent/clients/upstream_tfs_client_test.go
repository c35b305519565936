package clients

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/env/envtest"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	example "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
)

func TestUpstreamTFSClient_test_get_instance_proto(t *testing.T) {
	e := envtest.New(nil, nil)
	e.Random = envtest.Random{}
	tensor, err := TFSClient{Env: e}.InstanceProto(pysem.OptString{}, 256)
	if err != nil {
		t.Fatal(err)
	}
	isInstances(t, tensor, 256)
	if n := len(instancesOf(t, tensor)[255].GetFid()); n != 30 {
		t.Errorf("the last instance: got %d ids, want 5 of each of 6 slots", n)
	}
}

// The data file of the reference's test from_pb is not public, and its text file has 190 kB. Here
// both files hold one batch with a column of each kind in that text file. The reference's tests
// only require that nothing is raised. These also compare the instances with the batch.

// batchRows is the number of examples in the batch of the reference's file.
const batchRows = 51

const someFidV1 = uint64(500)<<slotShiftV1 | 77

func shippedBatch() *example.ExampleBatch {
	ids := &example.NamedFeatureList{Name: "f_user_id"}
	empty := &example.NamedFeatureList{Name: "f_goods_test30_bool"}
	labels := &example.NamedFeatureList{Name: "__LABEL__"}
	for i := range batchRows {
		ids.Feature = append(ids.Feature, &example.Feature{Type: &example.Feature_FidV1List{FidV1List: &example.FidList{Value: []uint64{someFidV1 + uint64(i)}}}})
		empty.Feature = append(empty.Feature, &example.Feature{})
		labels.Feature = append(labels.Feature, &example.Feature{Type: &example.Feature_FloatList{FloatList: &example.FloatList{Value: []float32{float32(i)}}}})
	}
	return &example.ExampleBatch{NamedFeatureList: []*example.NamedFeatureList{ids, empty, labels}, BatchSize: batchRows}
}

func TestUpstreamTFSClient_test_get_example_batch_to_instance_from_pb(t *testing.T) {
	data := serialize(shippedBatch())
	file := binary.LittleEndian.AppendUint64([]byte("lagrange"), uint64(len(data)))
	becomesInstances(t, "pb", append(file, data...))
}

func TestUpstreamTFSClient_test_get_example_batch_to_instance_from_pbtxt(t *testing.T) {
	text, err := textpb.Marshal(shippedBatch())
	if err != nil {
		t.Fatal(err)
	}
	becomesInstances(t, "pbtxt", []byte(text))
}

func becomesInstances(t *testing.T, fileType string, file []byte) {
	t.Helper()
	client := TFSClient{Env: envtest.New(map[string]string{"batch": string(file)}, nil), Framing: StreamFraming{LagrangexHeader: true}}
	tensor, err := client.ExampleBatchToInstance("batch", fileType)
	if err != nil {
		t.Fatal(err)
	}
	isInstances(t, tensor, batchRows)
	for i, got := range instancesOf(t, tensor) {
		want := &matrix.Instance{
			Label: []float32{float32(i)},
			Feature: []*matrix.Feature{{
				Name: proto.String("f_user_id"),
				Fid:  []uint64{500<<slotShiftV2 | 77 + uint64(i)},
			}},
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("instance %d (-want +got):\n%s", i, diff)
		}
	}
}

func instancesOf(t *testing.T, tensor *framework.TensorProto) []*matrix.Instance {
	t.Helper()
	var list []*matrix.Instance
	for _, data := range tensor.GetStringVal() {
		instance := &matrix.Instance{}
		if err := proto.Unmarshal(data, instance); err != nil {
			t.Fatal(err)
		}
		list = append(list, instance)
	}
	return list
}
