package trainingcases

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	pb "github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gflagsutils"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// runnerOps holds the operations on runner_utils.py.
var runnerOps = caseworld.Table{
	"runner_utils.isabs":                func(c *caseworld.Call) (any, error) { return checkpoints.IsAbs(c.In.Str("path")), nil },
	"runner_utils.get_checkpoint_state": caseworld.With(trainingFlags, overriddenState),
	"runner_utils.RunnerConfig":         caseworld.With(trainingFlags, runnerConfig),
	"runner_utils.RunnerConfig.restore": caseworld.With(trainingFlags, runnerRestore),
	"runner_utils.get_discovery":        getDiscovery,
	"runner_utils.monolith_discovery":   monolithDiscovery,
}

// textOf returns the text of a file. If the file is missing, it returns nil.
func textOf(f env.Files, dir, name string) any {
	data, err := f.ReadFile(pysem.JoinStrings(dir, name))
	if err != nil {
		return nil
	}
	return string(data)
}

// writtenState returns the CheckpointState in a directory's file "checkpoint", with its paths
// unchanged.
func writtenState(f env.Files, dir string) any {
	text, ok := textOf(f, dir, checkpoints.Filename).(string)
	if !ok {
		return nil
	}
	state := &pb.CheckpointState{}
	decoded, err := pysem.DecodeUTF8([]byte(text))
	if err != nil || textformat.Parse(decoded, state) != nil {
		return "<unparsable>"
	}
	return checkpointState(state)
}

func overriddenState(c *caseworld.Call, flags *absl.Flags) (any, error) {
	staged := c.In.OptList("reads")
	reads, calls, dir := 0, []any{}, c.In.Str("dir")
	states := runnerutils.CheckpointStates{Env: c.Env, Flags: flags, Quirks: c.Quirks, Read: func(e *env.Env, dir, name string) (*pb.CheckpointState, error) {
		reads++
		if reads <= len(staged) && staged[reads-1] == "none" {
			return nil, nil
		}
		return checkpoints.State(e, dir, name)
	}}
	for range c.In.Count("times") {
		reads = 0
		state, err := states.State(dir, c.In.OptStr("latest_filename").V)
		call := caseworld.Attempt(checkpointState(state), err)
		call.Set("reads", reads)
		calls = append(calls, caseworld.Raw{V: caseworld.Encode(call)})
	}
	return caseworld.Object("calls", calls, "checkpoint", writtenState(c.Env.Files, dir), "restore_ckpt", textOf(c.Env.Files, dir, "restore_ckpt")), nil
}

// runnerKwargs makes a RunnerConfig from the arguments in a case. It does not yet set the fields
// that Init sets.
func runnerKwargs(in caseworld.Arguments) (*runnerutils.RunnerConfig, error) {
	fields := in.Fields()
	for i, f := range fields {
		if f.Name != "discovery_type" {
			continue
		}
		_, members := new(training.ServiceDiscoveryType).EnumMembers()
		at := slices.IndexFunc(members, func(m gflagsutils.Member) bool { return m.Name == f.Value })
		if at < 0 {
			return nil, pysem.Raise("KeyError", "%s", pysem.Repr(f.Value))
		}
		fields[i].Value = members[at].Value
	}
	return made(runnerutils.Class, fields)
}

// madeRunnerConfig returns runner_utils.RunnerConfig(**kwargs).
func madeRunnerConfig(e *env.Env, flags *absl.Flags, kwargs caseworld.Arguments) (*runnerutils.RunnerConfig, error) {
	config, err := runnerKwargs(kwargs)
	if err == nil {
		err = runnerutils.Process{Env: e, Flags: flags}.Init(config)
	}
	return config, err
}

// changedFields returns the fields of a configuration that differ from their defaults.
func changedFields(config *runnerutils.RunnerConfig) *pysem.Dict {
	out := &pysem.Dict{}
	for _, a := range runnerutils.Class.Fields() {
		value := runnerutils.Class.Get(config, a.Name)
		if pysem.Equal(value, a.Default) {
			continue
		}
		if n, ok := value.(int); ok && a.Name == "discovery_type" {
			value = training.ServiceDiscoveryType(n).String()
		}
		out.Set(a.Name, value)
	}
	return out
}

func flagValues(flags *absl.Flags, names ...string) *pysem.Dict {
	out := &pysem.Dict{}
	for _, name := range names {
		value, err := flags.Value(name)
		if err != nil {
			panic(err) // cannot happen: the program defines these flags
		}
		out.Set(name, value)
	}
	return out
}

