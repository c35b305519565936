package plan

import (
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Shards is how many shards the PS have.
func (p *Plan) Shards() int { return p.Fleet.PS.NumShard }

// Versions is how many versions a container of a tier holds at a rollover.
func (p *Plan) Versions(tier string) int {
	switch {
	case p.Model.ResidentVersions > 0:
		return p.Model.ResidentVersions
	case tier == "ps" && p.Model.AgentVersion == 1:
		return 1 // parameters come in place
	}
	return 2
}

// ModelBytes is what one version of each model takes of the disk of a container of a tier.
func (p *Plan) ModelBytes(tier string) Bytes { return p.NewBytes("", tier) }

// NewBytes is what a publish of a model brings to a container of a tier, of all models
// for "".
func (p *Plan) NewBytes(name, tier string) Bytes {
	sum := Bytes(0)
	for _, m := range p.Served() {
		if name == "" || name == m.Name {
			sum += p.BytesOf(&m, tier)
		}
	}
	return sum
}

// BytesOf is what one version of a model takes of the disk of a container of a tier.
func (p *Plan) BytesOf(m *Served, tier string) Bytes {
	switch {
	case tier == "ps":
		return Bytes(math.Ceil(float64(m.Size.Embeddings) / float64(p.Shards())))
	case tier == "dense":
		return m.Size.Dense * Bytes(p.Fleet.Dense.Services)
	case p.Fleet.Dense == nil:
		return m.Size.Dense
	}
	return 0
}

// Memory is what a container of a tier holds with so many versions (CAP-3.15).
func (p *Plan) Memory(tier string, versions int) Bytes {
	one := float64(p.ModelBytes(tier)) * float64(p.Model.RAMFactor)
	return p.Model.Overhead + Bytes(one*float64(versions))
}

// LoadTime is how long a container of a tier takes to load one version of each model, of
// which the share size is new, one after the other.
func (p *Plan) LoadTime(tier string, size float64) Duration { return p.LoadTimeOf("", tier, size) }

// LoadTimeOf is LoadTime of one model of the mix, "" for all.
func (p *Plan) LoadTimeOf(name, tier string, size float64) Duration {
	sum := Duration(0)
	for _, m := range p.Served() {
		if bytes := float64(p.BytesOf(&m, tier)); bytes > 0 && (name == "" || name == m.Name) {
			sum += p.Fleet.Boot.LoadFixed + Duration(bytes*size/float64(p.Fleet.Boot.ModelLoad)*1e9)
		}
	}
	return sum
}

// SmallestShards is the smallest number of shards with which a PS container holds all
// versions of a rollover, 0 when none does.
func (p *Plan) SmallestShards() int {
	room := float64(p.Fleet.PS.Mem - p.Model.Overhead)
	if room <= 0 {
		return 0
	}
	need := float64(p.embeddings()) * float64(p.Model.RAMFactor) * float64(p.Versions("ps"))
	return max(1, int(math.Ceil(need/room)))
}

// embeddings are those of all models.
func (p *Plan) embeddings() Bytes {
	sum := Bytes(0)
	for _, m := range p.Served() {
		sum += m.Size.Embeddings
	}
	return sum
}

func (d *decoder) checkMemory(p *Plan) {
	for _, tier := range TierNames {
		t := p.Fleet.Tier(tier)
		if t == nil || t.Mem <= 0 || p.Shards() < 1 {
			continue
		}
		n := p.Versions(tier)
		need := p.Memory(tier, n)
		if need <= t.Mem {
			continue
		}
		d.report("fleet."+tier+".mem", doesNotFit, "%s", p.misfit(tier, n, need, t))
	}
}

func (p *Plan) misfit(tier string, n int, need Bytes, t *Tier) string {
	size := func(b Bytes) string { return quantity.Format(quantity.Bytes, float64(b)) }
	one := p.Memory(tier, 1) - p.Model.Overhead
	text := fmt.Sprintf("%s needs %s at rollover (%d x %s + %s)", tier, size(need), n, size(one), size(p.Model.Overhead))
	if tier == "ps" {
		text = fmt.Sprintf("%s needs %s at rollover (%d x %s + %s, %d shards, %s)", tier, size(need), n, size(one), size(p.Model.Overhead), p.Shards(), size(p.embeddings()))
	}
	text += " but mem is " + size(t.Mem)
	if shards := p.SmallestShards(); tier == "ps" && shards > 0 {
		text += fmt.Sprintf("; num_shard >= %d fits", shards)
	}
	if n > 1 && p.Memory(tier, 1) <= t.Mem {
		text += ", or resident_versions: 1"
	}
	return text
}

// sizes fills in what the directory of exported models says of sizes: sub-graphs whose
// name begins with ps are embeddings, the others dense. A number of versions is looked at
// as one: the largest counts.
func (d *decoder) sizes(p *Plan) {
	dir := p.Model.Exported
	if dir == "" {
		return
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Dir, dir)
	}
	found := map[string]map[string]int64{} // graph to version to bytes
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(dir, path)
		graph, version := exportedAs(below)
		if entry.IsDir() || version == "" {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if found[graph] == nil {
			found[graph] = map[string]int64{}
		}
		found[graph][version] += info.Size()
		return nil
	})
	if err != nil {
		d.report("model.exported", fileError, "%s", reason(err))
		return
	}
	if len(found) == 0 {
		d.report("model.exported", fileError, "%s: found no version directory, want <sub_graph>/<number>/saved_model.pb", p.Model.Exported)
		return
	}
	embeddings, dense := addUp(found)
	d.size(&p.Model.Size.Embeddings, "model.size.embeddings", embeddings)
	d.size(&p.Model.Size.Dense, "model.size.dense", dense)
}

// size takes a size from files where the plan gives none.
func (d *decoder) size(to *Bytes, path string, files int64) {
	if !d.given(path) {
		*to = Bytes(files)
	}
}
