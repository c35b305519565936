package rustport_test

import (
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/rustport"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: restoring meets TRN-4.4 where recordings of the port cannot show it: in its timing, and
// where the rows ask for something else than the port does. Method: processes are tasks in virtual
// time.

const someState = "model_checkpoint_path: \"model.ckpt-61\"\nall_model_checkpoint_paths: \"model.ckpt-61\"\n"

func restoring(index int) rustport.RunnerConfig {
	c := rustport.NewRunnerConfig()
	c.IsLocal, c.Index, c.ModelDir, c.RestoreDir = false, index, "m", pysem.Some("r")
	return c
}

func TestTimeLimitsAreASecondAndAMillisecondAtLeast(t *testing.T) {
	c := rustport.NewRunnerConfig()
	if got, want := c.Timing(), (rustport.Timing{Timeout: time.Hour, Poll: 30 * time.Second}); got != want {
		t.Errorf("defaults: got %v, want %v", got, want)
	}
	c.RestoreSyncTimeoutSecs, c.RestoreSyncPollIntervalMs = 0, 0
	if got, want := c.Timing(), (rustport.Timing{Timeout: time.Second, Poll: time.Millisecond}); got != want {
		t.Errorf("zeros: got %v, want %v", got, want)
	}
}

// Goal (row D20): a worker looks for the chief's files every 30 s, and gives up after an hour.
func TestAWorkerWaitsForTheChiefForAnHour(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		conf, start := restoring(1), c.Env.Clock.Now()
		_, err := rustport.InitializeRestore(c.Env, conf, rustport.Worker, rustport.AsRows, conf.Timing())
		late, ok := errors.AsType[*rustport.Error](err)
		if !ok || late.Kind != rustport.RestoreSyncTimeout || err.Error() != "Timed out waiting for restore synchronization file: m/monolith_checkpoint" {
			t.Errorf("got %v, want a RestoreSyncTimeout", err)
		}
		if waited := c.Env.Clock.Now().Sub(start); waited != time.Hour {
			t.Errorf("waited %v, want an hour", waited)
		}
	})
}

func TestAWorkerGoesOnAtItsNextLookAfterTheChief(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		c.Must(c.Env.Files.MkdirAll("r"))
		c.Must(c.Env.Files.WriteFile("r/checkpoint", []byte(someState)))
		chief := c.Env.Tasks.Go("chief", func() {
			c.Env.Tasks.Sleep(45 * time.Second)
			conf := restoring(0)
			_, err := rustport.InitializeRestore(c.Env, conf, rustport.Worker, rustport.AsRows, conf.Timing())
			c.Must(err)
		})
		conf, start := restoring(1), c.Env.Clock.Now()
		state, err := rustport.InitializeRestore(c.Env, conf, rustport.Worker, rustport.AsRows, conf.Timing())
		if waited := c.Env.Clock.Now().Sub(start); err != nil || state.ModelCheckpointPath != "model.ckpt-61" || waited != time.Minute {
			t.Errorf("got %v %v after %v, want model.ckpt-61 after a minute", state, err, waited)
		}
		chief.Join()
	})
}

// TRN-5.8: In the Rust port PS 0 counts as chief, and sets up the model's directory. Here and in
// Python it does not: it waits for the chief.
func TestAPSIsNoChief(t *testing.T) {
	for variant, want := range map[rustport.Variant]string{rustport.AsRows: "Timed out waiting for restore synchronization file: m/monolith_checkpoint", rustport.AsPort: ""} { //lint:ordered each in a world of its own
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			c.Must(c.Env.Files.MkdirAll("r"))
			c.Must(c.Env.Files.WriteFile("r/checkpoint", []byte(someState)))
			conf := restoring(0)
			got := ""
			if _, err := rustport.InitializeRestore(c.Env, conf, rustport.PS, variant, conf.Timing()); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("variant %d: got %q, want %q", variant, got, want)
			}
		})
	}
}

func TestAStateIsReadAgainAfterAPause(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		c.Must(c.Env.Files.MkdirAll("m"))
		c.Must(c.Env.Files.WriteFile("m/checkpoint", []byte("garbage")))
		writer := c.Env.Tasks.Go("writer", func() {
			c.Env.Tasks.Sleep(5 * time.Second)
			c.Must(c.Env.Files.WriteFile("m/checkpoint", []byte(someState)))
		})
		start := c.Env.Clock.Now()
		retries := rustport.Retries{Max: 3, Pause: 2 * time.Second}
		state, err := rustport.StateWithOverride(c.Env, "m", "checkpoint", rustport.RestoreOverride{}, retries)
		if waited := c.Env.Clock.Now().Sub(start); err != nil || state == nil || waited != 6*time.Second {
			t.Errorf("got %v %v after %v, want a state on the 4th read, after 6 s", state, err, waited)
		}
		writer.Join()
		c.Must(c.Env.Files.WriteFile("m/checkpoint", []byte("\xff")))
		if _, err := rustport.StateWithOverride(c.Env, "m", "checkpoint", rustport.RestoreOverride{}, retries); err == nil || err.Error() != "I/O error: stream did not contain valid UTF-8" {
			t.Errorf("no text: got %v, want an I/O error", err)
		}
	})
}

