package tfserving

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
)

// Leaving out idle runs must not be visible. The goal is reached by playing one
// random script to three servers: one that leaves out what it may, one without
// watches on the disk, and one whose loops run at every turn.

// idleStep is one step of a random script.
type idleStep struct {
	wait time.Duration
	op   string
	path string
	// config is for reloads, text for the config file.
	config ServerConfig
	text   string
}

func (s idleStep) String() string {
	return fmt.Sprintf("+%v %s %s %v %s", s.wait, s.op, s.path, s.config.Models, s.text)
}

var idleWaits = []time.Duration{
	0, 30 * time.Millisecond, 70 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	time.Second, 1930 * time.Millisecond, 5 * time.Second, 61 * time.Second,
}

func drawStep(t *rapid.T) idleStep {
	s := idleStep{
		wait: rapid.SampledFrom(idleWaits).Draw(t, "wait"),
		op: rapid.SampledFrom([]string{
			"version", "version", "version", "broken", "remove", "remove base", "base", "fault", "heal", "reload", "reload",
			"reload", "predict", "release", "config file", "nothing",
		}).Draw(t, "op"),
	}
	model := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "model")
	s.path = "/m/" + model
	switch s.op {
	case "version", "broken", "remove":
		s.path += fmt.Sprintf("/%d", rapid.IntRange(1, 4).Draw(t, "version"))
	case "fault":
		if rapid.Bool().Draw(t, "on a version") {
			s.path += "/2"
		}
	case "reload":
		s.config = drawConfig(t)
	case "config file":
		s.text = drawConfigText(t)
	}
	return s
}

func drawConfig(t *rapid.T) ServerConfig {
	config := ServerConfig{Kind: ModelList}
	for _, name := range []string{"a", "b", "c"} {
		if !rapid.Bool().Draw(t, "has "+name) {
			continue
		}
		m := ModelConfig{Name: name, BasePath: "/m/" + name, Platform: tensorFlowPlatform}
		m.Policy.Kind = PolicyKind(rapid.IntRange(0, int(LatestOnce)).Draw(t, "policy"))
		m.Policy.NumVersions = uint32(rapid.IntRange(0, 3).Draw(t, "number"))
		m.Policy.Versions = []int64{2, 3}
		if rapid.IntRange(0, 4).Draw(t, "labelled") == 0 {
			m.Labels = []Label{{"stable", int64(rapid.IntRange(1, 3).Draw(t, "label"))}}
		}
		m.Logging = rapid.IntRange(0, 9).Draw(t, "logging") == 0
		if rapid.IntRange(0, 9).Draw(t, "platform") == 0 {
			m.Platform = "nonsense"
		}
		config.Models = append(config.Models, m)
	}
	return config
}

func drawConfigText(t *rapid.T) string {
	if rapid.IntRange(0, 5).Draw(t, "broken") == 0 {
		return rapid.SampledFrom([]string{"", "# nothing", "nonsense"}).Draw(t, "text")
	}
	var b strings.Builder
	b.WriteString("model_config_list {\n")
	for _, m := range drawConfig(t).Models {
		fmt.Fprintf(&b, "config { name: %q base_path: %q model_platform: %q ", m.Name, m.BasePath, m.Platform)
		for _, l := range m.Labels {
			fmt.Fprintf(&b, "version_labels { key: %q value: %d }", l.Name, l.Version)
		}
		b.WriteString("}\n")
	}
	b.WriteString("}")
	return b.String()
}

func drawOptions(t *rapid.T) Options {
	profile := Profile(rapid.IntRange(0, int(ProfileHead)).Draw(t, "profile"))
	o := DefaultOptions(profile)
	o.FileSystemPollWaitSeconds = int64(rapid.SampledFrom([]int{1, 3, 0}).Draw(t, "poll"))
	o.ModelConfigFile = "/config"
	o.ModelConfigFilePollWaitSeconds = int64(rapid.SampledFrom([]int{0, 2, 5}).Draw(t, "config poll"))
	o.MaxNumLoadRetries = rapid.IntRange(0, 2).Draw(t, "retries")
	o.LoadRetryIntervalMicros = rapid.SampledFrom([]int64{-1, 150e3, 2e6}).Draw(t, "interval")
	o.NumLoadThreads = rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "loaders")
	o.NumUnloadThreads = rapid.IntRange(0, 1).Draw(t, "unloaders")
	o.AllowVersionLabelsForUnavailableModels = rapid.Bool().Draw(t, "labels")
	o.TotalModelMemoryLimitBytes = rapid.SampledFrom([]int64{0, 150e6}).Draw(t, "reserve")
	o.FailIfZeroVersions = rapid.IntRange(0, 5).Draw(t, "fail if zero") == 0
	o.ServableVersionsAlwaysPresent = rapid.IntRange(0, 5).Draw(t, "always present") == 0
	o.Transition = Transition(rapid.IntRange(0, 1).Draw(t, "transition"))
	return o
}

