package estimator_test

import (
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/estimator"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// With Q253 repaired the defaults of RunConfig count, after what the code says and what the command
// line gives, even where that is what a runner has by itself.
func TestQ253_DefaultsOfRunConfigAndTheCommandLine(t *testing.T) {
	for _, c := range []struct {
		name          string
		quirks        quirks.Set
		args          []string
		said          int
		retries, wait int
	}{
		{"kept", quirks.Python, nil, 6, 0, 30},
		{"repaired", quirks.Python.Repair(quirks.Q253), nil, 6, 6, 5},
		{"repaired, given", quirks.Python.Repair(quirks.Q253), []string{"--max_retry_times=2"}, 6, 2, 5},
		{"repaired, given as the runner has it", quirks.Python.Repair(quirks.Q253), []string{"--max_retry_times=0"}, 6, 0, 5},
		{"repaired, said", quirks.Python.Repair(quirks.Q253), []string{"--max_retry_times=2"}, 3, 3, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := envtest.New(nil, nil)
			e.Log = envtest.Log{}
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
