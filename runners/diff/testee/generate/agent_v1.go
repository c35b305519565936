package generate

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genAgentV1 invents for the processes of an agent v1.
var genAgentV1 = map[string]generator{"agent_v1.AgentV1.sequence": genProcesses}

// genProcesses gives every moment a fraction of a second of its own, so that no two
// things happen at once: their order would be that of the testee.
func genProcesses(d *draws, c *testee.Case) {
	for i := 3; i <= 10; i++ { // ports that none can have are for the suite utils
		c.Env.Set(fmt.Sprintf("PORT%d", i), fmt.Sprint(1000+i))
	}
	c.Env.Set("PORT", "1000")
	if !d.flip(4) {
		c.Env.Set("PORT2", "1002")
	}
	if d.flip(8) {
		c.Env.Set("PORT5", "0") // nobody waits for it
	}
	c.Env.Set("SHARD_ID", pick(d, "0", "0", "1"))
	if d.flip(8) {
		c.Env.Set("MLP_POD_NAME", "p")
	}
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
	at := func(second int) int {
		moments++
		return second*1000 + 100 + 17*moments
	}
	servers := []any{}
	for range d.length(3) {
		servers = append(servers, genServer(d, at))
	}
	events := []any{}
	for i := range numPS {
		if !d.flip(6) {
			events = append(events, replicaEvent(at(pick(d, 0, 3, 11, 40)), "create", fmt.Sprintf("/b/service/n/ps:%d/7", i), pick(d, 30, 30, 30, 20)))
		}
	}
	if !d.flip(3) {
		events = append(events, replicaEvent(at(pick(d, 0, 5, 20)), "create", "/b/service/n/dense:0/7", 30))
	}
	if d.flip(2) {
		events = append(events, []any{at(pick(d, 30, 1, 9, 13, 3599)), "signal", []any{pick(d, 15, 2)}})
	}
	c.In = dict("conf", "a.conf", "tfs_log", pick(d, "/var/log/tfs.log", "tfs.log", "l/tfs.log"), "until_ms", pick(d, 90950, 3700950),
		"servers", servers, "events", events)
}

func replicaEvent(ms int, name, path string, stat int) []any {
	return []any{ms, name, []any{path, stat}}
}

// genServer is what a model server does.
func genServer(d *draws, at func(second int) int) *pysem.Dict {
	s := dict()
	if d.flip(2) {
		s.Set("opens_ms", pick[any](d, at(4), at(12), nil, at(3590)))
	}
	if d.flip(3) {
		s.Set("ends_ms", at(pick(d, 30, 2, 14, 0)))
		s.Set("code", pick(d, 0, 1, -11))
	}
	if d.flip(4) {
		s.Set("survives", pick(d, 1, 2, 3, 4))
	}
	if d.flip(12) {
		s.Set("missing", true)
	}
	return s
}
