package recipes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
)

// election is kazoo's Election (election.py:9): a lock held while leading.
type election struct{ lock *lock }

// NewElection makes a candidate.
func (c *Client) NewElection(path, identifier string) env.Election {
	return &election{c.newLock(path, identifier)}
}

// Run waits for the lead, runs leader, and steps down.
func (e *election) Run(leader func()) error {
	got, err := e.lock.Acquire(-1)
	if errors.Is(err, env.ErrCancelled) {
		return nil
	}
	if err != nil || !got {
		return err
	}
	leader()
	return e.lock.Release()
}

// Cancel gives up waiting; it does not interrupt a leader.
func (e *election) Cancel() { e.lock.Cancel() }

// Contenders lists the candidates in their order.
func (e *election) Contenders() ([]string, error) { return e.lock.Contenders() }

var _ env.Election = (*election)(nil)
