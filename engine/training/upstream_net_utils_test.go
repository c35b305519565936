package training_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: functions for addresses, and the checker of nodes, pass the reference's own tests
// (net_utils_test.py).

// luckyNetwork refuses about every second connection at random, and records the refused addresses.
type luckyNetwork struct {
	env.Network
	random env.Random
	dead   []string
}

func (n *luckyNetwork) Probe(addr string, _ time.Duration) error {
	if n.random.Intn("lucky", 2) == 1 {
		return nil
	}
	n.dead = append(n.dead, addr)
	return pysem.Raise("RuntimeError", "%s connect error", addr)
}

func TestUpstreamNetUtils_test_basic(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		n := &luckyNetwork{Network: c.Env.Network, random: c.Env.Random}
		e := *c.Env
		e.Network = n
		addrs := []string{"localhost:1233", "localhost:1234", "localhost:1235", "localhost:1236", "localhost:1238"}
		checker := training.NewNodeAliveChecker(&e, addrs, time.Second, 10)
		if len(n.dead) == 0 || len(n.dead) == len(addrs) {
			t.Fatalf("got %d of %d dead, want a seed of which some are", len(n.dead), len(addrs))
		}
		slices.Sort(n.dead)
		alive := slices.DeleteFunc(slices.Clone(addrs), func(a string) bool { return slices.Contains(n.dead, a) })
		for _, x := range []struct {
			name      string
			got, want []string
		}{{"addresses", checker.Addrs(), addrs}, {"dead", checker.DeadNodes(), n.dead}, {"alive", checker.AliveNodes(), alive}} {
			if diff := cmp.Diff(x.want, x.got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", x.name, diff)
			}
		}
		if checker.AllNodesAlive() {
			t.Error("got all alive")
		}
	})
}

func TestUpstreamNetUtils_test_concat_ip_and_port(t *testing.T) {
	for _, c := range []struct{ ip, want string }{{"localhost", "localhost:10"}, {"127.0.0.1", "127.0.0.1:10"}, {"::1", "[::1]:10"}} {
		if got := training.ConcatIPAndPort(c.ip, "10"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.ip, got, c.want)
		}
	}
}

func TestUpstreamNetUtils_test_get_local_server_addr(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		if addr, err := training.LocalServerAddr(c.Env.Host, "10"); addr == "" || err != nil {
			t.Errorf("got %q, error %v, want an address", addr, err)
		}
	})
}
