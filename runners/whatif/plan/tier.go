package plan

import (
	"slices"

	"github.com/monosim/monosim/runners/whatif/burst"
	"github.com/monosim/monosim/runners/whatif/law"
)

// Fleet describes the containers and their locations.
type Fleet struct {
	IDCs       []IDC          `plan:"idcs" doc:"data centres; one named local with one cluster a by default"`
	Placement  map[string]int `plan:"placement" doc:"weights for spreading replicas over the idcs"`
	Multiplier float64        `plan:"multiplier" default:"1" range:">0" doc:"scales all replica counts, rounded up"`
	Entry      Tier           `plan:"entry" required:"true" unless:"mixed" doc:"containers that requests come to"`
	PS         Tier           `plan:"ps" required:"true" unless:"mixed" doc:"containers of the shards; replicas is per shard"`
	Dense      *Tier          `plan:"dense" doc:"containers of the dense part; without it entry computes it"`
	Mixed      *Tier          `plan:"mixed" json:",omitempty" doc:"containers that run entry, a shard of ps and, with service.dense, dense side by side (deploy_type mixed), in the place of entry, ps and dense; replicas is per shard. Events, conditions and metrics call them ps"`
	Boot       Boot           `plan:"boot" doc:"what a container takes to start"`
	Starts     starts         `plan:"starts" default:"boot" json:"starts,omitzero" doc:"how far apart agents start, which is how their loops stay: boot (what fleet.boot.schedule and an agent's imports give), together, a time over which they are spread, or a law"`
}

// IDC is a data centre.
type IDC struct {
	Name     string   `plan:"name" required:"true" doc:"of the idc"`
	Clusters []string `plan:"clusters" doc:"a by default"`
}

// Tier is one kind of container.
type Tier struct {
	Replicas Replicas `plan:"replicas" required:"true" doc:"containers; of ps for each shard"`
	NumShard int      `plan:"num_shard" default:"0" range:"0..100000" doc:"shards of ps; by default what agent.conf says"`
	CPU      float64  `plan:"cpu" required:"true" range:">0" doc:"cores"`
	Mem      Bytes    `plan:"mem" required:"true" range:">0" doc:"memory limit"`
	Disk     Bytes    `plan:"disk" default:"0B" range:">=0" doc:"for the copies of the rough sort model; 0 is not looked at"`
	Cost     Cost     `plan:"cost" default:"0/h" range:">=0" doc:"of one container"`
	// Services applies only to dense containers.
	Services int `plan:"services_per_container" default:"0" range:">=0" doc:"server processes of a dense container; by default dense_service_num"`
}

// Replicas is a number of containers. The form {default: 8, hottest: 12} gives the hottest
// shard a different number.
type Replicas struct {
	Default int `json:"default"`
	Hottest int `json:"hottest"`
}

// Boot says how long a container takes to start.
type Boot struct {
	Schedule  TimeLaw  `plan:"schedule" default:"det(0s)" doc:"from container start to process start"`
	ModelLoad ByteRate `plan:"model_load" default:"300MB/s" range:">0" doc:"how fast models load"`
	LoadFixed Duration `plan:"load_fixed" default:"30ms" range:">=0" doc:"of each load besides"`
	Store     ByteRate `plan:"store" default:"0B/s" range:">=0" json:",omitempty" doc:"bandwidth of the store that models come from, which all containers that read at the same time share evenly, each with model_load at most; 0B/s is enough for all"`
}

// starts says how far apart agents start.
type starts struct {
	Together bool    `json:"together,omitempty"`
	Law      law.Law `json:"law,omitzero"` // law of the agents' starts; the zero law if they start together, or as boot says
}

// imports is how long an agent takes from its start to its session, mostly for importing
// modules. It was measured with the reference's agents (runners/test/BLACKBOX.md, BB-3).
var imports = law.Between(500e6, 1300e6)

