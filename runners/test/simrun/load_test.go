package simrun_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Goal: the counted ZooKeeper traffic is complete, and counting changes nothing. Method:
// compare the parts with each other, with the server's own counters and with its list of
// watches. Compare the trace with that of a run without counting.
func TestTrafficAddsUpAndChangesNothing(t *testing.T) {
	run := func(traffic bool) (*simrun.Cluster, runners.Stats) {
		c, err := (&simrun.Runner{Traffic: traffic}).Build(v3Spec())
		do(t, err)
		t.Cleanup(c.Close)
		do(t, c.Start())
		pass(t, c, 5*time.Second)
		do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
		do(t, c.Publish("", "ctr", "entry"))
		for range 50 {
			pass(t, c, 10*time.Second)
			if traffic {
				c.(*simrun.Cluster).Load()
			}
		}
		return c.(*simrun.Cluster), c.Stats()
	}
	c, stats := run(true)
	if _, plain := run(false); plain.TraceHash != stats.TraceHash {
		t.Errorf("trace: want that of a run that counts nothing, %016x, got %016x", plain.TraceHash, stats.TraceHash)
	}
	z := c.Load().ZooKeeper
	sums := map[string]runners.Flow{"operation": sum(z.ByOp), "path": sum(z.ByPath), "pod": sum(z.ByPod)}
	for by, s := range sums {
		if s.Requests != z.Asked.Requests || s.BytesIn != z.Asked.BytesIn {
			t.Errorf("by %s: want what was asked in all, %+v, got %+v", by, z.Asked, s)
		}
	}
	if pods := sums["pod"]; pods != z.Asked {
		t.Errorf("by pod, answers and events too: want %+v, got %+v", z.Asked, pods)
	}
	var requests uint64
	for op, n := range stats.ZooKeeperRequests {
		if op != "ping" {
			requests += n
		}
	}
	if got := z.Asked.Requests + z.Operator.Requests; got != requests || z.Operator.Requests == 0 {
		t.Errorf("requests: want those of the server's counters, %d, got %d, %d of them the operator's", requests, got, z.Operator.Requests)
	}
	if z.DataWatches+z.ChildWatches == 0 || z.Sessions != 2 || z.Connections != 2 || !z.Up {
		t.Errorf("load: want watches and two sessions, got %+v", z)
	}
	if z.PeakRequests == 0 || z.PeakRequests > z.Asked.Requests || z.PeakAt > stats.Virtual {
		t.Errorf("peak: got %d requests in the second from %v", z.PeakRequests, z.PeakAt)
	}
	servers := c.Load().ModelServers
	if len(servers) != 2 || servers[0].ResidentBytes < 300<<20 || servers[0].PeakBytes < servers[0].ResidentBytes {
		t.Errorf("model servers: want two with a model of 300 MiB, got %+v", servers)
	}
}

func sum(flows map[string]runners.Flow) (s runners.Flow) {
	for _, f := range flows {
		s.Requests += f.Requests
		s.Events += f.Events
		s.BytesIn += f.BytesIn
		s.BytesOut += f.BytesOut
	}
	return s
}
