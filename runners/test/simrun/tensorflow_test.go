package simrun_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// recordedRun is a run of real TensorFlow, recorded by testdata/tensorflow.py: a chief, a
// worker and two PS at fixed addresses. Its times are in seconds since the first act.
type recordedRun struct {
	Case     string
	FailFast bool `json:"fail_fast"`
	Acts     []struct {
		T        float64
		Who, Act string
	}
	Processes map[string][]struct {
		T           float64
		What, Error string
		Step        int64
	}
}

// outcome holds what must be equal in a recorded run and its simulation. Times and step
// counts may differ, because they depend on the machine.
type outcome struct {
	// StepsOn says whether steps were made while the killed process was gone. WentBack says
	// whether the step count ever went back.
	StepsOn, WentBack bool
	// Errors lists the distinct errors that each process reported.
	Errors map[string][]string
}

// settling is the time in seconds after which a process that is gone takes part in no step
// any more.
const settling = 3

func (r *recordedRun) outcome() outcome {
	o := outcome{Errors: map[string][]string{}}
	for name, events := range r.Processes {
		last := int64(0)
		for _, e := range events {
			switch {
			case e.What == "retry" || e.What == "failed":
				o.tell(strings.TrimSuffix(strings.ReplaceAll(name, "worker0", "worker1"), "0"), e.What+" "+e.Error)
			case e.What == "step":
				o.StepsOn = o.StepsOn || e.T > settling && e.T < r.Acts[1].T
				o.WentBack = o.WentBack || e.Step < last
				last = e.Step
			}
		}
	}
	return o
}

func (o *outcome) tell(who, what string) {
	if !slices.Contains(o.Errors[who], what) {
		o.Errors[who] = append(o.Errors[who], what)
	}
}

// simulated repeats the acts of a recorded run in the simulation, and returns the outcome.
func (r *recordedRun) simulated(t *testing.T) outcome {
	t.Helper()
	retries, o := 6, outcome{Errors: map[string][]string{}}
	spec := runners.Spec{Seed: 1, Training: &runners.TrainingSpec{
		Workers: 1, PS: 2, Discovery: "primus", StepTime: 100 * time.Millisecond, SaveEvery: 5 * time.Second, SaveTime: 50 * time.Millisecond,
		MaxPending: time.Second, RetryWait: 5 * time.Second, MaxRetries: &retries, FailFast: &r.FailFast,
	}}
	began := time.Duration(0)
	built, err := (&simrun.Runner{OnObservation: func(s runners.Observation) {
		if op, ok := strings.CutPrefix(s.Op, "training."); ok && began > 0 && (op == "retry" || op == "failed") {
			// the reference's own check of its nodes, which the recorded job does not have
			if class, _, _ := strings.Cut(s.Note, ":"); class != "NodeAliveCheckerError" {
				o.tell(s.Pod, op+" "+class)
			}
		}
	}}).Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	c := built.(*simrun.Cluster)
	defer c.Close()
	if err := c.StartTraining(); err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	until := func(end time.Duration) int64 {
		for c.Now() < end {
			if _, err := c.Pass(min(time.Second, end-c.Now()), nil); err != nil {
				t.Fatal(err)
			}
			if step := c.TrainingStatus().GlobalStep; step >= 0 && began > 0 {
				o.WentBack = o.WentBack || step < last
				last = step
			}
		}
		return last
	}
	until(100 * time.Second)
	began = c.Now()
	last = c.TrainingStatus().GlobalStep
	for i, a := range r.Acts {
		before := last
		if i == 1 {
			before = until(began + settling*time.Second)
		}
		step := until(began + time.Duration(a.T*float64(time.Second)))
		o.StepsOn = o.StepsOn || i == 1 && step > before
		name := strings.ReplaceAll(strings.ReplaceAll(a.Who, "worker0", "worker1"), "chief0", "chief")
		switch a.Act {
		case "kill":
			err = c.BeginFault(runners.Fault{Kind: "trainer.killed", Pod: name})
		case "stop":
			err = c.BeginFault(runners.Fault{Kind: "trainer.stopped", Pod: name})
		case "cont":
			err = c.EndFault(runners.Fault{Kind: "trainer.stopped", Pod: name})
		case "start":
			err = c.StartTrainer(name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// Goal: when a process dies, a simulated job behaves as a job of real TensorFlow. Method:
// repeat the recorded runs. Compare which process reported which errors, whether steps
// continued, and whether the step count went back.
func TestJobsFailAsTensorFlowsDo(t *testing.T) {
	data, err := os.ReadFile("testdata/tensorflow.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Cases []recordedRun }
	if err := json.Unmarshal(data, &recorded); err != nil || len(recorded.Cases) == 0 {
		t.Fatalf("found %d cases, %v", len(recorded.Cases), err)
	}
	for _, r := range recorded.Cases {
		if slices.ContainsFunc(r.Acts, func(a struct {
			T        float64
			Who, Act string
		}) bool {
			return a.Act == "stop" && !strings.HasPrefix(a.Who, "ps") || a.Act == "end"
		}) {
			continue // no simulated process is told to end, and of the processes that are stopped only a PS is
		}
		t.Run(r.Case, func(t *testing.T) {
			if diff := cmp.Diff(r.outcome(), r.simulated(t)); diff != "" {
				t.Errorf("(-TensorFlow +simulation):\n%s", diff)
			}
		})
	}
}
