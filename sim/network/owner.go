package network

import "github.com/monosim/monosim/engine/vtime"

// Owner is the owner of a socket: a process or only a node. When a process ends, its sockets are
// closed, as the kernel does.
type Owner struct {
	// Node is the node to which the socket's events belong; nil means the process's node.
	Node *vtime.Node
	// Process may be nil.
	Process *vtime.Process
}

// OwnedBy makes a process the owner.
func OwnedBy(p *vtime.Process) Owner { return Owner{Process: p} }

// OwnedByNode makes a node the owner; its sockets stay until they are closed.
func OwnedByNode(n *vtime.Node) Owner { return Owner{Node: n} }

func (o Owner) node() *vtime.Node {
	if o.Node == nil {
		return o.Process.Node()
	}
	return o.Node
}

func (o Owner) dead() bool { return o.Process != nil && o.Process.Dead() }

// check terminates the calling task if its process is dead, before the task has an effect.
func (o Owner) check() {
	if o.Process != nil {
		o.Process.Check()
	}
}

// sockets holds the open sockets of one process.
type sockets struct {
	open  []socket
	ended bool
}

// socket is a listener or a connection.
type socket interface {
	// abandon closes the socket of a process that has ended, without any callback.
	abandon()
	setPlace(i int)
}

// socketsOf returns a process's sockets; nil if p is nil.
func (n *Network) socketsOf(p *vtime.Process) *sockets {
	if p == nil {
		return nil
	}
	if s, ok := n.byProcess[p]; ok {
		return s
	}
	s := &sockets{}
	n.byProcess[p] = s
	p.OnEnd(func() {
		delete(n.byProcess, p)
		s.ended = true
		for len(s.open) > 0 {
			s.open[0].abandon()
		}
	})
	return s
}

func (s *sockets) add(k socket) {
	if s != nil {
		k.setPlace(len(s.open))
		s.open = append(s.open, k)
	}
}

// remove deletes the socket at a place and moves the last socket there. The resulting order depends
// only on the order of calls, so runs are repeatable.
func (s *sockets) remove(place int) {
	if s == nil {
		return
	}
	last := len(s.open) - 1
	s.open[place] = s.open[last]
	s.open[place].setPlace(place)
	s.open[last] = nil
	s.open = s.open[:last]
}
