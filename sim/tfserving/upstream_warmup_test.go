package tfserving

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// warmupCase is a case of upstream's warm-up tests: a warm-up file for halfPlusTwo, and how the
// load must end.
type warmupCase struct {
	name     string
	records  []string // PredictionLogs in text format
	raw      string   // content of the records' file, in place of records; "" if records is used
	repeat   int      // how often all records are replayed, at least once
	profiles []Profile
	want     string // beginning of the error; "" if the model becomes AVAILABLE
	warmups  []Warmup
}

// The records of TestMirroredWarmup.
const (
	regressLog  = `regress_log { request { model_spec { signature_name: 'regress_x_to_y' } ` + twoExamples + ` } }`
	classifyLog = `classify_log { request { model_spec { signature_name: 'classify_x_to_y' } ` + twoExamples + ` } }`
	predictLog  = `predict_log { request { ` + two + ` } }`
)

func TestMirroredWarmup(t *testing.T) {
	multiLog := `multi_inference_log { request { ` + task("any", "regress_x_to_y", "regress") +
		task("any", "classify_x_to_y", "classify") + twoExamples + ` } }`
	mixed := []string{regressLog, classifyLog, predictLog, multiLog}
	head, old := []Profile{ProfileHead}, []Profile{Profile24}
	unsupported := "UNIMPLEMENTED: Unsupported log_type for warmup: "
	ran := func(records int) []Warmup {
		return []Warmup{{Path: "/m/1", Status: "OK", Records: records, Latency: time.Duration(records) * 10 * time.Millisecond}}
	}
	for _, c := range []warmupCase{
		{name: "saved_model_warmup_test.cc:MixedWarmupData", records: mixed, repeat: 10, warmups: ran(40)},
		{name: "saved_model_warmup_test.cc:UnsupportedLogType_SessionRun", records: []string{"session_run_log {}"}, repeat: 10, want: unsupported + "5"},
		{name: "saved_model_warmup_test.cc:UnsupportedLogType_PredictStreamed", profiles: head, records: []string{"predict_streamed_log {}"}, want: unsupported + "7"},
		{name: "saved_model_warmup_test.cc:a log type that 2.4.0 does not know", profiles: old, records: []string{"predict_streamed_log {}"}, warmups: ran(1)},
		{name: "saved_model_warmup_util_test.cc:NoWarmupDataFile"},
		{name: "saved_model_warmup_util_test.cc:WarmupDataFileEmpty", raw: "empty", warmups: ran(0)},
		{name: "saved_model_warmup_util_test.cc:UnsupportedFileFormat", raw: "Hello world, this is a text", profiles: old,
			want:    "DATA_LOSS: corrupted record at 0. Please verify your warmup data is in TFRecord format.",
			warmups: []Warmup{{Path: "/m/1", Status: "Data loss: corrupted record at 0"}}},
		{name: "saved_model_warmup_util_test.cc:UnsupportedFileFormat", raw: "Hello world, this is a text", profiles: head,
			want:    "DATA_LOSS: corrupted record at 0 (Is this even a TFRecord file?). Please verify your warmup data is in TFRecord format.",
			warmups: []Warmup{{Path: "/m/1", Status: "DATA_LOSS: corrupted record at 0 (Is this even a TFRecord file?)"}}},
		{name: "saved_model_warmup_util_test.cc:TooManyWarmupRecords", profiles: old, records: []string{predictLog}, repeat: 1001,
			want: "INVALID_ARGUMENT: Number of warmup records exceeeds the maximum (1000) at /m/1/assets.extra/tf_serving_warmup_requests"},
		{name: "saved_model_warmup_util_test.cc:TooManyWarmupRecords", profiles: head, records: []string{predictLog}, repeat: 1001,
			want: "INVALID_ARGUMENT: Number of warmup records exceeds the maximum (1000) at /m/1/assets.extra/tf_serving_warmup_requests"},
		{name: "saved_model_warmup_util_test.cc:UnparsableRecord", raw: string(tfrecord.Append(nil, []byte("malformed_record"))),
			want: "INVALID_ARGUMENT: Failed to parse warmup record: malformed_record from /m/1/assets.extra/tf_serving_warmup_requests"},
		{name: "saved_model_warmup_util_test.cc:RunSuccess", records: []string{predictLog}, repeat: 1000, warmups: ran(1000)},
		{name: "saved_model_warmup_util_test.cc:RunFailure", records: []string{predictLog, "predict_log { request {} }"},
			want: "INVALID_ARGUMENT: input size does not match signature: 0!=1"},
		{name: "saved_model_warmup.cc:a log of nothing", records: []string{""}, warmups: ran(1)},
		{name: "saved_model_warmup.cc:a bad signature", records: []string{"predict_log { request { model_spec { signature_name: 'no' } } }"},
			want: `FAILED_PRECONDITION: Serving signature key "no" not found.`},
		{name: "record_reader.cc:a file that is cut", raw: "cut", profiles: old,
			want:    "DATA_LOSS: truncated record at 0. Please verify your warmup data is in TFRecord format.",
			warmups: []Warmup{{Path: "/m/1", Status: "Data loss: truncated record at 0"}}},
	} {
		profiles := c.profiles
		if profiles == nil {
			profiles = []Profile{Profile24, ProfileHead}
		}
		for _, profile := range profiles {
			t.Run(fmt.Sprintf("%s %s", profile, c.name), func(t *testing.T) { c.run(t, profile) })
		}
	}
}

