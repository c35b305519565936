package programs

import (
	"github.com/monosim/monosim/engine/agent"
)

// dispatch is run.py: it runs the program that --bin_name names, with the flags of all programs.
// What that program's main returns is lost.
//
// Cost: a call grows with the work of the program that it starts.
func (p *process) dispatch() error {
	name := p.flags.Text("bin_name").V
	if p.options.Instead != nil && p.options.Instead(name) {
		return nil
	}
	err := p.enter(name)
	p.failed = false
	return err
}

// agent runs agent.py. It returns only if the agent ends with exit code 0.
func (p *process) agent() error {
	agent.Main(p.Env, agent.Options{
		ConfPath: p.flags.Text("conf").V, TFSLog: p.flags.Text("tfs_log").V, TFSHome: p.options.TFSHome, Quirks: p.options.Quirks,
	})
	return nil
}
