package traincheck

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/runners"
)

// converges is how long discovery may differ from the running processes: a session of
// ZooKeeper has to end, and the next registration, half an hour later, has to come (INV-5).
const converges = 10*time.Second + 30*time.Minute + time.Minute

// discovery mirrors the processes' znodes by the writes to them.
type discovery struct {
	c     *Checker
	names map[string]string // names of processes, by path of the znode
	nodes map[string]*znode // znodes, by name of the process
	// calm is the end of the last disturbance. It has no meaning while one goes on.
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

// wrote records a successful write to ZooKeeper.
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
		return // Consul promises nothing, because a heartbeat may end (Q300) and a machine may be blacklisted; other kinds of discovery register nowhere
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
