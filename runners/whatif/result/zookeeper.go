package result

// ZooKeeper is what the ensemble bears, by formula and by real agents.
type ZooKeeper struct {
	// Now is the fleet as it is asked about.
	Now ZKLoad `json:"now"`
	// Curves are those of versions 1 and 3 over multiples of the fleet.
	Curves []ZKCurve `json:"curves"`
	// Measured are runs of the real agent code at sizes that can be run.
	Measured []ZKMeasured `json:"measured"`
}

// First returns the limit that a version reaches first, nil for none.
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

// ZKLoad is what a fleet asks of ZooKeeper by formula (CAP-3.12).
type ZKLoad struct {
	Version    int     `json:"agent_version"`
	Containers int     `json:"containers"`
	Agents     int     `json:"agents"`
	Znodes     float64 `json:"znodes"`
	Watches    float64 `json:"watches"`
	WatchBytes float64 `json:"watch_bytes"`
	Reads      float64 `json:"reads"` // a second, in the background
	Writes     float64 `json:"writes"`
	// Notifications for one dead PS container, for a publish, and when every replica
	// reloads: an upper bound.
	PerDeath   float64 `json:"notifications_per_death"`
	PerPublish float64 `json:"notifications_per_publish"`
	PerReload  float64 `json:"notifications_per_reload"`
	// PerChange is what ZooKeeper sends when one binding changes, were each agent to read.
	PerChange float64 `json:"bytes_per_change"`
	// MaxReply is the longest answer, MaxResend the watches that one client sends again.
	MaxReply    float64 `json:"max_reply"`
	MaxResend   float64 `json:"max_resend"`
	Utilisation float64 `json:"utilisation"`
	// When every session expires agents ask StormLeast to StormMost times within seconds, and
	// from then on the ensemble has AfterReads and AfterWrites a second, which is
	// AfterUtilisation. Worst is that where the plan has all sessions expire, else Utilisation.
	StormLeast       float64 `json:"storm_least"`
	StormMost        float64 `json:"storm_most"`
	AfterReads       float64 `json:"reads_after_expiry"`
	AfterWrites      float64 `json:"writes_after_expiry"`
	AfterUtilisation float64 `json:"utilisation_after_expiry"`
	Worst            float64 `json:"utilisation_worst"`
}

// ZKCurve is one version of agents over sizes.
type ZKCurve struct {
	Version int       `json:"agent_version"`
	Points  []ZKPoint `json:"points"`
	Limits  []ZKLimit `json:"limits"`
	// AfterExpiry is the multiple at which the ensemble is full once every session has expired,
	// 0 for none up to a thousand.
	AfterExpiry float64 `json:"after_expiry_at_multiple"`
}

// ZKPoint is a multiple of the fleet.
type ZKPoint struct {
	Multiple float64 `json:"multiple"`
	Load     ZKLoad  `json:"load"`
}

// ZKLimit is a limit, and the multiple of the fleet At which it is reached; 0 for none up
// to a thousand.
type ZKLimit struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Limit float64 `json:"limit"`
	At    float64 `json:"at_multiple"`
}

// ZKMeasured is what the real agent code did at a size, beside the formulas for it.
type ZKMeasured struct {
	Load ZKLoad `json:"closed_form"`
	// Watches were held, and Reads a second made in the background.
	Watches float64 `json:"watches"`
	Reads   float64 `json:"reads"`
	Znodes  int     `json:"znodes"`
	// Kept is what became of all watches of the run, exactly (CAP-7.6).
	Kept ZKWatches `json:"watches_kept"`
	// StartPeak is the most requests in one second of the start.
	StartPeak int64 `json:"start_peak"`
	// Rollouts took so long to each container, in nanoseconds, ascending.
	Rollout   []int64      `json:"rollout"`
	Incidents []ZKIncident `json:"incidents"`
}

// ZKWatches is what became of watches: those that were set have fired, or were removed (with
// their connection or the server, too), or are held at the end.
type ZKWatches struct {
	Set     uint64 `json:"set"`
	Fired   uint64 `json:"fired"`
	Removed uint64 `json:"removed"`
	Held    uint64 `json:"held"`
}

// ZKIncident is a failure that real agents went through.
type ZKIncident struct {
	Name string `json:"name"`
	// Noticed is when all agents that live knew, Recovered when all was as before; from
	// the begin, in nanoseconds, nil for never.
	Noticed   *int64 `json:"noticed"`
	Recovered *int64 `json:"recovered"`
	// Peak is the most requests in one second, Requests and Events those in all.
	Peak     int64 `json:"peak_requests"`
	Requests int64 `json:"requests"`
	Events   int64 `json:"notifications"`
	// After are requests a second once all has settled.
	After      float64 `json:"requests_after"`
	MinServing int     `json:"min_serving"` // containers that serve, at least
	// MinListed is the least share of what is registered in ZooKeeper, by which agents find
	// each other.
	MinListed float64 `json:"min_listed"`
	Text      string  `json:"text,omitempty"`
}
