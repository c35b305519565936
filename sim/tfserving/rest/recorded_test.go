package rest

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// recorded is a call of upstream's JSON converter with its results (testdata/README.md).
type recorded struct {
	Call, Body, Name, Tensor string
	Inputs                   map[string]framework.DataType
	Old                      string `json:"tfs-2.4"`
	Head                     string `json:"tfs-head"`
}

// Goal: the converter gives exactly the bytes of upstream's converter, for both versions
// (TFS-20.6).
func TestRecorded(t *testing.T) {
	for i, c := range load(t) {
		for _, old := range []bool{true, false} {
			want := c.Head
			if old {
				want = c.Old
			}
			if diff := cmp.Diff(want, outcome(t, converter{old: old}, c)); diff != "" {
				t.Errorf("line %d, old %v: %+v\n(-upstream +ours):\n%s", i+1, old, c, diff)
			}
		}
	}
}

func load(t *testing.T) (cases []recorded) {
	t.Helper()
	file, err := os.Open("testdata/json_tensor.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c recorded
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	if len(cases) < 600 {
		t.Fatalf("%d cases, want at least 600", len(cases))
	}
	return cases
}

func outcome(t *testing.T, c converter, r recorded) string {
	t.Helper()
	var text string
	var err error
	switch r.Call {
	case "predict":
		text, err = predictOutcome(c, r)
	case "classify":
		text, err = classifyOutcome(c, r)
	case "rows":
		text, err = outputOutcome(t, r, rowFormat)
	case "columns":
		text, err = outputOutcome(t, r, columnarFormat)
	}
	if err != nil {
		return "error " + statusOf(err).Message
	}
	return text
}

func predictOutcome(c converter, r recorded) (string, error) {
	inputs := make(infos, len(r.Inputs))
	for name, dtype := range r.Inputs { //lint:ordered each name has an entry of its own
		inputs[name] = &tfcore.TensorInfo{Dtype: dtype}
	}
	request := &apis.PredictRequest{ModelSpec: &apis.ModelSpec{}}
	f, err := c.predictRequest([]byte(r.Body), request, func(*apis.ModelSpec) (infos, error) { return inputs, nil })
	parts := []string{fmt.Sprint(f + 1), hexOf([]byte(request.ModelSpec.SignatureName))}
	for _, name := range slices.Sorted(maps.Keys(request.Inputs)) {
		parts = append(parts, hexOf([]byte(name)), wire(request.Inputs[name]))
	}
	return strings.Join(parts, " "), err
}

func classifyOutcome(c converter, r recorded) (string, error) {
	spec := &apis.ModelSpec{}
	input, err := c.examples([]byte(r.Body), spec)
	withContext := input.GetExampleListWithContext()
	parts := []string{"0", hexOf([]byte(spec.SignatureName)), "-"}
	if withContext != nil {
		parts[0], parts[2] = "1", wire(withContext.Context)
	}
	for _, example := range append(input.GetExampleList().GetExamples(), withContext.GetExamples()...) {
		parts = append(parts, wire(example))
	}
	return strings.Join(parts, " "), err
}

func outputOutcome(t *testing.T, r recorded, f format) (string, error) {
	t.Helper()
	data, err := hex.DecodeString(strings.Trim(r.Tensor, "-"))
	p := &framework.TensorProto{}
	if err == nil {
		err = proto.Unmarshal(data, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := tensorsJSON(map[string]*framework.TensorProto{r.Name: p}, f)
	return string(body), err
}

func wire(m proto.Message) string {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return hexOf(data)
}

func hexOf(data []byte) string {
	if len(data) == 0 {
		return "-"
	}
	return hex.EncodeToString(data)
}
