package model

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// onH100 is a plan with a dense container on a device. Its calls take no time elsewhere.
const onH100 = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB, dense: 200GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 100s, fetch_ps_retry: 0, fetch_ps_long_conn_num: 1000, batching: {max_batch_size: ITEMS, batch_timeout: 0s, num_batch_threads: THREADS, max_enqueued_batches: 100000}}
network: {same_cluster: 0s, overhead_per_rpc: 0s}
fleet:
  entry: {replicas: 1, cpu: 1000, mem: 16GiB}
  ps: {replicas: 1, cpu: 1000, mem: 32GiB}
  dense: {replicas: 1, cpu: 1, mem: 2000GiB}
  boot: {model_load: 1000GB/s}
service:
  entry: {cpu: 1ns}
  ps: {cpu: 1ns}
  items: det(ITEMS)
  dense: {profile: h100-dlrm-fp32-graph, DENSE}
  contention: {model: none}
workload: {LOAD, horizon: 20s, detail: {windows: [WINDOW]}}
`

// measured is a line of testdata/h100.jsonl, a measurement on a real device.
type measured struct {
	What   string  `json:"what"`
	Batch  int     `json:"batch"`
	Rho    float64 `json:"rho"`
	Seen   float64 `json:"rho_seen"`
	Mean   float64 `json:"mean"`
	P50    float64 `json:"p50"`
	Piece  float64 `json:"chunk_mib"`
	Memory string  `json:"memory"`
	GapMs  float64 `json:"gap_ms"`
	N      float64 `json:"n"`
	Each   []measured
}

func onDeviceOf(t *testing.T, what string) []measured {
	t.Helper()
	text, err := os.ReadFile("testdata/h100.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var list []measured
	for line := range strings.Lines(string(text)) {
		var one measured
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		if one.What == what {
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		t.Fatalf("nothing was measured of %s", what)
	}
	return list
}

// simulated simulates the plan onH100 with replaced words, and returns the merged sample.
func simulated(t *testing.T, runs int, pairs ...string) *Sample {
	t.Helper()
	text := strings.NewReplacer(append(pairs, "ITEMS", "1024", "THREADS", "1", "WINDOW", "all", ", DENSE", "")...).Replace(onH100)
	_, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return total(t, Compile(p, Condition{}), runs)
}

// ms returns the mean time of a call at the device, in milliseconds.
func ms(s *Sample) float64 {
	return float64(s.Tiers[Dense].SumNs) / float64(s.Tiers[Dense].Attempts) / 1e6
}

// Goal: random requests take as long on a simulated device as on the measured one, at 10 to
// 90 % utilization. Neither a constant nor an affine time achieves that. Method: for each
// measurement, a request rate at which the model is as busy as the device was. Its speed
// drifted by 5 % between measurements.
func TestADeviceAtRandomIsAsMeasured(t *testing.T) {
	for _, m := range onDeviceOf(t, "poisson") {
		rate := m.Seen / 0.33e-3
		var s *Sample
		for range 3 {
			s = simulated(t, 3, "LOAD", fmt.Sprintf("rate: %.6f/s", rate), ", DENSE", ", device: {processes: 1}")
			rate *= m.Seen / (float64(s.Tiers[Dense].BusyNs) / float64(s.Tiers[Dense].CoreNs))
		}
		if got := ms(s); math.Abs(got/m.Mean-1) > 0.1 {
			t.Errorf("%.0f %%: %.4f ms, measured %.4f", m.Rho*100, got, m.Mean)
		}
	}
}

// Goal: a batch after a pause takes longer by the measured time. Method: requests at equal
// distances.
func TestABatchAfterAPauseIsSlower(t *testing.T) {
	var calm float64
	for _, m := range onDeviceOf(t, "gap") {
		if m.GapMs == 0 {
			calm = m.P50
			continue
		}
		if m.GapMs < 10 { // the median of these leaves out half of what calls at random instants saw
			continue
		}
		s := simulated(t, 1, "LOAD", fmt.Sprintf("rate: %.9f/s, arrivals: {process: deterministic}", 1e3/(m.GapMs+m.P50)), ", DENSE", ", device: {processes: 1}")
		if got, want := ms(s)-0.3141, m.P50-calm; math.Abs(got-want) > 0.03 {
			t.Errorf("after %g ms: %.3f ms more, measured %.3f", m.GapMs, got, want)
		}
	}
	const last = 0.402 // milliseconds that a batch takes longer after a pause of a second, the longest that was measured
	if got := ms(simulated(t, 1, "LOAD", "rate: 0.2/s, arrivals: {process: deterministic}", ", DENSE", ", device: {processes: 1}")) - 0.3141; math.Abs(got-last) > 1e-3 {
		t.Errorf("after 5 s: %.3f ms more, want the %.3f ms of the longest pause that was measured", got, last)
	}
}

// Goal: while weights are copied, a call waits for the piece in progress, but not if weights
// are copied from pageable memory. Method: one client in a closed loop, as in the
// measurement, with pieces of 2 GiB to 1 MiB.
func TestCallsWaitForAPieceOfWeights(t *testing.T) {
	calm := onDeviceOf(t, "calm")[0].P50
	for _, m := range onDeviceOf(t, "same_process") {
		if m.Piece < 1 {
			continue // so small a piece that only the time of each piece matters
		}
		dense := fmt.Sprintf(", batch: \"points(1=0.1ms, 1024=%.4fms)\", noise: \"gamma(cv=0.1)\", device: {processes: 1, pause: \"points(0s=0s, 1s=0s)\", piece: %.0fMiB, weights: %s}", calm, m.Piece, m.Memory)
		s := simulated(t, 1, "LOAD", "loop: \"closed(clients=1, think=1us)\"", ", DENSE", dense, "WINDOW", "at 15s 2s", "horizon: 20s", "horizon: 20s", "boot: {model_load: 1000GB/s}", "boot: {model_load: 1000GB/s}\nevents: [{at: 13s, publish: {version: 2}}]")
		within := 0.1
		if m.Piece <= 4 { // a piece shorter than a call: the call then meets several pieces
			within = 0.15
		}
		if got := float64(s.Tiers[Dense].Latency.Quantile(0.5)) / 1e6; math.Abs(got/m.P50-1) > within {
			t.Errorf("%s, pieces of %g MiB: %.4f ms, measured %.4f", m.Memory, m.Piece, got, m.P50)
		}
	}
}

// Goal: processes share a device in time slices. Method: closed loops, in which calls take
// longer in proportion to the number of processes, as measured. Also random work, which
// takes S/(1 - rho) in time slices for any law. If processes took turns, the wait would be
// half of that.
func TestProcessesShareADevice(t *testing.T) {
	rows := onDeviceOf(t, "processes")
	for _, m := range rows {
		s := simulated(t, 1, "LOAD", fmt.Sprintf("loop: \"closed(clients=%.0f, think=1us)\"", m.N), "ITEMS", "64", ", DENSE",
			fmt.Sprintf(", batch: \"points(1=%.4fms, 1024=%.4fms)\", device: {processes: %.0f, pause: \"points(0s=0s, 1s=0s)\"}", rows[0].Each[0].P50, rows[0].Each[0].P50, m.N))
		if got, want := ms(s), m.Each[0].P50; math.Abs(got/want-1) > 0.1 {
			t.Errorf("%.0f processes: %.4f ms, measured %.4f", m.N, got, want)
		}
	}
	s := simulated(t, 8, "LOAD", "rate: 700/s", "THREADS", "1000", ", DENSE", ", batch: \"points(1=1ms, 1024=1ms)\", device: {processes: 1, pause: \"points(0s=0s, 1s=0s)\"}")
	near(t, "time in slices", ms(s), 1/(1-0.7), 0.03)
}

// Goal: a process is slow for the first batch after its start, and for the first batch of
// each size since it started or loaded a version. Method: the durations of all batches, of
// 0.3 ms each and without waiting.
func TestWhatAProcessHasNotHadIsSlower(t *testing.T) {
	for event, want := range map[string]float64{
		"traffic: {factor: 1x}":                          0,
		"publish: {version: 2}":                          3 * 5,
		"kill: {dense: {count: 1}}, restart_after: 10ms": 100 + 3*5,
	} {
		s := simulated(t, 1, "LOAD", "rate: 5/s, arrivals: {process: deterministic}", "det(ITEMS)", "\"uniform(1.6, 4.4)\"", ", DENSE",
			", batch: \"points(1=0.3ms, 4=0.3ms)\", device: {processes: 1, pause: \"points(0s=0s, 1s=0s)\", first: 100ms, new_size: 5ms, link: 0MB/s}",
			"boot: {model_load: 1000GB/s}", "boot: {model_load: 1000GB/s}\nevents: [{at: 5s, "+event+"}]")
		if got := float64(s.Tiers[Dense].SumNs)/1e6 - 0.3*float64(s.Tiers[Dense].Attempts); math.Abs(got-want) > 0.1 {
			t.Errorf("%s: %.2f ms more, want %g", event, got, want)
		}
	}
}
