package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/monosim/monosim/runners/whatif/places"
)

// Shards returns the number of shards of the PS tier.
func (p *Plan) Shards() int { return p.Fleet.PS.NumShard }

// Versions returns how many versions of a model a container of a tier holds during a rollover.
func (p *Plan) Versions(tier string) int {
	switch {
	case p.Model.ResidentVersions > 0:
		return p.Model.ResidentVersions
	case tier == "ps" && p.Model.AgentVersion == 1:
		return 1 // a single version, because parameters change in place
	}
	return 2
}

// VersionsOf returns how many versions of the named model a container of a tier holds during
// a rollover. The rough sort model is loaded from files in every tier.
func (p *Plan) VersionsOf(name, tier string) int {
	if name == RoughSortName && p.Model.ResidentVersions == 0 && p.Model.RoughSort.Size > 0 {
		return 2
	}
	return p.Versions(tier)
}

// ModelBytes returns the size on disk of one version of all models that a container of a
// tier serves.
func (p *Plan) ModelBytes(tier string) Bytes { return p.NewBytes("", tier) }

// NewBytes returns how many bytes a container of a tier reads for a published version of a model.
// For ps it is the fullest container. The name "" stands for all models of the mix.
func (p *Plan) NewBytes(name, tier string) Bytes { return p.NewBytesIn(name, tier, 0) }

// NewBytesIn returns the result of NewBytes for a container of the given shard.
func (p *Plan) NewBytesIn(name, tier string, shard int) Bytes {
	if name == RoughSortName && p.Model.RoughSort.Size > 0 {
		return p.RoughSortBytes(tier)
	}
	sum := Bytes(0)
	for _, m := range p.Served() {
		if name == "" || name == m.Name {
			sum += p.BytesOf(&m, tier, shard)
		}
	}
	return sum
}

// BytesOf returns the size on disk of one version of a model in a container of a tier. A
// container of ps holds the PS of its shard, which are all equally large.
func (p *Plan) BytesOf(m *Served, tier string, shard int) Bytes {
	switch {
	case tier == "ps":
		return share(m.Size.Embeddings, m.NumPS, shard, p.Shards())
	case tier == "dense":
		return m.Size.Dense * Bytes(p.Fleet.Dense.Services)
	case p.Fleet.Dense == nil:
		return m.Size.Dense
	}
	return 0
}

// share returns the bytes of embeddings that a container of a shard holds.
func share(embeddings Bytes, numPS, shard, shards int) Bytes {
	return Bytes(math.Ceil(float64(embeddings) * float64(places.Hosted(numPS, shard, shards)) / float64(max(numPS, shards))))
}

// Memory returns the memory of a container of a tier with the given number of versions of each
// model, and one version of the rough sort model (CAP-3.15). For ps it is a container of shard 0,
// which is the fullest: if the PS do not divide evenly, it hosts one PS more than others.
func (p *Plan) Memory(tier string, versions int) Bytes { return p.MemoryIn(tier, 0, versions) }

// MemoryIn returns the result of Memory for a container of the given shard.
func (p *Plan) MemoryIn(tier string, shard, versions int) Bytes {
	return p.memory(tier, shard, versions, 1)
}

// MemoryPeak returns the memory of a container of a tier during a rollover of all models.
func (p *Plan) MemoryPeak(tier string) Bytes {
	if p.Fleet.Mixed != nil {
		return p.mixedMemory(0, 1, 1) + p.RollsOver("", 0)
	}
	return p.memory(tier, 0, p.Versions(tier), p.VersionsOf(RoughSortName, tier))
}

func (p *Plan) memory(tier string, shard, versions, rough int) Bytes {
	if p.Fleet.Mixed != nil {
		return p.mixedMemory(shard, versions, rough)
	}
	one, sorted := float64(p.NewBytesIn("", tier, shard))*float64(p.Model.RAMFactor), float64(p.RoughSortBytes(tier))*float64(p.Model.RAMFactor)
	return p.Model.Overhead + Bytes(one*float64(versions)+sorted*float64(rough))
}

// mixedMemory returns the memory of a mixed container of a shard, with the given numbers of
// versions of each model and of the rough sort model.
func (p *Plan) mixedMemory(shard, versions, rough int) Bytes {
	sum := 0.0
	for _, tier := range TierNames {
		if p.Fleet.Tier(tier) != nil {
			sum += float64(p.NewBytesIn("", tier, shard))*float64(versions) + float64(p.RoughSortBytes(tier))*float64(rough)
		}
	}
	return p.Model.Overhead + Bytes(sum*float64(p.Model.RAMFactor))
}

