package generate

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genCluster invents for what finds the processes of a training and gathers them.
var genCluster = map[string]generator{
	"cluster_manager.get_training_cluster": genTrainingCluster,
	"cluster_manager.generate_session_config": func(d *draws, c *testee.Case) {
		c.In = dict("cluster_and_task", optional(d, func() any { return clusterAndTask(d) }))
	},
	"client_lib.get_stub_from_model_dir": func(d *draws, c *testee.Case) {
		c.In = dict("model_dir", pick(d, "<TMP>/m", "<TMP>/m/", "m", "<TMP>/none", "", "<TMP>"))
		c.Files = dict(pick(d, "m/", "", "m/")+"controller_server_addr.txt", controllerAddress(d))
		switch d.n(8) {
		case 5:
			c.Files = dict("m", "a file")
		case 6:
			c.Files = dict("m/", nil)
		case 7:
			c.Files = dict("m/controller_server_addr.txt/", nil)
		}
	},
	"ps_check_hooks.get_ps_machine_info_shared_name": func(d *draws, c *testee.Case) {
		c.In = dict("index", pick(d, 0, 1, -1, 10, 1<<31, 1<<53, -1<<40, d.n(1000)))
	},
}

// controllerAddress is what the file of the controller's server has, mostly an address.
func controllerAddress(d *draws) any {
	return pick[any](d, "10.1.2.3:1234", "[fd00::1]:1234", "h:1\n", "", "\n", " h:1 ", "h", "h:", ":1", "a:1\r\nb:2", "模:1", "unix:/s", "h:1\x00", "\ufeffh:1", hexBytes("\xff:1"), hexBytes("h:1\xed\xa0\xbd"), text(d, 6))
}

func genTrainingCluster(d *draws, c *testee.Case) {
	required := pick(d, 2, 1, 0, 3)
	arguments := dict("worker_addr", pick(d, "me:1", "[fd00::1]:1", "", "模"), "index", pick(d, 0, 1, 2, 0, 1, 5, -1, -2, -9), "num_redundant_ps", pick(d, 0, 1, 2, -1),
		"num_required_ps", required, "num_workers", pick(d, 3, 1, 2, 0, -1), "model_dir", "<TMP>/m", "uuid", pick[any](d, "", "u", nil, "模", "../x"))
	if d.flip(3) {
		arguments.Set("model_name", pick[any](d, "n", "", nil, "模"))
		if d.flip(2) {
			arguments.Set("cluster_type", pick(d, "stable", "", "x"))
		}
	}
	views := dict()
	if !d.flip(20) {
		views.Set("ps", clusterViews(d, required))
	}
	if !d.flip(20) {
		views.Set("worker", clusterViews(d, 1))
	}
	c.In = dict("arguments", arguments, "views", views, "appear", []any{})
	if d.flip(3) {
		c.Files = dict("m/ps_cluster_dir/"+clusterFile(d), clusterText(d))
	}
	if d.flip(3) {
		c.In.Set("appear", list(d, 2, func() any {
			return []any{d.n(5) + 1, dict("m/ps_cluster_dir/"+clusterFile(d), clusterText(d))}
		}))
	}
}

// clusterFile is the name of a file of PS.
func clusterFile(d *draws) string {
	return pick(d, "ps_info", "ps_info", "u", "模", "ps_info-tmp")
}

// clusterText is what it has.
func clusterText(d *draws) any {
	return pick[any](d, "a,b", "a:1,b:1", "a", "a,b,c", "", ",", "a,", "a,b\n", "模,b", " a , b ", "a\r\nb,c", "\ufeffa,b", hexBytes("\xff,b"), hexBytes("a,\xed\xa0\xbd"))
}

// clusterViews are what discovery knows of a role over time; the last has enough, mostly.
func clusterViews(d *draws, enough int) []any {
	views := []any{}
	for range d.length(2) {
		views = append(views, clusterView(d, d.n(3)))
	}
	if d.flip(12) {
		return append(views, clusterView(d, 0))
	}
	return append(views, clusterView(d, enough+d.n(3)))
}

// clusterView has some processes, in no order of their indices.
func clusterView(d *draws, count int) *pysem.Dict {
	view := dict()
	for i := range count {
		index := count - 1 - i
		if d.flip(5) {
			index = pick(d, 10, -1, 7, 1<<31, 100)
		}
		view.Set(fmt.Sprint(index), fmt.Sprintf("%s:%d", pick(d, "p", "q", "[fd00::1]", "", "模"), d.n(3)))
	}
	return view
}

// clusterAndTask is a cluster with a process's place in it.
func clusterAndTask(d *draws) any {
	addrs := func(least int) []any {
		made := list(d, 4, func() any { return pick(d, "a:1", "b:1", "", "[fd00::1]:1", "模") })
		for len(made) < least {
			made = append(made, "c:1")
		}
		return made
	}
	cluster := dict("chief", addrs(1), "worker", addrs(0), "ps", addrs(0))
	return []any{cluster, dict("type", pick(d, "worker", "chief", "ps", "evaluator", "", "模"), "index", pick(d, 0, 1, -1, 12, 1<<31))}
}
