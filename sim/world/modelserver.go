package world

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// ModelServer is a model server process of a pod.
type ModelServer struct {
	// Kind is ps, entry or dense. It is "" in a pod with a single model server.
	Kind string
	// ConfigFile and Port come from its command line.
	ConfigFile string
	Port       int
	Process    *processes.Process
	node       *node.Node
}

// Server returns the model server's state machine.
func (s *ModelServer) Server() *tfserving.Server { return s.node.Server() }

func (p *Pod) runModelServer(proc *processes.Process) {
	options, unknown, err := tfserving.ParseFlags(p.w.profile, proc.Args()[1:])
	if err != nil {
		if !errors.Is(err, tfserving.ErrHelp) {
			proc.Print(err.Error())
		}
		proc.Print(usage(p.w.profile))
		proc.Exit(255)
		return
	}
	if len(unknown) > 0 {
		proc.Print("unknown argument: " + unknown[0]) // unknown flags are not fatal (TFS-9.3)
		proc.Print(usage(p.w.profile))
	}
	serving(&options, p.w.spec.Serving)
	options.Shared = p.w.modelServers
	options.Cost.StartTime, options.Cost.RoundTime = p.starting(paceServer), paceWake.draw(p.machine.Node)
	s := &ModelServer{Kind: kindOf(proc), ConfigFile: options.ModelConfigFile, Port: options.Port, Process: proc}
	p.servers = append(p.servers, s)
	p.w.changes++
	s.node = node.Start(node.Config{
		OnReason: p.reasons(proc),
		Options:  options, Proc: proc.Life(), Host: p.machine.Net, Files: p.machine.FS, Dir: proc.Dir(),
		Exit: func(code int, stdout string) {
			if stdout != "" {
				proc.Print(strings.TrimSuffix(stdout, "\n"))
			}
			proc.Exit(code)
		},
		Output: func(level env.Level, format string, args ...any) {
			if level >= env.Warning {
				proc.Print(fmt.Sprintf(format, args...))
			}
		},
		OnServing: func() {
			p.w.observe(p.Name, "modelserver.serving", s.Kind, fmt.Sprintf("port %d", s.Port), int64(proc.Pid()))
		},
		OnEvent: func(e tfserving.Event) {
			note := e.State.String()
			if e.Err != nil {
				note += ": " + e.Err.Error()
			}
			p.w.observe(p.Name, "modelserver.state", fmt.Sprintf("%s/%d", e.Model, e.Version), note, int64(proc.Pid()))
		},
	})
}

// reasons returns a function that reports a model server's reasons. It reports a reason again only
// if it has changed. It returns nil if the spec asks for no details.
func (p *Pod) reasons(proc *processes.Process) func(subject, text string) {
	if !p.w.spec.Detail {
		return nil
	}
	last := map[string]string{}
	return func(subject, text string) {
		if last[subject] != text {
			last[subject] = text
			p.w.observe(p.Name, "modelserver.reason", subject, text, int64(proc.Pid()))
		}
	}
}

// usage returns the server's usage text without the final newline.
func usage(profile tfserving.Profile) string {
	return strings.TrimSuffix(tfserving.FlagsUsage(profile, "tensorflow_model_server"), "\n")
}

// kindOf returns the kind of an agent v1's model server: the prefix of its log's name
// "<kind>_<log>" (agent_base.py:63).
func kindOf(proc *processes.Process) string {
	log := path.Base(proc.Output())
	return lists.Find([]string{"ps", "entry", "dense"}, func(kind string) bool { return strings.HasPrefix(log, kind+"_") })
}

func (p *Pod) dropServer(proc *processes.Process) {
	p.w.changes++
	p.servers = slices.DeleteFunc(p.servers, func(s *ModelServer) bool {
		if s.Process != proc {
			return false
		}
		if s.node != nil { // nil if the process ended while it was starting
			s.node.Server().Stop()
		}
		return true
	})
}

// ModelServer returns the running model server of a kind. "" stands for the only model server of
// the pod. The error lists the running kinds.
func (p *Pod) ModelServer(kind string) (*ModelServer, error) {
	for _, s := range p.servers {
		if s.Kind == kind || kind == "" && len(p.servers) == 1 {
			return s, nil
		}
	}
	if len(p.servers) == 1 && p.servers[0].Kind == "" {
		return nil, fmt.Errorf("pod %s: found no model server of kind %q, want the only one that runs, which has no kind: the model server of %s", p.Name, kind, p.Name)
	}
	kinds := lists.MapOrNil(p.servers, func(s *ModelServer) string { return fmt.Sprintf("%q", s.Kind) })
	return nil, fmt.Errorf("pod %s: found no model server of kind %q, want one of those that run: [%s]", p.Name, kind, strings.Join(kinds, " "))
}
