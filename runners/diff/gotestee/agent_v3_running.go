package gotestee

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// runningAgentV3 is an agent v3 whose threads run, with the events of the case.
type runningAgentV3 struct {
	env.Tasks
	s   *stage
	run *agentV3Run
}

func (c *call) runAgentV3() (any, error) {
	r := &runningAgentV3{Tasks: c.Env.Tasks, s: &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}}
	c.Env.Tasks = r
	var err error
	if r.run, err = c.newAgentV3Run(); err != nil {
		return nil, err
	}
	for _, e := range c.steppedEvents() {
		r.s.after(e.at, e.step.Name, func() {
			if err := r.happen(e.step); err != nil {
				caseworld.BadCasef("in.events: %s: %v", e.step.Name, err)
			}
		})
	}
	if err := r.run.a.Start(); err != nil {
		return nil, err
	}
	r.note("started", nil)
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	r.s.over = true
	return caseworld.Object("log", r.s.log), nil
}

// note notes first what the agent has written and what has changed.
func (r *runningAgentV3) note(name string, value any) {
	if r.s.over {
		return
	}
	for _, call := range r.run.zk.Take("delete", "ensure_path") {
		write := call.([]any)
		r.s.note(caseworld.CallName(call), write[1])
	}
	changes := caseworld.Object()
	r.run.showChanges(changes)
	for _, change := range changes.Items {
		r.s.note(change.Key, change.Value)
	}
	r.s.note(name, value)
}

// Sleep shows what the thread has done since it last slept.
func (r *runningAgentV3) Sleep(d time.Duration) {
	r.note("sleep", int(d/time.Second))
	r.Tasks.Sleep(d)
}

func (r *runningAgentV3) happen(s caseworld.Step) (err error) {
	if method, ok := strings.CutPrefix(s.Name, "zk."); ok {
		_, err = r.run.zk.DoQuietly(caseworld.Step{Name: method, Arguments: s.Arguments})
	} else {
		_, err = r.run.do(s)
	}
	r.note(s.Name, nil)
	return err
}