// RollsOver returns how much more memory a mixed container of a shard needs while all its processes
// load new versions of a model. The name "" stands for all models.
func (p *Plan) RollsOver(name string, shard int) Bytes {
	sum := 0.0
	for _, tier := range TierNames {
		if p.Fleet.Tier(tier) == nil {
			continue
		}
		sum += float64(p.NewBytesIn(name, tier, shard)) * float64(p.VersionsOf(name, tier)-1)
		if name == "" {
			sum += float64(p.RoughSortBytes(tier)) * float64(p.VersionsOf(RoughSortName, tier)-1)
		}
	}
	return Bytes(sum * float64(p.Model.RAMFactor))
}

// LoadTime returns how long a container of a tier takes to load one version of each model, one
// after the other, if the store has enough bandwidth for all. For ps it is a container of the given
// shard.
func (p *Plan) LoadTime(tier string, shard int) Duration { return p.Took(p.Boots(tier, shard)) }

// LoadTimeOf returns how long loading a version of one model takes. The name "" stands for
// all models of the mix. For ps it is the time of the fullest container.
func (p *Plan) LoadTimeOf(name, tier string, size float64) Duration {
	return p.LoadTimeIn(name, tier, 0, size)
}

// LoadTimeIn returns the result of LoadTimeOf for a container of the given shard.
func (p *Plan) LoadTimeIn(name, tier string, shard int, size float64) Duration {
	return p.Took(p.Loads(name, tier, shard, size))
}

// Loading is the load of one version of one model.
type Loading struct {
	Bytes   float64  // number of bytes that are read
	Besides Duration // time of the load in addition to reading Bytes
}

// Took returns how long loads take one after the other, if the store has enough bandwidth for all.
func (p *Plan) Took(loads []Loading) Duration {
	sum := Duration(0)
	for _, one := range loads {
		sum += one.Besides + Duration(one.Bytes/float64(p.Fleet.Boot.ModelLoad)*1e9)
	}
	return sum
}

// Boots returns the versions that a container loads when it starts, in order.
func (p *Plan) Boots(tier string, shard int) []Loading {
	list := p.Loads("", tier, shard, 1)
	if p.RoughSortBytes(tier) > 0 {
		list = append(list, p.Loads(RoughSortName, tier, shard, 1)...)
	}
	return list
}

// Loads returns the versions that a container of a shard has to load, in order, after a publish of
// a model. The name "" stands for all models of the mix. size is the share of the bytes that is
// new.
func (p *Plan) Loads(name, tier string, shard int, size float64) []Loading {
	var list []Loading
	load := func(bytes Bytes) {
		if bytes == 0 {
			return
		}
		one := Loading{float64(bytes) * size, p.Fleet.Boot.LoadFixed}
		if tier == "dense" {
			one.Besides += p.Service.Dense.Device.Copied(Bytes(one.Bytes))
		}
		list = append(list, one)
	}
	if name == RoughSortName && p.Model.RoughSort.Size > 0 {
		load(p.RoughSortBytes(tier))
		return list
	}
	for _, m := range p.Served() {
		if name == "" || name == m.Name {
			load(p.BytesOf(&m, tier, shard))
		}
	}
	return list
}

// LoadBytes returns how many bytes all containers of a tier read to load a version of a model.
func (p *Plan) LoadBytes(name, tier string, size float64) float64 {
	sum, shards := 0.0, 1
	if tier == "ps" {
		shards = p.Shards()
	}
	for shard := range shards {
		for _, one := range p.Loads(name, tier, shard, size) {
			sum += float64(p.ReplicasOf(tier, shard)) * one.Bytes
		}
	}
	return sum
}

// SmallestShards returns the smallest num_shard with which PS containers have memory for all
// versions during a rollover. It returns 0 if no number suffices.
func (p *Plan) SmallestShards() int {
	room := float64(p.Fleet.PS.Mem-p.Model.Overhead) - float64(p.RoughSortBytes("ps"))*float64(p.Model.RAMFactor)*float64(p.VersionsOf(RoughSortName, "ps"))
	if p.Fleet.Mixed != nil { // memory left for the PS' models when everything else needs most
		room = float64(p.Fleet.PS.Mem - p.MemoryPeak("ps") + Bytes(float64(p.NewBytes("", "ps"))*float64(p.Model.RAMFactor)*float64(p.Versions("ps"))))
	}
	if room <= 0 {
		return 0
	}
	for shards := 1; shards <= mostShards; shards++ {
		need := Bytes(0)
		for _, m := range p.Served() {
			need += share(m.Size.Embeddings, m.NumPS, 0, shards)
		}
		if float64(need)*float64(p.Model.RAMFactor)*float64(p.Versions("ps")) <= room {
			return shards
		}
	}
	return 0
}

