package zkmirror

import (
	"cmp"
	"errors"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
)

// Leader is the function that an elected mirror runs. The mirror stays leader until the function
// returns. The reference also passes a scheduler, which a Go closure can hold.
type Leader func(m *ZKMirror) error

// Election makes the container a candidate for the leader of its business id. When it is elected,
// it runs the function leader in a task (zk_mirror.py:632). It returns that task. An entry cannot
// lead and gets no task. Other candidates see the identifier, by default MY_POD_NAME.
//
// If the connection is closed during the election, the mirror starts again with an empty cache, but
// without portal, resources and election (Q188). Any other error is logged and ends the candidacy.
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
			// With Q188 repaired the mirror stands for election again after a restart. An error of
			// the restart ends the thread, and is not logged.
			if err := m.startAnew(); err != nil || m.keeps(quirks.Q188) {
				return
			}
		}
	})
}

// stand takes part in one election, and returns when the leadership or the candidacy is over. It
// reports whether the mirror has to start again.
func (m *ZKMirror) stand(leader Leader, identifier string) (startAnew bool) {
	m.candidate = m.zk.NewElection(m.paths.Election, identifier)
	var raised error
	err := m.candidate.Run(func() { raised = m.lead(leader) })
	m.candidate = nil
	err = cmp.Or(err, raised)
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

// lead runs the leader function. IsLeader is true during that time only if Q192 is repaired.
func (m *ZKMirror) lead(leader Leader) error {
	if !m.keeps(quirks.Q192) {
		m.isLeader = true
		defer func() { m.isLeader = false }()
	}
	return leader(m)
}

// startAnew drops the cached data and all queued events, and starts the mirror again
// (zk_mirror.py:651).
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

// Stop ends the session. After an election the reference raises an AttributeError, because it calls
// cancel on its leader, which is a function (Q179). The session stays open. With that repaired,
// Stop cancels the candidacy, and a leader that ends later does not restart the mirror.
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
