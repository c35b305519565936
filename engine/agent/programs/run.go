package programs

import (
	"github.com/monosim/monosim/engine/agent"
)

// dispatch is run.py: the program that --bin_name says, with the flags of all of them. What
// main of the program returns is lost.
//
// Cost: nothing beside that of the program, which grows with what it is asked.
func (p *process) dispatch() error {
	name := p.flags.Text("bin_name").V
	if p.options.Instead != nil && p.options.Instead(name) {
		return nil
	}
	err := p.enter(name)
	p.failed = false
	return err
}

// agent is agent.py, which mostly does not return.
func (p *process) agent() error {
	agent.Main(p.Env, agent.Options{
		ConfPath: p.flags.Text("conf").V, TFSLog: p.flags.Text("tfs_log").V, TFSHome: p.options.TFSHome, Quirks: p.options.Quirks,
	})
	return nil
}
