package steps_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

func scriptSpec() runners.Spec {
	return runners.Spec{
		Seed: 1, Conf: runners.ConfV3, Shards: 1, Replicas: 2, Detail: true,
		Models: []runners.Model{{Name: "ctr", BasePath: "/store/ctr", SubGraphs: []runners.SubGraph{{Name: "entry", SizeBytes: 1000, Versions: []int64{1}}}}},
	}
}

// Goal: at its times, a script does what the same steps of a scenario would do. Method: play a
// script in the order of time, and look at when faults began and ended, and where a version was
// exported to.
func TestAScriptActsAtItsTimes(t *testing.T) {
	lines := steps.ScriptLines("x.script", `
# an outage of half an hour
20m: ZooKeeper is down for 30m
t+10m: version 2 of ctr:entry is exported
15m: version 2 of ctr:entry breaks for 1h
	70m: for 30s every pod runs
`)
	acts, err := steps.ReadScript(lines, &simrun.Runner{}, scriptSpec(), 2*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&simrun.Runner{}).Build(scriptSpec())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for _, a := range acts {
		if _, err := c.Pass(a.At-c.Now(), nil); err != nil {
			t.Fatal(err)
		}
		if err := a.Do(c); err != nil || c.Now() != a.Until {
			t.Errorf("%s: got error %v and %v, want it over at %v", a.Text, err, c.Now(), a.Until)
		}
	}
	if _, err := c.Pass(time.Hour, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range c.Log() {
		if strings.HasPrefix(o.Op, "fault.") {
			got = append(got, strings.TrimSpace(o.At.String()+" "+o.Op+" "+o.Path+" "+o.Note))
		}
	}
	want := []string{
		"15m0s fault.begin version.broken /store/ctr/entry 2", "20m0s fault.begin zookeeper.down",
		"50m0s fault.end zookeeper.down", "1h15m0s fault.end version.broken /store/ctr/entry 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestAnAssertionOfAScriptFails(t *testing.T) {
	acts, err := steps.ReadScript([]steps.ScriptLine{{Where: "--at", Text: "1s: shard0-replica1 has ended"}}, &simrun.Runner{}, scriptSpec(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&simrun.Runner{}).Build(scriptSpec())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Pass(time.Second, nil); err != nil {
		t.Fatal(err)
	}
	if err := acts[0].Do(c); err == nil || !strings.Contains(err.Error(), "shard0-replica1") {
		t.Errorf("an assertion that does not hold: got %v, want an error about shard0-replica1", err)
	}
}

func TestAScriptThatMakesNoSenseIsRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"soon: ZooKeeper is down", `x:1: found "soon", want a time of the run, a colon and a sentence`},
		{"ZooKeeper is down", `want a time of the run, a colon and a sentence`},
		{"-5m: ZooKeeper is down", "want a time of the run"},
		{"3h: ZooKeeper is down", "x:1: found 3h0m0s, want a time before the end of the run at 2h0m0s"},
		{"1h: ZooKeeper falls over", "no sentence says\n    ZooKeeper falls over\n  did you mean"},
		{"1h: ZooKeeper is down for 10minutes", "{duration} takes a time"},
		{"1h: 10m pass", "want no time to pass but by the times of the script"},
		{"1h: a v3 cluster of 1 shard with 1 replica", "want something that is done to a cluster that runs"},
		{"1h: the agent of shard0-replica2 is killed", "found shard0-replica2, want one of the cluster: shard0-replica0, shard0-replica1"},
		{"1h: shard0-replica0 is cut off from idc hl", "idc: found hl, want one that has a pod: lf"},
		{"1h: for 2h every pod runs", "want an end before that of the run"},
		{"1h: ctr:entry is declared with policy \"newest\"", `version policy: found "newest"`},
		{"1h: for 10m every pod runs\n1h5m: ZooKeeper is down", `x:2: found "ZooKeeper is down" at 1h5m0s, want nothing before 1h10m0s, until when "for 10m every pod runs" of x:1 waits`},
	} {
		_, err := steps.ReadScript(steps.ScriptLines("x", c.text), &simrun.Runner{}, scriptSpec(), 2*time.Hour)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.text, err, c.want)
		}
	}
}

