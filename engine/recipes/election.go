package recipes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

// election implements kazoo's Election (election.py:9). The leader holds the lock.
type election struct{ lock *lock }

// NewElection makes a candidate for the election at path. Other candidates see the identifier in
// Contenders.
func (c *Client) NewElection(path, identifier string) env.Election {
	return &election{c.newLock(path, identifier)}
}

// Run waits until the candidate leads, calls the function leader, and resigns when that returns. It
// returns nil if the candidacy is cancelled.
func (e *election) Run(leader func()) error {
	got, err := e.lock.Acquire(-1)
	if errors.Is(err, zkerrors.ErrCancelled) {
		return nil
	}
	if err != nil || !got {
		return err
	}
	leader()
	return e.lock.Release()
}

// Cancel ends the candidacy of a waiting candidate. It does not affect a candidate that already
// leads.
func (e *election) Cancel() { e.lock.Cancel() }

// Contenders lists the identifiers of the candidates, the leader first.
func (e *election) Contenders() ([]string, error) { return e.lock.Contenders() }

var _ env.Election = (*election)(nil)
