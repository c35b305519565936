package recipes

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// KeeperState is the state of a session as kazoo has it internally. It has more kinds of ends than
// env.SessionState.
type KeeperState uint8

// These are the states of a session. A new session is closed.
const (
	KeeperClosed KeeperState = iota
	KeeperConnecting
	KeeperConnected
	KeeperExpired
	KeeperAuthFailed
)

// Over reports whether there is no session in this state (kazoo's CLOSED_STATES).
func (k KeeperState) Over() bool {
	return k == KeeperClosed || k == KeeperExpired || k == KeeperAuthFailed
}

// Keeper holds the state of a session, and performs what follows from each change of it, in kazoo's
// order. Set its exported fields before the first Change.
type Keeper struct {
	// Live is an event that is set while there is a connection.
	Live    *threading.Event
	Watches *Watches
	// FailAll makes all calls fail with the code, whether they were sent or not.
	FailAll func(code zkerrors.Code)
	// Forget drops the id and the password of the session.
	Forget func()
	// OnState, if set, is called at each change of State.
	OnState func(env.SessionState)

	state      KeeperState
	simplified env.SessionState
}

// State returns the state that listeners were told last.
func (k *Keeper) State() env.SessionState { return k.simplified }

// Change changes the state. In kazoo's order it calls listeners, makes calls fail, and resets
// watches (client.py:543, _session_callback). The connection task calls it, so listeners run on
// that task.
func (k *Keeper) Change(to KeeperState) {
	if to == k.state {
		return
	}
	before := k.state
	k.state = to
	switch {
	case before.Over() && to == KeeperConnecting:
		return
	case to == KeeperConnected:
		k.Live.Set()
		k.tell(env.Connected)
	case to.Over():
		k.Live.Clear()
		k.tell(env.Lost)
		k.FailAll(to.failure())
		k.Watches.Reset()
		k.Forget()
	default:
		k.Live.Clear()
		k.FailAll(to.failure())
		k.tell(env.Suspended)
		k.Watches.Reset()
	}
}

func (k *Keeper) tell(state env.SessionState) {
	if state == k.simplified {
		return
	}
	k.simplified = state
	if k.OnState != nil {
		k.OnState(state)
	}
}

// failure returns the error code for calls that are under way when the session enters this state
// (client.py:585).
func (k KeeperState) failure() zkerrors.Code {
	switch k {
	case KeeperExpired:
		return zkerrors.SessionExpired
	case KeeperAuthFailed:
		return zkerrors.AuthFailed
	}
	return zkerrors.ConnectionLoss
}

// Refuse returns the error of a call that is not even tried, because there is no session
// (client.py:529). nil means that the call is queued, even if there is no connection at the moment.
func (k *Keeper) Refuse() error {
	switch k.state {
	case KeeperAuthFailed:
		return &zkerrors.Error{Code: zkerrors.AuthFailed}
	case KeeperClosed:
		return &zkerrors.Error{Code: zkerrors.ConnectionClosed}
	case KeeperExpired:
		return &zkerrors.Error{Code: zkerrors.SessionExpired}
	}
	return nil
}
