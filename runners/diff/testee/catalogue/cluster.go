package catalogue

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// clusterOps declares the operations by which a training finds and gathers its processes.
var clusterOps = operations{
	"cluster_manager.get_training_cluster":           trainingCluster,
	"cluster_manager.generate_session_config":        in("cluster_and_task (null, or [cluster, task])", nullable(clusterAndTask)),
	"ps_check_hooks.get_ps_machine_info_shared_name": in("index", oneOf(0, 1, -1, 10, 1<<31, 1<<53, -1<<40, from(0, 999))),
	"client_lib.get_stub_from_model_dir": func(d *draws, c *testee.Case) object {
		c.Files = dict(pick(d, "m/", "", "m/")+"controller_server_addr.txt", d.fill(controllerAddress))
		switch d.n(8) {
		case 5:
			c.Files = dict("m", "a file")
		case 6:
			c.Files = dict("m/", nil)
		case 7:
			c.Files = dict("m/controller_server_addr.txt/", nil)
		}
		return object{"model_dir", oneOf("<TMP>/m", "<TMP>/m/", "m", "<TMP>/none", "", "<TMP>")}
	},
}

// controllerAddress draws the content of the file that holds the address of the controller's
// server.
var controllerAddress = oneOf("10.1.2.3:1234", "[fd00::1]:1234", "h:1\n", "", "\n", " h:1 ", "h", "h:", ":1", "a:1\r\nb:2", "模:1", "unix:/s", "h:1\x00", "\ufeffh:1",
	bytesOf("\xff:1"), bytesOf("h:1\xed\xa0\xbd"), oddText(6))

func trainingCluster(d *draws, c *testee.Case) object {
	required := pick(d, 2, 1, 0, 3)
	arguments := object{"worker_addr", oneOf("me:1", "[fd00::1]:1", "", "模"), "index", oneOf(0, 1, 2, 0, 1, 5, -1, -2, -9), "num_redundant_ps", oneOf(0, 1, 2, -1),
		"num_required_ps", required, "num_workers", oneOf(3, 1, 2, 0, -1), "model_dir", "<TMP>/m", "uuid", oneOf("", "u", nil, "模", "../x")}
	if d.flip(3) {
		arguments = append(arguments, "model_name", oneOf("n", "", nil, "模"), "cluster_type?", oneOf("stable", "", "x"))
	}
	if d.flip(3) {
		c.Files = dict("m/ps_cluster_dir/"+clusterFile(d), d.fill(clusterText))
	}
	appearing := func(d *draws) any {
		return []any{from(1, 5), object{"m/ps_cluster_dir/" + clusterFile(d), clusterText}}
	}
	return object{"arguments", arguments, "views", object{"ps!20", clusterViews(required), "worker!20", clusterViews(1)},
		"appear", oneOf([]any{}, []any{}, some(2, appearing))}
}

// clusterFile draws the name of a file that lists PS. clusterText draws its content.
func clusterFile(d *draws) string {
	return pick(d, "ps_info", "ps_info", "u", "模", "ps_info-tmp")
}

var clusterText = oneOf("a,b", "a:1,b:1", "a", "a,b,c", "", ",", "a,", "a,b\n", "模,b", " a , b ", "a\r\nb,c", "\ufeffa,b", bytesOf("\xff,b"), bytesOf("a,\xed\xa0\xbd"))

// clusterViews draws what discovery returns for a role in successive queries. Mostly the last view
// has enough processes.
func clusterViews(enough int) draw {
	return func(d *draws) any {
		views := list(d, 2, func() any { return clusterView(d, d.n(3)) })
		if d.flip(12) {
			return append(views, clusterView(d, 0))
		}
		return append(views, clusterView(d, enough+d.n(3)))
	}
}

// clusterView draws a dict of processes. Their indices are not in order.
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

// clusterAndTask draws a cluster, and the type and index of a process in it.
func clusterAndTask(d *draws) any {
	addr := oneOf("a:1", "b:1", "", "[fd00::1]:1", "模")
	cluster := object{"chief", several(3, addr), "worker", some(4, addr), "ps", some(4, addr)}
	return []any{cluster, object{"type", oneOf("worker", "chief", "ps", "evaluator", "", "模"), "index", oneOf(0, 1, -1, 12, 1<<31)}}
}
