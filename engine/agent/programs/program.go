// Package programs has the command lines of the reference's programs: agent_client,
// agent_controller, client, tfs_client, agent, and run, which starts some of the others by name. It
// adds one for svr_client, which is only a class in the reference. The AgentService that agent_client
// and svr_client ask is discovery, not inference: tfs_client alone sends inputs to models.
//
// Two things to use first:
//
//   - [Run] runs a program with its arguments in the world of an env.Env.
//   - [Ended] is how it ended: what it printed, what it found, its exit status.
//
// To change:
//
//   - a program: the file of its Python module here, and package clients for its work
//   - which flags there are: flags.go
//   - how flags are read: engine/pysem/absl
//   - results as JSON: result.go
//   - advice after failures: advice.go
//
// Unstable: any commit may change it.
package programs

import (
	"errors"
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/quirks"
)

// Names of the programs.
const (
	AgentClient     = "agent_client"
	AgentController = "agent_controller"
	Client          = "client"
	Dispatcher      = "run" // run.py
	SvrClient       = "svr_client"
	TFSClient       = "tfs_client"
)

// Agent is the name of the program that run.py starts by default.
const Agent = "agent"

// Names lists the programs that [Run] knows, sorted.
func Names() []string {
	return []string{Agent, AgentClient, AgentController, Client, Dispatcher, SvrClient, TFSClient}
}

// Options configures [Run].
type Options struct {
	Quirks quirks.Set
	// Instead, if set, is called before run.py starts another program. If it returns true, the
	// caller runs that program itself, and run.py does not start it.
	Instead func(name string) bool
	// Parsed, if set, is called with the parsed flags before the program's main function.
	Parsed func(flags *absl.Flags)
	// TFSHome is the folder with an agent's model servers; "" means the reference's default.
	TFSHome string
}

// Ended describes how a program ended, and what it printed.
type Ended struct {
	// Exit is the exit status of the Python program. It is 1 after an exception, wrong flags or
	// --help.
	Exit int
	// Err is the exception that ended the program, *absl.UsageError for wrong flags, or
	// *absl.HelpAsked.
	Err error
	// Printed is the program's output, even if it failed halfway.
	Printed string
	// Result is what the program found, as values of package pysem and protobuf messages. It is nil
	// if the program found nothing or failed. [Ended.JSON] formats it.
	Result any
	// Usage is the usage text. It is set after wrong flags and --help.
	Usage string
	// Advice says what was tried and what to do about Err, "" if nothing is known.
	Advice string
}

// Run runs the named program with the arguments in argv, which do not include the program's name.
// It panics for a name that is not in [Names].
func Run(e *env.Env, name string, argv []string, o Options) Ended {
	p := &process{Env: e, name: name, options: o, flags: absl.New(modulesOf(name, o.Quirks)...)}
	err := p.run(argv)
	ended := Ended{Err: err, Printed: p.printed.String(), Result: p.result}
	if err != nil {
		ended.Exit, ended.Result = 1, nil
	}
	var asked *absl.HelpAsked
	if errors.As(err, &asked) || errors.As(err, new(*absl.UsageError)) {
		ended.Usage = p.flags.Usage(name, asked != nil && asked.Full)
	}
	if p.failed {
		ended.Exit = 1
	}
	if err != nil {
		ended.Advice = p.adviceFor(err)
	}
	return ended
}

// process is a running program.
type process struct {
	*env.Env
	name    string
	options Options
	flags   *absl.Flags
	printed strings.Builder
	result  any
	// failed makes the exit status 1 without an exception.
	failed bool
	// tried is what the program called last, and advice what to do if that cannot be reached. want
	// says what a failed assert requires.
	tried, advice, want string
}

func (p *process) run(argv []string) error {
	if _, err := p.flags.Parse(p.Files, argv); err != nil {
		return err
	}
	if p.flags.Bool(absl.OnlyCheckArgsFlag) {
		return nil
	}
	if p.options.Parsed != nil {
		p.options.Parsed(p.flags)
	}
	return p.enter(p.name)
}

// enter calls the main function of the named program, with the flags of this process.
func (p *process) enter(name string) error {
	switch name {
	case Agent:
		return p.agent()
	case AgentClient:
		return p.agentClient()
	case AgentController:
		return p.agentController()
	case Client:
		return p.client()
	case Dispatcher:
		return p.dispatch()
	case SvrClient:
		return p.svrClient()
	case TFSClient:
		return p.tfsClient()
	}
	panic("programs: there is no program " + name)
}

// print prints values as Python's print does.
func (p *process) print(values ...any) {
	for i, v := range values {
		if i > 0 {
			p.printed.WriteByte(' ')
		}
		p.printed.WriteString(pysem.Str(v))
	}
	p.printed.WriteByte('\n')
}

// conf reads the configuration that --conf names.
func (p *process) conf() (*agentconfig.AgentConfig, error) {
	conf, err := agentconfig.Loader{Env: p.Env, Quirks: p.options.Quirks}.FromFile(p.flags.Text("conf").V)
	if err != nil {
		p.wantConf()
	}
	return conf, err
}

func (p *process) wantConf() {
	p.want = "want --conf, an agent.conf; found " + pysem.Repr(p.flags.Text("conf").V)
}

// connect starts a ZooKeeper client. Unlike the reference it does not print the credentials (Q236).
func (p *process) connect(servers string) (env.ZooKeeper, error) {
	p.trying("ZooKeeper at "+servers, "is one running there? "+p.namesZooKeeper()+" names it")
	zk := p.ZooKeeper.NewClient(servers, env.ZooKeeperOptions{Auth: envutils.ZKAuthData(p.Host)})
	return zk, zk.Start(0)
}

func (p *process) keeps(q quirks.Quirk) bool { return p.options.Quirks.Keeps(q) }

// assertion returns the error of a failed Python assert, which has no message. want says what the
// assert requires.
func (p *process) assertion(want string) error {
	p.want = "want " + want
	return &pysem.Error{Type: "AssertionError"}
}

// noHostIP returns the error with which client and tfs_client fail at their start in the reference:
// they call a function that does not exist (Q67).
func (p *process) noHostIP() error {
	if !p.keeps(quirks.Q67) {
		return nil
	}
	return pysem.Raise("AttributeError", "module 'monolith.native_training.env_utils' has no attribute 'setup_host_ip'")
}
