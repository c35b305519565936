package serve

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// meter holds the metrics of a profile (TFS-14.1): all metrics of TF Serving, and TensorFlow's
// metrics about loads and runs. The metrics of the request log stay empty.
type meter struct {
	metrics []*metric // metrics is sorted by name

	requestCount, requestLatency      *metric // requestCount and requestLatency are nil in tfs-2.4
	warmupRecords                     *metric // warmupRecords is nil in tfs-2.4
	warmupLatency                     *metric
	runtimeLatency                    *metric
	exampleCounts, exampleCountsTotal *metric
	queuing, wrappedRuns              *metric // wrappedRuns is nil in tfs-2.4
	inputSizes, padding, processed    *metric

	loadAttempts, loadLatency *metric
	graphRuns, graphRunTime   *metric
	graphRunTimes             *metric
}

func newMeter(profile tfserving.Profile) *meter {
	const path = "/tensorflow/serving/"
	m := &meter{
		runtimeLatency:     newHistogram(path+"runtime_latency", latencyLimits, "model_name", "API", "runtime"),
		exampleCounts:      newHistogram(path+"request_example_counts", exponential(1, 2, 15), "model"),
		exampleCountsTotal: newMetric(path+"request_example_count_total", counter, "model"),
		queuing:            newHistogram(path+"batching_session/queuing_latency", exponential(100, 1.2, 52), "thread_pool_name"),
		inputSizes:         batchSizes(profile, "input_batch_size"),
		padding:            batchSizes(profile, "padding_size", "execution_batch_size"),
		processed:          batchSizes(profile, "processed_batch_size"),
	}
	m.warmupLatency = newHistogram(path+"model_warmup_latency", latencyLimits, "model_path", "status")
	const own = "/tensorflow/"
	m.loadAttempts = newMetric(own+"cc/saved_model/load_attempt_count", counter, "model_path", "status")
	m.loadLatency = newMetric(own+"cc/saved_model/load_latency", counter, "model_path")
	m.graphRuns = newMetric(own+"core/graph_runs", counter)
	m.graphRunTime = newMetric(own+"core/graph_run_time_usecs", counter)
	m.graphRunTimes = newHistogram(own+"core/graph_run_time_usecs_histogram", exponential(1000, 2, 20))
	m.metrics = []*metric{
		m.loadAttempts, m.loadLatency, m.graphRuns, m.graphRunTime, m.graphRunTimes,
		m.queuing, m.inputSizes, m.padding, m.processed,
		newMetric(path+"mlmd_map", gauge, "model_name", "version"),
		newMetric(path+"request_log_count", counter, "model_name", "status_code"),
		m.runtimeLatency, m.exampleCounts, m.exampleCountsTotal, m.warmupLatency,
	}
	if profile == tfserving.ProfileHead {
		m.requestCount = newMetric(path+"request_count", counter, "model_name", "status")
		m.requestLatency = newHistogram(path+"request_latency", latencyLimits, "model_name", "API", "entrypoint")
		m.warmupRecords = newMetric(path+"model_warmup_records_read", counter, "model_path", "status")
		m.wrappedRuns = newMetric(path+"batching_session/wrapped_run_count", counter)
		m.metrics = append(m.metrics, m.requestCount, m.requestLatency, m.warmupRecords, m.wrappedRuns)
	}
	slices.SortFunc(m.metrics, func(a, b *metric) int { return strings.Compare(a.name, b.name) })
	return m
}

// latencyLimits holds the upper limits of the latency buckets in microseconds, up to about 20
// minutes.
var latencyLimits = exponential(10, 1.8, 33)

// requestOver counts a finished request in tfs-head (servables/tensorflow/util.cc).
func (m *meter) requestOver(model, api, entrypoint string, began time.Time, code rpcerrors.Code) {
	if m.requestCount == nil {
		return
	}
	if code == rpcerrors.OK {
		m.requestLatency.cell(labels{model, api, entrypoint}).add(micros(began))
	}
	m.requestCount.cell(labels{model, code.String()}).increment(1)
}

