package estimator_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/estimator"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// With Q253 repaired the defaults of RunConfig apply, but the code's settings and the command line
// take precedence. This holds even if a command-line value equals the runner's own default.
func TestQ253_DefaultsOfRunConfigAndTheCommandLine(t *testing.T) {
	for _, c := range []struct {
		name          string
		quirks        quirks.Set
		args          []string
		said          int
		retries, wait int
	}{
		{"kept", quirks.Python, nil, 6, 0, 30},
		{"repaired", quirks.Python.Repair(jobquirks.Q253), nil, 6, 6, 5},
		{"repaired, given", quirks.Python.Repair(jobquirks.Q253), []string{"--max_retry_times=2"}, 6, 2, 5},
		{"repaired, given as the runner has it", quirks.Python.Repair(jobquirks.Q253), []string{"--max_retry_times=0"}, 6, 0, 5},
		{"repaired, said", quirks.Python.Repair(jobquirks.Q253), []string{"--max_retry_times=2"}, 3, 3, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := envtest.New(nil, nil)
			e.Log = envtest.Quiet{}
			p := runnerutils.Process{Env: e, Flags: runnerutils.NewFlags(), Quirks: c.quirks}
			if _, err := p.Flags.Parse(e.Files, c.args); err != nil {
				t.Fatal(err)
			}
			said := estimator.RunConfigClass.New()
			said.MaxRetryTimes = c.said
			conf, err := said.ToRunnerConfig(p)
			if err != nil {
				t.Fatal(err)
			}
			if conf.MaxRetryTimes != c.retries || conf.RetryWaitInSecs != c.wait {
				t.Errorf("got %d retries after %d s, want %d after %d s", conf.MaxRetryTimes, conf.RetryWaitInSecs, c.retries, c.wait)
			}
		})
	}
}

// Goal: Merge returns the same as ToRunnerConfig, which recorded cases compare with the reference.
// Method: many random configurations and command lines, in which some values are the defaults of
// their fields.
func TestMergeIsWhatAProcessComesTo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...any) any { return values[r.IntN(len(values))] }
	choices := map[string][]any{
		"num_ps": {0, 3, 7}, "num_workers": {1, 9}, "max_retry_times": {0, 2, 6}, "retry_wait_in_secs": {5, 30, 4}, "partial_recovery": {false, true},
		"is_local": {false, true}, "save_checkpoints_secs": {nil, 60}, "model_dir": {"", "/a", "/b"}, "restore_ckpt": {nil, "c-1"},
		"chief_timeout_secs": {1800, 60}, "bzid": {nil, "b"}, "disable_native_metrics": {true, false}, "warmup_file": {"./warmup_file", "w"},
	}
	for range 2000 {
		said, argv, flags := estimator.RunConfigClass.New(), []string{}, []dataclass.Field{}
		for _, a := range estimator.RunConfigClass.Fields() {
			values := choices[a.Name]
			if len(values) == 0 {
				continue
			}
			if r.IntN(2) == 0 {
				if err := estimator.RunConfigClass.Set(&said, a.Name, pick(values...)); err != nil {
					t.Fatal(err)
				}
			}
			if v := pick(values...); v != nil && r.IntN(2) == 0 {
				argv, flags = append(argv, fmt.Sprintf("--%s=%v", a.Name, v)), append(flags, dataclass.Field{Name: a.Name, Value: v})
			}
		}
		said.EnableParameterSync = r.IntN(3) == 0
		e := envtest.New(nil, nil)
		e.Log = envtest.Quiet{}
		p := runnerutils.Process{Env: e, Flags: runnerutils.NewFlags(), Quirks: pick(quirks.Python, quirks.Python.Repair(jobquirks.Q253)).(quirks.Set)}
		if _, err := p.Flags.Parse(e.Files, argv); err != nil {
			t.Fatal(err)
		}
		want, err := said.ToRunnerConfig(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := said.Merge(flags, p.Quirks)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range runnerutils.Class.Fields() {
			want, got := runnerutils.Class.Get(want, a.Name), runnerutils.Class.Get(got, a.Name)
			// The data service's flag does not have the name of the field.
			if a.Name != "use_dataservice" && !pysem.Equal(want, got) {
				t.Errorf("%s of %v: got %v, want %v", a.Name, argv, got, want)
			}
		}
	}
}

// Without a RunConfig only the command line applies, and discovery stays Consul.
func TestACommandLineAlone(t *testing.T) {
	var none *estimator.RunConfig
	c, err := none.Merge([]dataclass.Field{{Name: "num_ps", Value: 3}}, quirks.Python)
	if err != nil || c.NumPS != 3 || fmt.Sprint(c.DiscoveryType) != "CONSUL" || c.EmbeddingPrefetchCapacity != 0 {
		t.Errorf("got %d PS, %v, capacity %d, error %v", c.NumPS, c.DiscoveryType, c.EmbeddingPrefetchCapacity, err)
	}
}
