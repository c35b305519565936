package agentcheck

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/runners"
)

// owned checks that a registration was made in a session of its own pod. Writes of the
// operator are exempt.
func (c *Checker) owned(o runners.Observation, n *node) {
	if o.Pod != n.pod && o.Pod != "operator" {
		c.breaks(Owner, o.Path, "%s was made in a session of %s, want one of %s", o.Path, o.Pod, n.pod)
	}
}

// addressed checks that a replica of v1 is registered with an address that somebody can dial.
func (c *Checker) addressed(path, addr string) {
	if _, err := strconv.ParseUint(addr[strings.LastIndexByte(addr, ':')+1:], 10, 16); err != nil {
		c.breaks(Address, path, "%s is registered with the address %q, want one with a port", path, addr)
	}
}
