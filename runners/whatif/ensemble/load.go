package ensemble

import (
	"fmt"
	"math"

	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Periods of the agents' loops in seconds (zk_mirror.py, replica_manager.py), sizes in bytes, and
// numbers of changes, writes and requests.
const (
	watchPeriod     = 60
	bindingBytes    = 70
	servicePath     = 60 // length of a replica's path, with the field that holds the length
	changesARollout = 3  // number of changes of each replica's state in one roll-out
	reregister      = 10 // period, in seconds, of the thread that registers replicas again
	setsALook       = 2  // number of writes of that thread per replica and period: UNKNOWN, then AVAILABLE within a second
	// When every session expires, each agent of version 1 first reads, in its new session, all that
	// it watches. Then it reads again each znode that disappeared, came back or changed. Several
	// changes of a znode need only one read if they come before the agent reads it. In all it reads
	// each znode leastAStorm to mostAStorm times.
	leastAStorm, mostAStorm = 3.5, 7
	writesOfV3              = 2 // number of writes by each agent in a watchPeriod, for its service information
	// stormOfV3 is the number of requests by an agent after all sessions expired: for its service
	// information and its watches.
	stormOfV3 = 4
)

// Load computes the fleet's load on ZooKeeper by the formulas of CAP-3.12. Pings count
// neither as reads nor as writes.
func (f Fleet) Load(z *plan.ZooKeeper) result.ZKLoad {
	l := f.Mean(z)
	f.peak(&l, z)
	return l
}

// Mean computes the load without its peaks, which take longer to compute.
func (f Fleet) Mean(z *plan.ZooKeeper) result.ZKLoad {
	l := result.ZKLoad{Version: f.Version, Containers: f.Containers(), Agents: f.Agents()}
	n := float64(f.Agents())
	if f.Version == 3 {
		f.loadV3(&l, n)
	} else {
		f.loadV1(&l, n)
		for _, numPS := range f.Others {
			other := f
			other.NumPS = numPS
			var o result.ZKLoad
			other.loadV1(&o, n)
			l.Agents += f.Agents()
			add(&l, &o)
		}
	}
	l.WatchBytes = l.Watches * float64(z.WatchBytes)
	l.Utilisation = l.Reads/float64(z.ReadOps) + l.Writes/float64(z.WriteOps)
	l.AfterUtilisation = l.AfterReads/float64(z.ReadOps) + l.AfterWrites/float64(z.WriteOps)
	if f.Expires {
		l.Worst = math.Max(l.Utilisation, l.AfterUtilisation)
	} else {
		l.Worst = l.Utilisation
	}
	return l
}

// add adds the load o of another model's agents to l. The longest reply becomes the longer
// of the two.
func add(l, o *result.ZKLoad) {
	l.Znodes += o.Znodes
	l.Watches += o.Watches
	l.Reads += o.Reads
	l.AfterReads += o.AfterReads
	l.AfterWrites += o.AfterWrites
	l.StormLeast += o.StormLeast
	l.StormMost += o.StormMost
	l.PerDeath += o.PerDeath
	l.PerPublish = math.Max(l.PerPublish, o.PerPublish)
	l.PerReload += o.PerReload
	l.MaxReply = math.Max(l.MaxReply, o.MaxReply)
	l.MaxResend = math.Max(l.MaxResend, o.MaxResend)
}

// Metrics returns the load as values of the metrics that objectives may name.
func Metrics(l *result.ZKLoad) map[string]float64 {
	return map[string]float64{
		"zk.utilisation":      l.Worst,
		"zk.peak_utilisation": l.PeakUtilisation,
		"zk.drain":            l.DrainNs,
		"zk.watch_memory":     l.WatchBytes,
		"zk.max_reply":        math.Max(l.MaxReply, l.MaxResend),
	}
}

// Formulas describes in words how each metric is computed for a version of agents, with the
// symbols of CAP-3.12.
func Formulas(version int) map[string]string {
	peak := "what the loops of N agents ask in their busiest second, at the phases with which fleet.starts leaves them"
	drain := "how long that takes the ensemble without a pause, what comes within a second at its begin"
	if version == 3 {
		return map[string]string{
			"zk.peak_utilisation": peak, "zk.drain": drain,
			"zk.utilisation": fmt.Sprintf("%d N / %d s / write_ops: nothing is read at rest", writesOfV3, watchPeriod), "zk.watch_memory": "N (1 + models) watch_bytes",
			"zk.max_reply": fmt.Sprintf("%d N bindings, a whole list", bindingBytes),
		}
	}
	return map[string]string{
		"zk.peak_utilisation": peak, "zk.drain": drain,
		"zk.utilisation": fmt.Sprintf("N (1 + T + Z) / %d s / read_ops; once the plan has all sessions expire, with Q109 and %d Z (N + 1) / %d s / read_ops + %d Z / %d s / write_ops",
			watchPeriod, setsALook, reregister, setsALook, reregister),
		"zk.watch_memory": "N (1 + T + Z) watch_bytes",
		"zk.max_reply":    fmt.Sprintf("%d (1 + T + Z), the watches sent again", servicePath),
	}
}

// loadV1 computes the load of version 1. Every agent watches every replica, and reads each
// again once a minute.
func (f Fleet) loadV1(l *result.ZKLoad, n float64) {
	tree := f.tree()
	replicas := float64(tree.Znodes())
	l.Znodes = replicas
	each := float64(tree.Lists()) + replicas
	l.Watches = n * each
	l.Reads = l.Watches / watchPeriod
	if f.PS > 0 {
		l.PerDeath = 2 * n * float64(f.NumPS) / float64(f.NumShard)
	}
	l.PerPublish = changesARollout * float64(f.entries()) * n
	l.PerReload = changesARollout * replicas * n
	l.StormLeast, l.StormMost = leastAStorm*l.Watches, mostAStorm*l.Watches
	l.AfterReads = l.Reads
	if f.Flaps { // each write makes every agent read, and at each look an agent reads its own replicas
		l.AfterWrites = setsALook * replicas / reregister
		l.AfterReads += setsALook*replicas*n/reregister + setsALook*replicas/reregister
	}
	// The largest reply is the list of one task's replicas. A client that reconnects sends all
	// its watches at once.
	l.MaxReply = math.Max(replicas/float64(tree.Tasks()), float64(f.entries())) * 24
	l.MaxResend = each * servicePath
}

// loadV3 computes the load of version 3. Every agent watches the children of the layout and
// of each model, and reads a whole list again when it changes.
func (f Fleet) loadV3(l *result.ZKLoad, n float64) {
	bindings := n * float64(f.Bindings)
	l.Znodes = bindings + n
	l.Watches = n * float64(1+f.Models)
	// At rest agents read nothing, because their watches tell them of changes. Once a minute
	// each agent writes its service information, by a create that fails and a set
	// (backends.py:340).
	l.Writes = writesOfV3 * n / watchPeriod
	l.AfterWrites = l.Writes
	l.PerDeath = n * float64(f.Bindings)
	l.PerPublish = n * bindings
	l.PerReload = l.PerPublish
	l.MaxReply = bindings * bindingBytes
	l.MaxResend = float64(1+f.Models) * servicePath
	l.PerChange = l.MaxReply * n
	l.StormLeast, l.StormMost = stormOfV3*n, stormOfV3*n
}

// limit is a limit of ZooKeeper that a growing fleet may reach. The function called most returns
// the limit. The function called of returns the fleet's value that is compared with the limit.
type limit struct {
	name string
	unit string
	most func(z *plan.ZooKeeper) float64
	of   func(l *result.ZKLoad) float64
	peak bool // whether the fleet's value depends on the peaks
}

var limits = []limit{
	{name: "watch memory", unit: "bytes", most: func(z *plan.ZooKeeper) float64 { return float64(z.Heap) }, of: func(l *result.ZKLoad) float64 { return l.WatchBytes }},
	{name: result.ReadLimit, unit: "per_second", most: func(z *plan.ZooKeeper) float64 { return float64(z.ReadOps) }, of: func(l *result.ZKLoad) float64 { return l.Reads }},
	{name: result.DrainLimit, unit: "ns", most: (*plan.ZooKeeper).MostDrain, of: func(l *result.ZKLoad) float64 { return l.DrainNs }, peak: true},
	{name: "jute.maxbuffer of an answer", unit: "bytes", most: func(z *plan.ZooKeeper) float64 { return float64(z.JuteMaxBuffer) }, of: func(l *result.ZKLoad) float64 { return l.MaxReply }},
	{name: "jute.maxbuffer of watches sent again", unit: "bytes", most: func(z *plan.ZooKeeper) float64 { return float64(z.JuteMaxBuffer) }, of: func(l *result.ZKLoad) float64 { return l.MaxResend }},
}

// expiry is a limit that only version 1 reaches: its load after all sessions have expired.
var expiry = limit{name: "reads and writes once every session has expired", unit: "fraction", most: func(*plan.ZooKeeper) float64 { return 1 }, of: func(l *result.ZKLoad) float64 { return l.AfterUtilisation }}

// multiples lists the multiples of the fleet for which a curve has a point.
var multiples = []float64{0.1, 0.3, 1, 3, 10, 30, 100}

// Curve computes the load for several multiples of the fleet, for both versions of agents,
// and the multiple at which each limit is reached.
func (f Fleet) Curve(z *plan.ZooKeeper) *result.ZooKeeper {
	out := &result.ZooKeeper{Now: f.Load(z), Periodic: f.periodic(z)}
	for _, version := range []int{1, 3} {
		of := f
		of.Version = version
		curve := result.ZKCurve{Version: version}
		for _, m := range multiples {
			curve.Points = append(curve.Points, result.ZKPoint{Multiple: m, Load: of.Times(m).Load(z)})
		}
		for _, l := range limits {
			curve.Limits = append(curve.Limits, result.ZKLimit{Name: l.name, Unit: l.unit, Limit: l.most(z), At: of.reaches(z, l)})
		}
		curve.AfterExpiry = of.reaches(z, expiry)
		out.Curves = append(out.Curves, curve)
	}
	return out
}

// reaches returns the multiple of the fleet at which a limit is reached, or 0 if that multiple is
// above a thousand. Loads grow with the fleet, so reaches can use bisection.
func (f Fleet) reaches(z *plan.ZooKeeper, l limit) float64 {
	over := func(m float64) bool {
		times := f.Times(m)
		load := times.Mean(z)
		if l.peak {
			times.peak(&load, z)
		}
		return l.of(&load) > l.most(z)
	}
	low, high := 0.001, 1000.0
	if !over(high) {
		return 0
	}
	for range 40 {
		middle := math.Sqrt(low * high)
		if over(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
