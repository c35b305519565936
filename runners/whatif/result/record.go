package result

import (
	"fmt"
	"strconv"
	"strings"
)

// Record is what one replication of one window gave: whole numbers, from which every estimate
// of it can be had again (CAP-4.4). A run has those of the plan, a sweep those of every cell, a
// solve those of the answer under all conditions; with worlds there are those of each.
type Record struct {
	// Point is what was set by path, empty for the plan as it is written; World counts from
	// 1, 0 is that of middle values.
	Point       map[string]string `json:"point"`
	World       int               `json:"world,omitempty"`
	Condition   string            `json:"condition,omitempty"` // of must_hold_under; "" for normal
	Window      string            `json:"window"`
	Replication int               `json:"replication"`
	// WarmupCut is that of the window, in ns from its begin: counters of requests and tiers, and
	// histograms, are without it.
	WarmupCut int64    `json:"warmup_cut"`
	Counters  Counters `json:"counters"`
	// Histograms holds latencies in ns by what they are of: request, an attempt at a tier
	// (entry, ps, dense), and "request of NAME" for a model of a mix.
	Histograms map[string]Histogram `json:"histograms"`
}

// Counters are what a replication counted.
type Counters struct {
	Arrived   int64 `json:"arrived"`
	Completed int64 `json:"completed"`
	Partial   int64 `json:"partial"`
	// Failed is by cause, as in errors(CAUSE).
	Failed map[string]int64 `json:"failed"`
	Open   int64            `json:"in_flight"`
	// LatencyNs is the sum over completed requests.
	LatencyNs int64                   `json:"latency_ns"`
	Calls     CallCounters            `json:"calls"`
	Tiers     map[string]TierCounters `json:"tiers"`
	// OOM is how many containers were killed for want of memory.
	OOM int64 `json:"oom"`
	// Simulated are the requests of the window and of the warm-up before it.
	Simulated int64 `json:"simulated"`
	// Trace is the hash of all that happened: equal ones did the same.
	Trace string `json:"trace"`
}

// CallCounters are calls to PS and dense by the view of their callers, warm-up among them.
type CallCounters struct {
	Sent      int64 `json:"sent"`
	Answered  int64 `json:"answered"`
	TimedOut  int64 `json:"timed_out"`
	Refused   int64 `json:"refused"`
	Abandoned int64 `json:"abandoned"`
	Open      int64 `json:"in_flight"`
	Late      int64 `json:"late"`
	Hedged    int64 `json:"hedged"`
}

// TierCounters are what the containers of a tier did in the window.
type TierCounters struct {
	Attempts  int64 `json:"attempts"`
	LatencyNs int64 `json:"latency_ns"` // sum over attempts
	BusyNs    int64 `json:"busy_ns"`    // of all cores
	CoreNs    int64 `json:"core_ns"`    // what they could have been
}

// Bar is how many values are at most To and above that of the bar before.
type Bar struct{ To, Count int64 }

// Histogram is the bars that are not empty, ascending. Its JSON is one text, "12000:3 13000:1":
// 3 values of at most 12000 ns, 1 above that and of at most 13000.
type Histogram []Bar

// Count returns the number of values.
func (h Histogram) Count() int64 {
	n := int64(0)
	for _, b := range h {
		n += b.Count
	}
	return n
}

// MarshalText writes the bars.
func (h Histogram) MarshalText() ([]byte, error) {
	var text []byte
	for i, b := range h {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, b.To, 10)
		text = append(text, ':')
		text = strconv.AppendInt(text, b.Count, 10)
	}
	return text, nil
}

// UnmarshalText reads what MarshalText wrote.
func (h *Histogram) UnmarshalText(text []byte) error {
	*h = Histogram{}
	for _, word := range strings.Fields(string(text)) {
		to, count, _ := strings.Cut(word, ":")
		var b Bar
		var err1, err2 error
		b.To, err1 = strconv.ParseInt(to, 10, 64)
		b.Count, err2 = strconv.ParseInt(count, 10, 64)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("histogram: found %q, want TO:COUNT, as 12000:3", word)
		}
		*h = append(*h, b)
	}
	return nil
}
