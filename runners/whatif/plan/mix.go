package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Mix is one model of the plan with its share of the requests. Every container serves all
// models. Fields that are not set take the plan's values.
type Mix struct {
	Model string `plan:"model" required:"true" doc:"name"`
	// ClassOf makes this entry a class of requests to another model, instead of a model of its
	// own.
	ClassOf  string      `plan:"class_of" json:",omitempty" doc:"a model that stands before: these are requests for it, of another kind, so that there is no other model in memory or in ZooKeeper; its values hold where none are given"`
	Priority int         `plan:"priority" default:"0" range:"0..7" json:",omitempty" doc:"of its requests, 0 the most important, for by_priority and shed of service"`
	Share    Fraction    `plan:"share" default:"100%" range:"0%..100%" doc:"of the requests"`
	Size     ModelSize   `plan:"size" doc:"in the place of model.size"`
	Skew     *Skew       `plan:"shard_skew" doc:"in the place of model.shard_skew"`
	NumPS    int         `plan:"num_ps" default:"0" range:"0..100000" doc:"in the place of override.num_ps"`
	Items    NumberLaw   `plan:"items" doc:"in the place of service.items"`
	Entry    *mixService `plan:"entry" doc:"in the place of service.entry"`
	PS       *mixService `plan:"ps" doc:"in the place of service.ps"`
	Dense    *mixService `plan:"dense" doc:"in the place of service.dense"`
	SLO      []SLO       `plan:"slo" doc:"of its own requests: quantiles and means of request, errors, goodput, answered"`
}

// mixService holds the service times of one model's requests in one tier.
type mixService struct {
	CPU   TimeLaw  `plan:"cpu" doc:"time on one core"`
	Batch TimeLaw  `plan:"batch" doc:"time of a batch, as affine(base=2ms, per_item=3us); dense only"`
	Noise noiseLaw `plan:"noise" doc:"factor with the mean 1"`
}

// Of returns the service times that the model sets for a tier, nil if it sets none.
func (m *Mix) Of(tier string) *mixService {
	return map[string]*mixService{"entry": m.Entry, "ps": m.PS, "dense": m.Dense}[tier]
}

// Served is a model with all values that apply to it, its own or the plan's.
type Served struct {
	Name  string
	Share float64 // share of the requests that are for this model
	Size  ModelSize
	Skew  Skew
	NumPS int
	Items law.Law
	// Entry, PS and Dense are the service times of requests to this model. Threads and queues
	// belong to the containers.
	Entry, PS, Dense mixService
	Priority         int
	// Base is the index of the model that this entry is a class of. An entry that is no class has
	// its own index here.
	Base int
	SLO  []SLO
}

// Of returns the service times in a tier.
func (s *Served) Of(tier string) *mixService {
	switch tier {
	case "entry":
		return &s.Entry
	case "ps":
		return &s.PS
	}
	return &s.Dense
}

// Served returns the models of the mix. There is always at least one.
func (p *Plan) Served() []Served {
	list := make([]Served, max(1, len(p.Workload.Mix)))
	for i := range list {
		s := &list[i]
		*s = Served{Name: p.Name, Share: 1, Size: p.Model.Size, Skew: p.Model.ShardSkew, NumPS: p.Override.NumPS, Items: p.Service.Items.Law,
			Entry: serviceOf(&p.Service.Entry), PS: serviceOf(&p.Service.PS)}
		if p.Service.Dense != nil {
			s.Dense = serviceOf(p.Service.Dense)
		}
		s.Base = i
		if i < len(p.Workload.Mix) {
			if k := p.ServedIndex(p.Workload.Mix[i].ClassOf); k >= 0 && k < i {
				*s = list[k]
				s.Size = ModelSize{}
			}
			s.takes(&p.Workload.Mix[i])
		}
	}
	return list
}

func serviceOf(t *TierService) mixService { return mixService{t.CPU, t.Batch, t.Noise} }

// takes replaces the plan's values by those that the model sets itself.
func (s *Served) takes(m *Mix) {
	s.Name, s.Share, s.SLO, s.Priority = m.Model, float64(m.Share), m.SLO, m.Priority
	s.Size.Embeddings = cmp.Or(m.Size.Embeddings, s.Size.Embeddings)
	s.Size.Dense = cmp.Or(m.Size.Dense, s.Size.Dense)
	s.NumPS = cmp.Or(m.NumPS, s.NumPS)
	if m.Skew != nil {
		s.Skew = *m.Skew
	}
	replace(&s.Items, m.Items.Law)
	for _, tier := range TierNames {
		if own := m.Of(tier); own != nil {
			to := s.Of(tier)
			replace(&to.CPU, own.CPU)
			replace(&to.Batch, own.Batch)
			replace(&to.Noise, own.Noise)
		}
	}
}

// replace sets a law to the model's own law, if the model has one.
func replace[T interface{ IsZero() bool }](to *T, own T) {
	if !own.IsZero() {
		*to = own
	}
}

// Several reports whether the containers serve more than one model.
func (p *Plan) Several() bool { return len(p.Workload.Mix) > 1 }

// Objectives returns the objectives for all requests, followed by those of each model.
func (p *Plan) Objectives() []SLO {
	list := p.SLO
	for _, m := range p.Workload.Mix {
		for _, o := range m.SLO {
			if p.Several() {
				o.Model = m.Model
			}
			list = append(slices.Clip(list), o)
		}
	}
	return list
}

