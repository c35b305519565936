package model

import (
	"fmt"
	"unsafe"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Need is an amount of memory that a simulation takes. Path names the key of the plan that
// determines it.
type Need struct {
	Path  string
	Bytes float64
	For   string // what takes the memory, such as "4 containers of ps"
}

// Sizes of the simulation's objects, in bytes. Those of maps and histograms were measured.
const (
	pairBytes    = 128
	viewBytes    = 4
	changeBytes  = float64(unsafe.Sizeof(change{})) * 2 // twice, because a list that grows reserves room
	serverBytes  = float64(unsafe.Sizeof(server{}) + unsafe.Sizeof(sharing{}))
	callBytes    = float64(unsafe.Sizeof(call{})) * 1.25
	requestBytes = float64(unsafe.Sizeof(request{})) * 1.25
	openBytes    = 280e3 // of a segment of a [Sample] that still counts
	packedBytes  = 40e3  // of a segment of a [Sample] after [Hist.pack]
)

// Needs returns what memory one replication takes during the simulation of its largest window.
func (s *Spec) Needs() []Need {
	list := append(s.containers(), s.changes()...)
	most := Need{}
	for _, w := range s.Windows {
		if one := s.underWay(w); one.Bytes > most.Bytes {
			most = one
		}
	}
	return append(list, most, Need{Path: "workload.mix", Bytes: Segments * openBytes * float64(max(len(s.Mix), 1)), For: fmt.Sprintf("%d models", max(len(s.Mix), 1))})
}

// KeptBytes returns how many bytes the [Sample] of one replication of a window takes after its
// simulation.
func (s *Spec) KeptBytes() float64 {
	return Segments * packedBytes * float64(1+len(s.Mix))
}

// containers returns the memory for containers, and for what callers know about them.
func (s *Spec) containers() []Need {
	shards, callers := 1, 0
	places, _ := s.places()
	calling := Entry
	if s.FromDense {
		calling = Dense
	}
	var list []Need
	for t, name := range plan.TierNames {
		tier := &s.Tiers[t]
		n := 0
		for _, replicas := range tier.Replicas {
			n += max(replicas, tier.Most)
		}
		each := serverBytes + viewBytes*float64(2*places+1)
		path := "fleet." + name + ".replicas"
		if b := tier.Batch; b != nil {
			each += float64(b.Processes) * float64(unsafe.Sizeof(feeder{})+unsafe.Sizeof(batcher{})*uintptr(max(len(s.Mix), 1)))
			if tier.Device.counts() {
				each += float64(b.Processes * (b.MaxItems/64 + 1) * 8)
			}
			if b.Processes > n {
				path = "fleet." + name + ".services_per_container"
			}
		}
		if t != PS && n > 0 && tier.Most-tier.Replicas[0] > n/2 {
			path = "autoscale." + name
		}
		shards = max(shards, len(tier.Replicas))
		if t == calling {
			callers = n
		}
		if t == calling && s.HedgeQuantile > 0 {
			each += float64(unsafe.Sizeof(tracker{}))
		}
		list = append(list, Need{path, float64(n) * each, fmt.Sprintf("%d containers of %s", n, name)})
	}
	for t := range list {
		n := list[t].Bytes / serverBytes
		list[t].Bytes += 4 * tiers * float64(shards) * n // for round robin: whose turn it is
	}
	if s.Balance == "least_loaded" || s.Balance == "p2c" {
		called := 0.0
		for _, replicas := range s.Tiers[PS].Replicas {
			called += float64(replicas)
		}
		list = append(list, Need{"client.balance", float64(callers) * called * pairBytes, fmt.Sprintf("%s, which counts the calls between %d callers and %.0f containers,", s.Balance, callers, called)})
	}
	return list
}

// changes returns the memory for the changes that happen to containers.
func (s *Spec) changes() []Need {
	p := s.Control.Plan
	if p == nil {
		return nil
	}
	var list []Need
	horizon := float64(p.Workload.Horizon)
	for _, name := range plan.TierNames {
		if p.Fleet.Tier(name) == nil {
			continue
		}
		if f := p.Random.Of(name); f != nil {
			n := float64(p.Containers(name)) * horizon / float64(f.MTBF+f.MTTR)
			list = append(list, Need{"random_failures." + name + ".mtbf", 4 * n * changeBytes, fmt.Sprintf("some %.3g failures of %s", n, name)})
		}
		if a := p.Autoscale.Of(name); a != nil {
			n := min(float64(max(a.StabiliseUp, a.StabiliseDown, a.Interval)), horizon) / float64(a.Interval)
			list = append(list, Need{"autoscale." + name + ".interval", n * float64(unsafe.Sizeof(pause{})) * 2, fmt.Sprintf("%.3g looks of the autoscaler", n)})
		}
	}
	return list
}

// underWay returns the memory for the requests that are in progress in a window. These are the
// requests of the steady state, and those that pile up while a tier is overloaded.
func (s *Spec) underWay(w Window) Need {
	stride := 1.0
	for _, m := range s.Served() {
		stride = max(stride, float64(len(m.Calls)))
	}
	each := requestBytes + stride*8 + stride*callBytes
	if n := s.Arrivals.Clients; n > 0 {
		return Need{"workload.loop", float64(n) * (each + 2*float64(unsafe.Sizeof(pause{}))), fmt.Sprintf("%d clients", n)}
	}
	if len(s.Arrivals.Times) > 0 || s.Control.Plan == nil {
		return Need{} // the size of the trace file limits the number of its requests
	}
	p := s.Control.Plan
	most := 0.0 // requests per second that the fleet can serve
	for t, name := range plan.TierNames {
		if s.Has(t) {
			if full := 1 / p.Fullest(name, 1); most == 0 || full < most {
				most = full
			}
		}
	}
	most /= float64(max(s.Control.Thin, 1))
	const parts = 1000
	begin, end := int64(w.Start)-w.Warmup, int64(w.End)
	backlog, deepest, peak := 0.0, 0.0, 0.0
	for k := range int64(parts) {
		rate := s.RateAt(begin + int64(float64(end-begin)*float64(k)/parts))
		backlog = max(0, backlog+(rate-most)*float64(end-begin)/1e9/parts)
		deepest, peak = max(deepest, backlog), max(peak, rate)
	}
	n := deepest + min(peak, most)*s.leastLatency()
	return Need{"workload.rate", n * each, fmt.Sprintf("%.3g requests under way at once, as %s comes and the fleet can do %.3g/s,", n, rateText(peak), most)}
}

func rateText(v float64) string { return fmt.Sprintf("%.3g/s", v) }

// leastLatency returns a lower bound of a request's mean latency, in seconds.
func (s *Spec) leastLatency() float64 {
	ns := float64(2*s.PerRPC) + 4*s.Latency[0].Mean
	for _, m := range s.Served() {
		for t := range m.Laws {
			ns += float64(m.Share * m.Laws[t].MeanOf(m.Items.Mean))
		}
	}
	return ns / 1e9
}

// TooLargeError reports that a simulation took more memory than allowed.
type TooLargeError struct {
	Requests, Calls int // number of requests and of calls that fit into the memory taken so far
	Bytes           int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%d requests with %d calls were under way at once", e.Requests, e.Calls)
}

// grown returns an error if requests and calls take more memory than allowed.
func (w *world) grown() error {
	most := w.spec.MostBytes
	if most == 0 {
		return nil
	}
	used := int64(cap(w.requests))*int64(unsafe.Sizeof(request{})) + int64(cap(w.calls))*int64(unsafe.Sizeof(call{})) + 4*int64(cap(w.slots)+cap(w.hedges)+cap(w.past))
	if used <= most {
		return nil
	}
	return &TooLargeError{Requests: len(w.requests), Calls: len(w.calls), Bytes: used}
}
