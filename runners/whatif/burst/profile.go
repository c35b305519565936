package burst

import "math"

// profile is the load of a server over two periods, divided into equal slots of time.
type profile struct {
	longest float64 // longest period of any load, from the start of one round to the start of the next, in nanoseconds
	slot    float64 // length of a slot in nanoseconds
	second  int     // number of slots in a second
	asked   []float64
	busy    []float64 // seconds for which the server is busy in each slot
	// flatAsked and flatBusy hold changes of asked and busy from one slot to the next. peak sums
	// them up once all loads are added.
	flatAsked, flatBusy []float64
}

const (
	slots     = 64      // of a second
	mostSlots = 1 << 18 // of a profile
)

func newProfile(longest float64) *profile {
	p := &profile{longest: longest, slot: 1e9 / slots, second: slots}
	span := 2*longest + 2e9
	if n := span / p.slot; n > mostSlots {
		p.slot = span / mostSlots
		p.second = max(1, int(1e9/p.slot))
	}
	n := int(span/p.slot) + 1
	p.asked, p.busy = make([]float64, n), make([]float64, n)
	p.flatAsked, p.flatBusy = make([]float64, n+1), make([]float64, n+1)
	return p
}

// add adds the requests of a group of agents, in all rounds of the two periods.
func (p *profile) add(l *Load, a Agents, phases []phase) {
	round := l.Each * a.Gap
	period := l.Period + round
	end := float64(len(p.asked)) * p.slot
	for _, one := range phases {
		for at := math.Mod(one.at, period) - period; at < end; at += period {
			p.spread(at-one.wide/2, round+one.wide, one.n*l.Each, l.Cost)
		}
	}
}

// spread adds requests that arrive at an even rate. They arrive from the instant given by at, for
// the duration given by lasts, both in nanoseconds.
func (p *profile) spread(at, lasts, requests, cost float64) {
	from, to := at/p.slot, (at+lasts)/p.slot
	n := float64(len(p.asked))
	if to < 0 || from >= n {
		return
	}
	if to-from < 1e-6 {
		if from >= 0 {
			p.asked[int(from)] += requests
			p.busy[int(from)] += requests * cost
		}
		return
	}
	rate := requests / (to - from) // requests per slot
	from, to = math.Max(from, 0), math.Min(to, n)
	first, last := int(from), int(to)
	if first == last {
		p.asked[first] += rate * (to - from)
		p.busy[first] += rate * (to - from) * cost
		return
	}
	p.asked[first] += rate * (float64(first+1) - from)
	p.busy[first] += rate * (float64(first+1) - from) * cost
	if last < len(p.asked) {
		p.asked[last] += rate * (to - float64(last))
		p.busy[last] += rate * (to - float64(last)) * cost
	}
	p.flatAsked[first+1] += rate
	p.flatBusy[first+1] += rate * cost
	p.flatAsked[last] -= rate
	p.flatBusy[last] -= rate * cost
}

// peak computes the busiest second and the longest time without a pause.
func (p *profile) peak() Peak {
	rate, cost := 0.0, 0.0
	for k := range p.asked {
		rate += p.flatAsked[k]
		cost += p.flatBusy[k]
		p.asked[k] += rate
		p.busy[k] += cost
	}
	var out Peak
	asked, busy := 0.0, 0.0
	for k := range p.asked {
		asked, busy = asked+p.asked[k], busy+p.busy[k]
		if k >= p.second {
			asked, busy = asked-p.asked[k-p.second], busy-p.busy[k-p.second]
		}
		if busy > out.Busy || busy == out.Busy && asked > out.Second {
			out.Second, out.Busy = asked, busy
		}
	}
	for offset := 0; offset < p.second; offset += max(1, p.second/8) {
		out.Drain = math.Max(out.Drain, p.drain(offset))
	}
	out.Drain = math.Min(out.Drain*1e9, p.longest)
	return out
}

// drain returns the longest time, in seconds, that the server works without a pause. It assumes
// that all requests of a second arrive at the start of that second. The first second starts at the
// slot with the index offset.
func (p *profile) drain(offset int) float64 {
	left, worked, longest := 0.0, 0.0, 0.0
	length := float64(p.second) * p.slot / 1e9
	for k := offset; k+p.second <= len(p.busy); k += p.second {
		if left <= 0 {
			worked = 0
		}
		for _, more := range p.busy[k : k+p.second] {
			left += more
			worked += more
		}
		longest = math.Max(longest, worked)
		left = math.Max(0, left-length)
	}
	return longest
}
