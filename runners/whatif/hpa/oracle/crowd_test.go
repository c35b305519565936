package oracle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/hpa"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

const second = int64(time.Second)

// crowd is the example plan flash.yaml: requests of 60 ms whose rate rises by a factor after
// two minutes, for containers of four cores.
type crowd struct {
	rate, factor float64
	from, until  int64
	before, span int64 // length of the window before from, and of the whole window
	max          int
}

const (
	cores = 4
	work  = 0.06
	begun = 4
	of    = 100 * int64(time.Millisecond) // step of the fluid model
)

// container is a fluid queue. Its backlog is in seconds of one core.
type container struct {
	hpa.Pod
	made, runs, ready int64 // when the pod is asked for, when its container starts, and when it is ready
	backlog           float64
	busy              map[int64]float64 // seconds of CPU time, by metrics window
}

// wait simulates the crowd with the real controller, and returns the mean wait of requests
// in the window. Requests are spread evenly over the containers and stay where they arrive.
func (c *crowd) wait(t *testing.T, seed uint64) (mean float64, series []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s2 := math.Log(1 + 0.25)
	config := hpa.Config{Min: begun, Max: c.max, Metrics: []hpa.Metric{{CPU: true, Target: 60}}, Request: cores * 1000, DownWindow: 5 * time.Minute, Tolerance: 0.1, Starting: 5 * time.Minute, ReadyDelay: 30 * time.Second}
	var list []*container
	for range begun {
		list = append(list, &container{Pod: hpa.Pod{Started: -3600 * second, Ready: true, Since: -3590 * second}, made: -3600 * second, runs: -3600 * second, ready: -3590 * second, busy: map[int64]float64{}})
	}
	waited, requests, now := 0.0, 0.0, int64(0)
	pass := func(to int64) {
		for ; now < to; now += of {
			rate := c.rate
			if now >= c.from && now < c.until {
				rate *= c.factor
			}
			ready := 0.0
			for _, one := range list {
				if one.ready <= now {
					ready++
				}
			}
			dt := float64(of) / 1e9
			for _, one := range list {
				if one.ready > now {
					continue
				}
				came := rate / ready * dt
				if now >= c.from-c.before && now < c.from+c.span {
					waited += came * one.backlog / cores
					requests += came
				}
				did := math.Min(one.backlog+came*work, cores*dt)
				one.backlog += came*work - did
				one.busy[now/(15*second)] += did
			}
		}
	}
	const interval = 15 * time.Second
	looks := int((c.from+c.span)/int64(interval)) + 1
	series = real(t, &config, interval, looks, func(k, asked int) *hpa.Look {
		at := int64(k) * int64(interval)
		if k > 0 { // pods that the look before this one has decided on
			for len(list) < asked {
				runs := now + 30*second
				boot := math.Exp(math.Log(20) - s2/2 + math.Sqrt(s2)*rng.NormFloat64())
				list = append(list, &container{made: now, runs: runs, ready: runs + int64(boot*1e9) + 1030*int64(time.Millisecond), busy: map[int64]float64{}})
			}
			list = list[:asked]
		}
		pass(at)
		if k >= looks {
			return nil
		}
		l := &hpa.Look{At: at, Replicas: len(list), Stamp: at}
		for _, one := range list {
			p := hpa.Pod{Pending: one.runs > at, Started: one.runs, Ready: one.ready <= at, Since: one.runs, Window: 15 * second, Values: []int64{-1}}
			if p.Ready {
				p.Since = one.ready
			}
			if from := max(at-15*second, one.runs, 0); !p.Pending && at-from >= 10*second {
				p.Window = at - from
				p.Values[0] = int64(math.Ceil(one.busy[at/(15*second)-1]/float64(at-from)*1e12 - 1e-6))
			}
			l.Pods = append(l.Pods, p)
		}
		return l
	})
	pass(c.from + c.span)
	return waited / requests, series
}

// Goal: requests wait as long in the model as with the real controller. Method: crowds of
// three and five times the load. The model is compared with fluid queues that the real
// controller scales, with the same distribution of container start times. Mean waits must
// agree within a tenth.
func TestACrowdWaitsAsLongAsItDoesWithKubernetes(t *testing.T) {
	const runs = 16
	for _, c := range []crowd{
		{rate: 100, factor: 3, from: 120 * second, until: 360 * second, before: 10 * second, span: 120 * second, max: 20},
		{rate: 100, factor: 5, from: 120 * second, until: 480 * second, before: 10 * second, span: 300 * second, max: 40},
	} {
		fluid := 0.0
		var series []int
		for seed := range uint64(runs) {
			one, s := c.wait(t, seed)
			fluid += one / runs
			series = s
		}
		text := fmt.Sprintf(`apiVersion: capacity/v1
model: {size: {embeddings: 10GiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: 2, num_shard: 2}
fleet:
  entry: {replicas: %d, cpu: %d, mem: 16GiB}
  ps: {replicas: 4, cpu: 4, mem: 24GiB}
  boot: {schedule: "lognormal(mean=20s, cv=0.5)", model_load: 1GiB/s}
service:
  entry: {cpu: "gamma(mean=60ms, cv=0.4)"}
  ps: {cpu: "gamma(mean=1ms, cv=0.5)"}
workload: {rate: %g/s, horizon: 10m, detail: {windows: ["each incident -%ds..+%ds"]}}
autoscale: {entry: {target: 60%%, min: %d, max: %d, scrape_delay: 0s, provision: det(30s)}}
events: [{at: 2m, traffic: {factor: %gx}, for: %ds}]
`, begun, cores, c.rate, c.before/second, c.span/second, begun, c.max, c.factor, (c.until-c.from)/second)
		_, p, _, err := plan.Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		spec := model.Compile(p, model.Condition{})
		sum, n := 0.0, 0.0
		for k := range runs {
			s, err := spec.Run(0, k)
			if err != nil {
				t.Fatal(err)
			}
			sum += float64(s.SumNs)
			n += float64(s.Completed)
		}
		wait := sum/n/1e9 - 0.0615 // without a queue
		t.Logf("x%g: mean wait %.2f s, beside the fluid %.2f s (%+.1f %%); the last of its runs %v", c.factor, wait, fluid, (wait/fluid-1)*100, series)
		if math.Abs(wait/fluid-1) > 0.1 {
			t.Errorf("x%g: mean wait %.2f s, beside the fluid %.2f s: want within a tenth", c.factor, wait, fluid)
		}
	}
}
