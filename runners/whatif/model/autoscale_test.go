package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/hpa"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// scaled is a plan with containers of four cores for requests of 60 ms, and an autoscaler.
const scaled = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: 60s}
fleet:
  idcs: [{name: hl}, {name: lf}]
  entry: {replicas: REPLICAS, cpu: 4, mem: 16GiB}
  ps: {replicas: 2, cpu: 4, mem: 24GiB}
  boot: {schedule: "lognormal(mean=20s, cv=0.5)", model_load: 1GiB/s}
service:
  entry: {cpu: "gamma(mean=60ms, cv=0.4)"}
  ps: {cpu: 1ms}
workload: {rate: RATE/s, horizon: 12m}
autoscale: {entry: {target: 60%, min: 1, max: 40, scrape_delay: 0s, provision: det(30s)}}
`

func lifeOf(t *testing.T, replicas, rate int, more string, change ...string) *Life {
	t.Helper()
	text := strings.NewReplacer(append([]string{"REPLICAS", fmt.Sprint(replicas), "RATE", fmt.Sprint(rate)}, change...)...).Replace(scaled) + more
	_, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Compile(p, Condition{}).Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Conserved || !s.Fits() || s.Little > 1e9 {
		t.Errorf("conserved %v, fits %v, Little %d: %+v", s.Conserved, s.Fits(), s.Little, s.Calls)
	}
	return &s.Life
}

func stepsOf(l *Life) string {
	var list []string
	for _, s := range l.Scalings {
		list = append(list, fmt.Sprintf("%d>%d %v", s.From, s.To, time.Duration(s.At)))
	}
	return strings.Join(list, ", ")
}

// Goal: an autoscaler measures load, with the same tolerance, windows and limits as the real
// one. Method: fleets for which the decisions of the real autoscaler, next to a fluid queue,
// were recorded.
func TestAnAutoscalerMeasures(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	for _, c := range []struct {
		name           string
		replicas, rate int
		more           string
		want           string
	}{
		{"within the tolerance", 10, 403, "", ""},
		{"within the tolerance, nearer to its end", 10, 432, "", ""},
		{"hardly anything to do", 10, 20, "", "10>1 5m15s"},
	} {
		if got := stepsOf(lifeOf(t, c.replicas, c.rate, c.more)); got != c.want && !(c.want != "" && strings.HasPrefix(got, c.want+",")) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	// 380 requests of 96 ms a second use 91 % of 40 cores. 10 x 91 / 60 gives 15.2 containers.
	if l := lifeOf(t, 10, 380, "events: [{at: 0s, slow: {entry: {count: 10, factor: 1.6x}}}]\n"); len(l.Scalings) == 0 || l.Scalings[0].At != 15e9 || l.Scalings[0].To < 15 || l.Scalings[0].To > 16 {
		t.Errorf("slow containers: got %s, want 10>16, or 15 by what is drawn, at 15 s", stepsOf(l))
	}
	// The load is six times what one container can do. The autoscaler sees at most 100 %, so it
	// adds two thirds at a time.
	l := lifeOf(t, 1, 600, "")
	if len(l.Scalings) < 8 || l.Scalings[0].To != 2 || l.Scalings[1].To != 4 || l.Scalings[1].At < int64(75*time.Second) {
		t.Errorf("far too few: got %s, want 1>2, 2>4 once those are ready, and so on", stepsOf(l))
	}
	for _, s := range l.Scalings {
		if s.Percent > 100 || float64(s.To) > 1.67*float64(s.From)+1 {
			t.Errorf("%d>%d, at %d %% of cpu", s.From, s.To, s.Percent)
		}
	}
}

// Goal: if half of the fleet is lost, the autoscaler adds nothing, because containers that
// report nothing count as idle. Method: a fleet whose other half cannot serve the load,
// compared with a fleet that loses three of ten.
func TestHalfOfTheFleetIsLostAndNothingIsAdded(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	l := lifeOf(t, 10, 400, "events: [{at: 2m, lose_idc: lf, for: 3m}]\n")
	for _, s := range l.Scalings {
		if s.At >= int64(2*time.Minute) && s.At < int64(5*time.Minute) {
			t.Errorf("got %s, want nothing while half is away", stepsOf(l))
		}
	}
	if len(l.Holds) == 0 || l.Holds[0].Why != string(hpa.Missing) || l.Holds[0].Report != 5 || l.Holds[0].Of != 10 || l.Holds[0].To-l.Holds[0].From < int64(2*time.Minute) || l.Holds[0].Percent < 95 {
		t.Errorf("got %+v, want it told: 5 of 10 report, for minutes, at 100 %%", l.Holds)
	}
	if l := lifeOf(t, 10, 400, "events: [{at: 2m, kill: {entry: {count: 3}}, restart_after: 5m}, {at: 2m, traffic: {factor: 1.3x}}]\n"); len(l.Scalings) == 0 || l.Scalings[0].At > int64(3*time.Minute) || l.Scalings[0].To != 12 {
		t.Errorf("three of ten lost, and the others full: got %s, want 10>12", stepsOf(l))
	}
}

// Goal: without a stabilization window an autoscaler may scale up and down repeatedly.
// Method: load pulses that are longer than the metrics' windows, with and without a
// stabilization window.
func TestAnAutoscalerFlapsWithoutItsWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	pulses := "events:\n"
	for k := range 5 {
		pulses += fmt.Sprintf("  - {at: %ds, traffic: {factor: 3x}, for: 60s}\n", 60+120*k)
	}
	turns := func(l *Life) (n int) {
		for k := 1; k < len(l.Scalings); k++ {
			a, b := l.Scalings[k-1], l.Scalings[k]
			if (a.To > a.From) != (b.To > b.From) {
				n++
			}
		}
		return n
	}
	without, with := lifeOf(t, 4, 100, pulses, "scrape_delay: 0s", "scrape_delay: 0s, stabilise_down: 0s"), lifeOf(t, 4, 100, pulses)
	if turns(without) < 6 || turns(with) > 1 {
		t.Errorf("without its window it turns %d times (%s), with it %d times (%s)", turns(without), stepsOf(without), turns(with), stepsOf(with))
	}
}

// Goal: an autoscaler sees the real load. Method: a fleet with known load, for each metric,
// with requested cores that differ from the actual ones, and for the tier ps.
func TestWhatAnAutoscalerLooksAt(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	for _, c := range []struct{ name, target, want string }{
		{"requests a second", "metric: qps, target: 20/s", "4>5 15s"},
		{"requests a second, enough of them", "metric: qps, target: 25/s", ""},
		{"cores that are requested", "target: 60%, request: 2", "4>5 15s"},
		{"the one that asks for most", "metrics: [{metric: cpu, target: 90%}, {metric: qps, target: 20/s}]", "4>5 15s"},
		{"nobody waits", "metric: queue, target: 3", "4>1 5m15s"},
	} {
		got := stepsOf(lifeOf(t, 4, 100, "", "target: 60%", c.target))
		if got != c.want && !strings.HasPrefix(got, c.want+",") || c.want == "" && got != "" {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	// From 1m on, the load is half as much again as the containers can serve, so that hundreds of
	// calls wait at each of them after one metrics window. The look that first sees this doubles
	// the number of containers, and so does the next one. Without a scrape delay the first of these
	// looks comes at once.
	for _, c := range []struct{ delay, want string }{{"0s", "4>8 1m15s, 8>16 1m30s"}, {"5s", "4>8 1m30s, 8>16 1m45s"}, {"20s", "4>8 1m45s, 8>16 2m0s"}} {
		got := stepsOf(lifeOf(t, 4, 100, "events: [{at: 1m, traffic: {factor: 4x}}]\n", "scrape_delay: 0s", "scrape_delay: "+c.delay, "target: 60%", "metric: queue, target: 3"))
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("queues, %s late: got %s, want %s", c.delay, got, c.want)
		}
	}
	l := lifeOf(t, 4, 100, "  ps: {metric: qps, target: 20/s, min: 1, max: 9, scrape_delay: 0s}\n", "autoscale: {entry: {target: 60%, min: 1, max: 40, scrape_delay: 0s, provision: det(30s)}}", "autoscale:")
	if len(l.Scalings) == 0 || l.Scalings[0].Tier != PS || l.Scalings[0].To != 4 {
		t.Errorf("ps by requests: got %s, want 2>4 and 5", stepsOf(l))
	}
}

// Goal: what happens to links happens with an autoscaler, too, whatever became of its containers. Method: a cut
// after the first container was taken away and started anew.
func TestALinkIsCutWithAnAutoscaler(t *testing.T) {
	_, p, _, err := plan.Parse("plan.yaml", []byte(`apiVersion: capacity/v1
