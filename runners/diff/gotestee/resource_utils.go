package gotestee

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/resources"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// resourceUtilsOps holds the operations of section 18 of the protocol, on resource_utils.py.
var resourceUtilsOps = table{
	"resource_utils.cal_model_info_v2": (*call).modelInfo,
	"resource_utils.memory":            (*call).memory,
	"resource_utils.container":         (*call).container,
	"resource_utils.exists":            resources.FileExists,
}

func (c *call) modelInfo() (any, error) {
	var version pysem.OptString
	if v := c.In.Value("version"); v != nil {
		version = pysem.Some(pysem.Str(v))
	}
	infos, err := resources.CalModelInfo(c.Env, c.In.Str("exported_models_path"), c.In.OptStr("ckpt"), version)
	return lists.Map(infos, func(i resources.SubModelInfo) any { return []any{i.Name, i.SizeBytes, i.VersionPath} }), err
}

func (c *call) memory() (any, error) {
	total, err := resources.TotalMemory(c.Env)
	if err != nil {
		return nil, err
	}
	available, err := resources.AvailableMemory(c.Env)
	return caseworld.Object("total", total, "available", available), err
}

// container measures the resources of a host. Its /proc and /sys are in the case's directory.
func (c *call) container() (any, error) {
	c.Env.Files = rootedFiles{c.Env.Files}
	later := &laterFiles{Tasks: c.Env.Tasks, c: c}
	if c.In.Has("later") {
		later.files = c.In.List("later")
	}
	c.Env.Tasks = later
	cpu, cpuErr := resources.NewCPUPercent(c.Env)
	group := resources.NewCgroup(c.Env)
	percent := func() (float64, error) {
		if cpuErr != nil {
			return 0, cpuErr
		}
		return cpu.Percent()
	}
	out := caseworld.Object("cgroup", group.Path())
	set := func(name string, v any, err error) { out.Set(name, caseworld.Attempt(v, err)) }
	total, err := group.TotalMemory()
	set("total", total, err)
	available, err := group.AvailableMemory()
	set("available", available, err)
	hostTotal, err := resources.TotalMemory(c.Env)
	set("total_v2", hostTotal, err)
	hostAvailable, err := resources.AvailableMemory(c.Env)
	set("available_v2", hostAvailable, err)
	cpus, err := group.NumCPU()
	set("num_cpu", cpus, err)
	usage, err := group.CPUUsage()
	set("cpu_usage", usage, err)
	usage, err = percent()
	set("cpu_usage_v2", usage, err)
	return out, nil
}

// rootedFiles reads paths below /proc and /sys from the case's directory.
type rootedFiles struct{ env.Files }

func rooted(path string) string {
	if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") {
		return caseworld.CaseDir + path
	}
	return path
}

func (f rootedFiles) ReadFile(path string) ([]byte, error)   { return f.Files.ReadFile(rooted(path)) }
func (f rootedFiles) Stat(path string) (env.FileInfo, error) { return f.Files.Stat(rooted(path)) }

// laterFiles wraps env.Tasks. Each sleep overwrites the case's files with the next set of files in
// the list.
type laterFiles struct {
	env.Tasks
	c     *call
	files []any
}

func (t *laterFiles) Sleep(d time.Duration) {
	t.Tasks.Sleep(d)
	if len(t.files) == 0 {
		return
	}
	files, ok := t.files[0].(*pysem.Dict)
	if !ok {
		t.c.In.Wrong("later", "a list of objects of files")
	}
	t.c.Dir.WriteFiles(files, "in.later")
	t.files = t.files[1:]
}
