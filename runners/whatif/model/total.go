package model

// Add takes the counts of another sample into this one, which is then the total of many.
// What belongs to one replication only is not added: its window, its length, its hash, the
// requests over a limit, and when each of its publishes was served.
func (s *Sample) Add(o *Sample) {
	s.Counted.add(&o.Counted)
	s.Requests += o.Requests
	s.Events += o.Events
	add(s.BinSums[:], o.BinSums[:])
	add(s.BinCounts[:], o.BinCounts[:])
	add(s.BinFailed[:], o.BinFailed[:])
	for t := range s.Tiers {
		s.Life.MemPeak[t] = max(s.Life.MemPeak[t], o.Life.MemPeak[t])
	}
	s.Calls.add(&o.Calls)
	s.Life.Detected = append(s.Life.Detected, o.Life.Detected...)
	s.Life.OOM += o.Life.OOM
	for k := range o.Life.Fates {
		if len(s.Life.Fates) <= k {
			s.Life.Fates = append(s.Life.Fates, Fate{})
		}
		s.Life.Fates[k].add(&o.Life.Fates[k])
	}
}

// add adds another of as many limits.
func (s *Counted) add(o *Counted) {
	s.Arrived += o.Arrived
	s.Completed += o.Completed
	s.Partial += o.Partial
	s.Open += o.Open
	s.SumNs += o.SumNs
	s.Latency.Merge(o.Latency)
	s.Over = added(s.Over, o.Over)
	add(s.Failed[:], o.Failed[:])
	add(s.Waited[:], o.Waited[:])
	add(s.Counts[:], o.Counts[:])
	for k := range s.Parts {
		add(s.Parts[k][:], o.Parts[k][:])
	}
	for k := range o.Models {
		if len(s.Models) <= k {
			s.Models = append(s.Models, ModelSample{})
		}
		s.Models[k].add(&o.Models[k])
	}
	for t := range s.Tiers {
		s.Tiers[t].add(&o.Tiers[t])
	}
}

// added is the sum of two lists, of which the first may be nothing yet.
func added(sum, more []int64) []int64 {
	if sum == nil {
		sum = make([]int64, len(more))
	}
	add(sum, more)
	return sum
}

// pack packs the histograms.
func (s *Counted) pack() {
	s.Latency.pack()
	for t := range s.Tiers {
		s.Tiers[t].Latency.pack()
	}
	for k := range s.Models {
		s.Models[k].Latency.pack()
	}
}

func (s *ModelSample) add(o *ModelSample) {
	s.Arrived += o.Arrived
	s.Completed += o.Completed
	s.SumNs += o.SumNs
	s.Over = added(s.Over, o.Over)
	add(s.Failed[:], o.Failed[:])
	s.Latency.Merge(o.Latency)
}

func add(to, from []int64) {
	for k, n := range from {
		to[k] += n
	}
}

func (t *TierSample) add(o *TierSample) {
	t.Attempts += o.Attempts
	t.SumNs += o.SumNs
	t.BusyNs += o.BusyNs
	t.CoreNs += o.CoreNs
	t.MaxParts = max(t.MaxParts, o.MaxParts)
	t.Latency.Merge(o.Latency)
}

func (c *CallCounts) add(o *CallCounts) {
	c.Sent += o.Sent
	c.Answered += o.Answered
	c.TimedOut += o.TimedOut
	c.Refused += o.Refused
	c.Abandoned += o.Abandoned
	c.Open += o.Open
	c.Late += o.Late
	c.Hedged += o.Hedged
}
