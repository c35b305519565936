// Package plan reads capacity plans. A plan is one YAML file that describes a fleet, its
// load, and the objectives it has to meet.
//
// Two things to use first:
//
//   - [Read] reads a file. It returns a [Plan] with all defaults filled in, or every [Problem]
//     of the file with line and column.
//   - [Source.With] reads the same file with some values replaced, as searches do.
//
// To change:
//
//   - the fields, their defaults and ranges: plan.go, tier.go, traffic.go and incident.go, whose
//     tags drive decoding, the schema and the canonical form
//   - how YAML becomes fields: decode.go
//   - scalars: scalar.go
//   - rules between fields: check.go and strict.go
//   - what is taken from an agent.conf: agentconf.go
//   - models of a mix: mix.go
//   - uncertain values: uncertain.go
//   - which values of sweeps and searches are refused: nonsense.go
//   - the schema: schema.go
//   - the hash: canonical.go
//
// Unstable: any commit may change it.
package plan

import (
	"github.com/monosim/monosim/runners/whatif/law"
)

// Quantities, all in base units.
type (
	// Duration is in nanoseconds.
	Duration int64
	// Bytes is a size in bytes.
	Bytes int64
	// ByteRate is in bytes a second.
	ByteRate float64
	// Rate is a number per second.
	Rate float64
	// Cost is a price per hour.
	Cost float64
	// Fraction is written as a percentage; 1 is 100 %.
	Fraction float64
	// Factor is a multiple, written as 3x.
	Factor float64
	// Count is a whole number, written as 500M.
	Count int64
	// Clock is a time since the start of the horizon in nanoseconds, written as "21:00" or 90s.
	Clock int64
	// TimeLaw is a distribution of times, in nanoseconds.
	TimeLaw struct{ law.Law }
	// delayLaw gives a time as a function of the time since an earlier event, both in nanoseconds.
	delayLaw struct{ law.Law }
	// NumberLaw is a distribution of numbers.
	NumberLaw struct{ law.Law }
	// noiseLaw is a distribution of factors with mean 1.
	noiseLaw struct{ law.Law }
)

// Plan is a capacity plan with all defaults filled in. The tags of its fields:
//
//   - plan: the name in the file
//   - default: the text used for a missing value
//   - required: the file has to give a value
//   - range: bounds of the value, in the units of the file
//   - enum: the words allowed
//   - doc: the description in the schema
type Plan struct {
	APIVersion string             `plan:"apiVersion" required:"true" enum:"capacity/v1" doc:"version of this format"`
	Name       string             `plan:"name" doc:"name of the plan; the file's name by default"`
	Seed       uint64             `plan:"seed" default:"1" doc:"what every choice follows from"`
	Precision  Precision          `plan:"precision" doc:"when enough was simulated"`
	Budget     Budget             `plan:"budget" doc:"when to stop though it was not enough"`
	Model      Model              `plan:"model" doc:"the model that is served"`
	Override   Override           `plan:"override" doc:"values of agent.conf, in its place"`
	Fleet      Fleet              `plan:"fleet" doc:"containers and where they are"`
	Service    Service            `plan:"service" doc:"how long work takes"`
	Client     Client             `plan:"client" doc:"how calls to PS and dense servers are made"`
	Network    Network            `plan:"network" doc:"delays and loss, one way"`
	ZooKeeper  ZooKeeper          `plan:"zookeeper" doc:"the ensemble and what it can do"`
	Workload   Workload           `plan:"workload" doc:"what is asked of the fleet"`
	Autoscale  ByTier[Autoscaler] `plan:"autoscale" doc:"autoscalers by tier"`
	Events     []Event            `plan:"events" doc:"what happens when"`
	Random     ByTier[failure]    `plan:"random_failures" doc:"failures at random"`
	SLO        []SLO              `plan:"slo" doc:"what has to hold, as p99(request) <= 50ms"`
	Solve      Solve              `plan:"solve" doc:"what to search for"`
	Sweep      Sweeps             `plan:"sweep" doc:"named sweeps"`
	Worlds     *Worlds            `plan:"worlds" json:",omitempty" doc:"for values that are not known for sure: {low: 0.9ms, mid: 1ms, high: 1.4ms, confidence: 90%}, or {mid: 1ms, belief: lognormal(sigma=0.15)}"`
	Report     Report             `plan:"report" doc:"what is written"`

	// Dir is the folder that relative paths refer to. ConfHash is the SHA-256 of the agent.conf
	// including the files it includes, "" if there is none.
	Dir      string `plan:"-"`
	ConfHash string `plan:"-"`
	// Files lists the files that the plan has read, by the paths used to open them.
	Files []string `plan:"-" json:"-"`
	// Uncertain lists the uncertain values, in the order in which the file has them.
	Uncertain []Uncertain `plan:"-" json:",omitempty"`
	// Measured is the profile that service.profile names, nil if there is none.
	Measured *Profile `plan:"-" json:"-"`
	// Device is the profile that service.dense.profile names, nil if there is none.
	Device *DeviceProfile `plan:"-" json:"-"`
}

