package tfserving

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/answers"
	"github.com/monosim/monosim/sim/tfserving/textformat"
	"google.golang.org/protobuf/proto"
)

// copyModel copies a model of graph/testdata into the directory dir of the host's disk.
func copyModel(t testing.TB, host *testHost, name, dir string) {
	t.Helper()
	root := os.DirFS("graph/testdata/models/" + name)
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, file)
		host.disk.write(path.Join(dir, file), string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// servingModel starts a server that serves a model of graph/testdata under the name "a".
func servingModel(t testing.TB, name string, change func(*Options)) (*Server, *testHost) {
	t.Helper()
	host := newTestHost()
	copyModel(t, host, name, "/m/1")
	o := DefaultOptions(ProfileHead)
	o.ModelName, o.ModelBasePath, o.StrictBundles = "a", "/m", true
	if change != nil {
		change(&o)
	}
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	return s, host
}

// ask sends a request in text format, and returns the response as text, or the error.
func ask(t *testing.T, s *Server, request proto.Message, text string) string {
	t.Helper()
	if err := textformat.Unmarshal(text, request); err != nil {
		t.Fatal(err)
	}
	response, err := call(s, request)
	if err != nil {
		return err.Error()
	}
	return shown(response)
}

func shown(response proto.Message) string {
	switch r := response.(type) {
	case *apis.PredictResponse:
		var parts []string
		for _, alias := range sortedKeys(r.GetOutputs()) {
			out := r.GetOutputs()[alias]
			parts = append(parts, fmt.Sprintf("%s %v %v %v", alias, out.GetFloatVal(), out.GetInt64Val(), stringsOf(out.GetStringVal())))
		}
		return strings.Join(parts, " ")
	case *apis.RegressionResponse:
		return shownRegression(r.GetResult())
	case *apis.ClassificationResponse:
		return shownClasses(r.GetResult())
	case *apis.MultiInferenceResponse:
		var parts []string
		for _, result := range r.GetResults() {
			if c := result.GetClassificationResult(); c != nil {
				parts = append(parts, shownClasses(c))
				continue
			}
			parts = append(parts, shownRegression(result.GetRegressionResult()))
		}
		return strings.Join(parts, "; ")
	}
	return fmt.Sprintf("%T", response)
}

func stringsOf(list [][]byte) []string {
	out := []string{}
	for _, b := range list {
		out = append(out, string(b))
	}
	return out
}

func shownRegression(r *apis.RegressionResult) string {
	var list []float32
	for _, one := range r.GetRegressions() {
		list = append(list, one.GetValue())
	}
	return fmt.Sprint(list)
}

func shownClasses(r *apis.ClassificationResult) string {
	var parts []string
	for _, row := range r.GetClassifications() {
		for _, class := range row.GetClasses() {
			parts = append(parts, fmt.Sprintf("%s %.4f", class.GetLabel(), class.GetScore()))
		}
	}
	return strings.Join(parts, ", ")
}

const examplesOneAndFive = "input { example_list { examples { features { feature { key: 'x' value { float_list { value: 1 } } } } }" +
	" examples { features { feature { key: 'x' value { float_list { value: 5 } } } } } } } "

// Goal: every inference method answers from the graph (TFS-12.5). The model half_plus_two computes
// x / 2 + 2.
func TestEveryMethodRunsTheGraph(t *testing.T) {
	s, host := servingModel(t, "half_plus_two", nil)
	for _, row := range []struct {
		name    string
		request proto.Message
		text    string
		want    string
	}{
		{"Predict", &apis.PredictRequest{}, "model_spec { name: 'a' } inputs { key: 'x' value { dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: [1, 2, 5] } }",
			"y [2.5 3 4.5] [] []"},
		{"Regress", &apis.RegressionRequest{}, "model_spec { name: 'a' signature_name: 'regress_x_to_y' } " + examplesOneAndFive, "[2.5 4.5]"},
		{"Classify", &apis.ClassificationRequest{}, "model_spec { name: 'a' signature_name: 'classify_x_to_y' } " + examplesOneAndFive, " 2.5000,  4.5000"},
		{"MultiInference", &apis.MultiInferenceRequest{}, examplesOneAndFive +
			"tasks { model_spec { name: 'a' signature_name: 'regress_x_to_y' } method_name: 'tensorflow/serving/regress' }" +
			"tasks { model_spec { name: 'a' signature_name: 'classify_x_to_y' } method_name: 'tensorflow/serving/classify' }", "[2.5 4.5];  2.5000,  4.5000"},
		{"an example without its feature", &apis.RegressionRequest{}, "model_spec { name: 'a' signature_name: 'regress_x_to_y' } input { example_list { examples {} } }",
			"INVALID_ARGUMENT: Name: <unknown>, Feature: x (data type: float) is required but could not be found.\n\t [[{{node ParseExample/ParseExampleV2}}]]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, ask(t, s, row.request, row.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if strings.Contains(strings.Join(host.logs, "\n"), "invented") {
		t.Errorf("the log tells of invented answers:\n%s", strings.Join(host.logs, "\n"))
	}
}

// Goal: if an operation is not supported, the outputs are invented, and the log says so once.
func TestWhatCannotBeRunIsInventedAndToldOnce(t *testing.T) {
	host := newTestHost()
	host.disk.write("/m/1/saved_model.pb", modelOf(t, "Dawsn", "Cos"))
	o := DefaultOptions(Profile24)
	o.ModelName, o.ModelBasePath = "a", "/m"
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	request := "model_spec { name: 'a' signature_name: '%s' } inputs { key: 'x' value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: 0 } }"
	for range 3 {
		if got := ask(t, s, &apis.PredictRequest{}, fmt.Sprintf(request, "Cos")); got != "y [1] [] []" {
			t.Errorf("cos 0 is %s, want 1", got)
		}
		if got := ask(t, s, &apis.PredictRequest{}, fmt.Sprintf(request, "Dawsn")); !strings.HasPrefix(got, "y [0.") {
			t.Errorf("got %s, want an invented number", got)
		}
	}
	told := "Answers of signature Dawsn of {name: a version: 1} are invented: not supported: operation Dawsn"
	if n := strings.Count(strings.Join(host.logs, "\n"), told); n != 1 || strings.Count(strings.Join(host.logs, "\n"), "invented") != 1 {
		t.Errorf("the log tells it %d times, want once:\n%s", n, strings.Join(host.logs, "\n"))
	}
}

// modelOf makes a SavedModel with one signature for each operation. Each operation takes one float.
func modelOf(t *testing.T, ops ...string) string {
	t.Helper()
	meta := &tfcore.MetaGraphDef{
		MetaInfoDef:  &tfcore.MetaGraphDef_MetaInfoDef{Tags: []string{"serve"}},
		GraphDef:     &framework.GraphDef{Node: []*framework.NodeDef{{Name: "x", Op: "Placeholder"}}},
		SignatureDef: map[string]*tfcore.SignatureDef{},
	}
	info := func(name string) *tfcore.TensorInfo {
		return &tfcore.TensorInfo{
			Encoding: &tfcore.TensorInfo_Name{Name: name + ":0"}, Dtype: framework.DataType_DT_FLOAT,
			TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: -1}}},
		}
	}
	for _, op := range ops {
		meta.GraphDef.Node = append(meta.GraphDef.Node, &framework.NodeDef{Name: op, Op: op, Input: []string{"x"}})
		meta.SignatureDef[op] = &tfcore.SignatureDef{
			Inputs: map[string]*tfcore.TensorInfo{"x": info("x")}, Outputs: map[string]*tfcore.TensorInfo{"y": info(op)},
		}
	}
	data, err := proto.Marshal(&tfcore.SavedModel{MetaGraphs: []*tfcore.MetaGraphDef{meta}})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Goal: damaged variable files, and tables that cannot be filled, make the load fail as in
