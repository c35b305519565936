package result

import (
	"fmt"
	"strconv"
	"strings"
)

// Record is the outcome of one replication of one window. Its whole numbers suffice to compute
// every estimate again (CAP-4.4). A run has records of its plan, and a sweep has records of every
// cell. A solve has records of the answer under all conditions. Worlds have records of their own.
type Record struct {
	// Point maps paths to the values that replace those of the plan, and is empty for the plan
	// as written. World counts from 1, and 0 stands for the middle values of uncertain inputs.
	Point       map[string]string `json:"point"`
	World       int               `json:"world,omitempty"`
	Condition   string            `json:"condition,omitempty"` // entry of must_hold_under; "" for the normal condition
	Window      string            `json:"window"`
	Replication int               `json:"replication"`
	// WarmupCut is how many nanoseconds at the start of the window are left out as warm-up.
	// Counters of requests and tiers, and histograms, do not include them.
	WarmupCut int64    `json:"warmup_cut"`
	Counters  Counters `json:"counters"`
	// Histograms maps subjects to their latencies in nanoseconds. A subject is "request", an
	// attempt at a tier (entry, ps, dense), or "request of NAME" for one model of a mix.
	Histograms map[string]Histogram `json:"histograms"`
}

// Counters holds the counts of one replication.
type Counters struct {
	Arrived   int64 `json:"arrived"`
	Completed int64 `json:"completed"`
	Partial   int64 `json:"partial"` // number of completed requests without the answers of some shards
	// Failed counts failed requests by cause. The causes have the names used in errors(CAUSE).
	Failed map[string]int64 `json:"failed"`
	Open   int64            `json:"in_flight"`
	// LatencyNs is the sum of the latencies of completed requests, in nanoseconds.
	LatencyNs int64                   `json:"latency_ns"`
	Calls     CallCounters            `json:"calls"`
	Tiers     map[string]TierCounters `json:"tiers"`
	// OOM counts the containers that were killed because they ran out of memory.
	OOM int64 `json:"oom"`
	// Simulated counts all simulated requests: those of the window and of its warm-up.
	Simulated int64 `json:"simulated"`
	// Trace is a hash over all events of the run. Equal runs have equal hashes.
	Trace string `json:"trace"`
}

// CallCounters counts calls to PS and dense as their callers saw them, including those of
// the warm-up.
type CallCounters struct {
	Sent      int64 `json:"sent"`
	Answered  int64 `json:"answered"`
	TimedOut  int64 `json:"timed_out"`
	Refused   int64 `json:"refused"`
	Abandoned int64 `json:"abandoned"`
	Open      int64 `json:"in_flight"`
	Late      int64 `json:"late"`
	Hedged    int64 `json:"hedged"`
	Skipped   int64 `json:"skipped,omitempty"` // number of attempts that were not begun, because their deadline had passed
}

// TierCounters counts the work of the containers of a tier in the window.
type TierCounters struct {
	Attempts  int64 `json:"attempts"`
	LatencyNs int64 `json:"latency_ns"` // sum of the latencies of the attempts
	BusyNs    int64 `json:"busy_ns"`    // CPU time used, summed over the cores
	CoreNs    int64 `json:"core_ns"`    // CPU time that the containers' cores had, the upper limit of BusyNs
}

// Bar is one bar of a histogram. Count is the number of values that are at most To and above the To
// of the previous bar.
type Bar struct{ To, Count int64 }

// Histogram lists the bars that are not empty, in ascending order. Its JSON is a text such
// as "12000:3 13000:1". This means 3 values of at most 12000 ns, and 1 value above 12000 and
// at most 13000 ns.
type Histogram []Bar

// Count returns the number of values.
func (h Histogram) Count() int64 {
	n := int64(0)
	for _, b := range h {
		n += b.Count
	}
	return n
}

// MarshalText encodes the bars.
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

// UnmarshalText decodes what MarshalText wrote.
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
