package freshness_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun/freshness"
)

// told is a meter that is told of a run, a line for each observation, as
// "20 ps0 training.sync-round - 5 steps".
func told(lines ...string) *freshness.Meter {
	m := freshness.New(func(addr string) string {
		pod, _, _ := strings.Cut(addr, ":")
		return pod
	})
	for _, line := range lines {
		var o runners.Observation
		words := strings.SplitN(line, " ", 5)
		seconds := 0.0
		if _, err := fmt.Sscan(words[0], &seconds); err != nil {
			panic(err)
		}
		o.At, o.Pod, o.Op, o.Path = time.Duration(seconds*float64(time.Second)), words[1], words[2], words[3]
		if len(words) > 4 {
			o.Note = words[4]
		}
		m.Observe(o)
	}
	return m
}

// These are moments of one PS and the pod a.
const (
	saved    = "10 chief training.saved /train/model/model.ckpt-30"
	exported = "11 chief training.exported /models/ctr/ps_0/7 step 30"
	loaded   = "14 a modelserver.state ctr:ps_0/7 AVAILABLE"
	bound    = "16 a zookeeper.create /gip/binding/ctr/ps_0:c:a ephemeral"
	missed   = "15 ps0 training.sync-round - 4 steps"
	round    = "20 ps0 training.sync-round - 5 steps"
	pushed   = "20 ps0 training.pushed a:1 5 steps to ctr:ps_0"
	failed   = "23 ps0 training.push-failed a:1 5 steps to ctr:ps_0: DEADLINE_EXCEEDED: Deadline Exceeded"
	idle     = "30 ps0 training.sync-round - 0 steps"
	killed   = "32 a process.exit tensorflow_model_server code -9"
	again    = "50 a modelserver.state ctr:ps_0/7 AVAILABLE"
)

