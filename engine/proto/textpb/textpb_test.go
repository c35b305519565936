package textpb_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/anypb"
	"pgregory.net/rapid"

	_ "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/servables/tensorflow"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem/textformat"
)

// goldenCase is a message with the text that Python printed for it.
type goldenCase struct{ Name, Message, Hex, Text string }

// readGolden reads the cases that testdata/record.py has recorded.
func readGolden(t *testing.T) []goldenCase {
	t.Helper()
	content, err := os.ReadFile("testdata/python.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(content, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) == 0 {
		t.Fatal("testdata/python.json: got no cases")
	}
	return golden.Cases
}

// decode decodes the message of the case from its bytes.
func (c goldenCase) decode(t *testing.T) proto.Message {
	t.Helper()
	messageType, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(c.Message))
	if err != nil {
		t.Fatal(err)
	}
	wire, err := hex.DecodeString(c.Hex)
	if err != nil {
		t.Fatal(err)
	}
	message := messageType.New().Interface()
	if err := proto.Unmarshal(wire, message); err != nil {
		t.Fatal(err)
	}
	return message
}

func TestMarshalPrintsWhatPythonPrints(t *testing.T) {
	for _, c := range readGolden(t) {
		t.Run(c.Name, func(t *testing.T) {
			got, err := textpb.Marshal(c.decode(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.SplitAfter(c.Text, "\n"), strings.SplitAfter(got, "\n")); diff != "" {
				t.Errorf("text differs from Python's (-python +go):\n%s", diff)
			}
		})
	}
}

// notRead lists the cases whose text Python prints but cannot read back, with the reasons.
var notRead = map[string]string{
	"Any with another host is expanded": "the host of a type has three parts",
	"Any at the top is expanded":        "the host of a type has three parts",
	"floats":                            "the largest float is printed rounded up, which is read as infinite",
}

func TestPythonReadsWhatItPrints(t *testing.T) {
	for _, c := range readGolden(t) {
		t.Run(c.Name, func(t *testing.T) {
			want := c.decode(t)
			got := want.ProtoReflect().New().Interface()
			err := textformat.Parse(c.Text, got)
			diff := cmp.Diff(want, got, protocmp.Transform(), cmpopts.EquateNaNs())
			if why := notRead[c.Name]; (err != nil || diff != "") != (why != "") {
				t.Errorf("error %v, want one or a difference: %q; message differs (-want +got):\n%s", err, why, diff)
			}
		})
	}
}

func TestMarshalRefusesAnyWithMalformedValue(t *testing.T) {
	_, err := textpb.Marshal(&config.PlatformConfig{SourceAdapterConfig: &anypb.Any{
		TypeUrl: "type.googleapis.com/tensorflow.serving.LogCollectorConfig",
		Value:   []byte{0xff},
	}})
	const want = `value of google.protobuf.Any with type_url "type.googleapis.com/tensorflow.serving.LogCollectorConfig": `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got error %v, want one that starts with %q", err, want)
	}
}

func TestEveryModelServerConfigReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := &config.ModelServerConfig{}
		fill(t, want.ProtoReflect(), "config")
		text, err := textpb.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := &config.ModelServerConfig{}
		if err := textformat.Parse(text, got); err != nil {
			t.Fatalf("%v\nin:\n%s", err, text)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Fatalf("message differs (-want +got):\n%s\nin:\n%s", diff, text)
		}
	})
}

// threeModels returns the model server configuration of an agent with one entry, one PS and one
// dense sub-graph.
func threeModels(b *testing.B) *config.ModelServerConfig {
	b.Helper()
	message := &config.ModelServerConfig{}
	err := textformat.Parse(`model_config_list {
  config { name: "m:ps_0" base_path: "/data/m/ps_0" model_platform: "tensorflow" model_version_policy { latest { num_versions: 1 } } }
  config { name: "m:entry" base_path: "/data/m/entry" model_platform: "tensorflow" model_version_policy { latest { num_versions: 1 } } }
  config { name: "m:dense_0" base_path: "/data/m/dense_0" model_platform: "tensorflow" model_version_policy { latest { num_versions: 1 } } }
}`, message)
	if err != nil {
		b.Fatal(err)
	}
	return message
}

func BenchmarkMarshalThreeModels(b *testing.B) {
	message := threeModels(b)
	b.ReportAllocs()
	var text []byte
	for b.Loop() {
		var err error
		if text, err = textpb.Append(text[:0], message); err != nil {
			b.Fatal(err)
		}
	}
}
