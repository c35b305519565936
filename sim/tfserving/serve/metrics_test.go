package serve

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// These are the cases of upstream's util/prometheus_exporter_test.cc, under upstream's names.
func TestPrometheusExporter(t *testing.T) {
	tests := []struct {
		name   string
		metric *metric
		fill   func(m *metric)
		want   []string
	}{
		{"Counter", newMetric("/test/path/total", counter, "name"),
			func(m *metric) { m.cell(labels{"abc"}).increment(2) },
			[]string{"# TYPE :test:path:total counter", `:test:path:total{name="abc"} 2`}},
		{"Gauge", newMetric("/test/path/gague", gauge, "x", "y"),
			func(m *metric) { m.cell(labels{"abc", "def"}).increment(5) },
			[]string{"# TYPE :test:path:gague gauge", `:test:path:gague{x="abc",y="def"} 5`}},
		{"Histogram", newHistogram("/test/path/histogram", exponential(1, 2, 10), "status"),
			func(m *metric) {
				for _, v := range []float64{2, 20, 200} {
					m.cell(labels{"good"}).add(v)
				}
			},
			[]string{
				"# TYPE :test:path:histogram histogram",
				`:test:path:histogram_bucket{status="good",le="1"} 0`,
				`:test:path:histogram_bucket{status="good",le="2"} 0`,
				`:test:path:histogram_bucket{status="good",le="4"} 1`,
				`:test:path:histogram_bucket{status="good",le="8"} 1`,
				`:test:path:histogram_bucket{status="good",le="16"} 1`,
				`:test:path:histogram_bucket{status="good",le="32"} 2`,
				`:test:path:histogram_bucket{status="good",le="64"} 2`,
				`:test:path:histogram_bucket{status="good",le="128"} 2`,
				`:test:path:histogram_bucket{status="good",le="256"} 3`,
				`:test:path:histogram_bucket{status="good",le="512"} 3`,
				`:test:path:histogram_bucket{status="good",le="+Inf"} 3`,
				`:test:path:histogram_sum{status="good"} 222`,
				`:test:path:histogram_count{status="good"} 3`,
			}},
		{"SanitizeLabelValue", newMetric("/test/path/total", counter, "name"),
			func(m *metric) { m.cell(labels{`"abc\"`}).increment(2) },
			[]string{"# TYPE :test:path:total counter", `:test:path:total{name="\"abc\\\""} 2`}},
		{"SanitizeLabelName", newMetric("/test/path/total", counter, "my-name+1"),
			func(m *metric) { m.cell(labels{"abc"}).increment(2) },
			[]string{"# TYPE :test:path:total counter", `:test:path:total{my_name_1="abc"} 2`}},
		{"SanitizeMetricName", newMetric("0/path-total_count", counter, "name"),
			func(m *metric) { m.cell(labels{"abc"}).increment(2) },
			[]string{"# TYPE _0:path:total_count counter", `_0:path:total_count{name="abc"} 2`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.fill(test.metric)
			got := (&meter{metrics: []*metric{test.metric}}).page()
			if diff := cmp.Diff(strings.Join(test.want, "\n")+"\n", got); diff != "" {
				t.Errorf("page (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: the page lists all series of the profile, even before the first request (TFS-14.1).
func TestSeriesOfTheProfiles(t *testing.T) {
	both := []string{
		"# TYPE :tensorflow:serving:batching_session:queuing_latency histogram",
		"# TYPE :tensorflow:serving:mlmd_map gauge",
		"# TYPE :tensorflow:serving:model_warmup_latency histogram",
		"# TYPE :tensorflow:serving:request_example_count_total counter",
		"# TYPE :tensorflow:serving:request_example_counts histogram",
		"# TYPE :tensorflow:serving:request_log_count counter",
		"# TYPE :tensorflow:serving:runtime_latency histogram",
	}
	head := []string{
		both[0], "# TYPE :tensorflow:serving:batching_session:wrapped_run_count counter", both[1], both[2],
		"# TYPE :tensorflow:serving:model_warmup_records_read counter",
		"# TYPE :tensorflow:serving:request_count counter",
		both[3], both[4],
		"# TYPE :tensorflow:serving:request_latency histogram",
		both[5], both[6],
	}
	own := []string{
		"# TYPE :tensorflow:cc:saved_model:load_attempt_count counter",
		"# TYPE :tensorflow:cc:saved_model:load_latency counter",
		"# TYPE :tensorflow:core:graph_run_time_usecs counter",
		"# TYPE :tensorflow:core:graph_run_time_usecs_histogram histogram",
		"# TYPE :tensorflow:core:graph_runs counter",
	}
	for profile, want := range map[tfserving.Profile][]string{tfserving.Profile24: both, tfserving.ProfileHead: head} {
		got := strings.Split(strings.TrimSuffix(newMeter(profile).page(), "\n"), "\n")
		if diff := cmp.Diff(slices.Concat(own, want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", profile, diff)
		}
	}
}

// Goal: requests by gRPC and REST appear in the metrics, with the right bucket limits (TFS-14.1).
func TestRequestsAreCounted(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	l.serve(tfserving.ProfileHead, withREST)
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	_, err = l.predictions().Predict(l.context(), &apis.PredictRequest{ModelSpec: specOf("m")})
	l.must(err)
	if err := l.predictError(specOf("x")); err == nil {
		t.Fatal("a model that is not there answered")
	}
	l.exchange(crlf("GET /v1/models/x HTTP/1.0\n\n"))
	l.s.meter.inferred(&apis.MultiInferenceRequest{
		Tasks: []*apis.InferenceTask{{ModelSpec: specOf("m")}},
		Input: &apis.Input{Kind: &apis.Input_ExampleList{ExampleList: &apis.ExampleList{
			Examples: []*tfexample.Example{{}, {}, {}},
		}}},
	}, time.Second)
	got := l.s.meter.page()
	for _, want := range []string{
		`:tensorflow:cc:saved_model:load_attempt_count{model_path="` + l.dir + `/m/1",status="success"} 1`,
		`:tensorflow:cc:saved_model:load_latency{model_path="` + l.dir + `/m/1"} `,
		`:tensorflow:core:graph_runs{} 1`,
		`:tensorflow:core:graph_run_time_usecs{} `,
		`:tensorflow:core:graph_run_time_usecs_histogram_count{} 1`,
		`:tensorflow:serving:request_count{model_name="m",status="OK"} 1`,
		`:tensorflow:serving:request_count{model_name="x",status="NOT_FOUND"} 2`,
		`:tensorflow:serving:request_latency_count{model_name="m",API="Predict",entrypoint="GRPC"} 1`,
		`:tensorflow:serving:runtime_latency_bucket{model_name="m",API="Predict",runtime="TF1",le="10"} `,
		`:tensorflow:serving:runtime_latency_bucket{model_name="m",API="Predict",runtime="TF1",le="18"} `,
		`:tensorflow:serving:runtime_latency_bucket{model_name="m",API="Predict",runtime="TF1",le="1.47476e+09"} 1`,
		`:tensorflow:serving:runtime_latency_bucket{model_name="m",API="Predict",runtime="TF1",le="+Inf"} 1`,
		`:tensorflow:serving:request_example_counts_bucket{model="m",le="2"} 0`,
		`:tensorflow:serving:request_example_counts_bucket{model="m",le="4"} 1`,
		`:tensorflow:serving:request_example_counts_bucket{model="m",le="16384"} 1`,
		`:tensorflow:serving:request_example_count_total{model="m"} 3`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, `request_latency_count{model_name="x"`) {
		t.Errorf("a request that failed has a latency in\n%s", got)
	}
}

// Goal: a load counts the runs by which the graph restores its variables and initialises itself, as upstream's
// RunRestore and RunInitOp run the session (TFS-14.1).
func TestRunsOfALoadAreCounted(t *testing.T) {
	// the first model has no initialiser, so its graph runs once less
	for model, runs := range map[string]string{"half_plus_two": "1", "arithmetic": "2"} {
		l := newLab(t)
		l.must(os.CopyFS(l.path("m", "1"), os.DirFS("../graph/testdata/models/"+model)))
		l.serve(tfserving.Profile24, nil)
		_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
		l.must(err)
		if got, want := l.s.meter.page(), ":tensorflow:core:graph_runs{} "+runs+"\n"; !strings.Contains(got, want) {
			t.Errorf("%s: no %s in\n%s", model, want, got)
		}
	}
}

// Goal: a warm-up appears in the metrics (TFS-5.9, TFS-14.1). Only tfs-head counts its records.
func TestWarmupsAreCounted(t *testing.T) {
	for profile, counted := range map[tfserving.Profile]bool{tfserving.Profile24: false, tfserving.ProfileHead: true} {
		l := newLab(t)
		l.version("m", 1)
		l.warmup("m", 1, &apis.PredictRequest{ModelSpec: specOf("other")})
		l.serve(profile, nil)
		_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
		l.must(err)
		const run = `:tensorflow:serving:runtime_latency_count{model_name="other",API="Predict",runtime="TF1"} 1`
		if got := l.s.meter.page(); !strings.Contains(got, run) || !strings.Contains(got, ":tensorflow:core:graph_runs{} 1\n") {
			t.Errorf("%s: a warm-up request counts as no run of the model it names:\n%s", profile, got)
		}
		got, at := l.s.meter.page(), `{model_path="`+l.path("m", "1")+`",status="OK"} 1`
		if want := ":tensorflow:serving:model_warmup_latency_count" + at; !strings.Contains(got, want) {
			t.Errorf("%s: no %s in\n%s", profile, want, got)
		}
		if want := ":tensorflow:serving:model_warmup_records_read" + at; strings.Contains(got, want) != counted {
			t.Errorf("%s: %s is there: %v, want %v, in\n%s", profile, want, !counted, counted, got)
		}
	}
}

// Goal: the answer to a tfs-head reload says how much the metrics named in the request have grown
// (TFS-8.1). tfs-2.4 does not know the field.
func TestReloadTellsMetrics(t *testing.T) {
	for profile, want := range map[tfserving.Profile]int{tfserving.Profile24: 0, tfserving.ProfileHead: 2} {
		l := newLab(t)
		l.serve(profile, nil)
		r := reloadOf()
		r.MetricNames = []string{"/tensorflow/serving/request_count", "/no/such/metric", "/no/such/metric"}
		got, err := l.models().HandleReloadConfigRequest(l.context(), r)
		l.must(err)
		if len(got.GetMetric()) != want {
			t.Errorf("%s: got %v, want %d metrics", profile, got, want)
		}
		for _, m := range got.GetMetric() {
			if m.GetInt64ValueIncrease() != 0 {
				t.Errorf("%s: got %v, want no increase", profile, m)
			}
		}
	}
}
