package model

// Instant is one step of the time series of a window with an event. A request counts in the step in
// which it was intended to arrive, and an answer in the step in which it arrives. The state of
// containers is that at the end of the step.
type Instant struct {
	Arrived   int64 `json:"arrived"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`   // includes the requests that are unanswered when the simulation ends
	Answered  int64 `json:"answered"` // number of answers that arrived in this step
	SumNs     int64 `json:"sum_ns"`   // sum of the latencies of completed requests
	// Struck counts the requests of this step that arrived before the window's event and failed
	// after it. Ended counts the requests that failed in this step, whenever they arrived.
	Struck int64 `json:"struck,omitempty"`
	Ended  int64 `json:"ended,omitempty"`
	// Over counts, for each latency in Spec.Limits, the requests that failed or took longer.
	Over    []int64 `json:"over,omitempty"`
	Latency Hist    `json:"latency"`
	// Busy is the number of busy cores, in thousandths. Waiting is the number of calls that wait
	// for a thread, or share cores with others.
	Busy    [tiers]int64 `json:"busy"`
	Waiting [tiers]int64 `json:"waiting"`
	Live    [tiers]int64 `json:"live"`    // number of containers that are up
	Loading [tiers]int64 `json:"loading"` // number of containers that are loading a version
	// Turns counts how often a container became visible or invisible to callers in this step.
	// Loaded counts how often one finished loading a version.
	Turns  int64 `json:"turns,omitempty"`
	Loaded int64 `json:"loaded,omitempty"`
}

// beginSeries allocates the steps of a window's time series. event is the time from the start of
// the window to its event, or -1.
func (s *Sample) beginSeries(step, event int64, limits int) {
	s.event = event
	if s.step = step; step == 0 {
		return
	}
	s.Series = make([]Instant, (s.end-s.begin+step-1)/step)
	for k := range s.Series {
		s.Series[k].Over = make([]int64, limits)
	}
}

// instant returns the step of the time series that contains the time at. It returns nil if the window
// has no series, or if the time lies outside the window.
func (s *Sample) instant(at int64) *Instant {
	if s.step == 0 || !s.counts(at) {
		return nil
	}
	return &s.Series[(at-s.begin)/s.step]
}

// fails counts the failure of a request. intended is when the request should have come, and now is
// when it failed.
func (s *Sample) fails(intended, now int64) {
	i := s.instant(intended)
	if i == nil {
		return
	}
	i.done(int64(none), nil)
	if event := s.begin + s.event; s.event >= 0 && intended < event && event <= now {
		i.Struck++
	}
	if at := s.instant(now); at != nil {
		at.Ended++
	}
}

// done counts the end of a request in its step. took is its latency in nanoseconds, or none
// if it failed.
func (i *Instant) done(took int64, limits []int64) {
	if i == nil {
		return
	}
	if took == int64(none) {
		i.Failed++
	} else {
		if i.Latency.fine == 0 {
			i.Latency = NewHist(2)
		}
		i.Completed++
		i.SumNs += took
		i.Latency.Record(took)
	}
	for k := range i.Over {
		if took == int64(none) || took > limits[k] {
			i.Over[k]++
		}
	}
}

// nextLook returns when the current step ends, or end if that is earlier.
func (w *world) nextLook(end int64) int64 {
	if w.sample.step == 0 || w.looked >= int64(len(w.sample.Series)) {
		return end
	}
	return min(end, w.lookAt())
}

// lookAt returns when the current step ends.
func (w *world) lookAt() int64 { return min(w.begin+(w.looked+1)*w.sample.step, w.end) }

// look records the state of containers if a step ends now.
func (w *world) look(now int64) {
	if w.sample.step == 0 || w.looked >= int64(len(w.sample.Series)) || now < w.lookAt() {
		return
	}
	one := &w.sample.Series[w.looked]
	w.looked++
	working := [tiers]int64{}
	for i := range w.servers {
		s := &w.servers[i]
		if !s.up {
			continue
		}
		t := &w.spec.Tiers[s.tier]
		busy := int64(s.busy)
		for k := range s.feeds {
			busy += int64(s.feeds[k].busy)
		}
		one.Live[s.tier]++
		if s.loading > 0 {
			one.Loading[s.tier]++
		}
		cores := int64(t.Cores * 1000)
		if !t.Shared {
			cores = 1000 * busy // in this model each thread has a core of its own
		}
		one.Busy[s.tier] += min(1000*busy, cores)
		working[s.tier] += min(1000*busy, cores) / 1000
	}
	for t := range one.Waiting {
		one.Waiting[t] = max(0, w.stages[t].n-working[t])
	}
}

// turned counts a change of a container in the step of the time series in which the change happens.
func (w *world) turned(c *change) {
	one := w.sample.instant(w.now)
	if one == nil {
		return
	}
	switch c.what {
	case isSeen, isUnseen, isLost, isBack, hides, shows, retires:
		one.Turns++
	case loaded:
		one.Loaded++
	}
}