// AgentStarts returns the laws of the times at which agents start. The time of an agent is the sum
// of one draw from each law. Without any law all agents start together.
func (f *Fleet) AgentStarts() burst.Starts {
	switch {
	case f.Starts.Together:
		return nil
	case !f.Starts.Law.IsZero():
		return burst.Starts{f.Starts.Law}
	}
	return burst.Starts{f.Boot.Schedule.Law, imports}
}

// TierNames lists the tiers in the order in which a request visits them.
var TierNames = []string{"entry", "ps", "dense"}

// ByTier holds one setting for each tier. The field of a tier is nil if the plan gives no setting
// for it.
type ByTier[T any] struct {
	Entry *T `plan:"entry" doc:"of entry containers"`
	PS    *T `plan:"ps" doc:"of PS containers"`
	Dense *T `plan:"dense" doc:"of dense containers"`
}

// Of returns the setting for a tier, nil if there is none.
func (b *ByTier[T]) Of(tier string) *T {
	return map[string]*T{"entry": b.Entry, "ps": b.PS, "dense": b.Dense}[tier]
}

// Any reports whether the plan gives a setting for any tier.
func (b *ByTier[T]) Any() bool { return *b != ByTier[T]{} }

// Tier returns the tier with the given name, nil if the plan has none.
func (f *Fleet) Tier(name string) *Tier {
	switch name {
	case "entry":
		return &f.Entry
	case "ps":
		return &f.PS
	case "dense":
		return f.Dense
	}
	return nil
}

// Service holds the service times of all tiers.
type Service struct {
	Profile    string       `plan:"profile" doc:"a file of monosim-lab calibrate, in place of all else here"`
	Entry      TierService  `plan:"entry" doc:"of entry containers"`
	PS         TierService  `plan:"ps" doc:"of PS containers, for one call"`
	Dense      *TierService `plan:"dense" doc:"of dense servers"`
	Items      NumberLaw    `plan:"items" default:"det(1)" doc:"candidates of a request"`
	Contention Contention   `plan:"contention" doc:"how threads share cores"`
	AgentCPU   float64      `plan:"agent_cpu" default:"0" range:">=0" doc:"cores of each container that its agent uses"`
}

// TierService says how the containers of one tier work.
type TierService struct {
	CPU        TimeLaw  `plan:"cpu" doc:"time on one core"`
	Batch      TimeLaw  `plan:"batch" doc:"time of a batch, as affine(base=2ms, per_item=3us), points(1=0.1ms, 64=0.18ms) by its items, or points(file) with a line \"64 0.18ms\" for each; dense only"`
	Profile    string   `plan:"profile" json:",omitempty" enum:"h100-din-bf16-eager|h100-din-bf16-graph|h100-din-fp32-eager|h100-din-fp32-graph|h100-dlrm-bf16-eager|h100-dlrm-bf16-graph|h100-dlrm-fp32-eager|h100-dlrm-fp32-graph" doc:"batch and device as measured on a device: its name, the model, its numbers, and how it is called; keys beside it count; dense only"`
	Device     Device   `plan:"device" json:",omitzero" doc:"an accelerator on which the container computes its batches; cores do not bound them then; dense only"`
	Noise      noiseLaw `plan:"noise" doc:"factor with the mean 1"`
	Threads    int      `plan:"threads" default:"0" range:">=0" doc:"threads that work at once; cpu by default"`
	Queue      Count    `plan:"queue" default:"-1" range:">=-1" doc:"calls that wait at most, -1 for any number"`
	ByPriority bool     `plan:"by_priority" default:"false" json:",omitempty" doc:"of the requests or calls that wait the most important are begun first, by workload.mix.priority; what was begun goes on"`
	Shed       []shed   `plan:"shed" json:",omitempty" doc:"turns less important requests or calls away (queue_full) while many wait"`
	Cold       cold     `plan:"cold" json:",omitzero" doc:"how slow what a container does first is, after it has come up or loaded a version"`
	// SkipLate says that servers do not start calls whose deadline has passed, as gRPC servers
	// may do.
	SkipLate bool   `plan:"skip_late" default:"false" json:",omitempty" doc:"a call that is past its deadline, fetch_ps_timeout after it was sent, is not begun; of a batch, one with only such calls; ps and dense"`
	Hold     bool   `plan:"hold" default:"false" doc:"an entry thread stays taken while its request waits"`
	FanOut   string `plan:"fanout_from" default:"entry" enum:"entry|dense" doc:"which tier calls the PS; dense only"`
}

