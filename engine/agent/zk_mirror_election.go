package agent

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Leader is what the elected mirror runs; it leads until it returns. What the
// reference passes beside the mirror, its scheduler, is the closure's.
type Leader func(m *ZKMirror) error

// Election lets the container stand for election in a thread of its own, which is
// returned; an entry cannot be leader and gets none (zk_mirror.py:632). Without an
// identifier it stands as MY_POD_NAME.
//
// A connection that was closed during the election starts the mirror anew from
// nothing, but without portal, resources and election (Q188). Other errors are
// logged.
func (m *ZKMirror) Election(leader Leader, identifier OptString) env.Task {
	m.elected = true
	if identifier.Or("") == "" {
		identifier.V, _ = m.e.Host.LookupEnv("MY_POD_NAME")
	}
	if m.o.DeployType == DeployEntry {
		m.e.Log.Logf(env.Info, "entry cannot be leader!")
		return nil
	}
	return m.e.Tasks.Go("election", func() {
		for m.stand(leader, identifier.V) {
			if err := m.startAnew(); err != nil {
				m.e.Log.Logf(env.Error, "restart of the mirror: %v", err)
				return
			}
			if m.keeps(Q188) {
				return
			}
		}
	})
}

// stand runs one election; it reports whether the mirror has to start anew.
func (m *ZKMirror) stand(leader Leader, identifier string) (startAnew bool) {
	m.candidate = m.zk.NewElection(m.paths.Election, identifier)
	var raised error
	err := m.candidate.Run(func() { raised = m.lead(leader) })
	m.candidate = nil
	if err == nil {
		err = raised
	}
	if !errors.Is(err, env.ErrConnectionClosed) {
		if err != nil {
			m.e.Log.Logf(env.Info, "election: %v", err)
		}
		return false
	}
	state := m.zk.State()
	m.e.Log.Logf(env.Info, "election: %v, state is %s", err, state)
	return state == env.Lost && !m.stopped
}

// lead runs the leader. It is IsLeader meanwhile only with Q192 repaired.
func (m *ZKMirror) lead(leader Leader) error {
	if !m.keeps(Q192) {
		m.isLeader = true
		defer func() { m.isLeader = false }()
	}
	return leader(m)
}

// startAnew drops the cache and all events and starts again (zk_mirror.py:651).
func (m *ZKMirror) startAnew() error {
	m.data = newOrdered[string, []byte]()
	for m.queue.Len() > 0 {
		m.queue.Get(0)
	}
	if err := m.Start(false); err != nil || m.keeps(Q188) {
		return err
	}
	for _, watch := range m.started {
		if err := watch(); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends the session. After an election the reference asks its leader, a
// function, to cancel, which raises and leaves the session open (Q179); repaired,
// the candidacy is cancelled, and a leader that ends later starts nothing anew.
func (m *ZKMirror) Stop() error {
	if m.elected && m.keeps(Q179) {
		return pysem.Raise("AttributeError", "'function' object has no attribute 'cancel'")
	}
	m.stopped = true
	if m.candidate != nil {
		m.candidate.Cancel()
	}
	m.zk.Stop()
	return nil
}
