package recipes

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// KeeperState is the state of a session in kazoo's own words, which tell more ends
// apart than env.SessionState.
type KeeperState uint8

// The states of a session, which starts out closed.
const (
	KeeperClosed KeeperState = iota
	KeeperConnecting
	KeeperConnected
	KeeperExpired
	KeeperAuthFailed
)

// Over reports whether the state is one in which there is no session (kazoo's
// CLOSED_STATES).
func (k KeeperState) Over() bool {
	return k == KeeperClosed || k == KeeperExpired || k == KeeperAuthFailed
}

// Keeper is the state of a session, and does what follows from each change of it, in
// kazoo's order. Its exported fields are set before the first Change.
type Keeper struct {
	// Live is set while there is a connection.
	Live    *threading.Event
	Watches *Watches
	// FailAll ends all calls, sent or not, with the code.
	FailAll func(code zkerrors.Code)
	// Forget drops what makes a session: its id and password.
	Forget func()
	// OnState, when set, is told of each change of State.
	OnState func(env.SessionState)

	state      KeeperState
	simplified env.SessionState
}

// State is what listeners were told last.
func (k *Keeper) State() env.SessionState { return k.simplified }

// Change goes over to a state and, in kazoo's order, tells listeners, fails calls, and
// resets watches (client.py:543, _session_callback). The connection task calls it, and
// so listeners run on that task.
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

// failure is what calls end with that were under way (client.py:585).
func (k KeeperState) failure() zkerrors.Code {
	switch k {
	case KeeperExpired:
		return zkerrors.SessionExpired
	case KeeperAuthFailed:
		return zkerrors.AuthFailed
	}
	return zkerrors.ConnectionLoss
}

// Refuse is the error of a call that is not even tried, because there is no session
// (client.py:529). Nil means that the call is to be queued, also while there is no
// connection.
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