// Precision says when enough has been simulated, as half-widths of confidence intervals
// relative to their middles.
type Precision struct {
	Mean    Fraction `plan:"mean" default:"2%" range:"0.1%..50%" doc:"half-width of intervals of means"`
	P99     Fraction `plan:"p99" default:"5%" range:"0.1%..50%" doc:"half-width of intervals of p99"`
	Errors  Fraction `plan:"errors" default:"0%" range:"0%..50%" doc:"half-width of intervals of error rates; 0 does not stop a run"`
	Level   Fraction `plan:"confidence" default:"95%" range:"80%..99.99%" doc:"confidence of printed intervals"`
	Verdict Fraction `plan:"verdict_confidence" default:"99%" range:"80%..99.99%" doc:"confidence of verdicts"`
}

// Budget limits how much is simulated.
type Budget struct {
	Wall            Duration `plan:"wall" default:"10m" range:">0" doc:"wall-clock time after which run and solve end with what is whole by then"`
	Requests        Count    `plan:"requests" default:"0" range:">=0" doc:"simulated requests; 0 is no limit"`
	MinReplications int      `plan:"min_replications" default:"20" range:">=2" doc:"independent runs at least"`
	MaxReplications int      `plan:"max_replications" default:"400" range:">=2" doc:"independent runs at most"`
}

// Model is the model that the fleet serves.
type Model struct {
	AgentConf        string    `plan:"agent_conf" doc:"agent.conf of the containers"`
	Exported         string    `plan:"exported" doc:"directory of exported models, for sizes"`
	AgentVersion     int       `plan:"agent_version" default:"1" enum:"1|3" conf:"agent_version" doc:"version of the agents"`
	Size             ModelSize `plan:"size" doc:"bytes of one version"`
	ShardSkew        Skew      `plan:"shard_skew" default:"none" doc:"how lookups spread over shards: none, {zipf: s} or {shares: [...]}"`
	ResidentVersions int       `plan:"resident_versions" default:"0" range:"0..5" doc:"versions held at once during a rollover; 0 for what the kind of container does"`
	RAMFactor        Factor    `plan:"ram_factor" default:"1.2x" range:">0" doc:"resident bytes for a byte on disk"`
	Overhead         Bytes     `plan:"overhead" default:"0.5GiB" range:">=0" doc:"process, runtime and buffers of a container"`
	Retained         Fraction  `plan:"retained_after_unload" default:"5%" range:"0%..100%" doc:"memory that stays with the process after an unload"`
	LoadInterference Factor    `plan:"load_interference" default:"1x" range:">=1x" doc:"slow-down of a server while it loads"`
	RoughSort        RoughSort `plan:"rough_sort" doc:"model that containers of one tier copy to their disk and serve beside; agents of version 1 only"`
}

// ModelSize is the size of one version on disk, or in memory when ram_factor is 1x.
type ModelSize struct {
	Embeddings Bytes `plan:"embeddings" default:"0B" range:">=0" doc:"tables on all shards together"`
	Dense      Bytes `plan:"dense" default:"0B" range:">=0" doc:"the dense part"`
}

// Skew says how lookups are distributed over shards.
type Skew struct {
	Zipf   float64   `json:"zipf"`
	Shares []float64 `json:"shares,omitempty"` // fraction of the items for each shard
}

// Of returns the share of lookups of each of n shards, for numPS PS. The shares sum to 1.
// Unless the plan gives shares, lookups depend on the Zipf exponent and on how many PS a
// shard hosts.
func (s Skew) Of(n, numPS int) []float64 {
	if s.Shares != nil {
		return s.Shares
	}
	return zipfShares(s.Zipf, n, numPS)
}