// TensorFlow.
func TestDamagedVariablesFailTheLoad(t *testing.T) {
	for _, row := range []struct{ name, model, file, data, want string }{
		{"an index that is none", "half_plus_two", "variables/variables.index", "v",
			"END DATA_LOSS: Unable to open table file /m/1/variables/variables.index: Data loss: file is too short to be an sstable"},
		{"elements that are missing", "half_plus_two", "variables/variables.data-00000-of-00001", "", "END DATA_LOSS: /m/1/variables/variables: a: found 0 bytes of data, want 4 from 0 on"},
		{"elements that changed", "half_plus_two", "variables/variables.data-00000-of-00001", "\x00\x00\x00\x3e\x00\x00\x00\x40", "END DATA_LOSS: Checksum does not match"},
		{"a vocabulary with a word twice", "tables", "assets/vocabulary.txt", "a\na\n", "END INVALID_ARGUMENT: HashTable has different value for same key. Key a has 0 and trying to add value 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			host := newTestHost()
			copyModel(t, host, row.model, "/m/1")
			host.disk.write("/m/1/"+row.file, row.data)
			o := DefaultOptions(Profile24)
			o.ModelName, o.ModelBasePath, o.MaxNumLoadRetries = "a", "/m", 0
			s := New(o, host)
			s.Start()
			host.runTo(time.Second)
			got, err := s.Status(env.ModelSpec{Name: "a"})
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprintf("%s %s: %s", got[0].State, got[0].Status.Code, got[0].Status.Message); !strings.HasPrefix(text, row.want) {
				t.Errorf("got %s, want %s", text, row.want)
			}
		})
	}
}

