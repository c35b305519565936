package plan

// Workload is the load of the fleet.
type Workload struct {
	Arrivals  Arrivals `plan:"arrivals"`
	Rate      RateLaw  `plan:"rate" doc:"requests a second: constant, {diurnal: ...}, {piecewise: ...}, {step: ...} or {flash: ...}"`
	Loop      Loop     `plan:"loop" default:"open" doc:"open, or closed(clients=100, think=1s)"`
	Mix       []Mix    `plan:"mix" doc:"models on the same containers, with their shares of the requests; one by default"`
	Horizon   Duration `plan:"horizon" default:"10m" range:">0"`
	Detail    Detail   `plan:"detail"`
	ColdStart bool     `plan:"cold_start" default:"false" doc:"the cluster starts within the horizon"`
}

// Arrivals is the process by which requests come.
type Arrivals struct {
	Process   string   `plan:"process" default:"poisson" enum:"poisson|gamma|mmpp|deterministic|trace"`
	CV        float64  `plan:"cv" default:"1" range:">0" doc:"of the gaps, gamma only"`
	Burst     Factor   `plan:"burst" default:"3x" range:">=1x" doc:"ratio of the rates in bursts and in quiet, mmpp only"`
	MeanBurst Duration `plan:"mean_burst" default:"2s" range:">0"`
	MeanQuiet Duration `plan:"mean_quiet" default:"8s" range:">0"`
	File      string   `plan:"file" doc:"times of arrival, one a line, trace only"`
	RateScale Factor   `plan:"rate_scale" default:"1x" range:">0" doc:"of all rates, or of a trace"`
	TimeScale Factor   `plan:"time_scale" default:"1x" range:">0" doc:"of the gaps of a trace"`
	// Times are the arrival times in File, before scaling.
	Times []Duration `plan:"-"`
}

// RateLaw is the mean rate over time, constant from each point to the next.
type RateLaw struct {
	Kind   string      `json:"kind"` // constant, diurnal, piecewise, step or flash; "" when none is given
	Points []RatePoint `json:"points"`
	// PeakAt is when the rate is highest.
	PeakAt Duration `json:"peak_at"`
}

// RatePoint is a rate that holds from an instant on.
type RatePoint struct {
	At   Duration `json:"at"`
	Rate Rate     `json:"rate"`
}

// At returns the rate at an instant.
func (r RateLaw) At(t Duration) Rate {
	rate := Rate(0)
	for _, p := range r.Points {
		if p.At > t {
			break
		}
		rate = p.Rate
	}
	return rate
}

// Peak returns the highest rate.
func (r RateLaw) Peak() Rate { return r.At(r.PeakAt) }

// Loop is a number of clients that think between requests. The zero value is an open loop.
type Loop struct {
	Clients int     `json:"clients,omitempty"`
	Think   TimeLaw `json:"think,omitzero"`
}

// Closed reports whether clients wait for answers before they ask again.
func (l Loop) Closed() bool { return l.Clients > 0 }

// Detail says which parts of the horizon are simulated request by request.
type Detail struct {
	Windows []string `plan:"windows" doc:"all, peak 60s, each hour 60s, each incident -10s..+60s, or at 20:00 60s; the whole horizon by default"`
	Thin    Thin     `plan:"thin" default:"off" doc:"keep one in k of requests and containers: auto, off or k"`
}

// Thin keeps one in K requests and containers. K is 1 for off and 0 for auto.
type Thin struct {
	K int `json:"k"`
}

// Window is a part of the horizon that is simulated request by request.
type Window struct {
	Name  string   `json:"name"`
	Start Duration `json:"start"`
	End   Duration `json:"end"`
	// Incident is the number of the event that it surrounds, from 1; 0 for none.
	Incident int `json:"incident,omitempty"`
}

// Autoscaler changes the number of containers of a tier.
type Autoscaler struct {
	Metric        string   `plan:"metric" default:"cpu" enum:"cpu|qps|queue"`
	Target        Target   `plan:"target" default:"60%" doc:"share of cpu, requests a second and container, or calls that wait"`
	Min           int      `plan:"min" required:"true" range:">=1"`
	Max           int      `plan:"max" required:"true" range:">=1"`
	Interval      Duration `plan:"interval" default:"15s" range:">0"`
	ScrapeDelay   Duration `plan:"scrape_delay" default:"30s" range:">0"`
	StabiliseUp   Duration `plan:"stabilise_up" default:"0s" range:">=0"`
	StabiliseDown Duration `plan:"stabilise_down" default:"5m" range:">=0"`
	Provision     TimeLaw  `plan:"provision" default:"det(0s)"`
}

// Target is the aim of an autoscaler: a fraction for cpu, else a number.
type Target float64
