package generate

import (
	"fmt"

	"github.com/monosim/monosim/runners/diff/testee"
)

// genAgentV3Sequence is an agent's life over declared models, a layout and the
// bindings of others.
func genAgentV3Sequence(d *draws, c *testee.Case) {
	config := unified(d, c)
	if d.flip(3) {
		config = withFilters(d, config)
	}
	steps := []any{}
	if d.flip(8) {
		steps = append(steps, pick(d, stepOf("report_round"), stepOf("bindings_round"), stepOf("stop")))
	}
	steps = append(steps, stepOf("start"))
	if !d.flip(4) {
		layout, _ := config.Get("layout_pattern")
		if layout == "grp/l1" {
			layout = "/gip/layouts/grp/l1"
		}
		steps = append(steps, stepOf("report_round"))
		for _, graph := range []string{"ps_0", "entry", "ps_1"}[:1+d.n(3)] {
			steps = append(steps, declared("m", graph, `"latest"`), stepOf("zk.create", "path", layout.(string)+"/m:"+graph))
		}
		steps = append(steps, stepOf("bindings_round"))
	}
	for range 3 + d.n(14) {
		steps = append(steps, agentV3Step(d))
	}
	wrapper := pick(d, "grpc", "archon", "fake")
	if wrapper != "fake" && d.flip(2) {
		states := dict()
		for range 1 + d.n(2) {
			states.Set(pick(d, "m:ps_0", "m:entry", "n:ps_0"), pick[any](d, 20, 30, 0, 50, "int"))
		}
		steps = append(steps, []any{"statuses", states}, stepOf("bindings_round"))
	}
	c.In = dict("config", config, "wrapper", wrapper, "steps", steps)
}

// declared declares a model with a policy in JSON.
func declared(model, graph, policy string) any {
	return stepOf("zk.create", "path", "/gip/saved_models/"+model+"/"+graph, "makepath", true,
		"value", hexBytes(fmt.Sprintf(`{"model_base_path": "/exp/%s", "version_policy": %s}`, graph, policy)))
}

func agentV3Step(d *draws) any {
	model, graph := pick(d, "m", "n"), pick(d, "ps_0", "entry", "ps_1")
	layout := pick(d, "/gip/layouts/grp/l1", "/gip/layouts/grp/l1", "/gip/layouts/l")
	child := layout + "/" + model + ":" + graph
	switch d.n(16) {
	case 0, 1, 2:
		return declared(model, graph, pick(d, `"latest"`, `"all"`, `"x"`, "null"))
	case 3, 4, 5:
		return stepOf("zk.create", "path", child, "makepath", true)
	case 6:
		return stepOf("zk.delete", "path", child)
	case 7:
		return stepOf("zk.create", "path", layout+"/"+pick(d, "m", "m:ps_0:x", ":", "m:ps_0:c:d"), "makepath", true)
	case 8:
		return stepOf("zk.create", "path", "/gip/container_service/c:"+pick(d, "1", "2"), "makepath", true, "value",
			hexBytes(pick(d, `{"grpc": "h:1", "archon": "h:2"}`, `{}`, `{"grpc": null}`, "x")))
	case 9, 10:
		return pick(d, stepOf("zk.create", "path", "/gip/binding/"+model+"/"+graph+":c:"+pick(d, "1", "2", "3"), "makepath", true),
			stepOf("zk.delete", "path", "/gip/binding/"+model+"/"+graph+":c:1"), stepOf("zk.create", "path", "/gip/binding/"+model+"/bad", "makepath", true))
	case 11:
		return stepOf("report_round")
	case 12, 13:
		return stepOf("bindings_round")
	case 14:
		return pick(d, stepOf("lost"), stepOf("connected"))
	}
	return pick(d, stepOf("bindings_round"), stepOf("report_round"), stepOf("signal"), stepOf("stop"), stepOf("zk.delete", "path", "/gip/binding/"+model))
}
