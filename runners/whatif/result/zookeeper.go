package result

// ZooKeeper is the load on the ensemble, by formulas and measured with real agents.
type ZooKeeper struct {
	// Now is the load of the plan's fleet.
	Now ZKLoad `json:"now"`
	// Curves holds the load over multiples of the fleet, for agents of versions 1 and 3.
	Curves []ZKCurve `json:"curves"`
	// Periodic holds every loop that agents and servers repeat, with its busiest second.
	Periodic []Periodic `json:"periodic,omitempty"`
	// Measured holds runs of the real agent code, for fleets small enough to run.
	Measured []ZKMeasured `json:"measured"`
}

// First returns the limit that agents of a version reach first, or nil.
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
	Reads      float64 `json:"reads"` // per second, in the background
	Writes     float64 `json:"writes"`
	// Notifications for one dead PS container, for a publish, and, as an upper bound, for a
	// reload of every replica.
	PerDeath   float64 `json:"notifications_per_death"`
	PerPublish float64 `json:"notifications_per_publish"`
	PerReload  float64 `json:"notifications_per_reload"`
	// PerChange is what ZooKeeper sends when one binding changes and every agent reads the
	// list.
	PerChange float64 `json:"bytes_per_change"`
	// MaxReply is the longest reply, and MaxResend the longest list of watches that a
	// client sends when it reconnects.
	MaxReply    float64 `json:"max_reply"`
	MaxResend   float64 `json:"max_resend"`
	Utilisation float64 `json:"utilisation"`
	// When every session expires, agents send StormLeast to StormMost requests within
	// seconds. From then on the ensemble has AfterReads and AfterWrites a second, which is
	// the utilisation AfterUtilisation. Worst is the same if the plan expires all sessions,
	// else Utilisation.
	StormLeast       float64 `json:"storm_least"`
	StormMost        float64 `json:"storm_most"`
	AfterReads       float64 `json:"reads_after_expiry"`
	AfterWrites      float64 `json:"writes_after_expiry"`
	AfterUtilisation float64 `json:"utilisation_after_expiry"`
	Worst            float64 `json:"utilisation_worst"`
	// PeakSecond is how many requests come in the busiest second, PeakUtilisation what they are
	// of what the ensemble can in one, and DrainNs how long it works on the busiest burst.
	PeakSecond      float64 `json:"peak_second"`
	PeakUtilisation float64 `json:"peak_utilisation"`
	DrainNs         float64 `json:"drain_ns"`
}

// Periodic is a loop that agents or servers repeat without jitter. They keep the phases with which
// they started, so that its busiest second may have far more than its mean.
type Periodic struct {
	Name     string  `json:"name"`
	Of       string  `json:"of"` // what is asked
	PeriodNs int64   `json:"period_ns"`
	Agents   int     `json:"agents"`
	Each     float64 `json:"each"` // requests of one in a round
	Mean     float64 `json:"per_second"`
	Peak     float64 `json:"peak_second"`
}

// ZKCurve is the load of one version of agents over the size of the fleet.
type ZKCurve struct {
	Version int       `json:"agent_version"`
	Points  []ZKPoint `json:"points"`
	Limits  []ZKLimit `json:"limits"`
	// AfterExpiry is the multiple of the fleet at which the ensemble is full after every
	// session has expired, 0 when no multiple up to a thousand fills it.
	AfterExpiry float64 `json:"after_expiry_at_multiple"`
}

// ZKPoint is the load at a multiple of the fleet.
type ZKPoint struct {
	Multiple float64 `json:"multiple"`
	Load     ZKLoad  `json:"load"`
}

// Names of limits that reports look for.
const (
	ReadLimit  = "reads a second"
	DrainLimit = "drain of the busiest burst"
)

// ZKLimit is a limit and the multiple of the fleet that reaches it, 0 when no multiple up
// to a thousand does.
type ZKLimit struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Limit float64 `json:"limit"`
	At    float64 `json:"at_multiple"`
}

// ZKMeasured compares a run of the real agent code with the formulas.
type ZKMeasured struct {
	Load ZKLoad `json:"closed_form"`
	// Watches is how many were held, Reads and Writes those a second in the background, and Peak
	// the requests of its busiest second.
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

// ZKWatches says what became of the watches that were set: they fired, were removed (also
// with their connection or server), or are held at the end.
type ZKWatches struct {
	Set     uint64 `json:"set"`
	Fired   uint64 `json:"fired"`
	Removed uint64 `json:"removed"`
	Held    uint64 `json:"held"`
}

// ZKIncident is a failure that real agents went through.
type ZKIncident struct {
	Name string `json:"name"`
	// Noticed is when all live agents knew, and Recovered when all was as before. Both
	// count from the begin of the failure, in nanoseconds; nil means never.
	Noticed   *int64 `json:"noticed"`
	Recovered *int64 `json:"recovered"`
	// Peak is the highest number of requests in one second. Requests and Events are totals.
	Peak     int64 `json:"peak_requests"`
	Requests int64 `json:"requests"`
	Events   int64 `json:"notifications"`
	// After is the requests a second after all has settled.
	After      float64 `json:"requests_after"`
	MinServing int     `json:"min_serving"` // least number of containers that serve
	// MinListed is the least share of the registrations in ZooKeeper that is present.
	// Agents find each other by them.
	MinListed float64 `json:"min_listed"`
	Text      string  `json:"text,omitempty"`
}