// OwnMix replaces the mix of p by a deep copy. If p is a shallow copy of another plan, changes to
// the mix of p then do not affect the other plan.
func (p *Plan) OwnMix() {
	p.Workload.Mix = slices.Clone(p.Workload.Mix)
	for i := range p.Workload.Mix {
		m := &p.Workload.Mix[i]
		for _, s := range []**mixService{&m.Entry, &m.PS, &m.Dense} {
			if *s != nil {
				own := **s
				*s = &own
			}
		}
	}
}

// mix checks the models of the mix. A plan without a mix gets one with a single model.
func (d *decoder) mix(p *Plan) {
	w := &p.Workload
	if len(w.Mix) == 0 {
		w.Mix = []Mix{{Model: p.Name, Share: 1}}
	}
	sum := 0.0
	var names []string
	for i := range w.Mix {
		m, at := &w.Mix[i], fmt.Sprintf("workload.mix.%d", i)
		sum += float64(m.Share)
		if slices.Contains(names, m.Model) {
			d.report(at+".model", conflict, "model %q is there twice", m.Model)
		}
		if m.ClassOf != "" {
			d.class(p, i, names)
		}
		names = append(names, m.Model)
		d.mixed(p, m, at)
	}
	if math.Abs(sum-1) > 1e-6 {
		d.report("workload.mix", outOfRange, "shares of workload.mix must sum to 100%%, got %s", quantity.Format(quantity.Percent, sum))
	}
}

// class checks that a class refers to a model listed before it, and sets no values that only a
// model can have.
func (d *decoder) class(p *Plan, i int, names []string) {
	m, at := &p.Workload.Mix[i], fmt.Sprintf("workload.mix.%d", i)
	switch k := slices.Index(names, m.ClassOf); {
	case k < 0:
		d.report(at+".class_of", unknownName, "model %q does not stand before in workload.mix (known: %s)%s", m.ClassOf, known(names), Nearest(m.ClassOf, names))
	case p.Workload.Mix[k].ClassOf != "":
		d.report(at+".class_of", conflict, "%q is a class itself, of %q, want that", m.ClassOf, p.Workload.Mix[k].ClassOf)
	}
	for _, key := range []string{"size", "shard_skew", "num_ps"} {
		if d.given(at + "." + key) {
			d.reportBoth(at+"."+key, at+".class_of", conflict, "%s is of the model %q, which a class does not change; remove it", key, m.ClassOf)
		}
	}
}

func (d *decoder) mixed(p *Plan, m *Mix, at string) {
	shards := p.Shards()
	if m.NumPS > 0 && m.NumPS < shards {
		d.reportBoth(at+".num_ps", d.shardsAt(), outOfRange, "num_ps must be >= num_shard %d, got %d", shards, m.NumPS)
	}
	if m.Skew != nil && m.Skew.Shares != nil && len(m.Skew.Shares) != shards {
		d.reportBoth(at+".shard_skew.shares", d.shardsAt(), outOfRange, "shard_skew.shares has %d shares, num_shard is %d", len(m.Skew.Shares), shards)
	}
	if !m.Items.IsZero() && m.Items.Mean <= 0 {
		d.report(at+".items", outOfRange, "%s.items must have a mean above 0", at)
	}
	for _, tier := range TierNames {
		s := m.Of(tier)
		if s == nil {
			continue
		}
		here := at + "." + tier
		switch batched := p.Service.Of(tier) != nil && !p.Service.Of(tier).Batch.IsZero(); {
		case p.Fleet.Tier(tier) == nil:
			d.reportKey(here, unknownName, "%s but there is no fleet.%s", here, tier)
		case !s.Batch.IsZero() && !batched:
			d.reportBoth(here+".batch", "service."+tier, conflict, "%s.batch but service.%s has none: models of one server are all batched, or none is", here, tier)
		case !s.CPU.IsZero() && batched:
			d.reportBoth(here+".cpu", "service."+tier+".batch", conflict, "%s.cpu but service.%s has batch: models of one server are all batched, or none is", here, tier)
		case !s.Batch.IsZero() && !s.Batch.OfItems():
			d.report(here+".batch", badLaw, "%s.batch must be affine(base=, per_item=) or points(items=time, ...)", here)
		case d.endsBelow(p, s.Batch, here+".batch"): // reported there
		case !s.CPU.IsZero() && s.CPU.Mean <= 0 && s.CPU.PerItem <= 0:
			d.report(here+".cpu", outOfRange, "%s.cpu must have a mean above 0", here)
		}
	}
	for k := range m.SLO {
		o := &m.SLO[k]
		if o.Metric != "" && o.Scope != "request" && o.Metric != "errors" && o.Metric != "goodput" && o.Metric != "answered" {
			d.report(fmt.Sprintf("%s.slo.%d", at, k), badSLO, "%q: of one model there are only latencies of request, errors, goodput and answered", o.Name())
		}
	}
}

// ServedIndex returns the index of a model in the mix, or -1.
func (p *Plan) ServedIndex(name string) int {
	return slices.IndexFunc(p.Workload.Mix, func(m Mix) bool { return m.Model == name })
}

func (p *Plan) modelNames() []string {
	return lists.Select(p.Workload.Mix, func(m Mix) (string, bool) { return m.Model, m.ClassOf == "" })
}

// sized reports whether every model of the mix gives a size of its own. The function of returns the
// part of the size that is meant. Classes of another model need no size.
func (p *Plan) sized(of func(ModelSize) Bytes) bool {
	return len(p.Workload.Mix) > 0 && !slices.ContainsFunc(p.Workload.Mix, func(m Mix) bool { return of(m.Size) <= 0 && m.ClassOf == "" })
}
