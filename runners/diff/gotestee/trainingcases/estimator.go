package trainingcases

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/estimator"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// estimatorOps holds the operations on estimator.py.
var estimatorOps = caseworld.Table{
	"estimator.RunConfig.to_runner_config": caseworld.With(trainingFlags, toRunnerConfig),
	"estimator.EstimatorSpec":              estimatorSpec,
	"estimator.Estimator.sequence":         estimatorSequence,
}

// runKwargs makes a RunConfig from the arguments in a case.
func runKwargs(in caseworld.Arguments) (*estimator.RunConfig, error) {
	return made(estimator.RunConfigClass, in.Fields())
}

func toRunnerConfig(c *caseworld.Call, flags *absl.Flags) (any, error) {
	config, err := runKwargs(c.In.Object("kwargs"))
	if err != nil {
		return nil, err
	}
	params := config.UserParams()
	l := newLab(c)
	changed := caseworld.Bounded(func() (any, error) {
		conf, err := config.ToRunnerConfig(runnerutils.Process{Env: l.e, Flags: flags, Quirks: c.Quirks})
		if err != nil {
			return nil, err
		}
		return changedFields(conf), nil
	})
	return caseworld.Object("user_params", params, "changed", changed), nil
}

var specFields = []string{"label", "pred", "head_name", "loss", "optimizer", "classification"}

func shownSpec(s estimator.EstimatorSpec) *pysem.Dict {
	out := caseworld.Object()
	for _, name := range specFields {
		out.Set(name, *s.Field(name))
	}
	return out
}

func estimatorSpec(c *caseworld.Call) (any, error) {
	kwargs := c.In.Object("kwargs")
	spec := estimator.NewEstimatorSpec(kwargs.Value("label"), kwargs.Value("pred"))
	for _, name := range specFields[:2] {
		if !kwargs.Has(name) {
			return nil, pysem.Raise("TypeError", "__new__() missing a required positional argument: '%s'", name)
		}
	}
	for _, item := range kwargs.Items {
		to := spec.Field(item.Key)
		if to == nil {
			return nil, pysem.Raise("TypeError", "__new__() got an unexpected keyword argument '%s'", item.Key)
		}
		*to = item.Value
	}
	replaced := []any{}
	for _, with := range c.In.Objects("replace") {
		other, err := spec.Replace(c.Quirks, with.Fields()...)
		replaced = append(replaced, caseworld.Attempt(shownSpec(other), err))
	}
	return caseworld.Object("fields", shownSpec(spec), "replaced", replaced), nil
}

// modelParams holds the parameters of a model, each of which can be set to any value.
type modelParams struct{ values *pysem.Dict }

func (p *modelParams) Set(values *pysem.Dict) error {
	for _, item := range values.Items {
		p.values.Set(item.Key, item.Value)
	}
	return nil
}

func (p *modelParams) Clone() estimator.Params {
	clone := &modelParams{&pysem.Dict{}}
	_ = clone.Set(p.values) // it never fails
	return clone
}

// notedTraining records what an estimator asks for. It also serves as the backend of a PS.
type notedTraining struct{ log []any }

func (n *notedTraining) note(pairs ...any) error {
	n.log = append(n.log, caseworld.Object(pairs...))
	return nil
}

// take returns the log and empties it.
func (n *notedTraining) take() []any {
	taken := n.log
	n.log = []any{}
	return taken
}

func count(hooks []session.Hook) any {
	if hooks == nil {
		return nil
	}
	return len(hooks)
}

func (n *notedTraining) trained(call string, m *estimator.Model, c *runnerutils.RunnerConfig, hooks []session.Hook, more ...any) error {
	pairs := []any{"call", call, "mode", m.Mode.Any(), "steps", m.Train.Steps.Any(), "max_steps", m.Train.MaxSteps.Any(), "hooks", count(hooks)}
	return n.note(append(append(pairs, more...), "conf_mode", c.Mode)...)
}

func (n *notedTraining) LocalTrain(m *estimator.Model, c *runnerutils.RunnerConfig, r estimator.LocalRun) error {
	dir := r.ModelDir
	if rest, ok := strings.CutPrefix(dir, "/tmp/user/"); ok {
		dir = "<POSIX TMP>/user/" + rest
	}
	return n.trained("local_train_internal", m, c, r.Hooks, "steps_argument", r.Steps.Any(), "model_dir", dir, "profiling", r.Profiling)
}

func (n *notedTraining) DistributedTrain(m *estimator.Model, c *runnerutils.RunnerConfig, r estimator.DistributedRun) error {
	return n.trained("distributed_train", m, c, r.Hooks, "discovery", r.Discovery != nil)
}

func (n *notedTraining) DistributedSyncTrain(m *estimator.Model, c *runnerutils.RunnerConfig, r estimator.DistributedRun) error {
	return n.trained("distributed_sync_train", m, c, r.Hooks, "discovery", r.Discovery != nil)
}

