package train_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/webpage/webpagetest"
	"github.com/monosim/monosim/runners/train"
)

// realtime is a plan of a job whose PS push to agents.
const realtime = `
for: 20m
run_config: {num_ps: 1, num_workers: 2, save_checkpoints_secs: 300, enable_parameter_sync: true, bzid: b, base_name: n}
runner_config: {unified_serving: true}
serving: {model: ctr, ps_replicas: 2}
`

// servedBy runs a plan and returns its report.
func servedBy(t *testing.T, text string, every time.Duration, acts ...runners.Act) *train.Report {
	t.Helper()
	plan, err := train.Read("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan.Every = every
	report, err := plan.Run(context.Background(), acts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func printed(r *train.Report) string {
	var b bytes.Buffer
	r.Print(&b)
	return b.String()
}

// Goal: every export comes to an address on every pod of its sub-graph, and between exports a pod is
// at most a round and a load behind. The limits follow from the reference's periods: agents bind
// every 30 s (agent_v3.py:181), and a PS pushes every 10 s (cpu_training.py:1759).
func TestWhatAJobExportsComesToAnAddress(t *testing.T) {
	r := servedBy(t, realtime, 0)
	s := r.Serving
	if s == nil || s.Pods != 3 || len(s.Exports) != 6 || len(s.Parameters) != 2 {
		t.Fatalf("got %+v, want 3 pods, 6 exports and the parameters of 2 pods", s)
	}
	for _, v := range s.Exports {
		pods := map[string]int{"ctr:entry": 1, "ctr:ps_0": 2}[v.Model]
		if v.Pods != pods || v.SavedSeconds > v.LoadedSeconds || v.LastLoadedSeconds > v.LastServedSeconds || v.LastServedSeconds-v.SavedSeconds > 60 {
			t.Errorf("got %+v, want it saved, loaded, and served by %d pods within a minute", v, pods)
		}
	}
	for _, p := range s.Parameters {
		if p.Failed > 0 || p.Pushes < 80 || p.MeanSeconds < 4 || p.MeanSeconds > 8 || p.WorstSeconds > 70 || p.EndSeconds > 10.1 || p.ServedSeconds < 880 {
			t.Errorf("got %+v, want a push every 10 s since the first binding", p)
		}
	}
	if got := printed(r); !strings.Contains(got, "from step to served address: ctr on 1 entry pod, 1 x 2 PS pods") || !strings.Contains(got, "checkpoints served       3 of 3") ||
		!strings.Contains(got, "age of the parameters of serving PS\n  ctr:ps_0   ps-shard0-replica0: ") {
		t.Errorf("got\n%s", got)
	}
}

// Goal: what is looked at changes nothing: samples leave a run and its numbers as they are.
func TestSamplesLeaveServingAsItIs(t *testing.T) {
	none, some := servedBy(t, realtime, 0), servedBy(t, realtime, 7*time.Second)
	if none.Trace != some.Trace || fmt.Sprint(none.Serving.Parameters) != fmt.Sprint(some.Serving.Parameters) {
		t.Errorf("got %s %v and %s %v, want the same", none.Trace, none.Serving.Parameters, some.Trace, some.Serving.Parameters)
	}
	oldest := 0.0
	for _, s := range some.Samples {
		oldest = max(oldest, s.ParametersAge)
	}
	if worst := max(some.Serving.Parameters[0].WorstSeconds, some.Serving.Parameters[1].WorstSeconds); oldest > worst || oldest < worst-7 {
		t.Errorf("got %g s at worst in samples, want that of the report, %g s, or a sample less", oldest, worst)
	}
	var series bytes.Buffer
	if err := some.WriteSeries(&series); err != nil || !strings.HasPrefix(series.String(), "at_s,") || !strings.Contains(series.String(), ",waiting,parameters_age_s,steps_missing\n") {
		t.Errorf("got %v, %.200s", err, series.String())
	}
}

// Goal: a plan without agents has no word of them.
func TestAPlanWithoutAgentsSaysNothingOfThem(t *testing.T) {
	text := strings.Replace(realtime, "serving: {model: ctr, ps_replicas: 2}\n", "", 1)
	r := servedBy(t, text, 0)
	if got := printed(r); r.Serving != nil || strings.Contains(got, "served address") || strings.Contains(got, "sync-round") || !strings.Contains(got, "without effect on a simulated job: runner_config unified_serving") {
		t.Errorf("got %+v\n%s", r.Serving, got)
	}
	if n, want := len(r.SweepRow()), len(train.SweepColumns); n != want {
		t.Errorf("got a row of %d columns, want %d", n, want)
	}
}

// Goal: a serving PS that is cut off lacks what was pushed meanwhile, on the report, in a row of a
// sweep, and with the first failure and the first success on the timeline.
func TestAServingPSThatIsCutOffLacksUpdates(t *testing.T) {
	cut := runners.Fault{Kind: "network.partition", From: []string{"ps0"}, To: []string{"ps-shard0-replica1"}}
	r := servedBy(t, strings.Replace(realtime, "secs: 300", "secs: 600", 1), 0,
		runners.Act{At: 15 * time.Minute, Until: 15 * time.Minute, Text: "cut", Do: func(c runners.Cluster) error { return c.BeginFault(cut) }},
		runners.Act{At: 16 * time.Minute, Until: 16 * time.Minute, Text: "whole", Do: func(c runners.Cluster) error { return c.EndFault(cut) }})
	well, cutOff := r.Serving.Parameters[0], r.Serving.Parameters[1]
	if well.Failed > 0 || cutOff.Failed < 5 || cutOff.WorstSeconds < 60 || cutOff.MissingSteps < well.MissingSteps+int64(60*2*0.8) || cutOff.EndSeconds > 10.1 {
		t.Errorf("got %+v and %+v, want the second to have missed a minute of two processes' steps, and to be pushed to again", well, cutOff)
	}
	var told []string
	for _, m := range r.Timeline {
		if m.AtSeconds > 900 && strings.HasPrefix(m.What, "push") {
			told = append(told, m.What)
		}
	}
	if fmt.Sprint(told) != "[push-failed pushed]" {
		t.Errorf("got %v on the timeline, want the first that failed and the first that did not", told)
	}
	if got := printed(r); !strings.Contains(got, "not sent again: its ids left their list before (Q331)") {
		t.Errorf("got no quirk in\n%s", got)
	}
	row := r.SweepRow()
	if len(row) != len(train.SweepColumns)+len(train.ServingColumns) || row[len(row)-2] != fmt.Sprint(cutOff.Failed) || row[len(row)-1] != fmt.Sprint(well.MissingSteps+cutOff.MissingSteps) {
		t.Errorf("got %v for %v", row, train.ServingColumns)
	}
}

// Goal: a plan whose agents get nothing says so.
func TestAgentsThatGetNothingAreSaid(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"agents of the other version", "runner_config: {unified_serving: true}", "", "parameter sync without unified_serving looks for agents of version 1"},
		{"another model", "unified_serving: true", "unified_serving: true, model_name: other", "parameter sync looks for the model other, and serving has ctr"},
		{"another model by a second name", "unified_serving: true", "unified_serving: true, deep_insight_name: other", "parameter sync looks for the model other, and serving has ctr"},
		{"a shard without a PS", "ps_replicas: 2", "ps_shards: 2", "serving: 1 of 2 shards of PS pods have no sub-graph: the job exports entry, ps_0"},
		{"nothing to say", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := train.Read("plan.yaml", []byte(strings.Replace(realtime, c.from, c.to, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(plan.Notes, "\n"); !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Goal: pods with a dense graph get it, and the job exports where it says.
func TestDensePodsAndAnotherDirectory(t *testing.T) {
	r := servedBy(t, "for: 8m\njob: {ps: 2, save_every: 2m, export_dir: /exports/rank}\nserving: {dense: 1, ps_shards: 2}", 0)
	models := map[string]bool{}
	for _, v := range r.Serving.Exports {
		if v.Pods == 1 {
			models[v.Model] = true
		}
	}
	if fmt.Sprint(models) != "map[rank:dense:true rank:entry:true rank:ps_0:true rank:ps_1:true]" || r.Serving.Pods != 4 || r.Serving.Parameters[0].Pushes != 0 {
		t.Errorf("got %v on %d pods", models, r.Serving.Pods)
	}
}

// Goal: a browser draws the age of parameters and a lane for each pod.
func TestABrowserDrawsThePageOfAJobThatIsServed(t *testing.T) {
	var page bytes.Buffer
	if err := servedBy(t, realtime, 5*time.Second).WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	webpagetest.AsksForNothing(t, page.String())
	count := webpagetest.Classes(t, page.String(), 1400)
	if count["plot"] < 6 || count["lane-loaded"] < 6 || count["lane-running"] < 6 || count["facts"] < 3 {
		t.Errorf("want six plots, six first loads, lives of three processes and three pods, and two tables more, got %v", count)
	}
}