// cold says after how many calls a container is warm, and how much longer its work takes until
// then.
type cold struct {
	Calls  int    `plan:"calls" default:"0" range:"0..1000000" doc:"requests, calls or batches that it begins before it is warm; 0 for one that is warm at once"`
	Factor Factor `plan:"factor" default:"5x" range:"1x..100000x" doc:"of their work"`
}

// IsZero reports whether containers are warm at once.
func (c cold) IsZero() bool { return c.Calls == 0 }

// shed describes when a container rejects requests or calls of low priority.
type shed struct {
	Priority int `plan:"priority" required:"true" range:"0..7" doc:"of this priority, and of less important ones, which have greater numbers"`
	Waiting  int `plan:"waiting" required:"true" range:">=0" doc:"while so many wait at the container, and no thread is free"`
}

// Contention says how threads share cores.
type Contention struct {
	Model    string  `plan:"model" default:"processor_sharing" enum:"none|processor_sharing" doc:"processor_sharing shares the cores evenly among the threads that run; none gives each a core of its own"`
	Overhead float64 `plan:"overhead_per_runnable" default:"0" range:"0..0.1" doc:"speed lost for each runnable thread above cpu"`
}

// Client says how calls to PS and dense servers are made.
type Client struct {
	Balance     Balance `plan:"balance" default:"random" doc:"random, round_robin, least_loaded, p2c, or idc_aware(one of them)"`
	RetryTarget string  `plan:"retry_target" default:"fresh_random" enum:"fresh_random|distinct|same" doc:"where a retry goes: to any replica, to one that was not tried, or to the same"`
	Partial     Partial `plan:"partial" default:"fail" doc:"fail, or allow(min_shards=n)"`
	// Hedge sends a second call if the first takes long.
	Hedge struct {
		After HedgeAfter `plan:"after" default:"off" doc:"off, a duration, or a quantile of the calls that a caller has seen, as p95"`
	} `plan:"hedge" doc:"second calls"`
	Backoff     backoff     `plan:"backoff" json:",omitzero" doc:"how long a retry waits before it is sent"`
	RetryBudget retryBudget `plan:"retry_budget" json:",omitzero" doc:"how many retries a caller has"`
	Breaker     breaker     `plan:"breaker" json:",omitzero" doc:"when a caller leaves a container alone"`
	Coalesce    bool        `plan:"coalesce" default:"false" doc:"one call for each container of a shard, not for each PS"`
	Abandon     string      `plan:"abandon" default:"continue" enum:"continue|cancel" doc:"whether a call that timed out goes on"`
}

// backoff says how long retries wait before they are sent.
type backoff struct {
	Base   Duration `plan:"base" default:"0s" range:">=0" doc:"before the first retry; 0 sends retries at once"`
	Factor Factor   `plan:"factor" default:"2x" range:"1x..100x" doc:"of each further retry's wait to the one before"`
	Most   Duration `plan:"most" default:"10s" range:">0" doc:"the longest wait, before jitter"`
	Jitter Fraction `plan:"jitter" default:"20%" range:"0%..100%" doc:"a wait is even within so much below and above; 20% is gRPC's, 100% anything up to twice the wait"`
}

// IsZero reports whether retries are sent without waiting.
func (b backoff) IsZero() bool { return b.Base == 0 }

// retryBudget describes the bucket of tokens that limits each caller's retries.
type retryBudget struct {
	Share Fraction `plan:"share" default:"1000%" range:"0%..1000%" doc:"of a token that each call puts into the bucket of its caller; a retry takes a token out, and is not sent where there is none; 1000% is no limit, as fetch_ps_retry is 10 at most"`
	Burst int      `plan:"burst" default:"10" range:"1..1000000" doc:"tokens that a bucket holds, and has when its caller starts"`
}

