package agent

import (
	"errors"
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Options are what the entry point is told beside its environment.
type Options struct {
	// ConfPath is the agent.conf.
	ConfPath string
	// TFSLog is the log file of the model servers; empty means
	// /var/log/tfs.std.log (agent.py:38).
	TFSLog string
	Quirks Quirks
	V3     AgentV3Options
	V1     AgentV1Options
	// Started, when set, is told of the agent before it is started.
	Started func(Agent)
}

// Run is the entry point: it reads the configuration, makes the agent of its
// version, starts it and waits (agent.py:41-71). It returns the error with which
// the process ends.
func Run(e *env.Env, o Options) error {
	if o.TFSLog == "" {
		o.TFSLog = "/var/log/tfs.std.log"
	}
	// The reference parses the configuration twice, which draws two sets of free
	// ports (Q4).
	load := Loader{Env: e, Quirks: o.Quirks}
	if _, err := load.FromFile(o.ConfPath); err != nil {
		return err
	}
	conf, err := load.FromFile(o.ConfPath)
	if err != nil {
		return err
	}
	a, err := newAgent(e, conf, o)
	if err != nil {
		return err
	}
	if o.Started != nil {
		o.Started(a)
	}
	// The rough sort model is copied before the agent starts; when that fails the
	// process kills itself (Q7).
	models := NewModelManager(e, ModelManagerOptions{
		ModelName: conf.RoughSortModelName, SourcePath: conf.RoughSortModelP2PPath,
		ReceivePath: conf.RoughSortModelLocalPath, Quirks: o.Quirks,
		// The open-source metrics client drops what it is told (metric/cli.py).
		Metrics: func(string, int) {},
	})
	if !models.Start() {
		e.Log.Logf(env.Error, "model_manager start failed, kill self")
		e.Processes.Exit(-int(env.SIGKILL))
	}
	if err := a.Start(); err != nil {
		return err
	}
	return a.WaitForTermination()
}

func newAgent(e *env.Env, conf *AgentConfig, o Options) (Agent, error) {
	switch conf.AgentVersion {
	case 1:
		return NewAgentV1(e, conf, o.TFSLog, o.V1)
	case 2:
		return nil, pysem.Raise("Exception", "agent_version v2 is not support")
	case 3:
		return NewAgentV3(e, conf, o.TFSLog, o.V3)
	}
	return nil, pysem.Raise("Exception", "agent_version error %d", conf.AgentVersion)
}

// Main is Run as a program: an error is printed as Python prints an uncaught
// exception, and the exit code is 1. The interpreter first joins the threads that
// run: an agent v3 whose first look at its layout raises is not over, but goes on
// to report, to bind and to follow the layout until a signal ends its threads.
func Main(e *env.Env, o Options) {
	var made Agent
	started := o.Started
	o.Started = func(a Agent) {
		made = a
		if started != nil {
			started(a)
		}
	}
	err := Run(e, o)
	if err == nil {
		return
	}
	var python *pysem.Error
	if !errors.As(err, &python) {
		err = fmt.Errorf("Exception: %w", err)
	}
	e.Log.Logf(env.Error, "Traceback (most recent call last): %v", err)
	if a, ok := made.(*AgentV3); ok {
		a.threads.Join()
	}
	e.Processes.Exit(1)
}