func (n *notedTraining) InitSyncTrain(*runnerutils.RunnerConfig) error {
	return n.note("call", "init_sync_train_and_update_conf")
}

func (n *notedTraining) TryInitCUDA() error { return n.note("call", "try_init_cuda") }

func (n *notedTraining) WithDiscovery(_ *runnerutils.RunnerConfig, body func(d training.ServiceDiscovery) error) error {
	n.note("call", "monolith_discovery")
	return body(training.NewTFConfigServiceDiscovery(nil))
}

func (n *notedTraining) NewSyncBackend(c *runnerutils.RunnerConfig, zkServers string) (estimator.SyncBackend, error) {
	if !c.UnifiedServing {
		return nil, pysem.Raise("KazooTimeoutError", "Connection time-out")
	}
	return n, n.note("call", "ZKBackend", "bzid", c.Bzid, "zk_servers", zkServers)
}

func (n *notedTraining) User() string { return "user" }

func (n *notedTraining) Start() error { return n.note("call", "start") }

func (n *notedTraining) SubscribeModel(name pysem.OptString) error {
	return n.note("call", "subscribe_model", "model_name", name)
}

func (n *notedTraining) Stop() error { return n.note("call", "stop") }

// hook is a session hook that does nothing.
type hook struct{ session.NoHook }

// hooksOf makes as many hooks as a call says. -1 means that the list contains something that is not
// a hook, for which the reference raises AssertionError.
func hooksOf(call caseworld.Step) ([]session.Hook, error) {
	if !call.Has("hooks") {
		return nil, nil
	}
	n := call.Count("hooks")
	if n < 0 {
		return nil, pysem.Raise("AssertionError", "")
	}
	hooks := []session.Hook{}
	for range n {
		hooks = append(hooks, hook{})
	}
	return hooks, nil
}

func optional(host env.Host, name string) any {
	if text, ok := host.LookupEnv(name); ok {
		return text
	}
	return nil
}

// newEstimator makes the estimator that the case describes.
func newEstimator(c *caseworld.Call, t estimator.Training, m *estimator.Model) (*estimator.Estimator, error) {
	if c.In.Str("config") != "RunConfig" {
		conf, err := configOf(c)
		if err != nil {
			return nil, err
		}
		return estimator.New(c.Env, c.Quirks, t, m, conf)
	}
	config, err := runKwargs(c.In.Object("kwargs"))
	if err != nil {
		return nil, err
	}
	flags := runnerutils.NewFlags()
	if _, err := flags.Parse(c.Env.Files, nil); err != nil {
		return nil, err
	}
	return estimator.FromRunConfig(runnerutils.Process{Env: c.Env, Flags: flags, Quirks: c.Quirks}, t, m, config)
}

func estimatorSequence(c *caseworld.Call) (any, error) {
	n, p := &notedTraining{log: []any{}}, &modelParams{caseworld.Object("a", 1)}
	m := &estimator.Model{Name: "m", P: p}
	m.Metrics.Name = c.In.Object("model").OptStr("deep_insight_name")
	est, err := newEstimator(c, n, m)
	if err != nil {
		return nil, err
	}
	const threads, multiplier = "TF_GRPC_WORKER_CACHE_THREADS", "MONOLITH_GRPC_WORKER_SERVICE_HANDLER_MULTIPLIER"
	out := caseworld.Object(
		"env", caseworld.Object(threads, optional(c.Env.Host, threads), multiplier, optional(c.Env.Host, multiplier)),
		"metrics", caseworld.Object("enable_deep_insight", m.Metrics.Enable, "deep_insight_name", m.Metrics.Name, "deep_insight_target", m.Metrics.Target,
			"deep_insight_sample_ratio", m.Metrics.SampleRatio.Any()),
		"p", caseworld.Raw{V: caseworld.Encode(p.values)}, "model_dir", est.ModelDir(), "made", n.take())
	out.Set("calls", c.Run(caseworld.Sequence{
		Do: caseworld.Do{
			"train": func(s caseworld.Step, steps, maxSteps pysem.OptInt) error {
				hooks, err := hooksOf(s)
				if err != nil {
					return err
				}
				return est.Train(estimator.Limits{Steps: steps, MaxSteps: maxSteps}, hooks)
			},
			"evaluate": func(s caseworld.Step, steps pysem.OptInt) error {
				hooks, err := hooksOf(s)
				if err != nil {
					return err
				}
				return est.Evaluate(steps, hooks)
			},
		},
		After: func(_ caseworld.Step, answer *pysem.Dict) { answer.Set("log", n.take()) },
	}))
	out.Set("own_model", caseworld.Object("mode", m.Mode.Any(), "steps", m.Train.Steps.Any(), "max_steps", m.Train.MaxSteps.Any()))
	return out, nil
}
