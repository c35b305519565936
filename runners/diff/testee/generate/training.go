package generate

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genTraining invents for section 19 of the protocol.
var genTraining = map[string]generator{
	"net_utils.is_ipv6_address": func(d *draws, c *testee.Case) {
		c.In = dict("ip", pick(d, "1.2.3.4", "::1", "", "fd00::1", "x", "1", "::ffff:1.2.3.4", "fe80::1%eth0", "2001:db8::10/64", " ::1", "1.2.3", text(d, 5)))
	},
	"net_utils.concat_ip_and_port": func(d *draws, c *testee.Case) {
		c.In = dict("ip", pick(d, "1.2.3.4", "::1", "", "host", "fd00::1", "[::1]"), "port", pick[any](d, 80, 0, nil, "x", -1))
	},
	"net_utils.get_local_server_addr": genHost,
	"net_utils.NodeAliveChecker": func(d *draws, c *testee.Case) {
		c.In = dict("addrs", list(d, 3, func() any { return pick(d, "127.0.0.1:1", "10.255.255.1:2", "[::1]:1") }), "timeout", 1, "num_thread", pick(d, 1, 2))
	},
	"net_utils.NodeAliveChecker.reachable": func(d *draws, c *testee.Case) {
		addrs := list(d, 6, func() any {
			return pick(d, "h:1", "g:2", "[::1]:3", "::1:3", "h", "", "h:x", "h:", "[h]:1", "fd00::1:4", "[fd00::1]:4", "h: 1", "h:99999", "a:b:1")
		})
		open := list(d, 3, func() any {
			return pick(d, []any{"h", 1}, []any{"g", 2}, []any{"::1", 3}, []any{"fd00::1", 4}, []any{"a:b", 1})
		})
		c.In = dict("addrs", addrs, "open", open, "timeout", pick(d, 1, 60, 5), "num_thread", pick(d, 1, 2, 10, 0))
	},
	"zk_utils.is_ipv6_only": genHost,
	"env_utils.get_zk_auth_data": func(d *draws, c *testee.Case) {
		if !d.flip(5) {
			c.Env.Set("ZK_AUTH", pick(d, "u:p", "", "digest:u:p", "模"))
		}
	},
	"env_utils.generate_psm_from_uuid": func(d *draws, c *testee.Case) { c.In = dict("s", pick(d, "a.b.c", "", "a", "a-b_c", word(d))) },
	"mem_profiling.enable_tcmalloc": func(d *draws, c *testee.Case) {
		c.Env = heapEnv(d)
	},
	"mem_profiling.setup_heap_profile": func(d *draws, c *testee.Case) {
		c.Env = heapEnv(d)
		c.In = dict()
		if d.flip(2) {
			c.In.Set("heap_pro_file", pick[any](d, "/prof", "", "/p/q"))
		}
	},
	"yarn_runtime.get_local_host": func(d *draws, c *testee.Case) {
		c.Host = hostEntries(d)
		for _, name := range []string{"CLOUDNATIVE_INET_ADDR", "YARN_INET_ADDR"} {
			if d.flip(2) {
				c.Env.Set(name, pick(d, "3.3.3.3,4.4.4.4", "5.5.5.5", "", ",", "fd00::1,fd00::2"))
			}
		}
	},
	"mlp_utils.MLPEnv":                         genMLP,
	"service_discovery.MLPServiceDiscovery":    genMLP,
	"service_discovery.ConsulServiceDiscovery": genConsul,
	"service_discovery.TfConfigServiceDiscovery": func(d *draws, c *testee.Case) {
		cluster := dict()
		for _, role := range []string{"ps", "worker", "chief"} {
			switch {
			case d.flip(3):
			case d.flip(8):
				cluster.Set(role, pick[any](d, "ab", nil, 1, dict("a", 1)))
			default:
				cluster.Set(role, list(d, 3, func() any { return pick(d, "p0:1", "p1:1", "h:2") }))
			}
		}
		index := pick[any](d, 0, 1, 5)
		if d.flip(5) {
			index = pick[any](d, "0", "1", nil, true, -1, bigInt("9223372036854775807"), float(d), []any{})
		}
		c.In = dict("tf_config", dict("cluster", cluster, "task", dict("type", pick(d, "worker", "ps", "chief", "evaluator"), "index", index)))
		if d.flip(12) {
			c.In = dict("tf_config", dict("cluster", pick[any](d, "chief", []any{"chief"}, []any{}, nil, 1), "task", dict("type", pick(d, "worker", "ps"), "index", index)))
		}
	},
	"service_discovery.ZKServiceDiscovery": genZKDiscovery,
	"consul.Client": func(d *draws, c *testee.Case) {
		for _, name := range []string{"CONSUL_HTTP_HOST", "CONSUL_HTTP_PORT", "TCE_HOST_IP"} {
			if d.flip(2) {
				c.Env.Set(name, pick(d, "c", "9", "", "10.0.0.1"))
			}
		}
	},
}

