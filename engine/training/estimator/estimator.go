package estimator

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/engine/training/session"
)

// These are the modes of a model (tf.estimator.ModeKeys).
const (
	ModeTrain   = "train"
	ModeEval    = "eval"
	ModePredict = "infer"
)

// Every process exports these environment variables (estimator.py:326-329).
const (
	zkServersVariable         = "zk_servers"
	cacheThreadsVariable      = "TF_GRPC_WORKER_CACHE_THREADS"
	handlerMultiplierVariable = "MONOLITH_GRPC_WORKER_SERVICE_HANDLER_MULTIPLIER"
)

// Model holds the properties of a model that the estimator reads and sets.
type Model struct {
	Name string
	Mode pysem.OptString
	// P holds the model's parameters, which params_override sets. nil means that it has none.
	P       Params
	Metrics DeepInsight
	Train   TrainParams
}

// Params holds parameters by name.
type Params interface {
	// Set sets several parameters. It returns an error for an unknown name.
	Set(values *pysem.Dict) error
	// Clone returns an independent copy.
	Clone() Params
}

// DeepInsight configures where a model's metrics are sent.
type DeepInsight struct {
	Enable       bool
	Name, Target pysem.OptString
	SampleRatio  pysem.OptFloat
}

// TrainParams configures how long a model is trained and where its data comes from.
type TrainParams struct {
	Steps, MaxSteps                   pysem.OptInt
	SlowStartSteps                    pysem.OptInt
	UseGPUEmbTable                    pysem.OptBool
	UseFountain                       bool
	FountainZKHost, FountainModelName string
}

func (m Model) clone() *Model {
	if m.P != nil {
		m.P = m.P.Clone()
	}
	return &m
}

// SyncBackend sends the parameters of a PS to the serving processes.
type SyncBackend interface {
	Start() error
	SubscribeModel(name pysem.OptString) error
	Stop() error
}

// LocalRun describes training in one process.
type LocalRun struct {
	ModelDir string
	// Steps is the number of steps to train from the model's current step. max_steps is ignored.
	Steps     pysem.OptInt
	Profiling bool
	Hooks     []session.Hook
}

// DistributedRun describes one process of distributed training. It ends at the model's max_steps.
// steps is ignored.
type DistributedRun struct {
	// Discovery is nil if everything is trained synchronously.
	Discovery   training.ServiceDiscovery
	SyncBackend SyncBackend
	Hooks       []session.Hook
}

// Training does the work of TensorFlow and the other modules for an estimator.
type Training interface {
	LocalTrain(m *Model, c *runnerutils.RunnerConfig, r LocalRun) error
	DistributedTrain(m *Model, c *runnerutils.RunnerConfig, r DistributedRun) error
	DistributedSyncTrain(m *Model, c *runnerutils.RunnerConfig, r DistributedRun) error
	InitSyncTrain(c *runnerutils.RunnerConfig) error
	TryInitCUDA() error
	// WithDiscovery calls runnerutils.WithDiscovery for the process.
	WithDiscovery(c *runnerutils.RunnerConfig, body func(d training.ServiceDiscovery) error) error
	// NewSyncBackend returns the backend of a PS in real-time training, with its ZooKeeper.
	NewSyncBackend(c *runnerutils.RunnerConfig, zkServers string) (SyncBackend, error)
	// User returns the user's name.
	User() string
}

// Estimator trains and evaluates a model.
type Estimator struct {
	env       *env.Env
	training  Training
	model     *Model
	conf      *runnerutils.RunnerConfig
	profiling bool
	backend   SyncBackend
	quirks    jobquirks.Set
}

// New returns an estimator for a runner's configuration. It sets where the model's metrics are
// sent, overrides the model's parameters and exports variables (estimator.py:261). A PS in
// real-time training without a business id or base name raises an AssertionError.
func New(e *env.Env, kept jobquirks.Set, t Training, m *Model, conf *runnerutils.RunnerConfig) (*Estimator, error) {
	est := &Estimator{env: e, training: t, model: m, conf: conf, quirks: kept}
	est.tellMetrics()
	if err := est.connect(); err != nil {
		return nil, err
	}
	if err := est.overrideParams(); err != nil {
		return nil, err
	}
	e.Host.Setenv(cacheThreadsVariable, pysem.Str(runnerutils.Class.Get(conf, "tf_grpc_worker_cache_threads")))
	e.Host.Setenv(handlerMultiplierVariable, pysem.Str(runnerutils.Class.Get(conf, "monolith_grpc_worker_service_handler_multiplier")))
	return est, nil
}

// FromRunConfig returns an estimator for the user's settings.
func FromRunConfig(p runnerutils.Process, t Training, m *Model, c *RunConfig) (*Estimator, error) {
	conf, err := c.ToRunnerConfig(p)
	if err != nil {
		return nil, err
	}
	est, err := New(p.Env, p.Quirks, t, m, conf)
	if est != nil {
		est.profiling = c.EnableLocalProfiling
	}
	return est, err
}

// tellMetrics sets where a model in distributed training sends its metrics.
func (est *Estimator) tellMetrics() {
	c, to := est.conf, &est.model.Metrics
	to.Enable = !c.IsLocal
	if c.IsLocal {
		return
	}
	if c.DeepInsightName.Or("") != "" {
		to.Name = c.DeepInsightName
	}
	if c.DeepInsightTarget.Or("") != "" {
		to.Target = c.DeepInsightTarget
	}
	if c.DeepInsightSampleRatio.Or(0) != 0 {
		to.SampleRatio = c.DeepInsightSampleRatio
	}
}

