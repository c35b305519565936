package recipes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

// election is kazoo's Election (election.py:9): a lock held while leading.
type election struct{ lock *lock }

// NewElection makes a candidate for the election at path; identifier is the name by
// which others see it in Contenders.
func (c *Client) NewElection(path, identifier string) env.Election {
	return &election{c.newLock(path, identifier)}
}

// Run waits until the candidate leads, calls leader, and steps down when leader
// returns. A candidacy that was cancelled ends without an error.
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

// Cancel ends the candidacy of a candidate that waits; one that leads goes on.
func (e *election) Cancel() { e.lock.Cancel() }

// Contenders lists the identifiers of the candidates, the leader first.
func (e *election) Contenders() ([]string, error) { return e.lock.Contenders() }

var _ env.Election = (*election)(nil)