// FuzzParseCheckpointState: Goal: no text makes the parser panic, and a parsed state that is
// written is read back unchanged.
func FuzzParseCheckpointState(f *testing.F) {
	for _, text := range []string{someState, "model_checkpoint_path: '", "model_checkpoint_path:\"", "# c\nall_model_checkpoint_paths: x\n", ":", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		state := rustport.ParseCheckpointState(text)
		if state == nil {
			return
		}
		again := rustport.ParseCheckpointState(state.String())
		if again == nil || again.ModelCheckpointPath != state.ModelCheckpointPath || len(again.AllModelCheckpointPaths) != len(state.AllModelCheckpointPaths) {
			t.Errorf("%q: got %v, written and read %v", text, state, again)
		}
	})
}

// closing is a discovery that counts how often it is closed.
type closing struct {
	training.ServiceDiscovery
	closed int
}

func (d *closing) Close() { d.closed++ }

// kinds returns the same discovery for each kind, and records the psm that was asked for.
type kinds struct {
	d   *closing
	psm string
	err error
}

func (k *kinds) Consul(psm pysem.OptString) (training.ServiceDiscovery, error) {
	k.psm = psm.V
	return k.d, k.err
}

func (k *kinds) MLP() (training.ServiceDiscovery, error) { return k.d, k.err }

func (k *kinds) ZK(_, _ pysem.OptString) (training.ServiceDiscovery, error) {
	panic("a ZooKeeper is described, not asked")
}

// Goal (rows D9, D23): the guard derives the psm from the deep insight name, and closes its
// discovery only once.
func TestAGuardClosesItsDiscoveryOnce(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		k := &kinds{d: &closing{}}
		conf := rustport.NewRunnerConfig()
		conf.IsLocal, conf.DiscoveryType, conf.DeepInsightName = false, rustport.Consul, "data.monolith.7"
		guard, err := rustport.MonolithDiscovery(c.Env, conf, pysem.OptString{}, k)
		c.Must(err)
		guard.Close()
		guard.Close()
		if k.d.closed != 1 || k.psm != "data.monolith.7" || guard.Kind() != pysem.Some("consul") {
			t.Errorf("got %d closings, psm %q, kind %v, want 1, data.monolith.7, consul", k.d.closed, k.psm, guard.Kind())
		}
		conf.DiscoveryType, k.err = rustport.Mlp, errors.New("no such role")
		if _, err := rustport.MonolithDiscovery(c.Env, conf, pysem.OptString{}, k); err == nil || err.Error() != "Discovery error: no such role" {
			t.Errorf("a kind that cannot be made: got %v, want Discovery error: no such role", err)
		}
		conf.DiscoveryType, conf.TFConfig = rustport.Primus, pysem.Some("{")
		_, err = rustport.MonolithDiscovery(c.Env, conf, pysem.OptString{}, k)
		if wrong, ok := errors.AsType[*rustport.Error](err); !ok || wrong.Kind != rustport.DiscoveryFailed {
			t.Errorf("TF_CONFIG that is no JSON: got %v, want a DiscoveryFailed", err)
		}
	})
}

// Goal (rows D26, D27, D31): the user's settings replace those of the process.
func TestFromWhatTheUserSays(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		base := rustport.NewRunnerConfig()
		said := rustport.NewRunConfig()
		said.IsLocal, said.DiscoveryType = false, rustport.Consul
		d, err := rustport.GetDiscoveryFromRunConfig(c.Env, said, base, pysem.OptString{}, &kinds{})
		if err != nil || d.Kind() != "zk" {
			t.Errorf("discovery: got %v %v, want zk", d, err)
		}
		guard, err := rustport.MonolithDiscoveryFromRunConfig(c.Env, said, base, pysem.OptString{}, &kinds{})
		if err != nil || guard.Kind() != pysem.Some("zk") {
			t.Errorf("guard: got %v %v, want zk", guard, err)
		}
		said.RestoreDir, said.Index, said.RestoreSyncTimeoutSecs = pysem.Some("r"), 1, 7
		start := c.Env.Clock.Now()
		_, err = rustport.InitializeRestoreFromRunConfig(c.Env, said, base, rustport.Worker, rustport.AsRows)
		if waited := c.Env.Clock.Now().Sub(start); err == nil || waited != 30*time.Second {
			t.Errorf("restore: got %v after %v, want a time-out at the look after 7 s, at 30 s", err, waited)
		}
	})
}
