package replicamanager

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
)

// Session is what the state of a ZooKeeper session lets the two halves of a manager
// do. The tasks of both look at it once in each round.
type Session struct {
	// Lost is set from the loss of a session until the listener is done with the
	// next connection.
	Lost bool
	// Poll lets the watcher compare its mirror with ZooKeeper.
	Poll bool
	// Update lets the updater report states.
	Update bool
	// Reregister makes the updater write its replicas anew.
	Reregister bool
}

// NewSession is what holds before anything was lost: polls and updates.
func NewSession() *Session { return &Session{Poll: true, Update: true} }

// SessionListener switches a [Session] when the ZooKeeper client tells of a change
// (replica_manager.py:719, ZKListener).
type SessionListener struct {
	// Quirks are those of the reference that the listener keeps.
	Quirks quirks.Set

	e       *env.Env
	session *Session
	losses  int
}

// NewSessionListener makes a listener whose Changed is to be added to a client.
func NewSessionListener(e *env.Env, session *Session) *SessionListener {
	return &SessionListener{e: e, session: session}
}

// reconnectPause is how long a listener waits after a new connection before it lets
// the watcher poll.
const reconnectPause = 5 * time.Second

// Changed takes the new state of the session. A loss ends polls and updates; the next
// connection asks for a registration, and 5 s later polls go on. It always reports
// false: the listener stays.
//
// The client calls it on its connection task, so that during those 5 s neither pings
// nor answers are handled (Q125), unless that is repaired.
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

// goOn lets the watcher poll again after a pause, unless another session was lost in it.
func (l *SessionListener) goOn() {
	losses := l.losses
	l.e.Tasks.Sleep(reconnectPause)
	if losses == l.losses {
		l.session.Poll = true
		l.session.Lost = false
	}
}
