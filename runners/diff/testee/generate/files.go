package generate

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genFiles invents for sections 15, 16 and 18 of the protocol: what reads files.
var genFiles = map[string]generator{
	"model_manager.ModelManager.sequence": genModelManager,
	"resource_utils.cal_model_info_v2":    genModelInfo,
	"resource_utils.memory":               func(d *draws, c *testee.Case) { c.Host = dict("mem_available", pick(d, 7000000000, 0, 1, 1<<40)) },
	"resource_utils.exists":               genExists,
}

// modelFiles are what a transfer service leaves of versions of models. A link can
// be made once only, so it is for the files that are there at the beginning.
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

func genModelManager(d *draws, c *testee.Case) {
	c.Files = modelFiles(d, true)
	steps := []any{}
	for range 1 + d.n(5) {
		switch d.n(10) {
		case 0, 1, 2:
			steps = append(steps, "loop")
		case 3, 4:
			steps = append(steps, []any{"add", modelFiles(d, false)})
		case 5:
			steps = append(steps, pick[any](d, "remove_read_lock", "remove_old_file"))
		case 6:
			steps = append(steps, []any{"timeout", 30}, "start")
		case 7:
			steps = append(steps, []any{"run", pick(d, 1, 2, 3)})
		case 8:
			steps = append(steps, []any{"timeout", pick(d, 30, 60, 0)}, "wait_for_download")
		case 9:
			steps = append(steps, []any{"delete", pick(d, "recv", "p2p/m@1", "nope", "p2p/m@1.write.done", "linked")})
		}
	}
	c.In = dict("model_name", pick[any](d, "m", "m", "m2", nil, ""), "source_path", pick[any](d, "<TMP>/p2p", "<TMP>/p2p", "<TMP>/none", "<TMP>/linked"), "receive_path", pick[any](d, "<TMP>/recv", "<TMP>/recv", "<TMP>/a/b", "<TMP>/linked"), "steps", steps)
}

func genModelInfo(d *draws, c *testee.Case) {
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
	c.In = dict("exported_models_path", pick(d, "<TMP>/m/exported_models", "<TMP>/m/exported_models/", "m/exported_models", "<TMP>/none"))
	if d.flip(3) {
		c.In.Set("version", pick[any](d, "5", 100, "200", "9"))
	}
	if d.flip(4) {
		c.In.Set("ckpt", pick[any](d, "model.ckpt-100", "model.ckpt-5", "x", nil))
	}
}

func genExists(d *draws, c *testee.Case) {
	c.Files = dict("a/", nil, "f", "x", "dangling", dict("$link", "nowhere"), "link", dict("$link", "f"))
	c.In = dict("dirname", pick(d, "a", "f", "none", "dangling", "link", "", "f/x", "a/", "<TMP>/a", "."))
}
