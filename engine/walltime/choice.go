package walltime

import (
	"sync"

	"github.com/monosim/monosim/engine/tasks"
)

// node is a place where processes run, with random numbers of its own.
type node struct {
	name string
	seed uint64

	mu    sync.Mutex
	draws map[string]*tasks.Draws // generator of each site's random numbers
}

func (n *node) draw(site string, outcomes uint64) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	d, ok := n.draws[site]
	if !ok {
		begun := tasks.NewDraws(n.seed, n.name, site)
		d = &begun
		n.draws[site] = d
	}
	_, drawn := d.Next(outcomes)
	return drawn
}

func (n *node) intn(site string, outcomes int) int {
	if outcomes <= 0 {
		panic("walltime: choice among 0 outcomes at " + site)
	}
	return int(n.draw(site, uint64(outcomes)))
}

func (n *node) float64(site string) float64 {
	return float64(n.draw(site, 1<<53)) / (1 << 53)
}
