package result

// CDFPoint is one point of a cumulative distribution: Fraction of the requests took at most
// Latency.
type CDFPoint struct {
	Latency  int64   `json:"latency"` // latency in ns
	Fraction float64 `json:"fraction"`
}

// TimelinePoint is an instant of the horizon. Its numbers are means over replications.
type TimelinePoint struct {
	At      int64              `json:"at"`   // ns from the start of the horizon
	Rate    float64            `json:"rate"` // offered rate in requests per second
	Live    map[string]int     `json:"live"` // number of live containers, by tier
	Offered map[string]float64 `json:"offered"`
	Mem     map[string]int64   `json:"mem"` // memory of the fullest container of each tier
	// P99 and Errors are those of the window that contains this instant. P99 is 0 outside windows.
	P99    int64   `json:"p99,omitempty"`
	Errors float64 `json:"errors,omitempty"`
	Event  string  `json:"event,omitempty"`
}

// Rollout describes how a new version spread over the containers of a tier.
type Rollout struct {
	Version int    `json:"version"`
	At      int64  `json:"at"`              // instant of the publish, in ns from the start of the horizon
	Model   string `json:"model,omitempty"` // model of the mix; "" for all models
	Path    string `json:"path"`            // how a publish travels: v1 entry, v1 ps or v3
	// None says why there is no roll-out to measure. For example, PS containers with agents of
	// version 1 load no new versions.
	None string `json:"none,omitempty"`
	// ToAll is the time from the publish until the last replica serves the version, nil when
	// some replica never did. Closed is the time by formula. Both are in nanoseconds.
	ToAll      *float64     `json:"to_all"`
	CI         *[2]float64  `json:"ci"`
	Closed     float64      `json:"closed_form"`
	MinServing int          `json:"min_serving"` // smallest number of replicas that callers saw in any shard during the roll-out
	Replicas   int          `json:"replicas"`    // number of replicas of a usual shard (not the hottest)
	Curve      []CDFPoint   `json:"curve"`       // share of the replicas that serve the version, over the time since its publish
	Shards     []ShardCurve `json:"shards,omitempty"`
}

// ShardCurve is the share of one shard's replicas that serve a new version, over time.
type ShardCurve struct {
	Shard int        `json:"shard"`
	Curve []CDFPoint `json:"curve"`
}

// Incident describes the effect of one event on requests and sessions.
type Incident struct {
	Event    string `json:"event"`
	Action   string `json:"action"`
	At       int64  `json:"at"`             // instant of the event, in ns from the start of the horizon
	DetectNs int64  `json:"detected_after"` // mean time in ns until callers no longer saw a killed container
	// LostSessions counts sessions that expired although their containers lived. Unlisted counts
	// the containers that lost their session and are then in no list until their model is published
	// again. Both are means over replications. ListedNs is the mean time from the event until the
	// last container was listed again, over the replications that lost sessions. It is 0 if none
	// did.
	LostSessions float64 `json:"lost_sessions"`
	Unlisted     float64 `json:"unlisted"`
	ListedNs     int64   `json:"listed_after"`
	// P99 is the p99 of the requests of the window, in nanoseconds. It is nil with too few
	// requests.
	P99    *float64    `json:"p99"`
	CI     *[2]float64 `json:"p99_ci"`
	Errors float64     `json:"errors"`
	// Slow1 and Slow2 are the shares of requests that waited for at least one and two
	// timeouts, and Failed is the share that failed. The closed forms hold while dead
	// containers are still listed; they are 0 where no formula applies.
	Slow1        float64 `json:"one_timeout"`
	Slow2        float64 `json:"two_timeouts"`
	Failed       float64 `json:"failed"`
	Closed1      float64 `json:"one_timeout_closed"`
	Closed2      float64 `json:"two_timeouts_closed"`
	ClosedFailed float64 `json:"failed_closed"`
	// RecoveredNs is the time in ns from the event until the recovery; nil if there was none within the window.
	RecoveredNs   *int64 `json:"recovered_after"`
	RequestsCount int64  `json:"n"`
}

// Scaled is the cost of the containers over the horizon when autoscaling changes their number.
type Scaled struct {
	Cost           float64    `json:"cost"`            // mean cost per hour
	CI             [2]float64 `json:"ci"`              // confidence interval of Cost
	Confidence     float64    `json:"confidence"`      // confidence of that interval
	Most           float64    `json:"most_cost"`       // highest cost per hour at any instant
	Containers     float64    `json:"containers"`      // mean number of containers
	MostContainers int        `json:"most_containers"` // largest number of containers at any instant
	// Until is the time up to which the number of containers is known, where autoscalers act on
	// measurements. It is 0 if the number is known for the whole horizon.
	Until int64 `json:"until,omitempty"`
	Runs  int   `json:"replications"`
}

// Scaler reports what the autoscaler of a tier did.
type Scaler struct {
	Tier   string `json:"tier"`
	Looks  string `json:"looks_at"`         // metrics of the autoscaler, with their targets
	Oracle bool   `json:"oracle,omitempty"` // whether it knows the offered load, which no real autoscaler does
	// Steps lists the autoscaler's decisions in the first replication, for ps those on shard 0.
	// Begin is the number of replicas before the first decision.
	Begin int         `json:"begin"`
	Steps []ScaleStep `json:"steps"`
	// Ups and Downs count decisions to add and to remove replicas. Turns counts changes of
	// direction. All are means over replications.
	Ups   float64 `json:"ups"`
	Downs float64 `json:"downs"`
	Turns float64 `json:"turns"`
	// Held is the longest time in which the autoscaler added nothing although the reported load
	// was above the target. It is nil if there was none. HeldIn counts the replications with
	// such a time.
	Held   *ScaleHold `json:"held,omitempty"`
	HeldIn int        `json:"held_in,omitempty"`
	Runs   int        `json:"replications"`
}

// ScaleStep is a decision of an autoscaler.
type ScaleStep struct {
	At int64  `json:"at"` // ns from the start of the horizon
	To int    `json:"to"` // number of replicas from then on
	By string `json:"by"` // cause of the change
}

// ScaleHold is a time in which an autoscaler adds nothing although it measures too much load.
type ScaleHold struct {
	From    int64  `json:"from"`    // ns from the start of the horizon
	To      int64  `json:"to"`      // ns from the start of the horizon
	Why     string `json:"why"`     // reason why the autoscaler adds nothing
	Percent int    `json:"percent"` // CPU utilization in percent that the autoscaler sees; -1 if CPU is not among its metrics
	Report  int    `json:"report"`  // number of containers that report metrics, out of Of
	Of      int    `json:"of"`
}
