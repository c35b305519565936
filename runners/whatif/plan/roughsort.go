package plan

import (
	"strings"
	"time"
)

// RoughSort describes the rough sort model. Its versions are delivered by another program.
// Once every CopyLoop, a model manager inside the agent copies them to the folder that the
// model server reads (CAP-3.13).
type RoughSort struct {
	Size Bytes  `plan:"size" default:"0B" range:">=0" doc:"bytes of one version; 0 is no such model"`
	On   string `plan:"on" default:"entry" enum:"entry|ps|dense" doc:"which containers serve it; by default rough_sort_model_loaded_server of agent.conf"`
}

// RoughSortName is the name of the rough sort model in a publish event.
const RoughSortName = "rough_sort"

// CopyLoop is the period of the model manager (model_manager.py:37). KeptVersions is how
// many versions stay on disk (model_manager.py:40), in addition to the version being copied.
const (
	CopyLoop     = Duration(30 * time.Second)
	KeptVersions = 5
)

// StatusPoll is how often an agent of version 1 asks its model servers for their states
// (replica_manager.py:591). The setting update_model_status_interval is something else: how
// often a starting entry looks for its PS (agent_v1.py:114).
const StatusPoll = Duration(time.Second)

// RoughSortBytes returns the size on disk of a version of the rough sort model in a
// container of a tier. It is 0 for a tier that does not serve the model.
func (p *Plan) RoughSortBytes(tier string) Bytes {
	if p.Model.RoughSort.On != tier {
		return 0
	}
	return p.Model.RoughSort.Size
}

// Disk returns the disk space, in bytes, for all copies of the rough sort model in a
// container of a tier (CAP-3.16).
func (p *Plan) Disk(tier string) Bytes { return (KeptVersions + 1) * p.RoughSortBytes(tier) }

// useRoughSort fills in the rough sort model from the agent.conf. It refuses a rough sort
// model that no container serves.
func (d *decoder) useRoughSort(p *Plan, c *agentConf) {
	r := &p.Model.RoughSort
	if c != nil {
		d.confRoughSort(r, c)
	}
	switch {
	case r.Size == 0:
	case p.Model.AgentVersion != 1:
		d.report("model.rough_sort", conflict, "rough_sort: only agents of version 1 serve a rough sort model, and agent_version is %d", p.Model.AgentVersion)
	case p.Fleet.Tier(r.On) == nil:
		d.report("model.rough_sort.on", unknownName, "on: the plan has no fleet.%s", r.On)
	case p.ServedIndex(RoughSortName) >= 0:
		d.report("model.rough_sort", conflict, "rough_sort: workload.mix has a model of that name")
	}
}

func (d *decoder) confRoughSort(r *RoughSort, c *agentConf) {
	name, server := c.values["rough_sort_model_name"], c.values["rough_sort_model_loaded_server"]
	if name == "" || strings.EqualFold(name, "none") || strings.EqualFold(server, "none") {
		return
	}
	switch {
	case server == "":
	case d.given("model.rough_sort.on") && r.On != server:
		d.report("model.rough_sort.on", conflict, "on: %s differs from %s:%d, which says rough_sort_model_loaded_server %s; remove it from one of them", r.On, c.path, c.lines["rough_sort_model_loaded_server"], server)
	default:
		r.On = server
	}
	if r.Size == 0 {
		d.reportKey("model", requiredKey, "model.rough_sort.size is required: %s:%d has the rough sort model %s", c.path, c.lines["rough_sort_model_name"], name)
	}
}
