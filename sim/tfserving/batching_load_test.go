package tfserving

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/batch"
)

// Goal: latencies of batched requests under Poisson load agree with queueing theory. Method: the
// simulated server in virtual time is compared with closed formulas and an exact Markov chain.

const (
	loadService = time.Millisecond // duration of a batch, whatever its size
	loadCalls   = 50_000
)

// loaded sends perSecond requests a second to a server and returns their latencies in ascending
// order. The model takes loadService for a batch of any size.
func loaded(t *testing.T, b Batching, perSecond float64) []time.Duration {
	t.Helper()
	host := newTestHost()
	host.disk.write("/m/a/1/saved_model.pb", `{"signatures": {"serving_default": {
		"inputs": {"x": {"name": "x:0", "dtype": 1, "shape": [-1]}},
		"outputs": {"y": {"name": "y:0", "dtype": 1, "shape": [-1]}}}}}`)
	o := DefaultOptions(Profile24)
	o.ModelName, o.ModelBasePath, o.Batching, o.Cost.PredictTime = "a", "/m/a", &b, loadService
	o.FileSystemPollWaitSeconds = 0
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	request := &apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: "a"}, Inputs: map[string]*framework.TensorProto{"x": {
		Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1},
		TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 1}}},
	}}}
	draws := rand.New(rand.NewPCG(1, 2))
	latencies := make([]time.Duration, 0, loadCalls)
	at := host.now
	for range loadCalls {
		at += time.Duration(draws.ExpFloat64() / perSecond * float64(time.Second))
		host.runTo(at)
		inference, err := s.Begin(request)
		if err != nil {
			t.Fatal(err)
		}
		came := host.now
		inference.Start(func() {
			if _, err := inference.Run(); err != nil {
				t.Errorf("a request %v after it came: %v", host.now-came, err)
			}
			inference.End()
			latencies = append(latencies, host.now-came)
		})
	}
	host.runTo(host.now + time.Minute)
	if len(latencies) != loadCalls {
		t.Fatalf("%d of %d requests were answered", len(latencies), loadCalls)
	}
	slices.Sort(latencies)
	return latencies
}

func within5Percent(t *testing.T, what string, got time.Duration, want float64) {
	t.Helper()
	if ratio := float64(got) / want; ratio < 0.95 || ratio > 1.05 {
		t.Errorf("%s: got %v, want %v within 5 %%", what, got, time.Duration(want))
	}
}

func meanAndP99(sorted []time.Duration) (mean, p99 time.Duration) {
	var sum time.Duration
	for _, d := range sorted {
		sum += d
	}
	return sum / time.Duration(len(sorted)), sorted[len(sorted)*99/100]
}

// Goal: one thread without a batch timeout behaves as an M/D^[1,b]/1 queue. It takes all waiting
// requests, up to the largest batch. Method: the queue lengths at the ends of services form a
// Markov chain, from which the latencies follow exactly.
func TestBatchesOfAThreadThatIsNeverIdleWhileRequestsWait(t *testing.T) {
	const most = 8
	for _, load := range []float64{0.3, 0.6, 0.8} {
		t.Run(fmt.Sprint(load), func(t *testing.T) {
			limits := batch.Limits{Input: most, Enqueued: 1 << 20}
			perService := load * most
			got := loaded(t, Batching{Limits: limits, Threads: 1, HasThreads: true, MaxSize: most}, perService/loadService.Seconds())
			mean, p99 := meanAndP99(got)
			wantMean, wantP99 := bulkQueue(perService, most)
			within5Percent(t, "mean", mean, wantMean*float64(loadService))
			within5Percent(t, "p99", p99, wantP99*float64(loadService))
		})
	}
}

// bulkQueue returns the mean and p99 latency of an M/D^[1,b]/1 queue, in units of the service time.
// load is the mean number of arrivals during one service, and most the largest batch b.
func bulkQueue(load float64, most int) (mean, p99 float64) {
	const states, steps = 200, 100
	poisson := func(rate float64) []float64 {
		p := make([]float64, states)
		p[0] = math.Exp(-rate)
		for k := 1; k < states; k++ {
			p[k] = p[k-1] * rate / float64(k)
		}
		return p
	}
	arrivals := poisson(load)
	left := make([]float64, states) // probability of each number of requests that wait when a service begins
	left[0] = 1
	var idle float64 // share of the batches after which no request waits
	for range 500 {
		next := make([]float64, states)
		idle = 0
		for q, chance := range left {
			if chance < 1e-15 {
				continue
			}
			for k := 0; q+k < states; k++ {
				if q+k == 0 {
					idle += chance * arrivals[k]
				}
				next[max(q+k-most, 0)] += chance * arrivals[k]
			}
		}
		left = next
	}
	// A cycle has load+idle arrivals. idle of them find the thread free, and take one service. The
	// others arrive u after a service began, and wait until the batch with them is served. In the
	// queue before such a request are q that were waiting already, and k that arrived since the
	// service began.
	tail := map[int]float64{} // probability of each latency, in whole services and 1/steps of a service
	tail[steps] += idle / (load + idle)
	for step := range steps {
		u := (float64(step) + 0.5) / steps
		before := poisson(load * u)
		for q, chance := range left {
			if chance < 1e-12 {
				continue
			}
			for k := 0; q+k < states; k++ {
				turn := (q + k) / most
				latency := steps - step + turn*steps + steps
				tail[latency] += load / (load + idle) / steps * chance * before[k]
			}
		}
	}
	var sum float64
	for _, latency := range slices.Sorted(maps.Keys(tail)) {
		mean += float64(latency) / steps * tail[latency]
		if sum += tail[latency]; sum < 0.99 {
			p99 = float64(latency) / steps
		}
	}
	return mean, p99
}

// Goal: with enough threads each batch waits exactly its timeout. Its first request waits for all
// of the timeout, and later Poisson arrivals are spread evenly over it.
func TestBatchesThatWaitForTheirTimeOut(t *testing.T) {
	const timeout = 10 * time.Millisecond
	for _, perTimeout := range []float64{0.2, 2, 20} {
		t.Run(fmt.Sprint(perTimeout), func(t *testing.T) {
			limits := batch.Limits{Input: 1000, Enqueued: 10, TimeoutMicros: timeout.Microseconds()}
			got := loaded(t, Batching{Limits: limits, Threads: 50, HasThreads: true, MaxSize: 1000}, perTimeout/timeout.Seconds())
			mean, p99 := meanAndP99(got)
			first := 1 / (1 + perTimeout)
			within5Percent(t, "mean", mean, float64(loadService)+float64(timeout)*(first+(1-first)/2))
			wait := 1.0
			if first < 0.01 {
				wait = 0.99 / (1 - first)
			}
			within5Percent(t, "p99", p99, float64(loadService)+float64(timeout)*wait)
		})
	}
}
