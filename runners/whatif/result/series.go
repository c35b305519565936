package result

// CDFPoint is the share of requests that took at most a latency.
type CDFPoint struct {
	Latency  int64   `json:"latency"` // ns
	Fraction float64 `json:"fraction"`
}

// TimelinePoint is an instant of the horizon. Its numbers are means over replications.
type TimelinePoint struct {
	At      int64              `json:"at"`   // ns
	Rate    float64            `json:"rate"` // offered
	Live    map[string]int     `json:"live"` // containers by tier
	Offered map[string]float64 `json:"offered"`
	Mem     map[string]int64   `json:"mem"` // fullest container by tier
	// P99 and Errors are those of the window at this instant; P99 is 0 outside windows.
	P99    int64   `json:"p99,omitempty"`
	Errors float64 `json:"errors,omitempty"`
	Event  string  `json:"event,omitempty"`
}

// Rollout is how a version spread over the containers of a tier.
type Rollout struct {
	Version int    `json:"version"`
	At      int64  `json:"at"`
	Model   string `json:"model,omitempty"` // of the mix; "" for all
	Path    string `json:"path"`            // v1 entry, v1 ps, v3
	// None says why there is nothing to measure, as for PS of version 1.
	None string `json:"none,omitempty"`
	// ToAll is the time from the publish to the last replica, nil when that never served.
	// Closed is the time by the closed form. Both are in nanoseconds.
	ToAll      *float64     `json:"to_all"`
	CI         *[2]float64  `json:"ci"`
	Closed     float64      `json:"closed_form"`
	MinServing int          `json:"min_serving"`
	Replicas   int          `json:"replicas"`
	Curve      []CDFPoint   `json:"curve"` // share of replicas over time since the publish
	Shards     []ShardCurve `json:"shards,omitempty"`
}

// ShardCurve is how a version spread over the replicas of one shard.
type ShardCurve struct {
	Shard int        `json:"shard"`
	Curve []CDFPoint `json:"curve"`
}

// Incident is what an event did to requests.
type Incident struct {
	Event    string `json:"event"`
	Action   string `json:"action"`
	At       int64  `json:"at"`
	DetectNs int64  `json:"detected_after"` // mean nanoseconds until balancers knew
	// LostSessions counts sessions that expired while their containers lived, and Unlisted
	// those containers that nobody lists until their model is published anew. Both are
	// means over replications. ListedNs is when the last other container was listed again,
	// after the event; 0 if there was none.
	LostSessions float64 `json:"lost_sessions"`
	Unlisted     float64 `json:"unlisted"`
	ListedNs     int64   `json:"listed_after"`
	// P99 is for the requests of the window, in nanoseconds; nil with too few requests.
	P99    *float64    `json:"p99"`
	CI     *[2]float64 `json:"p99_ci"`
	Errors float64     `json:"errors"`
	// Slow1 and Slow2 are the shares of requests that waited for at least one and two
	// timeouts, and Failed is the share that failed. The closed forms hold while dead
	// containers are still listed; they are 0 where no formula applies.
	Slow1         float64 `json:"one_timeout"`
	Slow2         float64 `json:"two_timeouts"`
	Failed        float64 `json:"failed"`
	Closed1       float64 `json:"one_timeout_closed"`
	Closed2       float64 `json:"two_timeouts_closed"`
	ClosedFailed  float64 `json:"failed_closed"`
	RecoveredNs   *int64  `json:"recovered_after"` // nil when it did not recover within its window
	RequestsCount int64   `json:"n"`
}

// Scaled is the cost of containers over the horizon when their number changes.
type Scaled struct {
	Cost           float64    `json:"cost"` // mean per hour
	CI             [2]float64 `json:"ci"`
	Confidence     float64    `json:"confidence"`
	Most           float64    `json:"most_cost"`
	Containers     float64    `json:"containers"`
	MostContainers int        `json:"most_containers"`
	// Until is up to when containers are known, where autoscalers measure; 0 for the horizon.
	Until int64 `json:"until,omitempty"`
	Runs  int   `json:"replications"`
}

// Scaler is what the autoscaler of a tier did.
type Scaler struct {
	Tier   string `json:"tier"`
	Looks  string `json:"looks_at"` // its metrics with their targets
	Oracle bool   `json:"oracle,omitempty"`
	// Steps lists what it did in the first replication; for ps, to shard 0. Begin is the number
	// of replicas before.
	Begin int         `json:"begin"`
	Steps []ScaleStep `json:"steps"`
	// Ups, Downs and Turns count its decisions and how often it went the other way than before,
	// as means over replications.
	Ups   float64 `json:"ups"`
	Downs float64 `json:"downs"`
	Turns float64 `json:"turns"`
	// Held is the longest time in which it added nothing though what reported was above the
	// target, nil for none; in HeldIn replications there was such a time.
	Held   *ScaleHold `json:"held,omitempty"`
	HeldIn int        `json:"held_in,omitempty"`
	Runs   int        `json:"replications"`
}

// ScaleStep is a decision of an autoscaler.
type ScaleStep struct {
	At int64  `json:"at"`
	To int    `json:"to"`
	By string `json:"by"` // what made it this number
}

// ScaleHold is a time in which an autoscaler adds nothing though it sees too much.
type ScaleHold struct {
	From    int64  `json:"from"`
	To      int64  `json:"to"`
	Why     string `json:"why"`
	Percent int    `json:"percent"` // of cpu that it sees, -1 without that metric
	Report  int    `json:"report"`  // containers that report, and Of how many
	Of      int    `json:"of"`
}