func heapEnv(d *draws) *pysem.Dict {
	env := dict("MY_HOST_IP", "10.1.2.3")
	if d.flip(2) {
		env.Set("LD_PRELOAD", pick(d, "/a.so", "", "/a.so:/b.so"))
	}
	if d.flip(3) {
		env.Set("HEAPPROFILE", "/old")
	}
	return env
}

func genMLP(d *draws, c *testee.Case) {
	c.Host = hostEntries(d)
	for _, v := range []struct{ name, usual string }{
		{"MLP_ROLE", "ps"}, {"MLP_ROLE_INDEX", "0"}, {"MLP_PORT", "2222"}, {"MLP_PS_NUM", "2"}, {"MLP_WORKER_NUM", "2"}, {"MLP_CHIEF_NUM", "1"}, {"MLP_DSWORKER_NUM", "1"},
		{"MLP_PS_0_PRIMARY_HOST", "ps0"}, {"MLP_PS_0_PORT", "1000"}, {"MLP_PS_1_PRIMARY_HOST", "ps1"}, {"MLP_PS_1_PORT", "1001"}, {"MLP_PS_0_HOST", "ps0b"},
		{"MLP_WORKER_0_PRIMARY_HOST", "w0"}, {"MLP_WORKER_0_PORT", "2000"}, {"MLP_WORKER_1_PRIMARY_HOST", "w1"}, {"MLP_WORKER_1_PORT", "2222"}, {"MLP_WORKER_1_HOST", "w1b"},
		{"MLP_CHIEF_0_PRIMARY_HOST", "c0"}, {"MLP_CHIEF_0_PORT", "3000"}, {"MLP_DSWORKER_0_PRIMARY_HOST", "d0"}, {"MLP_DSWORKER_0_PORT", "4000"},
		{"MLP_PS_ALL_PRIMARY_HOSTS", "ps0,ps1"}, {"MLP_PS_ALL_PRIMARY_ADDRS", "ps0:1000,ps1:1001"}, {"MLP_CPU", "4"}, {"MLP_GPU", "1"}, {"MLP_MEM", "1024"}, {"MLP_GPU_TYPE", "A"},
		{"MLP_FRAMEWORK", "tf"}, {"MLP_SSH_PORT", "22"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"CLOUDNATIVE_INET_ADDR", "10.5.5.5,10.6.6.6"},
	} {
		switch d.n(8) {
		case 6:
			continue
		case 7:
			odd := pick(d, "", "x", "3", "WORKER", numeral(d))
			// A list has as many entries: a huge one takes either side for ever.
			if strings.HasSuffix(v.name, "_NUM") && len(odd) > 3 {
				odd = "12"
			}
			c.Env.Set(v.name, odd)
			continue
		}
		if v.name[:4] != "OMPI" || d.flip(4) {
			c.Env.Set(v.name, v.usual)
		}
	}
	noNUL(c.Env)
}

func genConsul(d *draws, c *testee.Case) {
	elements := list(d, 3, func() any {
		return dict("Port", pick(d, 1, 2), "Host", pick(d, "a", "b"), "Tags", dict("index", pick(d, "0", "1", "x"), "name", pick(d, "ps", "worker"), "ip", pick(d, "a", "b")))
	})
	c.In = dict("consul_id", pick(d, "job.id", "j"), "elements", elements, "calls", list(d, 6, func() any { return discoveryCall(d) }))
}

func discoveryCall(d *draws) any {
	name, index, addr := pick(d, "ps", "worker", "nope"), pick(d, 0, 1, 3), pick(d, "a:1", "b:2", "h:1", "bad", "[fd00::1]:1")
	switch d.n(4) {
	case 0, 1:
		return []any{"register", []any{name, index, addr}}
	case 2:
		return []any{"query", []any{name}}
	}
	return []any{"deregister", []any{name, index, addr}}
}

func genZKDiscovery(d *draws, c *testee.Case) {
	tree := []any{}
	if d.flip(2) {
		tree = append(tree, []any{"/monolith/job/" + pick(d, "ps.0", "worker.1", "ps", "x.y.0", "ps.a"), hexBytes(pick(d, "a:1", "", "\xff"))})
	}
	calls := list(d, 6, func() any {
		if d.flip(5) {
			return pick[any](d, []any{"zk.delete", []any{"/monolith/job/ps.0"}}, []any{"zk.create", []any{"/monolith/job/ps.7", hexBytes("z:9")}}, []any{"zk.set", []any{"/monolith/job/ps.0", hexBytes("q:1")}})
		}
		return discoveryCall(d)
	})
	c.In = dict("job_name", "job", "tree", tree, "calls", calls)
}
