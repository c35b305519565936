package result

// ZooKeeper is the load on the ensemble, by formulas and measured with real agents.
type ZooKeeper struct {
	// Now is the load of the plan's fleet.
	Now ZKLoad `json:"now"`
	// Curves holds the load for multiples of the fleet's size, for agents of versions 1 and 3.
	Curves []ZKCurve `json:"curves"`
	// Periodic holds every loop that agents and servers repeat, with the requests of its busiest
	// second.
	Periodic []Periodic `json:"periodic,omitempty"`
	// Measured holds runs of the real agent code, for fleets small enough to run.
	Measured []ZKMeasured `json:"measured"`
}

// First returns the limit that a growing fleet with agents of a version reaches first, or nil.
func (z *ZooKeeper) First(version int) *ZKLimit {
	var first *ZKLimit
	for i := range z.Curves {
		for j := range z.Curves[i].Limits {
			if l := &z.Curves[i].Limits[j]; z.Curves[i].Version == version && l.At > 0 && (first == nil || l.At < first.At) {
				first = l
			}
		}
	}
	return first
}

// ZKLoad is the load of a fleet on ZooKeeper, by formulas (CAP-3.12).
type ZKLoad struct {
	Version    int     `json:"agent_version"`
	Containers int     `json:"containers"`
	Agents     int     `json:"agents"`
	Znodes     float64 `json:"znodes"`
	Watches    float64 `json:"watches"`
	WatchBytes float64 `json:"watch_bytes"`
	Reads      float64 `json:"reads"` // reads per second in the background
	Writes     float64 `json:"writes"`
	// PerDeath is the number of notifications for one dead PS container, and PerPublish that for a
	// publish. PerReload is an upper bound of the number for a reload of every replica.
	PerDeath   float64 `json:"notifications_per_death"`
	PerPublish float64 `json:"notifications_per_publish"`
	PerReload  float64 `json:"notifications_per_reload"`
	// PerChange is how many bytes ZooKeeper sends when one binding changes and every agent reads
	// the list again.
	PerChange float64 `json:"bytes_per_change"`
	// MaxReply is the size of the longest reply. MaxResend is the size of the longest list of
	// watches that a client sends when it reconnects. Both are in bytes.
	MaxReply    float64 `json:"max_reply"`
	MaxResend   float64 `json:"max_resend"`
	Utilisation float64 `json:"utilisation"`
	// When every session expires, agents send StormLeast to StormMost requests within seconds.
	// Afterwards the ensemble gets AfterReads and AfterWrites a second, a load with the utilization
	// AfterUtilisation. If the plan expires all sessions, Worst is the larger of Utilisation and
	// AfterUtilisation. Otherwise it equals Utilisation.
	StormLeast       float64 `json:"storm_least"`
	StormMost        float64 `json:"storm_most"`
	AfterReads       float64 `json:"reads_after_expiry"`
	AfterWrites      float64 `json:"writes_after_expiry"`
	AfterUtilisation float64 `json:"utilisation_after_expiry"`
	Worst            float64 `json:"utilisation_worst"`
	// PeakSecond is how many requests come in the busiest second. PeakUtilisation is this number
	// divided by what the ensemble can serve in a second. DrainNs is how long the ensemble takes
	// to serve the busiest burst.
	PeakSecond      float64 `json:"peak_second"`
	PeakUtilisation float64 `json:"peak_utilisation"`
	DrainNs         float64 `json:"drain_ns"`
}

// Periodic is a loop that agents or servers repeat without jitter. They keep the phases with
// which they started. So the busiest second may have far more requests than the mean.
type Periodic struct {
	Name     string  `json:"name"`
	Of       string  `json:"of"`          // kind of request
	PeriodNs int64   `json:"period_ns"`   // time from one round to the next, in nanoseconds
	Agents   int     `json:"agents"`      // number of agents or servers that repeat the loop
	Each     float64 `json:"each"`        // number of requests that one agent or server sends in a round
	Mean     float64 `json:"per_second"`  // mean number of requests per second
	Peak     float64 `json:"peak_second"` // number of requests in the busiest second
}

// ZKCurve is the load of agents of one version for growing sizes of the fleet.
type ZKCurve struct {
	Version int       `json:"agent_version"`
	Points  []ZKPoint `json:"points"`
	Limits  []ZKLimit `json:"limits"`
	// AfterExpiry is the multiple of the fleet at which the ensemble is overloaded after every
	// session has expired. It is 0 when no multiple up to a thousand overloads the ensemble.
	AfterExpiry float64 `json:"after_expiry_at_multiple"`
}

// ZKPoint is the load of a fleet that is Multiple times as large as the plan's.
type ZKPoint struct {
	Multiple float64 `json:"multiple"`
	Load     ZKLoad  `json:"load"`
}

// Names of the limits that reports look up.
const (
	ReadLimit  = "reads a second"
	DrainLimit = "drain of the busiest burst"
)

// ZKLimit is a limit of ZooKeeper. At is the multiple of the fleet that reaches it, 0 when
// no multiple up to a thousand does.
type ZKLimit struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Limit float64 `json:"limit"`
	At    float64 `json:"at_multiple"`
}

// ZKMeasured compares a run of the real agent code with the formulas.
type ZKMeasured struct {
	Load ZKLoad `json:"closed_form"`
	// Watches is how many watches were held. Reads and Writes are per second without an incident.
	// Peak is the number of requests in the busiest second without an incident.
	Watches float64 `json:"watches"`
	Reads   float64 `json:"reads"`
	Writes  float64 `json:"writes"`
	Peak    int64   `json:"peak_second"`
	Znodes  int     `json:"znodes"`
	// Kept accounts for every watch of the run (CAP-7.6).
	Kept ZKWatches `json:"watches_kept"`
	// StartPeak is the highest number of requests in one second while the fleet started.
	StartPeak int64 `json:"start_peak"`
	// Rollout lists how long a new version took to reach each container, in nanoseconds,
	// ascending.
	Rollout   []int64      `json:"rollout"`
	Incidents []ZKIncident `json:"incidents"`
}

// ZKWatches counts the watches that were set and what became of them. Each fired, was
// removed (also with its connection or server), or is held at the end.
type ZKWatches struct {
	Set     uint64 `json:"set"`
	Fired   uint64 `json:"fired"`
	Removed uint64 `json:"removed"`
	Held    uint64 `json:"held"`
}

// ZKIncident is a failure injected into a run of real agents.
type ZKIncident struct {
	Name string `json:"name"`
	// Noticed is the time until all live agents knew of the failure. Recovered is the time until
	// everything was as before. Both count from the start of the failure, in nanoseconds. Nil
	// means never.
	Noticed   *int64 `json:"noticed"`
	Recovered *int64 `json:"recovered"`
	// Peak is the highest number of requests in one second. Requests and Events are totals over
	// the incident.
	Peak     int64 `json:"peak_requests"`
	Requests int64 `json:"requests"`
	Events   int64 `json:"notifications"`
	// After is the number of requests a second once the load is steady again.
	After      float64 `json:"requests_after"`
	MinServing int     `json:"min_serving"` // smallest number of containers that serve at a time
	// MinListed is the lowest share of registrations that was present in ZooKeeper. Agents find
	// each other by these registrations.
	MinListed float64 `json:"min_listed"`
	Text      string  `json:"text,omitempty"`
}
