package catalogue

import "github.com/monosim/monosim/runners/diff/testee"

// waitingOps declares the operations that call the application master.
var waitingOps = operations{"yarn_runtime.sequence": func(d *draws, c *testee.Case) object {
	d.vary(c.Env, "PRIMUS_AM_RPC_HOST!8", seldom(7, amAddress, "am"), "PRIMUS_AM_RPC_PORT!8", seldom(7, amAddress, "77"))
	message := oneOf("", "no room", "模", oddText(4))
	replies := func(most int, fields ...any) draw { return some(most, seldom(5, "error", object(fields))) }
	return object{"calls", steps(0, 4, do("kill", "reason", message), do("finish"), do("save_point", "dst", oneOf("hdfs:/s", "", "模", oddText(4)))),
		"replies?1", object{"kill?", replies(2), "succeed?", replies(2),
			"createSavepoint?", replies(3, "code", oneOf(0, 0, 0, 3, -1, 1<<31-1, -1<<31), "message", message, "savepoint_id", oneOf("s", "", "模")),
			"createSavepointStatus?", replies(6, "state", oneOf("SUCCEEDED", "PENDING", "RUNNING", "PENDING", "RUNNING", "FAILED"), "message", message)}}
}}

var amAddress = oneOf("", "fd00::1", "模", "x", " ")
