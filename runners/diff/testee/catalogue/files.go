package catalogue

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// fileOps declares the operations that read files: model_manager.py, resource_utils.py and agent_controller.py.
var fileOps = operations{
	"model_manager.ModelManager.sequence": func(d *draws, c *testee.Case) object {
		c.Files = modelFiles(d, true)
		return object{"model_name", oneOf("m", "m", "m2", nil, ""), "source_path", oneOf("<TMP>/p2p", "<TMP>/p2p", "<TMP>/none", "<TMP>/linked"),
			"receive_path (each may be null)", oneOf("<TMP>/recv", "<TMP>/recv", "<TMP>/a/b", "<TMP>/linked"), "use_metrics?1 (false)", absent{},
			"steps?1", modelManagerSteps, "until_ms?1", absent{}, "events?1", absent{}}
	},
	"resource_utils.cal_model_info_v2": modelInfo,
	"resource_utils.memory": surroundings(func(d *draws, c *testee.Case) {
		c.Host = dict("mem_available", pick(d, 7000000000, 0, 1, 1<<40))
	}),
	"resource_utils.container": recorded("later? (files for the end of each sleep, in order)"),
	"resource_utils.exists": func(_ *draws, c *testee.Case) object {
		c.Files = dict("a/", nil, "f", "x", "dangling", dict("$link", "nowhere"), "link", dict("$link", "f"))
		return object{"dirname", oneOf("a", "f", "none", "dangling", "link", "", "f/x", "a/", "<TMP>/a", ".")}
	},
	"agent_controller.find_model_name": recorded("exported_models_path"),
	"agent_controller.declare_saved_model": recorded("export_base", "model_name?", "overwrite?", "arch?",
		"declared_before ([model, sub graph]…, with base path `/old` and policy `all`)"),
	"agent_controller.main":                recorded("flags (object)"),
	"agent_controller.map_model_to_layout": mapModel,
}

// modelFiles draws the files of model versions, as a transfer service leaves them. A link can be
// made only once. So links are drawn only for the files at the beginning.
func modelFiles(d *draws, links bool) *pysem.Dict {
	f := dict()
	for range 1 + d.n(3) {
		name, version := pick(d, "m", "m2", "mm"), pick(d, "1", "2", "10", "3", "abc", "007")
		dir := fmt.Sprintf("p2p/%s@%s", name, version)
		for range d.length(3) {
			f.Set(fmt.Sprintf("%s/%s/%s/%s/%s", dir, name, pick(d, "ps_0", "entry"), version, pick(d, "f0", "sub/f1", "f2")), pick[any](d, "data0", "", hexBytes("\xff\x00")))
		}
		if !d.flip(4) {
			f.Set(dir+".write.done", "")
		}
		if d.flip(6) {
			f.Set(dir+".read.lock", "")
		}
		if d.flip(10) {
			f.Set(dir+"/", nil)
		}
	}
	if d.flip(5) {
		f.Set("recv/stale/x", "1")
	}
	if links && d.flip(12) {
		f.Set("p2p/link", dict("$link", pick(d, "nowhere", "<TMP>/p2p")))
	}
	if links && d.flip(8) {
		f.Set("linked", dict("$link", pick(d, "p2p", "<TMP>/p2p", "recv", "linked", "nowhere/x", "p2p/m@1.write.done")))
	}
	return f
}

// modelManagerSteps draws steps. Each is a name, or a list of a name and its arguments.
func modelManagerSteps(d *draws) []any {
	steps := []any{}
	for range 1 + d.n(5) {
		switch d.n(10) {
		case 0, 1, 2:
			steps = append(steps, "loop")
		case 3, 4:
			steps = append(steps, []any{"add", modelFiles(d, false)})
		case 5:
			steps = append(steps, oneOf("remove_read_lock", "remove_old_file"))
		case 6:
			steps = append(steps, []any{"timeout", 30}, "start")
		case 7:
			steps = append(steps, []any{"run", oneOf(1, 2, 3)})
		case 8:
			steps = append(steps, []any{"timeout", oneOf(30, 60, 0)}, "wait_for_download")
		case 9:
			steps = append(steps, []any{"delete", oneOf("recv", "p2p/m@1", "nope", "p2p/m@1.write.done", "linked")})
		}
	}
	return steps
}

func modelInfo(d *draws, c *testee.Case) object {
	f := dict()
	for _, graph := range []string{"entry", "ps_0", "ps_1"} {
		if graph != "entry" && d.flip(3) {
			continue
		}
		for range d.length(3) {
			version := pick(d, "5", "100", "200", "x", "7")
			f.Set("m/exported_models/"+graph+"/"+version+"/saved_model.pb", pick(d, "xxx", "", "xxxxx"))
			if d.flip(2) {
				f.Set("m/exported_models/"+graph+"/"+version+"/variables/v", "yyyyyyyyyy")
			}
		}
	}
	if d.flip(4) {
		f.Set("m/checkpoint", pick(d, `model_checkpoint_path: "model.ckpt-100"`, "", "x"))
	}
	if d.flip(5) {
		f.Set("m/model.ckpt-100.assets/ps_0/a", "zzz")
	}
	c.Files = f
	return object{"exported_models_path", oneOf("<TMP>/m/exported_models", "<TMP>/m/exported_models/", "m/exported_models", "<TMP>/none"),
		"ckpt?4", oneOf("model.ckpt-100", "model.ckpt-5", "x", nil), "version?3 (string or int)", oneOf("5", 100, "200", "9")}
}

// mapModel draws models that are declared, and which of them are published.
func mapModel(d *draws, _ *testee.Case) object {
	declared, published := []any{}, []any{}
	for range 1 + d.n(5) {
		model, graph := pick(d, "ctr", "other"), pick(d, "entry", "ps_0", "ps_1", "ps_10", "PS_2", "ps[1]")
		declared = append(declared, []any{model, graph})
		if model == "ctr" && d.flip(3) {
			published = append(published, graph)
		}
	}
	return object{"model_pattern", oneOf("ctr:ps_*", "ctr:entry", "ctr:*", "ctr:ps_?", "ctr:[ep]*", "ctr", "other:*", "ctr:ps[[]1]", "ctr:", "ctr:*:x", "ctr:[!e]*"),
		"layout_path", "/gip/layouts/l", "action", oneOf("pub", "unpub", "x"),
		"declared ([model, sub graph]…, base path `/e/<sub graph>`, policy `latest`)", declared, "published (sub graphs of `ctr` already in the layout)", published}
}
