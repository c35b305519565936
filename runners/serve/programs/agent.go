package programs

import (
	"cmp"
	"errors"
	"io"
	"os"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// AgentOptions configure an agent.
type AgentOptions struct {
	Surroundings
	// Conf is the path of the agent.conf.
	Conf string
	// TFSLog is the path from which the names of the model servers' log files are derived. "" means
	// /var/log/tfs.std.log.
	TFSLog string
	// TFSHome is the directory of the model servers and their configuration. "" means
	// /opt/tiger/monolith_serving. Agents of version 1 start TFSHome/bin/tensorflow_model_server.
	// Agents of version 3 start the program that MONOLITH_TFS_BINARY names.
	TFSHome string
	// Quirks says which faults of the reference to keep: python (all), fixed (none) or a list.
	Quirks string
}

// Validate returns an error for invalid options, such as a missing Conf.
func (o AgentOptions) Validate() error {
	if o.Conf == "" {
		return errors.New("conf: found none, want the path of an agent.conf")
	}
	if _, err := o.quirks(); err != nil {
		return err
	}
	return o.Surroundings.Validate()
}

func (o AgentOptions) quirks() (quirks.Set, error) {
	if o.Quirks == "" {
		return quirks.Python, nil
	}
	return quirks.Parse(o.Quirks)
}

// Agent runs an agent until it ends, and returns its exit code. The code is 1 for an exception.
// Like the reference, an agent usually kills itself by SIGKILL, and then Agent does not return. The
// error comes from Validate or from a panic.
func Agent(o AgentOptions) (code int, err error) {
	set, err := o.quirks()
	if err != nil {
		return 0, err
	}
	watch := trouble{program: "agent", out: cmp.Or[io.Writer](o.Log, os.Stderr)}
	watch.readable(o.Conf)
	watch.reached(cmp.Or(o.listenHost(), "127.0.0.1"), os.Getenv("MY_HOST_IP"))
	p, err := o.program("agent", func(e *env.Env) int {
		agent.Main(e, agent.Options{ConfPath: o.Conf, TFSLog: o.TFSLog, TFSHome: o.TFSHome, Quirks: set})
		return 0
	})
	if err != nil {
		return 0, err
	}
	p.Furnish = watch.watch
	return surroundings.Run(p)
}
