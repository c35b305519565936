// Package tfserving is the simulated TensorFlow Serving model server as one deterministic state
// machine.
//
// It has no clock, disk, sockets or randomness of its own. A [Host] supplies them, in virtual time
// or on a real machine, and both see the same events, answers and error texts. Paragraph numbers
// such as TFS-8.2 refer to SPEC.md, which says what upstream does and what was decided.
//
// Two things to use first:
//
//   - [New] makes a [Server] from [Options] (or flags: [ParseFlags]) and a Host. Start runs
//     it, and OnServing tells when its ports would open.
//   - [Server.Status] and [Server.Reload] are requests. In upstream's messages requests are
//     [Server.GetModelStatus], [Server.HandleReloadConfigRequest], [Server.GetModelMetadata]
//     and [Server.Begin]. A reload may never call back (TFS-8.7). [Server.Share] allows
//     requests to models from other threads.
//
// To change:
//
//   - what a poll of the disk aspires: source.go, source_poll.go, policy_version.go
//   - what the manager does next: manager.go, manager_requests.go, policy_transition.go
//   - a load: loader.go, resources.go, bundle.go, and package savedmodel for real models
//   - warm-up: warmup.go
//   - times and memory: cost.go
//   - a reload: reload.go, reload_checks.go, wait.go
//   - start-up and its files: startup.go, startup_files.go
//   - flags: flags_table.go
//   - requests in batches: batching.go, and package batch for the scheduler
//   - labels and requests: reader.go, labels.go, requests.go, metadata.go, inference.go
//   - how the disk is read: storage.go
//   - what servers of one world share: shared.go
//   - how the server contains the reference's Python fake: python_fake.go
//
// Packages below it: timerqueue runs the server's threads, modelconfig has configs and statuses,
// infer answers requests to a model, batch puts requests together, node runs a server in a process of a simulated host, and fake
// is the reference's Python fake.
//
// testdata holds scripts, one behaviour each. testdata/upstream mirrors upstream's test cases,
// which testdata/upstream/cases lists. random_test.go plays random scripts. Their invariants are
// in invariants_test.go, reload_rules_test.go and convergence_test.go.
//
// An idle server costs nothing. Runs of its loops that would do nothing are left out
// (timerqueue.Grid), and the others happen at the same instants as without that.
//
// Unstable: any commit may change it.
package tfserving

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/batch"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Server is one model server process. Only one thread may call it, except for a shared Reader,
// which any thread may call.
type Server struct {
	options *Options // options is shared with servers of equal options; the next fields are the server's own
	// configFile, startTime and roundTime are copies of the options that may differ between
	// otherwise equal servers.
	configFile           string
	startTime, roundTime time.Duration

	profile Profile
	host    Host
	timers  *timerqueue.Queue

	states     monitor
	manager    *manager
	core       core
	configPoll configPoll
	reader     *Reader
	memory     memory
	// schedulers holds one batch scheduler for each platform whose requests are batched.
	schedulers map[*Batching]*batch.Scheduler[*batched]
	fake       *fake.Fake // fake is the state machine of python-fake; nil for other profiles

	onServing func()
	serving   bool
	started   bool
	dead      bool
	// polls makes every loop run at every instant of its schedule. Tests compare this with loops
	// that skip needless runs.
	polls bool

	// onAspire, if set, is called with the versions that the source aspires for a model.
	onAspire func(model string, versions []aspired)

	// OnEvent, if set before Start, is called at every change of a servable's state, in order, as
	// upstream's event bus does.
	OnEvent func(Event)
	// OnReason, if set before Start, receives texts that tell a human reader why something takes
	// time or fails. Examples are the duration of a load, its error and attempt, the memory that it
	// needs, or a missing base path. subject is "<model>/<version>" or a model. Setting it changes
	// nothing else.
	OnReason func(subject, text string)
	// OnWarmup, if set before Start, is called for every warm-up, at the beginning of its load. It
	// is called on the thread that reads the storage.
	OnWarmup func(Warmup)
	// OnBatched, when set before Start, is called for every request that will be put into a batch,
	// with the first dimensions of its inputs. Any thread calls it.
	OnBatched func(firstDimensions []int64)
	// OnBatch, when set before Start, is called for every batch that a thread takes from a queue.
	OnBatch func(BatchTaken)
	// Slowness, if set before Start, returns the factor by which the cost model's time of a batch
	// is multiplied.
	Slowness func() float64
	// OnLoad, if set before Start, is called at the end of every attempt to load a SavedModel.
	OnLoad func(Load)
	// OnRun, if set before Start, is called for every successful run of a graph by a load, a
	// warm-up or a batch. A request that is not batched is not reported. Any thread calls it.
	OnRun func(Run)
}

