package gotestee

import (
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// stageProcesses starts fake processes, which behave as the case plans.
type stageProcesses struct {
	env.Processes
	s *stage
}

// stageProcess is one fake process that stageProcesses has started.
type stageProcess struct {
	s        *stage
	number   int
	port     string
	opens    time.Duration // time after the start at which the port opens; negative for never
	survives int
	code     int
	done     bool
	exited   env.Cond
}

func (p *stageProcesses) Notify(sig env.Signal, handler func()) { p.s.handlers[sig] = handler }

// Exit ends the agent. If a task of the agent calls it, the call never returns.
func (p *stageProcesses) Exit(code int) {
	if code == -int(env.SIGKILL) {
		p.s.note("killed self", nil)
	}
	p.s.end()
	for {
		p.s.never.Wait()
	}
}

func (p *stageProcesses) Start(cmd env.Command) (env.Process, error) {
	s := p.s
	plan := caseworld.Arguments{Dict: &pysem.Dict{}, Where: "in.servers"}
	if n := len(s.processes); n < len(s.plans) {
		plan = s.plans[n]
	}
	if plan.Flag("missing") {
		return nil, &fs.PathError{Op: "exec", Path: cmd.Args[0], Err: fs.ErrNotExist}
	}
	process := &stageProcess{
		s: s, number: len(s.processes), port: portOf(cmd.Args), opens: s.opening(plan),
		survives: plan.IntegerOr("survives", 0), exited: s.c.Env.Tasks.NewCond("end of a process"),
	}
	s.processes = append(s.processes, process)
	if plan.Value("ends_ms") != nil {
		s.after(ms(plan.Integer("ends_ms")), "end of a process", func() { process.exit(plan.IntegerOr("code", 0)) })
	}
	var log any
	if cmd.Output != "" && !cmd.InheritOutput {
		log = cmd.Output
	}
	models, err := s.modelsOf(cmd.Args)
	if err != nil {
		return nil, err
	}
	s.note("start", []any{cmd.Args, difference(cmd.Env, s.c.Env.Host.Environ()), s.c.Env.Files.Getwd(), log, models})
	return process, nil
}

// modelsOf reads the model config file that is named in the first flag of a model server.
func (s *stage) modelsOf(args []string) (*config.ModelServerConfig, error) {
	file, ok := strings.CutPrefix(args[1], "--model_config_file=")
	if !ok {
		caseworld.BadCasef("a process got the first flag %q, want --model_config_file", args[1])
	}
	text, err := s.c.Env.Files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	models := &config.ModelServerConfig{}
	return models, textformat.Parse(string(text), models)
}

// opening returns when a process that starts now will open its port, counted from the beginning of
// the case. A negative time means never.
func (s *stage) opening(plan caseworld.Arguments) time.Duration {
	if plan.Has("opens_ms") && plan.Value("opens_ms") == nil {
		return -1
	}
	return s.c.Env.Clock.Elapsed() - s.begin + ms(plan.IntegerOr("opens_ms", 0))
}

func portOf(args []string) string {
	for _, arg := range args {
		if port, ok := strings.CutPrefix(arg, "--port="); ok {
			return port
		}
	}
	return ""
}

// difference compares two environments. It returns each variable of environ that is missing in
// others or has another value there. Variables that only others has are null in the result. A nil
// environ counts as equal to others.
func difference(environ, others []string) *pysem.Dict {
	d := caseworld.Object()
	if environ == nil {
		return d
	}
	for _, kv := range environ {
		if !slices.Contains(others, kv) {
			key, value, _ := strings.Cut(kv, "=")
			d.Set(key, value)
		}
	}
	for _, kv := range others {
		key, _, _ := strings.Cut(kv, "=")
		if !slices.ContainsFunc(environ, func(own string) bool { return strings.HasPrefix(own, key+"=") }) {
			d.Set(key, nil)
		}
	}
	return d
}

func (p *stageProcess) open() bool {
	return !p.done && p.opens >= 0 && p.opens <= p.s.c.Env.Clock.Elapsed()-p.s.begin
}

// exit ends the process with an exit code, as if by itself.
func (p *stageProcess) exit(code int) {
	if !p.done {
		p.s.note("exit", []any{p.number, code})
		p.finish(code)
	}
}

func (p *stageProcess) finish(code int) {
	p.code, p.done = code, true
	p.exited.Broadcast()
}

func (p *stageProcess) Pid() int          { return p.number }
func (p *stageProcess) Poll() (int, bool) { return p.code, p.done }
func (p *stageProcess) Exited() env.Cond  { return p.exited }

func (p *stageProcess) Signal(sig env.Signal) error {
	if p.done {
		return nil
	}
	if sig != env.SIGKILL {
		caseworld.BadCasef("a process got %v, want SIGKILL only", sig)
	}
	p.s.note("kill", p.number)
	if p.survives == 0 {
		p.finish(-int(sig))
	}
	p.survives--
	return nil
}
