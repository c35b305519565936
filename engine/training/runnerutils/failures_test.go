package runnerutils_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a chief whose files fail while it sets up the model's directory says so, by an error or, where the
// reference catches it (runner_utils.py:279-340), by a warning. Method: each call fails once, with a
// directory that is there and one that is not, and with the faults of the reference and without.
func TestErrorsOfFilesWhileAChiefRestores(t *testing.T) {
	for _, kept := range []string{"python", "fixed"} {
		faults, err := quirks.Parse(kept)
		if err != nil {
			t.Fatal(err)
		}
		for _, state := range []string{"", twoStates, "\xff"} {
			for _, own := range []string{"", "model_checkpoint_path: \"/t/r/model.ckpt-61\"", "\xff"} {
				for at := 0; ; at++ {
					calls := 0
					worldtest.Run(t, nil, func(c *worldtest.Case) {
						write(c, "/t/r", "other", "")
						if state != "" {
							write(c, "/t/r", "checkpoint", state)
						}
						if own != "" {
							write(c, "/t/m", "checkpoint", own)
						}
						p, log := logging(c)
						p.Quirks = faults
						conf := runnerutils.Class.New()
						conf.IsLocal, conf.ModelDir, conf.RestoreDir = true, "/t/m", pysem.Some("/t/r")
						files := &envtest.Failing{Files: c.Env.Files, At: at}
						c.Env.Files = files
						err := p.Init(&conf)
						calls = files.Calls
						warned := slices.ContainsFunc(log.lines, func(l string) bool { return strings.HasPrefix(l, "WARNING") })
						if calls > at && err == nil && !warned {
							t.Errorf("%s, from %q to %q: call %d fails: got no error and no warning", kept, state, own, at)
						}
						if calls <= at && kept == "fixed" && err == nil && own == "" && !env.Exists(c.Env.Files, "/t/m/monolith_checkpoint") {
							t.Errorf("from %q: nobody else can begin", state)
						}
					})
					if calls <= at {
						break
					}
				}
			}
		}
	}
}

// Goal: a rank that is no number, and settings that flags refuse, are errors (runner_utils.py:240-262).
func TestSettingsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct { //lint:ordered each by itself
		set  func(c *runnerutils.RunnerConfig)
		rank string
		want string
	}{
		"a rank": {func(c *runnerutils.RunnerConfig) {
			c.EnableGPUTraining, c.EnablePartialSyncTraining, c.ServerType = true, true, "worker"
		}, "x", "ValueError"},
		"a family":  {func(c *runnerutils.RunnerConfig) { c.ZKWatchAddressFamily = "ipv5" }, "0", "AssertionError"},
		"no family": {func(*runnerutils.RunnerConfig) {}, "0", ""},
	} {
		worldtest.Run(t, nil, func(w *worldtest.Case) {
			p, _ := logging(w)
			w.Env.Host.Setenv("OMPI_COMM_WORLD_RANK", c.rank)
			conf := runnerutils.Class.New()
			c.set(&conf)
			if err := p.Init(&conf); pysem.TypeOf(err) != c.want {
				t.Errorf("%s: got %v, want %q", name, err, c.want)
			}
		})
	}
}
