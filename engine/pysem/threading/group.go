package threading

import (
	"github.com/monosim/monosim/engine/env"
)

// Group is a set of tasks whose end can be awaited together.
type Group struct {
	tasks   env.Tasks
	members []env.Task
}

// NewGroup makes an empty group.
func NewGroup(tasks env.Tasks) *Group { return &Group{tasks: tasks} }

// Go starts fn in a new task of the group, as [Start] does, and returns the task.
func (g *Group) Go(name string, fn func()) env.Task {
	t := Start(g.tasks, name, fn)
	g.members = append(g.members, t)
	return t
}

// Join waits until all tasks of the group have ended, including tasks that are started meanwhile. A
// task of the group must not call it.
func (g *Group) Join() {
	for len(g.members) > 0 {
		t := g.members[0]
		t.Join()
		if len(g.members) > 0 && g.members[0] == t {
			g.members = g.members[1:]
		}
	}
}
