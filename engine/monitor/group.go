package monitor

import "github.com/monosim/monosim/engine/env"

// Group is a set of tasks that end together.
type Group struct {
	tasks   env.Tasks
	members []env.Task
}

// NewGroup makes an empty group.
func NewGroup(tasks env.Tasks) *Group { return &Group{tasks: tasks} }

// Go starts a task as a member.
func (g *Group) Go(name string, fn func()) env.Task {
	t := g.tasks.Go(name, fn)
	g.members = append(g.members, t)
	return t
}

// Join waits until all members have ended, those too that are started
// meanwhile.
func (g *Group) Join() {
	for len(g.members) > 0 {
		t := g.members[0]
		t.Join()
		if len(g.members) > 0 && g.members[0] == t {
			g.members = g.members[1:]
		}
	}
}
