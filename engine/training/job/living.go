package job

import (
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/training"
)

// livingFor is how long an answer about the listed workers stays valid. livingPause is the time
// between an answer and the next query.
const (
	livingFor   = 5 * time.Second
	livingPause = time.Second / 2
)

// living knows which workers the discovery lists, for the repair of Q239. The chief asks it at each
// check of a barrier, with the barrier's lock held, so it must answer at once. If Consul is down, a
// query takes a minute, so a separate task makes the queries. Without a recent answer every worker
// counts.
type living struct {
	p       *process
	workers training.Addrs
	known   bool
	at      time.Duration // time of the last answer
	asking  bool
}

// lists reports whether the discovery lists a worker.
func (l *living) lists(worker int) bool {
	if l.p.Spec.Discovery != cluster.DiscoveryConsul { // discoveries other than Consul answer from memory
		l.ask()
	} else if !l.asking && (l.at == 0 || l.p.e.Clock.Elapsed()-l.at >= livingPause) {
		l.asking = true
		l.p.e.Tasks.Go("living workers", func() { l.ask(); l.asking = false })
	}
	if !l.known || l.p.e.Clock.Elapsed()-l.at > livingFor {
		return true
	}
	_, ok := l.workers.Get(worker)
	return ok
}

func (l *living) ask() {
	found, err := l.p.discovery.ServiceDiscovery.Query(Worker)
	l.workers, l.known, l.at = found, err == nil, l.p.e.Clock.Elapsed()
}
