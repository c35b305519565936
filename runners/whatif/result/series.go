package result

// CDFPoint is the share of requests that took at most so long.
type CDFPoint struct {
	Latency  int64   `json:"latency"` // ns
	Fraction float64 `json:"fraction"`
}

// TimelinePoint is a moment of the horizon; means are over replications.
type TimelinePoint struct {
	At      int64            `json:"at"`   // ns
	Rate    float64          `json:"rate"` // offered
	Live    map[string]int   `json:"live"` // containers by tier
	Offered map[string]Share `json:"offered"`
	Mem     map[string]int64 `json:"mem"` // fullest container by tier
	// P99 and Errors are those of the part of a window that begins here; P99 is 0
	// outside of windows.
	P99    int64   `json:"p99,omitempty"`
	Errors float64 `json:"errors,omitempty"`
	Event  string  `json:"event,omitempty"`
}

// Share is a fraction of one.
type Share = float64

// Rollout is how a version came to be served.
type Rollout struct {
	Version int    `json:"version"`
	At      int64  `json:"at"`
	Model   string `json:"model,omitempty"` // of the mix; "" for all
	Path    string `json:"path"`            // v1 entry, v1 ps, v3
	// None says why there is nothing to measure, as for PS of version 1.
	None string `json:"none,omitempty"`
	// ToAll is from the publish to the last replica, nil where it never came; Closed is
	// what the closed form says.
	ToAll      *float64     `json:"to_all"`
	CI         *[2]float64  `json:"ci"`
	Closed     float64      `json:"closed_form"`
	MinServing int          `json:"min_serving"`
	Replicas   int          `json:"replicas"`
	Curve      []CDFPoint   `json:"curve"` // share of replicas over time since the publish
	Shards     []ShardCurve `json:"shards,omitempty"`
}

// ShardCurve is how one shard came to serve a version.
type ShardCurve struct {
	Shard int        `json:"shard"`
	Curve []CDFPoint `json:"curve"`
}

// Incident is what an event did to requests.
type Incident struct {
	Event    string `json:"event"`
	Action   string `json:"action"`
	At       int64  `json:"at"`
	DetectNs int64  `json:"detected_after"` // mean, until balancers knew
	// LostSessions are sessions that expired under containers that lived, in the mean, and
	// Unlisted those of them that nobody lists until their model is published anew. ListedNs is
	// when the last of the others is listed again, after the event; 0 where there is none.
	LostSessions float64 `json:"lost_sessions"`
	Unlisted     float64 `json:"unlisted"`
	ListedNs     int64   `json:"listed_after"`
	// P99 is of the requests of its window, in ns, with its interval; nil where there are too few.
	P99    *float64    `json:"p99"`
	CI     *[2]float64 `json:"p99_ci"`
	Errors float64     `json:"errors"`
	// Slow1 and Slow2 are the shares of requests that waited for at least one and two
	// timeouts, Failed that of those which failed. The closed forms are those of the time in
	// which containers that died are listed still; 0 where there is none.
	Slow1         float64 `json:"one_timeout"`
	Slow2         float64 `json:"two_timeouts"`
	Failed        float64 `json:"failed"`
	Closed1       float64 `json:"one_timeout_closed"`
	Closed2       float64 `json:"two_timeouts_closed"`
	ClosedFailed  float64 `json:"failed_closed"`
	RecoveredNs   *int64  `json:"recovered_after"` // nil when it did not within its window
	RequestsCount int64   `json:"n"`
}

// Scaled is what containers cost over the horizon where their number changes.
type Scaled struct {
	Cost           float64    `json:"cost"` // an hour, in the mean
	CI             [2]float64 `json:"ci"`
	Confidence     float64    `json:"confidence"`
	Most           float64    `json:"most_cost"`
	Containers     float64    `json:"containers"`
	MostContainers int        `json:"most_containers"`
	Runs           int        `json:"replications"`
}
