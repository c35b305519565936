package steps

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
)

// zooKeeperDown stops the server; what it had acknowledged is there again when it
// is back.
func (w *World) zooKeeperDown() lasting {
	return lasting{begin: w.cluster.StopZooKeeper, end: w.cluster.StartZooKeeper}
}

func (w *World) zooKeeperBack() error { return w.cluster.StartZooKeeper() }

func (w *World) expireSession(pod string) error { return w.cluster.ExpireSession(pod) }

func (w *World) loseAnswers(n int, pod string) error { return w.cluster.LoseAnswers(pod, n) }

// ensemble does something to the servers of ZooKeeper.
func (w *World) ensemble(do func(runners.Ensemble) error) error {
	e, ok := w.cluster.(runners.Ensemble)
	if !ok {
		return fmt.Errorf("ZooKeeper is no ensemble: %w", runners.ErrUnsupported)
	}
	return do(e)
}

// zooKeeperLeaderless is an election that takes its time.
func (w *World) zooKeeperLeaderless() lasting {
	return lasting{
		begin: func() error { return w.ensemble(runners.Ensemble.LoseLeader) },
		end:   w.zooKeeperElects,
	}
}

func (w *World) zooKeeperElects() error { return w.ensemble(runners.Ensemble.ElectLeader) }

func (w *World) zooKeeperReadOnly() lasting {
	return lasting{
		begin: func() error { return w.ensemble(runners.Ensemble.ReadOnly) },
		end:   func() error { return w.ensemble(runners.Ensemble.EndReadOnly) },
	}
}

func (w *World) servedByFollower(pod, lag string) lasting {
	return lasting{
		begin: func() error {
			d, err := time.ParseDuration(lag)
			if err != nil {
				return err
			}
			return w.ensemble(func(e runners.Ensemble) error { return e.PlaceOnFollower(pod, d) })
		},
		end: func() error { return w.movesToLeader(pod) },
	}
}

func (w *World) movesToFollower(pod string) error {
	return w.ensemble(func(e runners.Ensemble) error { return e.PlaceOnFollower(pod, 0) })
}

func (w *World) movesToLeader(pod string) error {
	return w.ensemble(func(e runners.Ensemble) error { return e.PlaceOnLeader(pod) })
}
