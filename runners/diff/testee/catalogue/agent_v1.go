package catalogue

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// agentOps declares the operations on agent.py and agent_v1.py.
var agentOps = operations{
	"agent.main":                recorded("conf", "tfs_log?"),
	"agent_v1.AgentV1.sequence": agentV1Processes,
}

// agentV1Processes draws a sequence for an agent of version 1. Every event has a fraction of a
// second of its own, because otherwise testees might order simultaneous events differently.
func agentV1Processes(d *draws, c *testee.Case) object {
	for i := 3; i <= 10; i++ { // ports that no server can have are drawn by the suite utils
		c.Env.Set(fmt.Sprintf("PORT%d", i), fmt.Sprint(1000+i))
	}
	c.Env.Set("PORT", "1000")
	d.vary(c.Env, "PORT2!4", "1002", "PORT5?8", "0", // port 0 is not drawn here, because the agent would not wait for it to open
		"SHARD_ID", oneOf("0", "0", "1"), "MLP_POD_NAME?8", "p")
	deploy := pick(d, "mixed", "ps", "entry", "dense", "unified")
	numPS := pick(d, 1, 2, 0)
	conf := fmt.Sprintf("bzid b\nbase_name n\nbase_path /m\nagent_version 1\ndeploy_type %s\nnum_ps %d\n", deploy, numPS)
	if d.flip(2) {
		conf += "dense_alone true\n"
	}
	if d.flip(6) {
		conf += fmt.Sprintf("update_model_status_interval %d\n", pick(d, 2, 7, 1))
	}
	if d.flip(6) {
		conf += "agent_port 4711\n"
	}
	c.Files = dict("a.conf", conf)
	moments := 0
	at := func(seconds ...int) draw {
		return func(d *draws) any {
			moments++
			return pick(d, seconds...)*1000 + 100 + 17*moments
		}
	}
	events := []any{}
	create := func(path string, stat any, seconds ...int) {
		events = append(events, []any{at(seconds...), "create", []any{path, stat}})
	}
	for i := range numPS {
		if !d.flip(6) {
			create(fmt.Sprintf("/b/service/n/ps:%d/7", i), oneOf(30, 30, 30, 20), 0, 3, 11, 40)
		}
	}
	if !d.flip(3) {
		create("/b/service/n/dense:0/7", 30, 0, 5, 20)
	}
	if d.flip(2) {
		events = append(events, []any{at(30, 1, 9, 13, 3599), "signal", []any{oneOf(15, 2)}})
	}
	server := func(d *draws) any {
		ends := d.flip(3)
		return object{"opens_ms?", oneOf(at(4), at(12), nil, at(3590)), "ends_ms?1", given(ends, at(30, 2, 14, 0)), "code?1", given(ends, oneOf(0, 1, -11)),
			"survives?4", oneOf(1, 2, 3, 4), "missing?12", true}
	}
	return object{"conf", "a.conf", "tfs_log", oneOf("/var/log/tfs.log", "tfs.log", "l/tfs.log"), "until_ms", oneOf(90950, 3700950),
		"servers?1", some(3, server), "events?1", events}
}

// vary draws the fields of a template and sets them in an existing object.
func (d *draws) vary(to *pysem.Dict, pairs ...any) {
	for _, item := range d.object(pairs).Items {
		to.Set(item.Key, item.Value)
	}
}
