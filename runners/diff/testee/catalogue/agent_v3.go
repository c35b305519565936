package catalogue

import (
	"github.com/monosim/monosim/runners/diff/testee"
)

// agentV3Sequence draws the life of an agent, with declared models, a layout, and bindings that
// other agents make.
func agentV3Sequence(d *draws, c *testee.Case) object {
	config := unified(d, c)
	if d.flip(3) {
		config = append(config, layoutFilters...)
	}
	layout := pick(d, "/gip/layouts/grp/l1", "/gip/layouts/l")
	if config = append(config, "layout_pattern", layout); layout != "/gip/layouts/l" {
		config[len(config)-1] = "grp/l1"
	}
	begun := turns{do("report_round")}
	for _, graph := range []string{"ps_0", "entry", "ps_1"}[:1+d.n(3)] {
		begun = append(begun, declareModel("m", graph, `"latest"`), do("zk.create", "path", layout+"/m:"+graph))
	}
	wrapper := pick(d, "grpc", "archon", "fake")
	told := turns{do("statuses", "m:ps_0?1", oneOf(20, 30, 0, 50, "int"), "m:entry?3", oneOf(20, "int"), "n:ps_0?3", oneOf(20, "int"), "*?1", absent{}), do("bindings_round")}
	return object{"config", config, "wrapper", wrapper, "until_ms?1", absent{}, "events?1", absent{}, "steps?1", turns{
		maybe{8, sequence{least: 1, most: 1, steps: []step{do("report_round bindings_round stop")}}},
		do("start"),
		usually{4, append(begun, do("bindings_round"))},
		agentV3Steps,
		given(wrapper != "fake", maybe{2, told}),
	}}
}

// declareModel returns a step that declares a model. policy is written as JSON.
func declareModel(model, graph, policy any) step {
	return do("zk.create", "path", join("/gip/saved_models/", model, "/", graph), "makepath", true,
		"value", bytesOf(join(`{"model_base_path": "/exp/`, graph, `", "version_policy": `, policy, "}")))
}

var (
	graphName   = oneOf("ps_0", "entry", "ps_1")
	aLayout     = oneOf("/gip/layouts/grp/l1", "/gip/layouts/grp/l1", "/gip/layouts/l")
	modelPolicy = oneOf(`"latest"`, `"all"`, `"x"`, "null")
	layoutChild = join(aLayout, "/", oneOf("m", "n"), ":", graphName)
)

var agentV3Steps = steps(3, 16,
	declareModel(oneOf("m", "n"), "ps_0", modelPolicy), declareModel(oneOf("m", "n"), "entry", modelPolicy), declareModel(oneOf("m", "n"), "ps_1", modelPolicy),
	do("zk.create", "path", layoutChild, "makepath", true).often(3),
	do("zk.delete", "path", layoutChild),
	do("zk.create", "path", join(aLayout, "/", oneOf("m", "m:ps_0:x", ":", "m:ps_0:c:d")), "makepath", true),
	do("zk.create", "path", join("/gip/container_service/c:", oneOf("1", "2")), "makepath", true, "value",
		bytesOf(oneOf(`{"grpc": "h:1", "archon": "h:2"}`, `{}`, `{"grpc": null}`, "x"))),
	do("zk.create", "path", join("/gip/binding/", oneOf("m", "n"), "/", oneOf(join(graphName, ":c:", oneOf("1", "2", "3")), "bad")), "makepath", true),
	do("zk.delete", "path", join("/gip/binding/", oneOf("m", "n"), oneOf("", join("/", graphName, ":c:1")))),
	do("report_round"), do("bindings_round").often(2), do("lost connected signal stop"),
)