// mostShards is the largest number of shards that SmallestShards tries.
const mostShards = 100_000

// embeddings returns the total size of the embeddings of all models.
func (p *Plan) embeddings() Bytes {
	sum := Bytes(0)
	for _, m := range p.Served() {
		sum += m.Size.Embeddings
	}
	return sum
}

func (d *decoder) checkMemory(p *Plan) {
	for _, tier := range p.Kinds() {
		t := p.Fleet.Tier(tier)
		if t.Mem <= 0 || p.Shards() < 1 {
			continue
		}
		at := "fleet." + tier
		if p.Fleet.Mixed != nil {
			at = "fleet.mixed"
		}
		if need := p.MemoryPeak(tier); need > t.Mem {
			d.report(at+".mem", doesNotFit, "%s", p.misfit(tier, p.Versions(tier), need, t))
		}
		if need := p.Disk(tier); t.Disk > 0 && need > t.Disk {
			d.report(at+".disk", doesNotFit, "%s needs %s of disk ((%d + 1) x %s of rough_sort: so many versions are kept beside the one that is copied) but disk is %s",
				tier, need.text(), KeptVersions, p.RoughSortBytes(tier).text(), t.Disk.text())
		}
	}
}

func (p *Plan) misfit(tier string, n int, need Bytes, t *Tier) string {
	if p.Fleet.Mixed != nil {
		text := fmt.Sprintf("a mixed container needs %s at rollover (%s at rest, and %s of new versions of entry and dense) but mem is %s", need.text(), p.mixedMemory(0, 1, 1).text(), p.RollsOver("", 0).text(), t.Mem.text())
		if shards := p.SmallestShards(); shards > 0 {
			text += fmt.Sprintf("; num_shard >= %d fits", shards)
		}
		return text
	}
	parts := p.Model.Overhead.text()
	if one := p.Memory(tier, 1) - p.Memory(tier, 0); one > 0 {
		parts = fmt.Sprintf("%d x %s + %s", n, one.text(), parts)
	}
	if sorted := p.RoughSortBytes(tier); sorted > 0 {
		parts += fmt.Sprintf(" + %d x %s of rough_sort", p.VersionsOf(RoughSortName, tier), Bytes(float64(sorted)*float64(p.Model.RAMFactor)).text())
	}
	if tier == "ps" {
		parts += fmt.Sprintf(", %d shards, %s", p.Shards(), p.embeddings().text())
	}
	text := fmt.Sprintf("%s needs %s at rollover (%s) but mem is %s", tier, need.text(), parts, t.Mem.text())
	if shards := p.SmallestShards(); tier == "ps" && shards > 0 {
		text += fmt.Sprintf("; num_shard >= %d fits", shards)
	}
	if n > 1 && p.Memory(tier, 1) <= t.Mem {
		text += ", or resident_versions: 1"
	}
	return text
}

// sizes fills in model sizes from the directory of exported models. Sub-graphs whose name
// begins with ps count as embeddings, all others as dense. Of several versions the largest
// counts.
func (d *decoder) sizes(p *Plan) {
	dir := p.Model.Exported
	if dir == "" {
		return
	}
	found := map[string]map[string]int64{} // total bytes of files, as found[graph][version]
	err := d.walk(resolved(p.Dir, dir), func(below string, entry fs.DirEntry) error {
		graph, version := exportedAs(filepath.FromSlash(below))
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

// walk visits everything below a directory that the plan names.
func (d *decoder) walk(dir string, visit func(below string, entry fs.DirEntry) error) error {
	folder, name, err := d.folderOf(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	exported, err := folder.OpenRoot(name)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return &fs.PathError{Op: "open", Path: dir, Err: failed.Err}
	}
	if err != nil {
		return err
	}
	defer exported.Close()
	return fs.WalkDir(exported.FS(), ".", func(below string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return visit(below, entry)
	})
}

// size sets a model size to the size of its files, unless the plan gives a value at path.
func (d *decoder) size(to *Bytes, path string, files int64) {
	if !d.given(path) {
		*to = Bytes(files)
	}
}
