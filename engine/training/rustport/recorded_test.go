package rustport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/training/rustport"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: this package and those below it do what TRN-4.3 to TRN-4.7 say, and prefetch does what
// TRN-5.21 says of the port (oracle: rust at f415ff3). Method: testdata/rust.json records inputs
// and results of the Rust port, built from that revision with a stand-in for its ParameterSync.
// Each case runs in a world of its own, in virtual time.

// recorded is one case of testdata/rust.json: an operation, its input, and the Rust port's result.
type recorded struct {
	Name, Op string
	In       map[string]any
	Out      any
}

// ops maps an operation's name to a function that runs a case on the Go port and returns its
// result.
var ops = map[string]func(c *worldtest.Case, in input) any{
	"defaults": defaultsOf, "config": configOf, "state": stateOf, "restore": restoreOf, "discovery": discoveryOf,
	"get_discovery": getDiscoveryOf, "hook": hookOf, "estimator": estimatorOf, "spec": specOf, "memory": memoryOf, "runner": runnerOf, "job": jobOf,
	"async": asyncOf,
}

func TestAsRecordedFromTheRustPort(t *testing.T) {
	data, err := os.ReadFile("testdata/rust.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []recorded
	decode(t, data, &cases)
	if len(cases) < 200 {
		t.Fatalf("got %d cases, want all", len(cases))
	}
	for _, r := range cases {
		t.Run(r.Op+"/"+r.Name, func(t *testing.T) {
			op := ops[r.Op]
			if op == nil {
				t.Fatalf("no such operation %q", r.Op)
			}
			worldtest.Run(t, nil, func(c *worldtest.Case) {
				in := input{c: c, of: r.In}
				in.write()
				data, err := json.Marshal(op(c, in))
				c.Must(err)
				var got any
				decode(t, data, &got)
				if diff := cmp.Diff(plain(r.Out), plain(got)); diff != "" {
					t.Errorf("-port +got:\n%s", diff)
				}
			})
		})
	}
}

func decode(t *testing.T, data []byte, to any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(to); err != nil {
		t.Fatal(err)
	}
}

// plain returns v in a form that can be compared. Each number is written in one way, and state
// files are replaced by their parsed content.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".e") {
			return strconv.FormatFloat(f+0, 'g', -1, 64) // -0 is 0
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v { //lint:ordered each value by itself
			if text, ok := v[k].(string); ok && path.Base(k) == "monolith_checkpoint" {
				v[k] = monolithState(text)
			} else {
				v[k] = plain(v[k])
			}
		}
	}
	return v
}

func monolithState(text string) string {
	state := &nativetraining.MonolithCheckpointState{}
	if err := textformat.Parse(text, state); err != nil {
		return text
	}
	return fmt.Sprint(state.ExemptModelCheckpointPaths, state.BuiltinHashTableType)
}

// input is the input of a case, in the world that the case runs in.
type input struct {
	c  *worldtest.Case
	of map[string]any
}

func (in input) text(key, otherwise string) string {
	if s, ok := in.of[key].(string); ok {
		return s
	}
	return otherwise
}

func (in input) optText(key string) pysem.OptString {
	s, ok := in.of[key].(string)
	return pysem.OptString{V: s, Set: ok}
}

func (in input) optNumber(key string) pysem.Opt[uint64] { return number(in.of[key]) }

func (in input) list(key string) []any {
	list, _ := in.of[key].([]any)
	return list
}

func number(v any) pysem.Opt[uint64] {
	text, ok := v.(json.Number)
	if !ok {
		return pysem.None[uint64]()
	}
	n, err := strconv.ParseUint(text.String(), 10, 64)
	if err != nil {
		panic(err)
	}
	return pysem.Some(n)
}

// write creates the files with which the case begins.
func (in input) write() {
	files, _ := in.of["files"].(map[string]any)
	for name, text := range files { //lint:ordered each is a file of its own
		in.c.Must(in.c.Env.Files.MkdirAll(path.Dir(name)))
		in.c.Must(in.c.Env.Files.WriteFile(name, []byte(text.(string))))
	}
}

// filesOf adds the files below a directory to a map from paths to contents.
func filesOf(c *worldtest.Case, dir string, to map[string]string) map[string]string {
	if to == nil {
		to = map[string]string{}
	}
	names, err := c.Env.Files.ReadDir(dir)
	if err != nil {
		return to
	}
	for _, name := range names {
		p := path.Join(dir, name)
		if data, err := c.Env.Files.ReadFile(p); err == nil {
			to[p] = string(data)
		} else {
			filesOf(c, p, to)
		}
	}
	return to
}

// files returns the files below m and r, the two directories that cases use.
func files(c *worldtest.Case) map[string]string { return filesOf(c, "r", filesOf(c, "m", nil)) }

func environ(h env.Host) map[string]string {
	set := map[string]string{}
	for _, name := range []string{"TF_GRPC_WORKER_CACHE_THREADS", "MONOLITH_GRPC_WORKER_SERVICE_HANDLER_MULTIPLIER"} {
		if v, ok := h.LookupEnv(name); ok {
			set[name] = v
		}
	}
	return set
}

