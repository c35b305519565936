package plan

// Event is something that happens at an instant of the horizon. Exactly one of its actions
// is set.
type Event struct {
	At           Clock     `plan:"at" required:"true" doc:"a clock time or a duration from the start"`
	For          Duration  `plan:"for" default:"0s" range:">=0" doc:"how long; for the rest of the horizon by default"`
	Name         string    `plan:"name" doc:"for others to refer to"`
	Note         string    `plan:"note" doc:"for people"`
	RestartAfter Duration  `plan:"restart_after" default:"0s" range:">=0" doc:"of a kill: when the containers start again; at once by default"`
	Publish      *Publish  `plan:"publish" doc:"a new version of a model"`
	Kill         *Kill     `plan:"kill" doc:"containers die"`
	Restart      *restart  `plan:"restart" json:",omitempty" doc:"containers of a tier start anew, some at a time"`
	Evacuate     *evacuate `plan:"evacuate" json:",omitempty" doc:"clients of an idc go to the others"`
	LoseIDC      string    `plan:"lose_idc" doc:"name of an idc"`
	LoseCluster  string    `plan:"lose_cluster" doc:"idc:cluster"`
	Slow         *Slow     `plan:"slow" doc:"work of some containers takes longer"`
	Partition    *struct { // breaks the link between two idcs
		Between []string `plan:"between" required:"true" doc:"two idcs"`
	} `plan:"partition" doc:"the link between two idcs is cut"`
	Loss      *Loss     `plan:"loss" doc:"packets are lost"`
	ZooKeeper *zkEvent  `plan:"zookeeper" doc:"what happens to the ensemble"`
	Scale     *scale    `plan:"scale" doc:"how many containers there are from then on"`
	Traffic   *struct { // multiplies the rate of requests
		Factor Factor `plan:"factor" required:"true" range:">0" doc:"of the rate of requests"`
	} `plan:"traffic" doc:"more or fewer requests"`
}

// Label returns the event's name, or else its note, or else its action.
func (e *Event) Label() string {
	switch {
	case e.Name != "":
		return e.Name
	case e.Note != "":
		return e.Note
	}
	return e.Action()
}

// Action returns the YAML key of the event's action, "" if it has none.
func (e *Event) Action() string {
	if a := e.actions(); len(a) > 0 {
		return a[0]
	}
	return ""
}

func (e *Event) actions() []string {
	var list []string
	for _, a := range []struct {
		name string
		set  bool
	}{{"publish", e.Publish != nil}, {"kill", e.Kill != nil}, {"restart", e.Restart != nil}, {"evacuate", e.Evacuate != nil}, {"lose_idc", e.LoseIDC != ""}, {"lose_cluster", e.LoseCluster != ""},
		{"slow", e.Slow != nil}, {"partition", e.Partition != nil}, {"loss", e.Loss != nil}, {"zookeeper", e.ZooKeeper != nil},
		{"scale", e.Scale != nil}, {"traffic", e.Traffic != nil}} {
		if a.set {
			list = append(list, a.name)
		}
	}
	return list
}

// Publish publishes a new version of a model.
type Publish struct {
	Model   string   `plan:"model" json:"model,omitempty" doc:"of workload.mix; all of them by default"`
	Version int      `plan:"version" required:"true" range:">=1" doc:"of the model"`
	Size    Fraction `plan:"size" default:"100%" range:"0%..100%" doc:"share of the bytes that is new; scales load time only"`
	Bad     string   `plan:"bad" default:"none" enum:"none|load_failure|partial" doc:"load_failure: no attempt loads it; partial: only shards of the PS get it"`
	Shards  Shards   `plan:"shards" default:"all" doc:"all, or how many shards of the PS get it, from the first"`
}

// Shards is a number of shards. 0 means all shards.
type Shards int

// Kill ends containers of one tier.
type Kill struct {
	Tier   string `json:"tier"`
	Count  int    `json:"count"`
	Pick   string `json:"pick"` // how the containers are chosen: random, same_shard_worst, same_idc or same_rack
	Refuse bool   `json:"refuse"`
}

// restart is a rolling restart of all containers of a tier, some at a time.
type restart struct {
	Tier   string   `plan:"tier" required:"true" enum:"entry|ps|dense" doc:"whose containers are restarted, one after the other"`
	AtOnce int      `plan:"at_once" default:"1" range:"1..100000" doc:"how many at a time, of ps of each shard; the next ones follow when these serve and are listed again"`
	Drain  Duration `plan:"drain" default:"0s" range:">=0" doc:"how long a container that gets no more requests works on those that it has, before it ends; what it has not answered by then is reset"`
}

// Slow makes containers of one tier slower without ending them (a gray failure).
type Slow struct {
	Tier   string `json:"tier"`
	Count  int    `json:"count"`
	Factor Factor `json:"factor"`
	Pick   string `json:"pick"`
}

