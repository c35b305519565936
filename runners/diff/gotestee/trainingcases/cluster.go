package trainingcases

import (
	"strconv"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/clustermanager"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// clusterOps holds the operations on cluster_manager.py.
var clusterOps = caseworld.Table{
	"cluster_manager.get_training_cluster":    trainingCluster,
	"cluster_manager.generate_session_config": sessionConfig,
}

// views is a fake discovery. The n-th query of a name returns its n-th view in the case, and later
// queries return the last one. A view that is a text is raised as an OSError. views also serves as
// the metrics client.
type views struct {
	training.ServiceDiscovery
	views            caseworld.Arguments
	asked            map[string]int
	queries, metrics []any
}

func (v *views) Query(name string) (training.Addrs, error) {
	v.queries = append(v.queries, []any{"query", name})
	if !v.views.Has(name) {
		return nil, nil
	}
	list := v.views.List(name)
	at := min(v.asked[name], len(list)-1)
	v.asked[name]++
	if failure, ok := list[at].(string); ok {
		return nil, pysem.Raise("OSError", "%s", failure)
	}
	dict, ok := list[at].(*pysem.Dict)
	if !ok {
		v.views.Wrong(name, "views, as addresses by index or the text of a failure")
	}
	view := caseworld.Arguments{Dict: dict, Where: v.views.At(name)}
	var addrs training.Addrs
	for _, item := range view.Items {
		i, err := strconv.Atoi(item.Key)
		if err != nil {
			view.Wrong(item.Key, "an index")
		}
		addrs = append(addrs, training.IndexedAddr{Index: i, Addr: view.Str(item.Key)})
	}
	return addrs, nil
}

func (v *views) EmitStore(name string, value int, modelName, clusterType string) {
	v.metrics = append(v.metrics, []any{name, value, caseworld.Object("model_name", modelName, "cluster_type", clusterType)})
}

func trainingCluster(c *caseworld.Call) (any, error) {
	l, a := newLab(c), c.In.Object("arguments")
	a.Few("num_workers", "num_required_ps", "num_redundant_ps")
	d := &views{views: c.In.Object("views"), asked: map[string]int{}}
	job := clustermanager.Job{
		WorkerAddr: a.Str("worker_addr"), Index: a.Integer("index"), RequiredPS: a.Integer("num_required_ps"), RedundantPS: a.Integer("num_redundant_ps"),
		NumWorkers: a.Integer("num_workers"), ModelDir: a.Str("model_dir"), UUID: a.OptStr("uuid").V,
		ModelName: a.OptStr("model_name").V, ClusterType: a.StrOr("cluster_type", "stable"), Metrics: d, Quirks: c.Quirks,
	}
	l.appear()
	result := caseworld.Bounded(func() (any, error) {
		cluster, task, err := clustermanager.TrainingCluster(l.e, d, job)
		return []any{
			caseworld.Object("chief", cluster.Chief, "worker", cluster.Worker, "ps", cluster.PS),
			caseworld.Object("type", task.Type, "index", task.Index),
		}, err
	})
	files := caseworld.Object()
	if names, err := c.Env.Files.ReadDir("m/ps_cluster_dir"); err == nil {
		for _, name := range names {
			data, err := c.Env.Files.ReadFile("m/ps_cluster_dir/" + name)
			if err != nil {
				return nil, err
			}
			if utf8.Valid(data) {
				files.Set(name, string(data))
			} else {
				files.Set(name, data)
			}
		}
	}
	return caseworld.Object("result", result, "slept", caseworld.InRows(l.time.Slept), "queries", sameRows(d.queries), "files", files, "metrics", sameRows(d.metrics)), nil
}

// sameRows replaces neighbours that have the same repr by one [entry, count].
func sameRows(entries []any) []any {
	rows, last := []any{}, ""
	for _, e := range entries {
		shown := pysem.Repr(e)
		if len(rows) > 0 && shown == last {
			row := rows[len(rows)-1].([]any)
			row[1] = row[1].(int) + 1
			continue
		}
		rows, last = append(rows, []any{e, 1}), shown
	}
	return rows
}

func sessionConfig(c *caseworld.Call) (any, error) {
	var cluster *clustermanager.Cluster
	var task clustermanager.Task
	if c.In.Value("cluster_and_task") != nil {
		parts := c.In.Objects("cluster_and_task")
		cluster = &clustermanager.Cluster{Chief: parts[0].Strings("chief"), Worker: parts[0].Strings("worker"), PS: parts[0].Strings("ps")}
		task = clustermanager.Task{Type: parts[1].Str("type"), Index: parts[1].Integer("index")}
	}
	config := clustermanager.SessionConfig(cluster, task)
	jobs := []any{}
	if config.Cluster != nil {
		for _, j := range []struct {
			name  string
			addrs []string
		}{{"chief", config.Cluster.Chief}, {"ps", config.Cluster.PS}, {"worker", config.Cluster.Worker}} {
			tasks := []any{}
			for i, addr := range j.addrs {
				tasks = append(tasks, []any{i, addr})
			}
			jobs = append(jobs, []any{j.name, tasks})
		}
	}
	return caseworld.Object("device_filters", append([]string{}, config.DeviceFilters...), "cluster", jobs, "allow_soft_placement", true,
		"share_cluster_devices_in_session", true, "share_session_state", true, "disable_meta_optimizer", true), nil
}