// file returns the content of the warm-up file; nil if there must be none.
func (c warmupCase) file(t *testing.T) []byte {
	switch c.raw {
	case "":
	case "empty":
		return []byte{}
	case "cut":
		return tfrecord.Append(nil, []byte("cut"))[:14]
	default:
		return []byte(c.raw)
	}
	var file []byte
	for range max(c.repeat, 1) {
		for _, text := range c.records {
			log := &apis.PredictionLog{}
			if err := textformat.Unmarshal(text, log); err != nil {
				t.Fatal(err)
			}
			record, err := proto.MarshalOptions{Deterministic: true}.Marshal(log)
			if err != nil {
				t.Fatal(err)
			}
			file = tfrecord.Append(file, record)
		}
	}
	return file
}

func (c warmupCase) run(t *testing.T, profile Profile) {
	host := newTestHost()
	host.disk.write("/m/1/saved_model.pb", halfPlusTwo)
	if file := c.file(t); file != nil {
		host.disk.write("/m/1/assets.extra/tf_serving_warmup_requests", string(file))
	}
	o := DefaultOptions(profile)
	o.ModelName, o.ModelBasePath, o.MaxNumLoadRetries = "a", "/m", 0
	s := New(o, host)
	var warmups []Warmup
	s.OnWarmup = func(w Warmup) { warmups = append(warmups, w) }
	s.Start()
	host.runTo(20 * time.Second)
	got, err := s.Status(env.ModelSpec{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	state, text := env.StateAvailable, ""
	if c.want != "" {
		state, text = env.StateEnd, c.want
	}
	end := got[0].Status.Code.String() + ": " + got[0].Status.Message
	if got[0].State != state || !strings.HasPrefix(end, text) {
		t.Errorf("got %s %s, want %s %s", got[0].State, end, state, text)
	}
	if diff := cmp.Diff(c.warmups, warmups); diff != "" {
		t.Errorf("warm-ups (-want +got):\n%s", diff)
	}
}

func TestRealModelsLoadAndPredict(t *testing.T) {
	host := newTestHost()
	copyModel(t, host, "half_plus_two", "/m/1")
	o := DefaultOptions(Profile24)
	o.ModelName, o.ModelBasePath, o.StrictBundles = "a", "/m", true
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	request := &apis.PredictRequest{}
	if err := textformat.Unmarshal("model_spec { name: 'a' } inputs { key: 'x' value { dtype: DT_FLOAT tensor_shape { dim { size: 3 } dim { size: 1 } } float_val: 2 } }", request); err != nil {
		t.Fatal(err)
	}
	got, failed := answer(s, request)
	if want := "a/1 serving_default: y DT_FLOAT[3 1]"; failed || got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
