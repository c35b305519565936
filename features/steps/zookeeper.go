package steps

// zooKeeperDown stops the server; what it had acknowledged is there again when it
// is back.
func (w *World) zooKeeperDown() lasting {
	return lasting{begin: w.cluster.StopZooKeeper, end: w.cluster.StartZooKeeper}
}

func (w *World) zooKeeperBack() error { return w.cluster.StartZooKeeper() }

func (w *World) expireSession(pod string) error { return w.cluster.ExpireSession(pod) }

func (w *World) loseAnswers(n int, pod string) error { return w.cluster.LoseAnswers(pod, n) }