func runnerConfig(c *caseworld.Call, flags *absl.Flags) (any, error) {
	config, err := madeRunnerConfig(c.Env, flags, c.In.Object("kwargs"))
	if err != nil {
		return nil, err
	}
	return caseworld.Object("changed", changedFields(config),
		"flags", flagValues(flags, "kafka_topics", "kafka_group_id", "kafka_servers", "restore_ckpt")), nil
}

func runnerRestore(c *caseworld.Call, flags *absl.Flags) (any, error) {
	l := newLab(c)
	l.appear()
	made := caseworld.Bounded(func() (any, error) {
		_, err := madeRunnerConfig(l.e, flags, c.In.Object("kwargs"))
		return nil, err
	})
	f := c.Env.Files
	info, err := f.Stat("m")
	flag, _ := flags.Value("restore_ckpt")
	return caseworld.Object("made", made, "slept", caseworld.InRows(l.time.Slept), "restore_ckpt_flag", flag, "model_dir_exists", err == nil && info.Dir,
		"checkpoint", writtenState(f, "m"), "monolith_checkpoint", monolithStateOf(f, "m"), "marker", textOf(f, "m", "restore_ckpt")), nil
}

// madeOnly records which kinds of discovery are made and closed. They can do nothing else.
type madeOnly struct{ log []any }

type madeDiscovery struct {
	training.ServiceDiscovery
	kind string
	of   *madeOnly
}

func (d *madeDiscovery) Close() { d.of.log = append(d.of.log, []any{"close"}) }

func (m *madeOnly) made(kind string, arguments ...any) (training.ServiceDiscovery, error) {
	m.log = append(m.log, []any{kind, append([]any{}, arguments...)})
	return &madeDiscovery{kind: kind, of: m}, nil
}

func (m *madeOnly) Consul(psm pysem.OptString) (training.ServiceDiscovery, error) {
	return m.made("ConsulServiceDiscovery", psm)
}

func (m *madeOnly) MLP() (training.ServiceDiscovery, error) { return m.made("MLPServiceDiscovery") }

func (m *madeOnly) ZK(name, server pysem.OptString) (training.ServiceDiscovery, error) {
	return m.made("ZKServiceDiscovery", name, server)
}

func kindOf(d training.ServiceDiscovery) any {
	switch d := d.(type) {
	case *madeDiscovery:
		return d.kind
	case *training.TFConfigServiceDiscovery:
		return "TfConfigServiceDiscovery"
	}
	return nil
}

func getDiscovery(c *caseworld.Call) (any, error) {
	made := &madeOnly{log: []any{}}
	config, err := configOf(c)
	if err != nil {
		return nil, err
	}
	d, err := runnerutils.GetDiscovery(config, c.In.OptStr("psm"), made)
	if err != nil {
		return nil, err
	}
	out := caseworld.Object("kind", kindOf(d), "made", made.log, "server_type", runnerutils.Class.Get(config, "server_type"),
		"index", runnerutils.Class.Get(config, "index"))
	if tf, ok := d.(*training.TFConfigServiceDiscovery); ok {
		queries := caseworld.Object()
		for _, name := range []string{"ps", "worker", "chief", "foo"} {
			addrs, err := tf.Query(name)
			queries.Set(name, caseworld.Attempt(addrsByText(addrs), err))
		}
		out.Set("queries", queries)
		out.Set("addr", caseworld.Attempt(tf.Addr()))
	}
	return out, nil
}

func addrsByText(addrs training.Addrs) *pysem.Dict {
	d := caseworld.Object()
	for _, a := range addrs {
		d.Set(pysem.Str(a.Index), a.Addr)
	}
	return d
}

// configOf makes a RunnerConfig from the case's kwargs, with an empty command line.
func configOf(c *caseworld.Call) (*runnerutils.RunnerConfig, error) {
	flags := runnerutils.NewFlags()
	if _, err := flags.Parse(c.Env.Files, nil); err != nil {
		return nil, err
	}
	return madeRunnerConfig(c.Env, flags, c.In.Object("kwargs"))
}

func monolithDiscovery(c *caseworld.Call) (any, error) {
	made := &madeOnly{log: []any{}}
	config, err := configOf(c)
	if err != nil {
		return nil, err
	}
	err = runnerutils.WithDiscovery(c.Env, config, made, func(d training.ServiceDiscovery) error {
		made.log = append(made.log, []any{"enter", kindOf(d)})
		if c.In.Str("body") == "raise" {
			return pysem.Raise("RuntimeError", "body failed")
		}
		made.log = append(made.log, []any{"leave"})
		return nil
	})
	return caseworld.Object("result", caseworld.Attempt(nil, err), "log", made.log), nil
}