// Event is a change of the state of one version. Err is set if a failure has caused an End.
type Event struct {
	At      time.Duration
	Model   string
	Version int64
	State   env.ModelState
	Err     *env.RPCError
}

// New makes a server, which does nothing before Start.
func New(options Options, host Host) *Server {
	s := &Server{
		configFile: options.ModelConfigFile,
		startTime:  options.Cost.StartTime,
		roundTime:  options.Cost.RoundTime,
		profile:    options.Profile,
		host:       host,
		timers:     timerqueue.New(host),
	}
	options.ModelConfigFile, options.Cost.StartTime, options.Cost.RoundTime = "", 0, 0
	s.options = options.Shared.alike(&options)
	s.reader = newReader(s)
	if s.profile == ProfilePythonFake {
		s.fake = fake.New(s.timers, (*fakeHost)(s), fake.Options{Bugs: options.FakeBugs, Switches: options.FakeSwitches})
		return s
	}
	s.manager = newManager(s)
	s.core.server = s
	s.core.lock.Timers = s.timers
	s.configPoll.init(s)
	return s
}

// OnServing sets a function to call when the ports open (TFS-9.1). Call it before Start.
func (s *Server) OnServing(fn func()) { s.onServing = fn }

// Serving reports whether the ports are open.
func (s *Server) Serving() bool { return s.serving && !s.dead }

// Awaits reports whether a reload is waiting for its models. For a reload that never returns,
// Awaits stays true (TFS-8.7).
func (s *Server) Awaits() bool { return s.core.waiting != nil && s.core.waiting.begun }

// Start starts the process, which loads the first config. When the ports would open, it calls
// OnServing's function. If the process ends before that, it calls Host.Exit. A second call of Start
// does nothing.
func (s *Server) Start() {
	if s.started {
		return
	}
	s.started = true
	s.timers.Request(s.start)
}

// Stop ends the server silently, like SIGKILL. No callback runs after it.
func (s *Server) Stop() {
	if s.dead {
		return
	}
	s.dead = true
	s.timers.Stop()
	if s.fake != nil {
		return
	}
	s.configPoll.close()
	s.core.close()
}

// Reload executes HandleReloadConfigRequest. It calls done at most once, at this instant or later,
// with nil for OK. A reload that waits forever never calls it (TFS-8.7).
func (s *Server) Reload(config modelconfig.ServerConfig, done func(*env.RPCError)) {
	if s.dead {
		return
	}
	s.timers.Request(func() {
		if s.fake != nil {
			s.fake.Reload(config)
			done(nil)
			return
		}
		s.core.handleReload(config, func(err *env.RPCError) { done(GRPCStatus(err)) })
	})
}

// exit ends the process by its own decision, with an exit code and its last output.
func (s *Server) exit(code int, stdout string) {
	if s.dead {
		return
	}
	s.Stop()
	s.host.Exit(code, stdout)
}

// publish records a version's new state, as upstream's event bus does for its state monitors. It
// then calls OnEvent.
func (s *Server) publish(id servable, state env.ModelState, err *env.RPCError) {
	if s.dead {
		return
	}
	event := Event{At: s.timers.Now(), Model: id.model, Version: id.version, State: state, Err: err}
	s.states.handle(event)
	s.core.heard(event)
	for _, source := range []*source{s.core.source, s.core.connecting} {
		if source != nil {
			source.heard(event)
		}
	}
	s.configPoll.heard()
	if s.OnEvent != nil {
		s.OnEvent(event)
	}
}

func (s *Server) infof(format string, args ...any) { s.host.Log(env.Info, format, args...) }

// reasonf formats a reason about a model or version and passes it to OnReason.
func (s *Server) reasonf(id servable, format string, args ...any) {
	if s.OnReason != nil && !s.dead {
		subject := id.model
		if id.version != 0 {
			subject = fmt.Sprintf("%s/%d", id.model, id.version)
		}
		s.OnReason(subject, fmt.Sprintf(format, args...))
	}
}

func (s *Server) warnf(format string, args ...any) { s.host.Log(env.Warning, format, args...) }
func (s *Server) errorf(format string, args ...any) {
	s.host.Log(env.Error, format, args...)
}
