package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/report"
)

const tracedPlan = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB}}
override: {num_ps: 4, num_shard: 2, fetch_ps_timeout: 8ms}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 3, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: 500/s, horizon: 30s, detail: {windows: ["each incident -2s..+4s"]}}
events: [{at: 10s, kill: {ps: {count: 1}}}]
`

// Goal: trace viewers can show a trace. Method: check that it is JSON, that slices in one
// row are nested or disjoint, that all rows have names, and that incidents appear.
func TestATraceCanBeShown(t *testing.T) {
	_, p, _, err := plan.Parse("plan.yaml", []byte(tracedPlan))
	if err != nil {
		t.Fatal(err)
	}
	trace, err := model.Compile(p, model.Condition{}).Trace(0, 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	var b, again bytes.Buffer
	if err := report.Trace(&b, trace); err != nil {
		t.Fatal(err)
	}
	if err := report.Trace(&again, trace); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("the same trace is written in different bytes (%v)", err)
	}
	var shown struct {
		TraceEvents []struct {
			Name, Ph string
			Ts, Dur  float64
			Pid, Tid int
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &shown); err != nil {
		t.Fatal(err)
	}
	type row struct{ pid, tid int }
	type span struct{ from, to float64 }
	named, open, found := map[row]bool{}, map[row][]span{}, map[string]int{}
	const rounding = 1e-2 // microseconds
	for _, e := range shown.TraceEvents {
		at := row{e.Pid, e.Tid}
		found[e.Ph+" "+e.Name]++
		switch e.Ph {
		case "M":
			named[at] = true
		case "X":
			if e.Dur < 0 || !named[at] {
				t.Errorf("%s on row %v (named: %v) lasts %g us", e.Name, at, named[at], e.Dur)
			}
			stack := open[at]
			for len(stack) > 0 && stack[len(stack)-1].to <= e.Ts+rounding {
				stack = stack[:len(stack)-1]
			}
			if n := len(stack); n > 0 && e.Ts+e.Dur > stack[n-1].to+rounding {
				t.Errorf("%s on row %v, %g+%g, is half over another that ends at %g", e.Name, at, e.Ts, e.Dur, stack[n-1].to)
			}
			open[at] = append(stack, span{e.Ts, e.Ts + e.Dur})
		}
	}
	for what, least := range map[string]int{"X request": 20, "i goes down": 1, "C requests in flight": model.TraceBins, "X ps call 0: answered": 1, "X computes": 20} {
		if found[what] < least {
			t.Errorf("%d times %q, want %d at least: %s", found[what], what, least, fmt.Sprint(found))
		}
	}
}