// Loss drops packets on a link between two idcs, or on all links.
type Loss struct {
	Link []string `plan:"link" doc:"two idcs; all links by default"`
	Rate Fraction `plan:"rate" required:"true" range:"0%..100%" doc:"share of the packets"`
}

// zkEvent is a failure of the ZooKeeper ensemble.
type zkEvent struct {
	LeaderLoss bool `plan:"leader_loss" default:"false" doc:"the leader is lost, and another elected"`
	Outage     bool `plan:"outage" default:"false" doc:"for as long as for says"`
	ExpireAll  bool `plan:"expire_all" default:"false" doc:"a session storm; agents of version 3 are listed by nobody after it until the model is published anew"`
}

// scale sets the number of replicas of tiers manually.
type scale struct {
	Entry int `plan:"entry" default:"0" range:">=0" doc:"containers of entry"`
	PS    int `plan:"ps" default:"0" range:">=0" doc:"containers of ps, of each shard"`
	Dense int `plan:"dense" default:"0" range:">=0" doc:"containers of dense"`
}

// of returns how many containers of a tier there are to be; 0 if the number stays.
func (s *scale) of(tier string) int {
	return map[string]int{"entry": s.Entry, "ps": s.PS, "dense": s.Dense}[tier]
}

// failure says how often containers fail at random, and for how long.
type failure struct {
	MTBF Duration `plan:"mtbf" required:"true" range:">0" doc:"mean time from a start of a container to its failure, exponential"`
	MTTR Duration `plan:"mttr" required:"true" range:">0" doc:"mean time to its repair, exponential"`
	// Correlated says which containers fail at the same time.
	Correlated *struct {
		Rack int `plan:"rack" required:"true" range:">=1" doc:"containers of a rack"`
	} `plan:"correlated" doc:"containers that fail together"`
}

// Solve says what a search varies, and what it minimizes or maximizes.
type Solve struct {
	Minimise      string   `plan:"minimise" default:"cost" enum:"cost|containers|p99" doc:"what to make least"`
	Maximise      string   `plan:"maximise" enum:"rate" json:",omitempty" doc:"rate: the greatest load that the plan holds, in place of over"`
	Step          Fraction `plan:"step" default:"0%" range:"0%..20%" json:",omitempty" doc:"of maximise: what rates are told apart by, as a part of the rate at which a tier is full; 2% by default"`
	Sections      int      `plan:"sections" default:"0" range:"0..64" json:",omitempty" doc:"of maximise: how many rates are simulated side by side (k-section), as many as there are workers; 1 (bisection) by default"`
	Over          Axes     `plan:"over" doc:"paths and the values to try: 4..24, or a list"`
	Alternatives  int      `plan:"alternatives" default:"0" range:"0..20" json:",omitempty" doc:"how many other configurations to find that hold and are no larger versions of the answer"`
	LeastRegret   int      `plan:"least_regret" default:"0" range:"0..20" json:",omitempty" doc:"how many configurations to compare in all worlds of what is not known for sure, by what each costs too much where it holds and where it does not"`
	MustHoldUnder []Must   `plan:"must_hold_under" doc:"normal, any K TIER, any K idc, or the name of an event"`
	Prove         bool     `plan:"prove_minimal" default:"true" doc:"show that nothing cheaper holds"`
}

// Axis is a path in the plan with the values to try for it.
type Axis struct {
	Path   string   `json:"path"`   // path of the key that is varied, from the root of the plan
	Values []string `json:"values"` // values to try, in order, each as text in the form that a plan has
	// Ordered says that the values are numbers in ascending order.
	Ordered bool `json:"ordered"`
}

// Must is a condition, such as a failure, under which the objectives have to hold.
type Must struct {
	Text  string `json:"text"`
	Count int    `json:"count,omitempty"` // K of the entry "any K ..."; 0 for other entries
	Of    string `json:"of,omitempty"`    // the tier or "idc" that follows "any K"; "event" if Text names an event
	Event int    `json:"event,omitempty"` // from 1
}

// Sweep is a named grid of values.
type Sweep struct {
	Name string `json:"name"`
	Axes []Axis `json:"axes"`
}

// SLO is an objective: a metric, and a limit that it has to meet.
type SLO struct {
	Text   string  `json:"text"`
	Metric string  `json:"metric"`          // name of the metric, such as p99, errors or util
	Scope  string  `json:"scope"`           // the word in parentheses after the metric, "" without parentheses
	Op     string  `json:"op"`              // comparison: <=, <, >= or >
	Limit  float64 `json:"limit"`           // limit in base units
	Model  string  `json:"model,omitempty"` // name of the model in the mix whose requests count; "" for all requests
	// Bound is, for the metric dashboard_above, the time above which it counts latencies, in
	// nanoseconds. It is the smallest bound of TensorFlow Serving's latency buckets that is at
	// least the time in Scope.
	Bound float64 `json:"bound,omitempty"`
	Unit  string  `json:"unit"` // unit of the limit: ns, bytes, fraction, per_second, per_hour or count
}
