package zkmirror

import (
	"errors"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/pylog"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
)

// Leader is what the elected mirror runs; the mirror leads until it returns. The
// scheduler that the reference passes beside the mirror is the closure's.
type Leader func(m *ZKMirror) error

// Election makes the container a candidate for the lead among those of the business,
// and runs leader in a task, which is returned, when it is elected (zk_mirror.py:632).
// An entry cannot lead: it gets no task. Others see the candidate by its identifier,
// MY_POD_NAME without one.
//
// A connection that is closed during the election starts the mirror anew from nothing,
// but without portal, resources and election (Q188). Other errors are logged and end
// the candidacy.
func (m *ZKMirror) Election(leader Leader, identifier pysem.OptString) env.Task {
	m.elected = true
	if identifier.Or("") == "" {
		identifier.V, _ = m.e.Host.LookupEnv("MY_POD_NAME")
	}
	if m.o.DeployType == agentconfig.DeployEntry {
		m.e.Log.Logf(env.Info, "entry cannot be leader!")
		return nil
	}
	return threading.Start(m.e.Tasks, "election", func() {
		for m.stand(leader, identifier.V) {
			// An error ends the thread, which logs nothing of it.
			if err := m.startAnew(); err != nil || m.keeps(quirks.Q188) {
				return
			}
		}
	})
}

// stand runs one election and returns when the lead or the candidacy is over; it
// reports whether the mirror has to start anew.
func (m *ZKMirror) stand(leader Leader, identifier string) (startAnew bool) {
	m.candidate = m.zk.NewElection(m.paths.Election, identifier)
	var raised error
	err := m.candidate.Run(func() { raised = m.lead(leader) })
	m.candidate = nil
	if err == nil {
		err = raised
	}
	if !errors.Is(err, zkerrors.ErrConnectionClosed) {
		if err != nil {
			m.e.Log.Logf(env.Info, "%s", pylog.Text(err))
		}
		return false
	}
	state := m.zk.State()
	if state != env.Lost {
		m.e.Log.Logf(env.Info, "ConnectionClosedError, state is %s", state)
		return false
	}
	m.e.Log.Logf(env.Info, "kazo %s, restart!", state)
	return !m.stopped
}

// lead runs the leader. It is IsLeader meanwhile only with Q192 repaired.
func (m *ZKMirror) lead(leader Leader) error {
	if !m.keeps(quirks.Q192) {
		m.isLeader = true
		defer func() { m.isLeader = false }()
	}
	return leader(m)
}

// startAnew drops the copy and all events and starts again (zk_mirror.py:651).
func (m *ZKMirror) startAnew() error {
	m.data = pysem.NewOrderedMap[string, []byte]()
	for m.queue.Len() > 0 {
		m.queue.Get(0)
	}
	if err := m.Start(false); err != nil || m.keeps(quirks.Q188) {
		return err
	}
	for _, watch := range m.started {
		if err := watch(); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends the session. After an election the reference asks its leader, a function,
// to cancel, which is an AttributeError and leaves the session open (Q179); repaired,
// the candidacy is cancelled, and a leader that ends later starts nothing anew.
func (m *ZKMirror) Stop() error {
	if m.elected && m.keeps(quirks.Q179) {
		return pysem.Raise("AttributeError", "'function' object has no attribute 'cancel'")
	}
	m.stopped = true
	if m.candidate != nil {
		m.candidate.Cancel()
	}
	m.zk.Stop()
	return nil
}