func (est *Estimator) connect() (err error) {
	c := est.conf
	if !c.EnableRealtimeTraining || c.ServerType != "ps" {
		return nil
	}
	if c.Bzid.Or("") == "" {
		return pysem.Raise("AssertionError", "Business id cannot be none while realtime training.")
	}
	if c.BaseName.Or("") == "" {
		return pysem.Raise("AssertionError", "Base name cannot be none while realtime training.")
	}
	servers := c.ZKServer.Or("")
	if servers == "" { // estimator.py:293, whose default_zk_servers is empty
		servers, _ = est.env.Host.LookupEnv(zkServersVariable)
	}
	est.backend, err = est.training.NewSyncBackend(c, servers)
	return err
}

func (est *Estimator) overrideParams() error {
	text := est.conf.ParamsOverride.Or("")
	if text == "" {
		return nil
	}
	est.env.Log.Logf(env.Info, "Override: %s", text)
	value, err := pysem.ParseJSON(text)
	if err != nil {
		return err
	}
	if est.model.P == nil {
		est.env.Log.Logf(env.Warning, "params_override error!")
		return nil
	}
	values, ok := value.(*pysem.Dict)
	if !ok {
		return pysem.Raise("TypeError", "argument after ** must be a mapping, not %s", pysem.TypeName(value))
	}
	return est.model.P.Set(values)
}

// ModelDir returns the model's directory.
func (est *Estimator) ModelDir() string { return est.conf.ModelDir }

// Limits sets how long training runs.
type Limits struct{ Steps, MaxSteps pysem.OptInt }

// Train trains the model (estimator.py:407). Local training runs for Steps steps and ignores
// max_steps. Distributed training runs until max_steps and ignores Steps. The caller's model is not
// changed.
func (est *Estimator) Train(l Limits, hooks []session.Hook) error {
	return est.run(ModeTrain, l, hooks)
}

// Evaluate runs the model in mode eval (estimator.py:467). The configuration stays in that mode
// afterwards, unless Q260 is repaired. In distributed training the hooks are not passed on, unless
// everything is trained synchronously.
func (est *Estimator) Evaluate(steps pysem.OptInt, hooks []session.Hook) error {
	if !est.quirks.Keeps(jobquirks.Q260) {
		mode := est.conf.Mode
		defer func() { est.conf.Mode = mode }()
	}
	est.conf.Mode = ModeEval
	return est.run(ModeEval, Limits{Steps: steps}, hooks)
}

func (est *Estimator) run(mode string, l Limits, hooks []session.Hook) error {
	model := est.model.clone()
	model.Mode = pysem.Some(mode)
	if l.Steps.Set {
		model.Train.Steps = l.Steps
	}
	if l.MaxSteps.Set {
		model.Train.MaxSteps = l.MaxSteps
	}
	est.tellFountain()
	var err error
	if est.conf.IsLocal {
		err = est.training.LocalTrain(model, est.conf, LocalRun{ModelDir: est.localDir(), Steps: l.Steps, Profiling: est.profiling, Hooks: hooks})
	} else {
		err = est.distributed(model, mode, hooks)
	}
	if err != nil {
		return err
	}
	est.Close()
	return nil
}

// tellFountain makes the caller's model read its data from the service in the configuration
// (estimator.py:370). It does not change the copy that is trained.
func (est *Estimator) tellFountain() {
	c, train := est.conf, &est.model.Train
	if train.UseFountain && c.FountainZKHost != "" && c.FountainModelName != "" {
		train.FountainZKHost, train.FountainModelName = c.FountainZKHost, c.FountainModelName
	}
}

// localDir returns the model's directory. By default this is a directory named after the user.
func (est *Estimator) localDir() string {
	if est.conf.ModelDir != "" {
		return est.conf.ModelDir
	}
	return "/tmp/" + est.training.User() + "/" + est.model.Name
}

func (est *Estimator) distributed(model *Model, mode string, hooks []session.Hook) error {
	if mode == ModeTrain && est.backend != nil {
		if err := est.subscribe(model); err != nil {
			return err
		}
	}
	r := DistributedRun{SyncBackend: est.backend, Hooks: hooks}
	if est.conf.EnableFullSyncTraining() {
		if err := est.training.InitSyncTrain(est.conf); err != nil {
			return err
		}
		return est.training.DistributedSyncTrain(model, est.conf, r)
	}
	if mode == ModeEval {
		r.Hooks = nil
	}
	return est.training.WithDiscovery(est.conf, func(d training.ServiceDiscovery) error {
		if err := est.useGPU(model, mode); err != nil {
			return err
		}
		r.Discovery = d
		return est.training.DistributedTrain(model, est.conf, r)
	})
}

func (est *Estimator) subscribe(model *Model) error {
	if err := est.backend.Start(); err != nil {
		return err
	}
	name := model.Metrics.Name
	if est.conf.ModelName != "" {
		name = pysem.Some(est.conf.ModelName)
	}
	return est.backend.SubscribeModel(name)
}

func (est *Estimator) useGPU(model *Model, mode string) error {
	if est.conf.EnableGPUTraining {
		model.Train.UseGPUEmbTable = pysem.Some(false)
	}
	if !est.conf.EnablePartialSyncTraining || est.conf.ServerType != "worker" {
		return nil
	}
	if mode == ModeTrain {
		model.Train.SlowStartSteps = pysem.Some(0)
	}
	return est.training.TryInitCUDA()
}

// Close stops the backend and ignores its error.
func (est *Estimator) Close() {
	if est.backend == nil {
		return
	}
	if err := est.backend.Stop(); err != nil {
		est.env.Log.Logf(env.Error, "%v", err)
	}
}
