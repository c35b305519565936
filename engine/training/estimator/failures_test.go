package estimator_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/estimator"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// failingTraining is a TensorFlow of which one call fails. It counts the calls.
type failingTraining struct {
	in     string
	called []string
	model  *estimator.Model // with which was trained
}

var errTraining = pysem.Raise("RuntimeError", "training")

func (f *failingTraining) fails(in string) error {
	f.called = append(f.called, in)
	if f.in == in {
		return errTraining
	}
	return nil
}

func (f *failingTraining) LocalTrain(m *estimator.Model, _ *runnerutils.RunnerConfig, _ estimator.LocalRun) error {
	f.model = m
	return f.fails("local")
}
func (f *failingTraining) DistributedTrain(m *estimator.Model, _ *runnerutils.RunnerConfig, _ estimator.DistributedRun) error {
	f.model = m
	return f.fails("distributed")
}
func (f *failingTraining) DistributedSyncTrain(*estimator.Model, *runnerutils.RunnerConfig, estimator.DistributedRun) error {
	return f.fails("sync")
}
func (f *failingTraining) InitSyncTrain(*runnerutils.RunnerConfig) error { return f.fails("init") }
func (f *failingTraining) TryInitCUDA() error                            { return f.fails("cuda") }
func (f *failingTraining) WithDiscovery(_ *runnerutils.RunnerConfig, body func(training.ServiceDiscovery) error) error {
	if err := f.fails("discovery"); err != nil {
		return err
	}
	return body(nil)
}
func (f *failingTraining) NewSyncBackend(*runnerutils.RunnerConfig, string) (estimator.SyncBackend, error) {
	return f, f.fails("backend")
}
func (*failingTraining) User() string                           { return "user" }
func (f *failingTraining) Start() error                         { return f.fails("start") }
func (f *failingTraining) SubscribeModel(pysem.OptString) error { return f.fails("subscribe") }
func (f *failingTraining) Stop() error                          { return f.fails("stop") }

// Goal: an estimator does not go on after an error of what it calls (estimator.py:407-520), but for one of
// the backend's end, which is logged.
func TestErrorsEndAnEstimator(t *testing.T) {
	kept, err := quirks.Parse("python")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		set  func(c *runnerutils.RunnerConfig)
		all  string // what is called, in order
	}{
		{"local", func(c *runnerutils.RunnerConfig) { c.IsLocal = true }, "local"},
		{"distributed", func(*runnerutils.RunnerConfig) {}, "discovery distributed"},
		{"a worker of a partly synchronous training", func(c *runnerutils.RunnerConfig) {
			c.EnablePartialSyncTraining, c.ServerType, c.EnableGPUTraining = true, "worker", true
		}, "discovery cuda distributed"},
		{"a PS in real time", func(c *runnerutils.RunnerConfig) {
			c.EnableRealtimeTraining, c.ServerType, c.Bzid, c.BaseName = true, "ps", pysem.Some("b"), pysem.Some("n")
		}, "backend start subscribe discovery distributed stop"},
	} {
		for _, in := range append(strings.Fields(c.all), "") {
			e := envtest.New(nil, nil)
			e.Log = envtest.Quiet{}
			p := runnerutils.Process{Env: e, Flags: runnerutils.NewFlags(), Quirks: kept}
			if _, err := p.Flags.Parse(e.Files, nil); err != nil {
				t.Fatal(err)
			}
			said := estimator.RunConfigClass.New()
			conf, err := said.ToRunnerConfig(p)
			if err != nil {
				t.Fatal(err)
			}
			conf.IsLocal = false
			c.set(conf)
			f := &failingTraining{in: in}
			est, err := estimator.New(e, kept, f, &estimator.Model{Name: "m"}, conf)
			if err == nil {
				err = est.Train(estimator.Limits{}, nil)
			}
			if want := in != "" && in != "stop"; errors.Is(err, errTraining) != want {
				t.Errorf("%s, %q fails: got %v, want its error %t", c.name, in, err, want)
			}
			called, until := strings.Join(f.called, " "), c.all
			if in != "" {
				before, _, _ := strings.Cut(c.all, in)
				until = before + in
			}
			if called != until {
				t.Errorf("%s, %q fails: called %q, want %q", c.name, in, called, until)
			}
			if in == "" && conf.EnableGPUTraining && f.model.Train.UseGPUEmbTable != pysem.Some(false) {
				t.Errorf("%s: trained with tables on the GPU %v, want false", c.name, f.model.Train.UseGPUEmbTable)
			}
		}
	}
}

// Goal: parameters that cannot be set are an error, and those of a model without any are told.
func TestParametersThatCannotBeOverridden(t *testing.T) {
	for text, want := range map[string]string{"{": "JSONDecodeError", "[1]": "", "{\"a\": 1}": ""} { //lint:ordered each by itself
		e := envtest.New(nil, nil)
		e.Log = envtest.Quiet{}
		p := runnerutils.Process{Env: e, Flags: runnerutils.NewFlags()}
		if _, err := p.Flags.Parse(e.Files, nil); err != nil {
			t.Fatal(err)
		}
		said := estimator.RunConfigClass.New()
		conf, err := said.ToRunnerConfig(p)
		if err != nil {
			t.Fatal(err)
		}
		conf.ParamsOverride = pysem.Some(text)
		if _, err := estimator.New(e, p.Quirks, &failingTraining{}, &estimator.Model{Name: "m"}, conf); pysem.TypeOf(err) != want {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