// Goal: a line of a script that changes nothing, or that is true whatever happens, is refused. Method:
// such a line beside the same line in a script or for a job where it has an effect.
func TestALineWithoutEffectIsRefused(t *testing.T) {
	plain := func(*runners.TrainingSpec) {}
	for _, c := range []struct {
		text, want string
		has        func(job *runners.TrainingSpec) // makes a job in which the line has an effect
		with       string                          // further lines without which it has none; "" if it needs none
	}{
		{"1h: the training starts", "want a line about a run that has started", nil, ""},
		{"2h: ps0 is killed", "found 2h0m0s, want a time before the end of the run at 2h0m0s", plain, "1h: ps0 is killed"},
		{"1h: the next 0 writes of a checkpoint fail", `found 0 in "the next 0 writes of a checkpoint fail", want more than 0`, plain, "1h: the next 1 write of a checkpoint fails"},
		{"1h: a checkpoint takes 0s to write", `found 0s in "a checkpoint takes 0s to write", want more than 0`, plain, "1h: a checkpoint takes 2s to write"},
		{"1h: ZooKeeper goes down for 0s", `found "ZooKeeper goes down for 0s", want a time above 0`, plain, "1h: ZooKeeper goes down for 1s"},
		{"1h: ps0 goes on", `found "ps0 goes on" at 1h0m0s, want a line before it with what it ends, as "{trainer} stops"`, plain, "1h: ps0 goes on\n30m: ps0 stops"},
		{"1h: ps0 goes on\n30m: ps1 stops", `x:1: found "ps0 goes on" at 1h0m0s`, plain, "1h: ps1 goes on\n30m: ps1 stops"},
		{"1h: ps0 goes on\n30m: ps0 stops for 10m", `x:1: found "ps0 goes on" at 1h0m0s`, plain, "1h: ps0 goes on\n30m: ps0 stops for 40m"},
		{"1h: ps0 goes on\n30m: ps0 stops\n40m: ps0 goes on", `x:1: found "ps0 goes on" at 1h0m0s`, plain, "40m: ps0 goes on\n30m: ps0 stops"},
		{"30m: ps0 stops\n40m: ps0 stops", `x:2: found "ps0 stops" at 40m0s, want it once that of 30m0s has ended`, plain, "30m: ps0 stops for 5m\n40m: ps0 stops"},
		{"1h: ZooKeeper elects a leader", `found "ZooKeeper elects a leader" at 1h0m0s`, plain, "50m: ZooKeeper becomes read-only\n1h: ZooKeeper elects a leader"},
		{"1h: ZooKeeper gets cut off from ZooKeeper", "places: found ZooKeeper twice, want two that are apart", nil, ""},
		{"1h: the memory of ps0 comes to 3 MB", "want a job with one (ps_memory_limit)", func(job *runners.TrainingSpec) { job.PSMemoryLimit = 2e6 }, ""},
		{"1h: the application master becomes unreachable for 1m", "want a training job with one (application_master: true)", func(job *runners.TrainingSpec) { job.ApplicationMaster = true }, ""},
		{"1h: the application was reported as \"failed\" 0 times", "want a training job with one (application_master: true)", func(job *runners.TrainingSpec) { job.ApplicationMaster = true }, ""},
		{"1h: 0 evaluations were made", "want a job with one (evaluator: true)", func(job *runners.TrainingSpec) { job.Evaluator = true }, ""},
		{"1h: discovery does not have ps0", "want a training job whose processes register themselves", nil, ""},
		{"1h: ps0 loses ZooKeeper for 1m", "found ps0, want one that uses ZooKeeper", func(job *runners.TrainingSpec) { job.ParameterSync = true }, ""},
		{"1h: the ZooKeeper session of worker1 expires", "found worker1, want one that uses ZooKeeper", func(job *runners.TrainingSpec) { job.Discovery = "" }, ""},
		{"1h: the parameter sync of ps0 goes on", "want a training job with it (parameter_sync: true)", func(job *runners.TrainingSpec) { job.ParameterSync = true }, ""},
		{"1h: ps0 has tried again 0 times", "found ps0, want one of role worker", plain, "1h: chief has tried again 0 times"},
		{"1h: worker1 was reported as not healthy 0 times", "found worker1, want one of role ps", plain, "1h: ps1 was reported as not healthy 0 times"},
		{"1h: the operator's call is not answered", "want a line in which the operator begins to call", plain, "1h: the operator's call is not answered\n50m: the operator begins to call StopTraining"},
		{"1h: arrival 1 is answered with \"x\"", "want a line in which a worker arrives", plain, "1h: arrival 1 is answered with \"x\"\n50m: worker 0 of 1 arrives at the PS barrier x for 1s"},
	} {
		read := func(text string, change func(job *runners.TrainingSpec)) error {
			spec := scriptSpec() // a cluster with agents, which also use ZooKeeper
			spec.Training = &runners.TrainingSpec{Workers: 1, PS: 2, Discovery: "primus"}
			change(spec.Training)
			_, err := steps.ReadScript(steps.ScriptLines("x", text), &simrun.Runner{}, spec, 2*time.Hour)
			return err
		}
		if err := read(c.text, plain); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", c.text, err, c.want)
		}
		if text := c.with; c.has != nil {
			if text == "" {
				text = c.text
			}
			if err := read(text, c.has); err != nil {
				t.Errorf("%s, where it has an effect: got %v", text, err)
			}
		}
	}
}