model: {size: {embeddings: 1GB}, ram_factor: 1x}
fleet:
  idcs: [{name: lf}, {name: hl}]
  entry: {replicas: 2, cpu: 1, mem: 16GiB}
  ps: {replicas: 2, cpu: 1, mem: 16GiB}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 1/s, horizon: 1m}
autoscale: {entry: {min: 1, max: 3}}
events: [{at: 10s, for: 10s, partition: {between: [lf, hl]}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	w := Compile(p, Condition{}).world(0, 0)
	defer w.clock.Close()
	w.servers[0].pod.boot += 2
	w.history.happen(0)
	w.tape = w.history.list
	for k := range w.tape {
		if w.tape[k].what == cuts && w.tape[k].value == 1 {
			w.changed(uint64(k))
		}
	}
	if w.cut == nil || !w.cut[0][1] {
		t.Error("the link is not cut")
	}
}

// Goal: an autoscaler that knows the offered load follows it down and up again. Method: 160 requests
// a second need four containers of four cores at 60 %, and half of them need two.
func TestAnAutoscalerThatKnowsTheLoadFollowsIt(t *testing.T) {
	l := lifeOf(t, 4, 160, "events: [{at: 2m, traffic: {factor: 0.5x}, for: 6m}]\n", "target: 60%", "metric: offered, target: 60%, stabilise_down: 60s")
	var live []int
	for _, s := range l.Live[Entry] {
		live = append(live, s.N)
	}
	if fmt.Sprint(live) != "[4 2 3 4]" {
		t.Errorf("containers that live: got %v (%+v), want 4, then 2, and 3 and 4 as they come up", live, l.Live[Entry])
	}
}
