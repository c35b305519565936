package replicamanager

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
)

// Session tells the watcher and the updater what they may do in the present state of the ZooKeeper
// session. The tasks of both look at it once in each round.
type Session struct {
	// Lost is set when a session is lost. It is reset once the listener has handled the next
	// connection.
	Lost bool
	// Poll lets the watcher compare its mirror with ZooKeeper.
	Poll bool
	// Update lets the updater report states.
	Update bool
	// Reregister makes the updater register its replicas again.
	Reregister bool
}

// NewSession returns the permissions before any session was lost: the watcher polls, the updater
// updates.
func NewSession() *Session { return &Session{Poll: true, Update: true} }

// SessionListener changes a [Session] when the ZooKeeper client reports a new connection state
// (replica_manager.py:719, ZKListener).
type SessionListener struct {
	// Quirks is the set of the reference's faults that the listener keeps.
	Quirks quirks.Set

	e       *env.Env
	session *Session
	losses  int
}

// NewSessionListener makes a listener. Its method Changed has to be added to a ZooKeeper client.
func NewSessionListener(e *env.Env, session *Session) *SessionListener {
	return &SessionListener{e: e, session: session}
}

// reconnectPause is how long after a new connection a listener waits before it lets the watcher
// poll.
const reconnectPause = 5 * time.Second

// Changed handles a new state of the session. When the session is lost, polls and updates stop. At
// the next connection the updater registers again, and 5 s later the watcher polls again. Changed
// always returns false, so that the listener stays.
//
// The client calls Changed on its connection task. So for those 5 s the client handles neither
// pings nor answers (Q125), unless that quirk is repaired.
func (l *SessionListener) Changed(state env.SessionState) (remove bool) {
	switch {
	case state == env.Lost:
		l.e.Log.Logf(env.Warning, "Any ephemeral nodes will need to be recreated upon re-establishing a connection.")
		l.losses++
		l.session.Lost = true
		l.session.Poll = false
		l.session.Update = false
	case state == env.Connected && l.session.Lost:
		l.e.Log.Logf(env.Info, "connected/reconnected after lost, restart updater and watcher")
		l.session.Reregister = true
		if l.Quirks.Keeps(quirks.Q125) {
			l.goOn()
		} else {
			l.e.Tasks.Go("polls after a lost session", l.goOn)
		}
	}
	return false
}

// goOn lets the watcher poll again after a pause. It does nothing if the session was lost again
// meanwhile.
func (l *SessionListener) goOn() {
	losses := l.losses
	l.e.Tasks.Sleep(reconnectPause)
	if losses == l.losses {
		l.session.Poll = true
		l.session.Lost = false
	}
}
