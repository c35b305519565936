package model

// Add adds the counts of another sample to this one, which so becomes a total. It leaves out what
// makes sense for a single replication only: window, length, hash, and when replicas served a
// publish.
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

// add adds the counts of another window or segment, which must have the same number of limits.
func (s *Counted) add(o *Counted) {
	s.Outcomes.add(&o.Outcomes)
	s.Partial += o.Partial
	add(s.Waited[:], o.Waited[:])
	add(s.Counts[:], o.Counts[:])
	for k := range s.Parts {
		add(s.Parts[k][:], o.Parts[k][:])
	}
	for k := range o.Models {
		if len(s.Models) <= k {
			s.Models = append(s.Models, Outcomes{})
		}
		s.Models[k].add(&o.Models[k])
	}
	for t := range s.Tiers {
		s.Tiers[t].add(&o.Tiers[t])
	}
}

func (s *Counted) pack() {
	s.Latency.pack()
	for t := range s.Tiers {
		s.Tiers[t].Latency.pack()
	}
	for k := range s.Models {
		s.Models[k].Latency.pack()
	}
}

func (s *Outcomes) add(o *Outcomes) {
	s.Arrived += o.Arrived
	s.Completed += o.Completed
	s.SumNs += o.SumNs
	s.Answered += o.Answered
	s.Open += o.Open
	s.OpenNs += o.OpenNs
	if s.Over == nil {
		s.Over, s.Young = make([]int64, len(o.Over)), make([]int64, len(o.Young))
	}
	if s.Above == nil && len(o.Above) > 0 {
		s.Above = make([]int64, len(o.Above))
	}
	add(s.Above, o.Above)
	add(s.Over, o.Over)
	add(s.Young, o.Young)
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
	c.Skipped += o.Skipped
}
