package serve

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/batch"
)

// Goal: requests over sockets are batched, and refused with the right gRPC and HTTP codes. Method:
// a batch timeout that is longer than the test waits, a batch that becomes full, and a request that
// is too large.
func TestRequestsOnSocketsAreBatched(t *testing.T) {
	for profile, figures := range map[tfserving.Profile][]string{
		// TFS-14.1: the names and buckets of batching_session.cc and batching_util.h; in 2.4 what its exporter
		// writes of a sampler of percentiles.
		tfserving.Profile24: {
			"# TYPE :tensorflow:serving:batching_session:input_batch_size counter",
			":tensorflow:core:graph_runs{} 2",
			":tensorflow:serving:runtime_latency_count{model_name=\"m\",API=\"Predict\",runtime=\"TF1\"} 4",
			":tensorflow:serving:batching_session:input_batch_size{} 0",
			":tensorflow:serving:batching_session:padding_size{execution_batch_size=\"4\"} 0",
			":tensorflow:serving:batching_session:processed_batch_size{} 0",
		},
		tfserving.ProfileHead: {
			":tensorflow:core:graph_runs{} 2",
			":tensorflow:serving:runtime_latency_count{model_name=\"m\",API=\"Predict\",runtime=\"TF1\"} 4",
			":tensorflow:serving:batching_session:input_batch_size_bucket{le=\"2\"} 0",
			":tensorflow:serving:batching_session:input_batch_size_bucket{le=\"4\"} 4",
			":tensorflow:serving:batching_session:input_batch_size_bucket{le=\"8192\"} 6",
			":tensorflow:serving:batching_session:input_batch_size_bucket{le=\"+Inf\"} 6",
			":tensorflow:serving:batching_session:input_batch_size_sum{} 18",
			":tensorflow:serving:batching_session:padding_size_bucket{execution_batch_size=\"4\",le=\"1\"} 2",
			":tensorflow:serving:batching_session:processed_batch_size_bucket{le=\"4\"} 0",
			":tensorflow:serving:batching_session:processed_batch_size_bucket{le=\"8\"} 2",
			":tensorflow:serving:batching_session:queuing_latency_count{thread_pool_name=\"\"} 4",
			":tensorflow:serving:batching_session:wrapped_run_count{} 2",
		},
	} {
		t.Run(string(profile), func(t *testing.T) { batchOnSockets(t, profile, figures) })
	}
}

func batchOnSockets(t *testing.T, profile tfserving.Profile, figures []string) {
	const requests, rows = 4, 4 // of two rows each
	l := newLab(t)
	l.export("m", 1, `{"signatures": {"serving_default": {"inputs": {"x": {"name": "x:0", "dtype": 1, "shape": [-1]}},
		"outputs": {"y": {"name": "y:0", "dtype": 1, "shape": [-1]}}}}}`)
	l.serve(profile, func(o *Options) {
		withREST(o)
		o.Speed = 1
		limits := batch.Limits{Input: rows, Enqueued: 10, TimeoutMicros: time.Hour.Microseconds()}
		o.Machine.Batching = &tfserving.Batching{Limits: limits, Threads: 1, HasThreads: true, MaxSize: rows}
	})
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	client := l.predictions()
	var wait sync.WaitGroup
	for range requests {
		wait.Go(func() {
			answer, err := client.Predict(l.context(), predictX("m"))
			if err != nil || len(answer.GetOutputs()) == 0 {
				t.Errorf("a request of a full batch: got %v, %v", answer, err)
			}
		})
	}
	wait.Wait() // a request that waits for the batch timeout ends with its context's deadline

	large := predictX("m")
	large.Inputs["x"].TensorShape.Dim[0].Size = rows + 1
	_, err = client.Predict(l.context(), large)
	const text = "Task size 5 is larger than maximum input batch size 4"
	wantStatus(t, err, codes.InvalidArgument, text)
	response, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/v1/models/m:predict", l.s.Ports().REST), "application/json", strings.NewReader(`{"instances": [1, 2, 3, 4, 5]}`))
	l.must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	l.must(err)
	if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), text) {
		t.Errorf("REST: got %d %s, want 400 with %s", response.StatusCode, body, text)
	}
	page := strings.Split(l.s.meter.page(), "\n")
	for _, want := range figures {
		if !slices.Contains(page, want) {
			t.Errorf("the page of metrics lacks %s:\n%s", want, strings.Join(page, "\n"))
		}
	}
}