const answersScript = `models:
  a:
    - signature: regress_x_to_y
      examples: [{x: 1.0}, {x: 5}]
      outputs: {outputs: [7, 8]}
    - method: Classify
      error: {code: UNAVAILABLE, message: the classifier sleeps}
    - inputs: {x: [1.0, 2.0]}
      outputs: {y: [10, 20]}
      delay: 30ms
    - inputs: {x: [3.0]}
      delay: 1s
`

// Goal: a script can replace a model's answers by values, errors and delays (TFS-12.5).
func TestScriptedAnswers(t *testing.T) {
	parsed, err := answers.Parse("answers.yaml", []byte(answersScript))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := servingModel(t, "half_plus_two", func(o *Options) { o.Answers = parsed })
	predict := "model_spec { name: 'a' } inputs { key: 'x' value { dtype: DT_FLOAT tensor_shape { dim { size: %d } } float_val: [%s] } }"
	for _, row := range []struct {
		request proto.Message
		text    string
		want    string
		latency time.Duration
	}{
		{&apis.PredictRequest{}, fmt.Sprintf(predict, 2, "1, 2"), "y [10 20] [] []", 30 * time.Millisecond},
		{&apis.PredictRequest{}, fmt.Sprintf(predict, 2, "2, 2"), "y [3 3] [] []", 0},
		{&apis.PredictRequest{}, fmt.Sprintf(predict, 1, "3"), "y [3.5] [] []", time.Second},
		{&apis.RegressionRequest{}, "model_spec { name: 'a' signature_name: 'regress_x_to_y' } " + examplesOneAndFive, "[7 8]", 0},
		{&apis.ClassificationRequest{}, "model_spec { name: 'a' signature_name: 'classify_x_to_y' } " + examplesOneAndFive, "UNAVAILABLE: the classifier sleeps", 0},
	} {
		if got := ask(t, s, row.request, row.text); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
		inference, err := s.Begin(row.request)
		if err != nil {
			t.Fatal(err)
		}
		if base := s.options.Cost.PredictTime; inference.Latency() != base+row.latency {
			t.Errorf("latency %v, want %v and %v", inference.Latency(), base, row.latency)
		}
		inference.End()
	}
	s.SetAnswers(nil)
	if got := ask(t, s, &apis.PredictRequest{}, fmt.Sprintf(predict, 2, "1, 2")); got != "y [2.5 3] [] []" {
		t.Errorf("without the script: got %s", got)
	}
}

// Goal: a script also answers for a stand-in, a model without signatures that accepts every
// request.
func TestAScriptAnswersForAModelWithoutSignatures(t *testing.T) {
	parsed, err := answers.Parse("answers.yaml", []byte("models: {a: [{inputs: {q: [hello]}, outputs: {text: [world], n: {dtype: DT_INT64, values: 3}}}]}"))
	if err != nil {
		t.Fatal(err)
	}
	host := newTestHost()
	host.disk.write("/m/1/saved_model.pb", "anything")
	o := DefaultOptions(Profile24)
	o.ModelName, o.ModelBasePath, o.Answers = "a", "/m", parsed
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	text := "model_spec { name: 'a' } inputs { key: 'q' value { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: 'hello' } }"
	if got := ask(t, s, &apis.PredictRequest{}, text); got != "n [] [3] [] text [] [] [world]" {
		t.Errorf("got %s", got)
	}
}