// Goal: ages, missing steps and pushes are those of the run, at 40 s. The expected values follow from
// the definitions in the package comment; an age grows by a second each second.
func TestParametersAreAsOldAsTheirNewestPush(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []freshness.Parameters
	}{
		{"nothing", nil, []freshness.Parameters{}},
		{"an entry has none", []string{"14 a modelserver.state ctr:entry/7 AVAILABLE"}, []freshness.Parameters{}},
		{"a version", []string{saved, exported, loaded}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", MeanSeconds: 17, WorstSeconds: 30, EndSeconds: 30, ServedSeconds: 26}}},
		{"a version from before the run", []string{loaded}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", MeanSeconds: 27, WorstSeconds: 40, EndSeconds: 40, ServedSeconds: 26}}},
		{"a round before anybody is bound", []string{saved, exported, loaded, missed}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", MeanSeconds: 17, WorstSeconds: 30, EndSeconds: 30, ServedSeconds: 26, MissingSteps: 4, MostMissingSteps: 4}}},
		// integral of the age: (4+10)/2 for 6 s, and 20/2 for 20 s
		{"a push", []string{saved, exported, loaded, missed, round, pushed}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", Pushes: 1, MeanSeconds: (7*6 + 10*20) / 26.0, WorstSeconds: 20, EndSeconds: 20, ServedSeconds: 26, MissingSteps: 4, MostMissingSteps: 4}}},
		{"a push that fails", []string{saved, exported, loaded, round, failed}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", Failed: 1, MeanSeconds: 17, WorstSeconds: 30, EndSeconds: 30, ServedSeconds: 26, MissingSteps: 5, MostMissingSteps: 5}}},
		// if nothing is new, the pod has everything
		{"a round without a step", []string{saved, exported, loaded, round, pushed, idle}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", Pushes: 1, MeanSeconds: (7*6 + 5*10 + 5*10) / 26.0, WorstSeconds: 10, EndSeconds: 10, ServedSeconds: 26}}},
		{"a round without a step after a push that failed", []string{saved, exported, loaded, round, failed, idle}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", Failed: 1, MeanSeconds: 17, WorstSeconds: 30, EndSeconds: 30, ServedSeconds: 26, MissingSteps: 5, MostMissingSteps: 5}}},
		{"a push that brings what one before it did not", []string{saved, exported, loaded, missed, "15 ps0 training.push-failed a:1 4 steps to ctr:ps_0: UNAVAILABLE", round, "20 ps0 training.pushed a:1 9 steps to ctr:ps_0"}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", Pushes: 1, Failed: 1, MeanSeconds: (7*6 + 10*20) / 26.0, WorstSeconds: 20, EndSeconds: 20, ServedSeconds: 26, MostMissingSteps: 4}}},
		// parameters older than the version's checkpoint were not missing
		{"a push that brings what the version has", []string{"8 ps0 training.sync-round - 3 steps", saved, exported, loaded, missed, "15 ps0 training.push-failed a:1 7 steps to ctr:ps_0: UNAVAILABLE", round, "20 ps0 training.pushed a:1 12 steps to ctr:ps_0"}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", Pushes: 1, Failed: 1, MeanSeconds: (7*6 + 10*20) / 26.0, WorstSeconds: 20, EndSeconds: 20, ServedSeconds: 26, MostMissingSteps: 4}}},
		{"a server that ends", []string{saved, exported, loaded, round, pushed, killed}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", Pushes: 1, MeanSeconds: (7*6 + 6*12) / 18.0, WorstSeconds: 12, EndSeconds: -1, ServedSeconds: 18}}},
		{"a version that is loaded after a round", []string{saved, exported, round, "21 a modelserver.state ctr:ps_0/7 AVAILABLE"}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", MeanSeconds: 20.5, WorstSeconds: 30, EndSeconds: 30, ServedSeconds: 19, MissingSteps: 5, MostMissingSteps: 5}}},
		{"a version that goes", []string{saved, exported, loaded, "20 a modelserver.state ctr:ps_0/7 UNLOADING"}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", MeanSeconds: 7, WorstSeconds: 10, EndSeconds: -1, ServedSeconds: 6}}},
		{"an older version that goes", []string{saved, exported, loaded, "20 a modelserver.state ctr:ps_0/6 UNLOADING"}, []freshness.Parameters{{Pod: "a", Model: "ctr:ps_0", MeanSeconds: 17, WorstSeconds: 30, EndSeconds: 30, ServedSeconds: 26}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(c.lines...).Parameters(40*time.Second)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: a server that comes back has its checkpoint, and misses what was pushed since.
func TestAServerThatComesBackMissesWhatWasPushed(t *testing.T) {
	m := told(saved, exported, loaded, round, pushed, killed, again)
	age, missing, err := m.Age("a", "ctr:ps_0", 50*time.Second)
	if err != nil || age != 40*time.Second || missing != 5 {
		t.Errorf("got %v, %d steps missing, %v, want 40s, 5", age, missing, err)
	}
	if _, _, err := m.Age("b", "ctr:ps_0", 50*time.Second); err == nil {
		t.Error("got an age of a pod that serves nothing")
	}
}

// Goal: an export is served where it is loaded and bound, whichever comes last.
func TestAnExportIsServedWhereItIsLoadedAndBound(t *testing.T) {
	none := freshness.Version{Model: "ps_0", Version: 7, Step: 30, SavedSeconds: 10, ExportedSeconds: 11, LoadedSeconds: -1, LastLoadedSeconds: -1, ServedSeconds: -1, LastServedSeconds: -1}
	some := none
	some.Model, some.LoadedSeconds, some.LastLoadedSeconds = "ctr:ps_0", 14, 14
	first := some
	first.ServedSeconds, first.LastServedSeconds, first.Pods = 16, 16, 1
	both := first
	both.LastLoadedSeconds, both.LastServedSeconds, both.Pods = 18, 18, 2
	other := "12 b zookeeper.create /gip/binding/ctr/ps_0:c:b ephemeral"
	for _, c := range []struct {
		name  string
		lines []string
		want  freshness.Version
	}{
		{"nobody has it", []string{saved, exported}, none},
		{"loaded", []string{saved, exported, loaded}, some},
		{"bound", []string{saved, exported, loaded, bound}, first},
		{"bound twice", []string{saved, exported, loaded, bound, "17 a zookeeper.create /gip/binding/ctr/ps_0:c:a ephemeral"}, first},
		{"bound in vain", []string{saved, exported, loaded, "16 a zookeeper.create /gip/binding/ctr/ps_0:c:a NodeExistsError"}, some},
		{"another that was bound before", []string{saved, exported, other, loaded, bound, "18 b modelserver.state ctr:ps_0/7 AVAILABLE"}, both},
		{"one that comes back with it", []string{saved, exported, loaded, bound, killed, again}, first},
		{"one whose binding went before", []string{saved, exported, other, "13 b zookeeper.delete /gip/binding/ctr/ps_0:c:b with its session", loaded, bound, "18 b modelserver.state ctr:ps_0/8 AVAILABLE"}, first},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff([]freshness.Version{c.want}, told(c.lines...).Versions()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