// runtime records the latency of a run for a request to a model.
func (m *meter) runtime(model, api string, took time.Duration) {
	m.runtimeLatency.cell(labels{model, api, "TF1"}).add(float64(took.Microseconds()))
}

// examples records the number of examples of a MultiInference.
func (m *meter) examples(model string, n int) {
	m.exampleCounts.cell(labels{model}).add(float64(n))
	m.exampleCountsTotal.cell(labels{model}).increment(int64(n))
}

// warmedUp records one warm-up (servables/tensorflow/saved_model_warmup_util.cc).
func (m *meter) warmedUp(w tfserving.Warmup) {
	at := labels{w.Path, w.Status}
	m.warmupLatency.cell(at).add(float64(w.Latency.Microseconds()))
	if m.warmupRecords != nil {
		m.warmupRecords.cell(at).increment(int64(w.Records))
	}
}

// batched records the input sizes of a request that will be put into a batch. firstDimensions holds
// the first dimension of each input (batching_session.cc, ComputeInputSize).
func (m *meter) batched(firstDimensions []int64) {
	for _, n := range firstDimensions {
		m.inputSizes.cell(labels{}).add(float64(n))
	}
}

// ranBatch records a batch that a thread takes from the queue. The time in the queue gets an empty
// label, because the server's batching session does not know the name of its thread pool.
func (m *meter) ranBatch(b tfserving.BatchTaken) {
	for _, d := range b.Waited {
		m.queuing.cell(labels{}).add(float64(d.Microseconds()))
	}
	if !b.Runs {
		return
	}
	m.padding.cell(labels{strconv.FormatInt(b.Padded, 10)}).add(float64(b.Padded - b.Size))
	m.processed.cell(labels{}).add(float64(b.Padded))
	if m.wrappedRuns != nil {
		m.wrappedRuns.cell(labels{}).increment(1)
	}
}

// batchSizes returns a metric of batch sizes. The page lists it only once it has a value. In
// tfs-2.4 the metric is a sampler of percentiles, which the exporter prints as a counter with value
// 0 (prometheus_exporter.cc, SerializeMetric).
func batchSizes(profile tfserving.Profile, name string, labelNames ...string) *metric {
	m := newHistogram("/tensorflow/serving/batching_session/"+name, exponential(1, 2, 14), labelNames...)
	if m.late = true; profile != tfserving.ProfileHead {
		m.kind = counter
	}
	return m
}

// loaded records an attempt to load a SavedModel (tensorflow cc/saved_model/loader.cc, LoadSavedModel).
func (m *meter) loaded(l tfserving.Load) {
	status := "fail"
	if l.Success {
		status = "success"
	}
	m.loadAttempts.cell(labels{l.Path, status}).increment(1)
	m.loadLatency.cell(labels{l.Path}).increment(l.Latency.Microseconds())
}

// graphRan records the runs of a graph. If a warm-up request caused them, it also records that
// request like a client's, because upstream runs warm-ups with the same functions as requests
// (servables/tensorflow/saved_model_warmup.cc).
func (m *meter) graphRan(r tfserving.Run) {
	for range r.Times {
		m.ran(r.Took)
		m.inferred(r.Warmup, r.Took)
	}
}

// ran records one run of a graph and its duration (tensorflow core/framework/metrics.cc,
// UpdateGraphExecTime).
func (m *meter) ran(took time.Duration) {
	micros := max(took.Microseconds(), 1) // upstream does not count a run of 0 us
	m.graphRuns.cell(labels{}).increment(1)
	m.graphRunTime.cell(labels{}).increment(micros)
	m.graphRunTimes.cell(labels{}).add(float64(micros))
}