// Override holds values of agent.conf. After a plan has been read, each field holds the value that
// applies: the one in the plan or in the agent.conf, or else the default.
type Override struct {
	NumPS             int      `plan:"num_ps" default:"1" range:"1..100000" conf:"num_ps" doc:"parameter servers, spread over the shards; of each one call a request"`
	NumShard          int      `plan:"num_shard" default:"1" range:"1..100000" conf:"num_shard" doc:"shards of containers that the PS are spread over"`
	DenseServiceNum   int      `plan:"dense_service_num" default:"3" range:">=1" conf:"dense_service_num" doc:"server processes of a dense container"`
	FetchPSTimeout    Duration `plan:"fetch_ps_timeout" default:"200ms" range:">0" conf:"fetch_ps_timeout_ms" confUnit:"ms" doc:"how long a caller waits for an attempt of a call"`
	FetchPSRetry      int      `plan:"fetch_ps_retry" default:"2" range:"0..10" conf:"fetch_ps_retry" doc:"further attempts of a call whose attempt failed"`
	LongConnNum       int      `plan:"fetch_ps_long_conn_num" default:"100" range:">=1" conf:"fetch_ps_long_conn_num" doc:"connections from one container to another, each with one call at a time"`
	LongConn          bool     `plan:"fetch_ps_long_conn_enable" default:"true" conf:"fetch_ps_long_conn_enable" doc:"whether connections stay; without, none is waited for"`
	AIOThreads        int      `plan:"aio_threads" default:"30" range:">=1" conf:"aio_thread_num" doc:"threads of an entry container that send calls"`
	StatusInterval    Duration `plan:"update_model_status_interval" default:"1s" range:">0" conf:"update_model_status_interval" confUnit:"s" doc:"an entry that starts looks every two of them for its PS"`
	MaxWaiting        Duration `plan:"max_waiting" default:"1200s" range:">0" conf:"max_waiting_sec" confUnit:"s" doc:"how long a container that starts waits for what it needs"`
	FSPoll            Duration `plan:"fs_poll" default:"1s" range:">=0" conf:"file_system_poll_wait_seconds" confUnit:"s" doc:"how often an entry or dense server looks for versions in the store; 0 looks once"`
	FSPollPS          Duration `plan:"fs_poll_ps" default:"0s" range:">=0" conf:"file_system_poll_wait_seconds_ps" confUnit:"s" doc:"how often a PS does; 0 looks once"`
	MaxLoadRetries    int      `plan:"max_num_load_retries" default:"5" range:">=0" conf:"max_num_load_retries" doc:"further attempts of a load that failed"`
	LoadRetryInterval Duration `plan:"load_retry_interval" default:"60s" range:">=0" conf:"load_retry_interval_micros" confUnit:"us" doc:"between two of them"`
	NumLoadThreads    int      `plan:"num_load_threads" default:"0" range:">=0" conf:"num_load_threads" doc:"loads at once; 0 loads one after the other within the loop of the manager"`
	DCAware           bool     `plan:"dc_aware" default:"false" conf:"dc_aware" json:",omitempty" doc:"agents of version 1 tell an entry of its own idc and cluster only"`
	Batching          Batching `plan:"batching" doc:"batching of dense servers"`
	Quirks            string   `plan:"quirks" default:"python" enum:"python|fixed" doc:"faults of the reference as they are, or repaired"`
}

// AgentQuirks returns the quirks that real agents must have, to be comparable with a model that has
// the given quirks of a plan. Q109 is the only fault that the model can leave out. Real agents
// could also run without other faults, such as kazoo's pauses (Q322) and late service information
// (Q43), but the model always has these.
func AgentQuirks(quirks string) string {
	if quirks == "fixed" {
		return "-Q109"
	}
	return quirks
}

// Batching describes TensorFlow Serving's batching.
type Batching struct {
	Enabled      bool     `plan:"enabled" default:"false" doc:"by default what dense_alone and enable_batching say"`
	MaxBatchSize int      `plan:"max_batch_size" default:"1024" range:">=1" doc:"items of a batch at most"`
	Timeout      Duration `plan:"batch_timeout" default:"800us" range:">=0" doc:"how long a batch waits for more"`
	Threads      int      `plan:"num_batch_threads" default:"8" range:">=1" doc:"batches of a server process at once"`
	MaxEnqueued  int      `plan:"max_enqueued_batches" default:"100000" range:">=1" doc:"batches of a server process that wait at most"`
}

// Report says which reports are written.
type Report struct {
	HTML     bool     `plan:"html" default:"true" doc:"into the folder of --report"`
	JSON     bool     `plan:"json" default:"true" doc:"into the folder of --report"`
	CSV      bool     `plan:"csv" default:"false" doc:"into the folder of --report"`
	Currency string   `plan:"currency" default:"$" doc:"a label only"`
	Trace    []Traced `plan:"trace" doc:"slowest N requests, incident N (of events, from 1): traces for ui.perfetto.dev in the folder of --report, of run and solve"`
}