// IsZero reports whether the budget never prevents a retry. With the default share each call brings
// ten tokens, and a call has at most ten retries.
func (b retryBudget) IsZero() bool { return b.Share >= 10 }

// breaker describes the circuit breakers between each caller and each container.
type breaker struct {
	Failures int      `plan:"failures" default:"0" range:"0..1000000" doc:"failed attempts in a row of a caller at a container after which it sends none there for a time; 0 for no breaker. Where it may send to no replica a call fails at once (no_replica)"`
	Open     Duration `plan:"open" default:"10s" range:">0" doc:"that time; then one call is sent, whose answer closes the breaker and whose failure opens it anew"`
}

// IsZero reports whether there are no breakers.
func (b breaker) IsZero() bool { return b.Failures == 0 }

// Balance says how a caller chooses a replica.
type Balance struct {
	Inner    string `json:"inner"` // policy: random, round_robin, least_loaded or p2c
	IDCAware bool   `json:"idc_aware"`
}

// Partial is the smallest number of shards whose answers suffice for a request. 0 means all
// shards.
type Partial struct {
	MinShards int `json:"min_shards"`
}

// HedgeAfter says when to hedge: after a fixed time, or after a quantile of the latencies
// that the caller has seen. The zero value means never.
type HedgeAfter struct {
	After    Duration `json:"after"`
	Quantile float64  `json:"quantile,omitempty"`
}

// Network holds one-way delays and losses.
type Network struct {
	SameCluster TimeLaw `plan:"same_cluster" default:"0.15ms" doc:"within a cluster"`
	SameIDC     TimeLaw `plan:"same_idc" default:"0.3ms" doc:"between clusters of an idc"`
	// CrossIDC is the delay between data centres, uniform within Latency ± Jitter.
	CrossIDC struct {
		Latency Duration `plan:"latency" default:"2ms" range:">=0" doc:"between idcs"`
		Jitter  Duration `plan:"jitter" default:"0.3ms" range:">=0" doc:"even within so much below and above"`
	} `plan:"cross_idc" doc:"between idcs"`
	PerRPC Duration `plan:"overhead_per_rpc" default:"60us" range:">=0" doc:"of a call, both directions together; takes no CPU"`
	Loss   Fraction `plan:"loss" default:"0%" range:"0%..100%" doc:"share of the messages that are lost"`
}

// ZooKeeper describes the ensemble and its capacity.
type ZooKeeper struct {
	Servers        int      `plan:"servers" default:"5" range:">=1" doc:"an odd number"`
	ReadOps        Rate     `plan:"read_ops" default:"100k/s" range:">0" doc:"reads of the whole ensemble"`
	WriteOps       Rate     `plan:"write_ops" default:"15k/s" range:">0" doc:"writes of the whole ensemble"`
	WatchBytes     Bytes    `plan:"watch_bytes" default:"200B" range:">0" doc:"memory of one watch"`
	SessionTimeout Duration `plan:"session_timeout" default:"10s" range:">0" doc:"after which a session expires that is not heard of"`
	Tick           Duration `plan:"tick" default:"2s" range:">0" doc:"sessions expire at whole ones"`
	JuteMaxBuffer  Bytes    `plan:"jute_maxbuffer" default:"1MiB" range:">0" doc:"the longest answer"`
	Heap           Bytes    `plan:"heap" default:"16GiB" range:">0" doc:"memory of a server, which watches may fill"`
	Election       TimeLaw  `plan:"election" default:"lognormal(mean=3s, cv=0.5)" doc:"how long a new leader takes"`
	IDC            string   `plan:"idc" doc:"where it is; the first idc by default"`
	Pause          Duration `plan:"pause" default:"0.4ms" range:">=0" doc:"of an agent, between an answer and its next request"`
}

// IDCIndex returns the index of an idc in the list, or -1.
func (f *Fleet) IDCIndex(name string) int {
	return slices.IndexFunc(f.IDCs, func(i IDC) bool { return i.Name == name })
}