// inferred records the latency of a request's run, and the examples of a MultiInference.
func (m *meter) inferred(request proto.Message, took time.Duration) {
	switch r := request.(type) {
	case *apis.PredictRequest:
		m.runtime(r.GetModelSpec().GetName(), "Predict", took)
	case *apis.ClassificationRequest:
		m.runtime(r.GetModelSpec().GetName(), "Classify", took)
	case *apis.RegressionRequest:
		m.runtime(r.GetModelSpec().GetName(), "Regress", took)
	case *apis.MultiInferenceRequest:
		m.examples(r.GetTasks()[0].GetModelSpec().GetName(), exampleCount(r.GetInput()))
	}
}

func exampleCount(input *apis.Input) int {
	if list := input.GetExampleListWithContext(); list != nil {
		return len(list.GetExamples())
	}
	return len(input.GetExampleList().GetExamples())
}

// value returns the integer value of a metric's first series, as ModelServiceImpl::GetMetrics does.
func (m *meter) value(name string) int64 {
	for _, metric := range m.metrics {
		if metric.name == name {
			if points := metric.sorted(); len(points) > 0 && metric.kind != histogram {
				return points[0].count.Load()
			}
		}
	}
	return 0
}

func micros(began time.Time) float64 { return float64(time.Since(began).Microseconds()) }

func codeOf(err error) rpcerrors.Code {
	switch e := err.(type) {
	case nil:
		return rpcerrors.OK
	case *env.RPCError:
		return e.Code
	}
	return rpcerrors.Unknown
}

type metricKind string

const (
	counter   metricKind = "counter"
	gauge     metricKind = "gauge"
	histogram metricKind = "histogram"
)

// labels holds the values of a metric's labels. Unused labels are "".
type labels [3]string

type metric struct {
	name       string
	kind       metricKind
	labelNames []string
	limits     []float64 // limits holds the upper limits of a histogram's buckets; the last bucket has none
	late       bool      // a late metric is not listed until it has a value

	mu    sync.RWMutex
	cells map[labels]*cell
}

func newMetric(name string, kind metricKind, labelNames ...string) *metric {
	return &metric{name: name, kind: kind, labelNames: labelNames, cells: map[labels]*cell{}}
}

func newHistogram(name string, limits []float64, labelNames ...string) *metric {
	m := newMetric(name, histogram, labelNames...)
	m.limits = limits
	return m
}

// exponential returns n bucket limits. Each limit is the limit before it times growth. The
// histogram has one more bucket without a limit (tensorflow monitoring::Buckets::Exponential).
func exponential(scale, growth float64, n int) []float64 {
	limits := make([]float64, n)
	for i := range limits {
		limits[i] = scale
		scale *= growth
	}
	return limits
}

func (m *metric) cell(at labels) *cell {
	m.mu.RLock()
	c := m.cells[at]
	m.mu.RUnlock()
	if c != nil {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c = m.cells[at]; c == nil {
		c = &cell{at: at, limits: m.limits, buckets: make([]int64, len(m.limits)+1)}
		m.cells[at] = c
	}
	return c
}

// sorted returns the metric's cells in the order of their labels.
func (m *metric) sorted() []*cell {
	m.mu.RLock()
	defer m.mu.RUnlock()
	cells := make([]*cell, 0, len(m.cells))
	for _, c := range m.cells {
		cells = append(cells, c)
	}
	slices.SortFunc(cells, func(a, b *cell) int { return slices.Compare(a.at[:], b.at[:]) })
	return cells
}

type cell struct {
	at     labels
	count  atomic.Int64 // count is the value of a counter
	limits []float64

	mu      sync.Mutex
	buckets []int64
	sum     float64
}

func (c *cell) increment(n int64) { c.count.Add(n) }

// add counts a value in the first bucket whose limit exceeds it.
func (c *cell) add(value float64) {
	i, _ := slices.BinarySearchFunc(c.limits, value, func(limit, value float64) int {
		if limit > value {
			return 1
		}
		return -1
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buckets[i]++
	c.sum += value
}

// read returns a copy of a histogram's buckets, and the sum of its values.
func (c *cell) read() (buckets []int64, sum float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.buckets), c.sum
}
