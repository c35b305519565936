package generate

import "github.com/monosim/monosim/runners/diff/testee"

// genWaiting invents for what asks the application master.
var genWaiting = map[string]generator{"yarn_runtime.sequence": genYarn}

func genYarn(d *draws, c *testee.Case) {
	for _, v := range []struct{ name, usual string }{{"PRIMUS_AM_RPC_HOST", "am"}, {"PRIMUS_AM_RPC_PORT", "77"}} {
		switch d.n(8) {
		case 6:
			c.Env.Set(v.name, pick(d, "", "fd00::1", "模", "x", " "))
		case 7:
		default:
			c.Env.Set(v.name, v.usual)
		}
	}
	message := func() any { return pick(d, "", "no room", "模", text(d, 4)) }
	reply := func(fields func() any) func() any {
		return func() any {
			if d.flip(5) {
				return "error"
			}
			return fields()
		}
	}
	replies := dict()
	for _, method := range []struct {
		name   string
		most   int
		fields func() any
	}{
		{"kill", 2, func() any { return dict() }},
		{"succeed", 2, func() any { return dict() }},
		{"createSavepoint", 3, func() any {
			return dict("code", pick(d, 0, 0, 0, 3, -1, 1<<31-1, -1<<31), "message", message(), "savepoint_id", pick(d, "s", "", "模"))
		}},
		{"createSavepointStatus", 6, func() any {
			return dict("state", pick(d, "SUCCEEDED", "PENDING", "RUNNING", "PENDING", "RUNNING", "FAILED"), "message", message())
		}},
	} {
		if d.flip(2) {
			replies.Set(method.name, list(d, method.most, reply(method.fields)))
		}
	}
	c.In = dict("calls", list(d, 4, func() any {
		switch d.n(3) {
		case 0:
			return []any{"kill", dict("reason", message())}
		case 1:
			return []any{"finish", dict()}
		}
		return []any{"save_point", dict("dst", pick(d, "hdfs:/s", "", "模", text(d, 4)))}
	}), "replies", replies)
}
