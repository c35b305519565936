package zookeeper

import (
	"slices"
	"strings"
)

// sweep removes containers and TTL nodes at intervals (ZK-3.7, ContainerManager.java). Each round
// collects candidates and then deletes them one by one, with a pause after each.
type sweep struct {
	startMs, intervalMs, pauseMs int64
	// nextMs is when the next round begins. It may be in the past while no znode needs sweeping.
	nextMs int64
	// readyMs is when the pause after the last deletion ends.
	readyMs int64
	// candidates holds the paths that the present round still has to delete.
	candidates []string
}

// wake moves the next round into the future, if rounds were skipped because there was nothing to
// sweep. mortals is the number of containers and TTL nodes.
func (s *sweep) wake(nowMs int64, mortals int) {
	if mortals == 0 && s.nextMs <= nowMs {
		s.nextMs = s.startMs + ((nowMs-s.startMs)/s.intervalMs+1)*s.intervalMs
	}
}

// due returns the time at which the sweep next has something to do. ok is false if there are no
// candidates and no containers or TTL nodes.
func (s *sweep) due(mortals int) (atMs int64, ok bool) {
	if len(s.candidates) > 0 {
		return s.readyMs, true
	}
	return max(s.nextMs, s.readyMs), mortals > 0
}

// sweepOnce begins a round that is due at nowMs, or deletes the next candidate of a round in
// progress.
func (m *Machine) sweepOnce(nowMs int64) {
	s := &m.sweep
	if atMs, ok := s.due(len(m.tree.mortals)); !ok || atMs > nowMs {
		return
	}
	if len(s.candidates) == 0 {
		s.candidates = m.sweepCandidates()
		s.nextMs += s.intervalMs
	}
	if len(s.candidates) > 0 {
		path := s.candidates[0]
		s.candidates = s.candidates[1:]
		s.readyMs = nowMs + s.pauseMs
		m.deleteMortal(path)
	}
}

// sweepCandidates returns the paths of the znodes to delete, sorted: containers that have lost
// their last child, and TTL nodes without children that were not changed within their time to live.
func (m *Machine) sweepCandidates() []string {
	var paths []string
	for _, n := range m.tree.mortals {
		idleMs := m.wallMs() - n.mtimeMs
		switch {
		case n.numChildren > 0:
		case n.kind == ttl:
			if idleMs > n.ttlMs {
				paths = append(paths, n.path)
			}
		case n.creates > 0, m.cfg.ContainerMaxNeverUsedMs != 0 && idleMs > m.cfg.ContainerMaxNeverUsedMs:
			paths = append(paths, n.path)
		}
	}
	slices.SortFunc(paths, strings.Compare)
	return paths
}

// deleteMortal deletes a container or TTL node, as the server's own deleteContainer does. It checks
// the znode again, because the znode may have changed since it became a candidate.
func (m *Machine) deleteMortal(path string) {
	m.begin()
	code := m.removeMortal(path).code
	m.observe(Write{Op: OpDeleteContainer, Of: OpDeleteContainer, Path: path, Err: code})
	m.commit()
}

// deleteContainer handles a client's deleteContainer (ZK-1.6). 3.8 takes the whole frame with its
// header as the path, which then contains NUL bytes (PrepRequestProcessor.java:331). 3.9 deletes
// any leaf that is not ephemeral, without checking permissions (ZK-14.9).
func (m *Machine) deleteContainer(_ *Conn, req *Request, _ bool) outcome {
	if m.cfg.Profile == V38 {
		return outcome{code: badArguments}
	}
	return m.removeMortal(req.Path)
}

func (m *Machine) removeMortal(path string) outcome {
	if _, ok := parentPath(path); !ok || systemPath(path) {
		return outcome{code: badArguments}
	}
	switch n := m.tree.lookup(path); {
	case n == nil:
		return outcome{code: noNode}
	case n.numChildren > 0:
		return outcome{code: notEmpty}
	case n.kind == ephemeral:
		return outcome{code: badVersion}
	default:
		m.removeNode(n)
		return outcome{node: n}
	}
}
