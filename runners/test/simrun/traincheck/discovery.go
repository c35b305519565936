package traincheck

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/runners"
)

// converges is by when discovery is as the processes are: a session of ZooKeeper's has to end,
// and the registration of the next half hour to come (INV-5).
const converges = 10*time.Second + 30*time.Minute + time.Minute

// discovery is what was written of the processes' znodes.
type discovery struct {
	c     *Checker
	names map[string]string // of processes, by znode
	nodes map[string]*znode // by process
	// calm is since when nobody has disturbed the job, while nothing goes on that does.
	calm   time.Duration
	goesOn map[string]int
}

type znode struct {
	there bool
	since time.Duration
}

func (d *discovery) init(c *Checker) {
	*d = discovery{c: c, names: map[string]string{}, nodes: map[string]*znode{}, goesOn: map[string]int{}}
	for _, name := range c.names {
		d.names[c.node(name)] = name
		d.nodes[name] = &znode{}
	}
}

// wrote is told of a write of ZooKeeper that went well, by its observation.
func (d *discovery) wrote(o runners.Observation) {
	name, ok := d.names[o.Path]
	if !ok || o.Note != "" && o.Note != "ephemeral" && o.Note != "with its session" {
		return
	}
	switch n := d.nodes[name]; {
	case o.Op == "zookeeper.delete" && n.there:
		*n = znode{since: o.At}
	case o.Op == "zookeeper.create" && !n.there:
		*n = znode{there: true, since: o.At}
	}
}

func (d *discovery) disturbed(what string, lasting, over bool) {
	d.calm = d.c.now
	switch {
	case over && d.goesOn[what] > 0:
		if d.goesOn[what]--; d.goesOn[what] == 0 {
			delete(d.goesOn, what)
		}
	case lasting && !over:
		d.goesOn[what]++
	}
}

func (d *discovery) look() {
	if len(d.goesOn) > 0 || d.c.spec.Discovery == cluster.DiscoveryConsul || d.c.spec.IsPlaced() {
		return // Consul promises nothing: a heartbeat may end (Q300), a machine be blacklisted; and others register nowhere
	}
	for _, name := range d.c.names {
		p, n := d.c.procs[name], d.nodes[name]
		switch {
		case p.running && p.serving && !n.there:
			if since := max(p.served, n.since, d.calm); d.c.now > since+converges {
				d.c.breaks("INV-5", fmt.Sprintf("missing %s %v", name, since), "", "%s runs and is not in discovery since %v, want it there within %v", name, since, converges)
			}
		case !p.running && p.life > 0 && n.there:
			if since := max(p.ended, n.since, d.calm); d.c.now > since+converges {
				d.c.breaks("INV-5", fmt.Sprintf("dead %s %v", name, since), "", "%s ended at %v and is in discovery, want it gone within %v", name, p.ended, converges)
			}
		}
	}
}