// play gives everything that can be seen of the server.
func play(o Options, text string, steps []idleStep, polls, blind bool) (seen []string, host *testHost) {
	host = newTestHost()
	host.disk.blind = blind
	host.disk.write("/config", text)
	note := func(format string, args ...any) {
		seen = append(seen, fmt.Sprintf("%7.3fs ", host.now.Seconds())+fmt.Sprintf(format, args...))
	}
	host.exit = func(code int, stdout string) { note("exit %d %s", code, stdout) }
	host.choose = func(site string, n int) int {
		note("choose %s of %d", site, n)
		return len(seen) * 7 % n
	}
	s := New(o, host)
	s.polls = polls
	s.OnEvent = func(e Event) { note("%s:%d %s %v", e.Model, e.Version, e.State, e.Err) }
	s.OnServing(func() { note("serving") })
	s.Start()
	var held []Handle
	for i, step := range steps {
		host.runTo(host.now + step.wait)
		switch step.op {
		case "version":
			host.disk.putModel(step.path, 40e6)
		case "broken":
			host.disk.mkdir(step.path)
		case "remove", "remove base":
			host.disk.remove(step.path)
		case "base":
			host.disk.mkdir(step.path)
		case "fault":
			host.disk.fault(step.path, statusf(env.Unavailable, "outage"))
		case "heal":
			host.disk.fault(step.path, nil)
			host.disk.fault(step.path+"/2", nil)
		case "reload":
			s.Reload(step.config, func(err *env.RPCError) { note("reload of step %d: %v", i, err) })
		case "config file":
			host.disk.write("/config", step.text)
		case "predict":
			spec := env.ModelSpec{Name: strings.TrimPrefix(step.path, "/m/")}
			labelled := spec
			labelled.Label = "stable"
			if p, err := s.Predict(PredictRequest{Spec: &labelled}); err == nil {
				note("predict stable: %d", p.Handle.Version())
				p.Handle.Release()
			}
			p, err := s.Predict(PredictRequest{Spec: &spec})
			if err != nil {
				note("predict: %v", err)
				continue
			}
			note("predict: %d", p.Handle.Version())
			held = append(held, p.Handle)
		case "release":
			if len(held) > 0 {
				held[0].Release()
				held = held[1:]
			}
		}
	}
	host.runTo(host.now + 10*time.Minute)
	return seen, host
}

func TestLeavingOutIdleRunsIsInvisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		text := rapid.SampledFrom([]string{"# nothing", "model_config_list {}", drawConfigText(t)}).Draw(t, "first config")
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 30).Draw(t, "steps")
		want, _ := play(o, text, steps, true, false)
		got, _ := play(o, text, steps, false, false)
		blind, _ := play(o, text, steps, false, true)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with idle runs left out (-always running +left out):\n%s", diff)
		}
		if diff := cmp.Diff(want, blind); diff != "" {
			t.Errorf("without watches (-always running +left out):\n%s", diff)
		}
	})
}

// An idle server with a config file, a failed version and a request that can
// never be processed fires no timer at all.
func TestAnIdleServerFiresNoTimers(t *testing.T) {
	o := DefaultOptions(Profile24)
	o.ModelConfigFile, o.ModelConfigFilePollWaitSeconds = "/config", 60
	o.MaxNumLoadRetries = 0
	host := newTestHost()
	host.disk.write("/config", `model_config_list { config { name: "a" base_path: "/m/a" model_platform: "tensorflow" } }`)
	host.disk.putModel("/m/a/1", 1)
	s := New(o, host)
	s.Start()
	host.runTo(10 * time.Second)
	// Version 2 fails, then goes: version 1 is re-aspired, but never unloaded,
	// so that the request stays queued for good.
	host.disk.mkdir("/m/a/2")
	host.runTo(20 * time.Second)
	host.disk.remove("/m/a/2")
	host.runTo(2 * time.Minute)
	fired := host.fired
	host.runTo(24 * time.Hour)
	if host.fired != fired {
		t.Errorf("an idle day fired %d timers, want none", host.fired-fired)
	}
	if e := s.manager.byName["a"]; !e.waiting {
		t.Error("the request for version 1 is not queued, want it postponed")
	}
}

// One round is a server's start, the load of its model and 24 idle hours.
func BenchmarkIdleDay(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, host := servingOne(b)
		host.runTo(24 * time.Hour)
	}
}