// settings sets the fields of s that the case names by the port's names. others holds further bool
// settings, which are not fields of s.
func (in input) settings(key string, s *rustport.Settings, others map[string]*bool) {
	said, _ := in.of[key].(map[string]any)
	to := reflect.ValueOf(s).Elem()
	for i, f := range reflect.VisibleFields(to.Type()) {
		v, ok := said[f.Tag.Get("name")]
		if !ok {
			continue
		}
		switch at := to.Field(i).Addr().Interface().(type) {
		case *pysem.OptString:
			text, ok := v.(string)
			*at = pysem.OptString{V: text, Set: ok}
		case *pysem.OptInt:
			n := number(v)
			*at = pysem.OptInt{V: int(n.V), Set: n.Set}
		case *int:
			*at = int(number(v).V)
		case *bool:
			*at = v.(bool)
		case *string:
			*at = v.(string)
		case *rustport.DiscoveryType:
			*at = rustport.DiscoveryType(v.(string))
		}
	}
	for name, to := range others { //lint:ordered each is a field of its own
		if v, ok := said[name]; ok {
			*to = v.(bool)
		}
	}
}

func (in input) run() rustport.RunConfig {
	c := rustport.NewRunConfig()
	in.settings("run", &c.Settings, map[string]*bool{"enable_parameter_sync": &c.EnableParameterSync})
	return c
}

func (in input) runner(key string) rustport.RunnerConfig {
	c := rustport.NewRunnerConfig()
	in.settings(key, &c.Settings, map[string]*bool{"enable_parameter_sync": &c.EnableParameterSync, "enable_realtime_training": &c.EnableRealtimeTraining})
	return c
}

func shownSettings(s rustport.Settings) map[string]any {
	shown := map[string]any{}
	v := reflect.ValueOf(s)
	for i, f := range reflect.VisibleFields(v.Type()) {
		value := v.Field(i).Interface()
		switch opt := value.(type) {
		case pysem.OptString:
			value = opt.Any()
		case pysem.OptInt:
			value = opt.Any()
		}
		shown[f.Tag.Get("name")] = value
	}
	return shown
}

func shownRun(c rustport.RunConfig) map[string]any {
	shown := shownSettings(c.Settings)
	shown["enable_parameter_sync"] = c.EnableParameterSync
	return shown
}

func shownRunner(c rustport.RunnerConfig) map[string]any {
	shown := shownSettings(c.Settings)
	shown["enable_parameter_sync"], shown["enable_realtime_training"] = c.EnableParameterSync, c.EnableRealtimeTraining
	return shown
}

func shownEstimator(c rustport.EstimatorConfig) map[string]any {
	return map[string]any{
		"model_dir": c.ModelDir, "train_steps": c.TrainSteps.Any(), "eval_steps": c.EvalSteps.Any(), "save_checkpoints_steps": c.SaveCheckpointsSteps.Any(),
		"log_step_count_steps": c.LogStepCountSteps, "warm_start_from": c.WarmStartFrom.Any(), "random_seed": c.RandomSeed.Any(),
	}
}

func configOf(c *worldtest.Case, in input) any {
	run := in.run()
	conf := run.ToRunnerConfig(in.runner("base"))
	conf.ExportEnv(c.Env.Host)
	overrides := map[string]any{}
	for _, o := range run.UserOverrides() {
		overrides[o.Name] = o.Value
	}
	return map[string]any{
		"runner": shownRunner(conf), "overrides": overrides, "run_estimator": shownEstimator(run.ToEstimatorConfig()),
		"runner_estimator": shownEstimator(conf.ToEstimatorConfig()), "env": environ(c.Env.Host),
	}
}

// shownState returns a function's result, a state or an error, in the form of the recordings.
func shownState(s *rustport.CheckpointState, err error) map[string]any {
	switch {
	case err != nil:
		return map[string]any{"error": err.Error()}
	case s == nil:
		return map[string]any{"state": nil}
	}
	return map[string]any{"state": map[string]any{"current": s.ModelCheckpointPath, "all": append([]string{}, s.AllModelCheckpointPaths...)}}
}

func stateOf(c *worldtest.Case, in input) any {
	o := rustport.RestoreOverride{Checkpoint: in.optText("ckpt"), Training: in.text("mode", "train") == "train"}
	r := rustport.Retries{Max: int(in.optNumber("retries").V)}
	out := shownState(rustport.StateWithOverride(c.Env, "m", in.text("name", "checkpoint"), o, r))
	out["files"] = files(c)
	return out
}

func restoreOf(c *worldtest.Case, in input) any {
	conf, timing := in.runner("runner"), rustport.Timing{Timeout: 5 * time.Millisecond, Poll: time.Millisecond}
	if in.of["run"] != nil {
		conf = in.run().ToRunnerConfig(conf)
	}
	out := shownState(rustport.InitializeRestore(c.Env, conf, rustport.Worker, rustport.AsPort, timing))
	out["files"], out["env"] = files(c), environ(c.Env.Host)
	return out
}
