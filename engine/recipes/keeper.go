package recipes

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
)

// KeeperState is kazoo's KeeperState, finer than env.SessionState.
type KeeperState uint8

// The states. A session starts out closed.
const (
	KeeperClosed KeeperState = iota
	KeeperConnecting
	KeeperConnected
	KeeperExpired
	KeeperAuthFailed
)

// Over says that the state ends a session (kazoo's CLOSED_STATES).
func (k KeeperState) Over() bool {
	return k == KeeperClosed || k == KeeperExpired || k == KeeperAuthFailed
}

// Keeper is the state of a session and what follows from each change of it, in
// kazoo's order; simulated and real sessions share it.
type Keeper struct {
	// Live is set while there is a connection.
	Live    *monitor.Event
	Watches *Watches
	// FailAll ends all calls, sent or not, with the code.
	FailAll func(code env.ZooKeeperCode)
	// Forget drops what makes a session: its id and password.
	Forget func()
	// OnState, when set, is told of the simplified state.
	OnState func(env.SessionState)

	state      KeeperState
	simplified env.SessionState
}

// State is kazoo's simplified state.
func (k *Keeper) State() env.SessionState { return k.simplified }

// Change is kazoo's _session_callback (client.py:543). It runs on the connection
// task, and so do the listeners.
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
func (k KeeperState) failure() env.ZooKeeperCode {
	switch k {
	case KeeperExpired:
		return env.ZKSessionExpired
	case KeeperAuthFailed:
		return env.ZKAuthFailed
	}
	return env.ZKConnectionLoss
}

// Refuse is the error of a call that is not even tried (client.py:529); nil means
// that it is to be queued, also while there is no connection.
func (k *Keeper) Refuse() error {
	switch k.state {
	case KeeperAuthFailed:
		return &env.ZooKeeperError{Code: env.ZKAuthFailed}
	case KeeperClosed:
		return &env.ZooKeeperError{Code: env.ZKConnectionClosed}
	case KeeperExpired:
		return &env.ZooKeeperError{Code: env.ZKSessionExpired}
	}
	return nil
}
