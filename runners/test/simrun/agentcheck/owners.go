package agentcheck

import "github.com/monosim/monosim/runners"

// owned checks that a registration was made in a session of its own pod. Writes of the
// operator are exempt.
func (c *Checker) owned(o runners.Observation, n *node) {
	if o.Pod != n.pod && o.Pod != "operator" {
		c.breaks(Owner, o.Path, "%s was made in a session of %s, want one of %s", o.Path, o.Pod, n.pod)
	}
}
