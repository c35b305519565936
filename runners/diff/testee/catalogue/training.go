package catalogue

import (
	"strings"

	"github.com/monosim/monosim/runners/diff/testee"
)

// trainingOps declares the operations by which a training process finds out about itself and about
// other processes.
var trainingOps = operations{
	"net_utils.is_ipv6_address":           in("ip", oneOf("1.2.3.4", "::1", "", "fd00::1", "x", "1", "::ffff:1.2.3.4", "fe80::1%eth0", "2001:db8::10/64", " ::1", "1.2.3", oddText(5))),
	"net_utils.concat_ip_and_port":        in("ip", oneOf("1.2.3.4", "::1", "", "host", "fd00::1", "[::1]"), "port", oneOf(80, 0, nil, "x", -1)),
	"net_utils.get_local_server_addr":     surroundings(hostAndAddresses),
	"net_utils.NodeAliveChecker":          in("addrs", some(3, oneOf("127.0.0.1:1", "10.255.255.1:2", "[::1]:1")), "timeout", 1, "num_thread", oneOf(1, 2)),
	"net_utils.NodeAliveChecker.sequence": recorded("addrs", "answers (ms)", "timeout (s)", "num_thread", "until_ms"),
	"net_utils.NodeAliveChecker.reachable": in(
		"addrs", some(6, oneOf("h:1", "g:2", "[::1]:3", "::1:3", "h", "", "h:x", "h:", "[h]:1", "fd00::1:4", "[fd00::1]:4", "h: 1", "h:99999", "a:b:1")),
		"open ([host, port]…)", some(3, oneOf([]any{"h", 1}, []any{"g", 2}, []any{"::1", 3}, []any{"fd00::1", 4}, []any{"a:b", 1})),
		"timeout", oneOf(1, 60, 5), "num_thread", oneOf(1, 2, 10, 0)),
	"zk_utils.is_ipv6_only": surroundings(hostAndAddresses),
	"env_utils.get_zk_auth_data": surroundings(func(d *draws, c *testee.Case) {
		d.vary(c.Env, "ZK_AUTH!5", oneOf("u:p", "", "digest:u:p", "模"))
	}),
	"env_utils.generate_psm_from_uuid": in("s", oneOf("a.b.c", "", "a", "a-b_c", word)),
	"mem_profiling.enable_tcmalloc":    surroundings(heapEnv),
	"mem_profiling.setup_heap_profile": func(d *draws, c *testee.Case) object {
		heapEnv(d, c)
		return object{"heap_pro_file?", oneOf("/prof", "", "/p/q"), "heap_profile_inuse_interval?1", absent{}, "heap_profile_allocation_interval?1", absent{},
			"heap_profile_time_interval?1", absent{}, "sample_ratio?1", absent{}, "heap_profile_mmap?1", absent{}}
	},
	"yarn_runtime.get_local_host": surroundings(func(d *draws, c *testee.Case) {
		c.Host = hostEntries(d)
		addr := oneOf("3.3.3.3,4.4.4.4", "5.5.5.5", "", ",", "fd00::1,fd00::2")
		d.vary(c.Env, "CLOUDNATIVE_INET_ADDR?", addr, "YARN_INET_ADDR?", addr)
	}),
	"mlp_utils.MLPEnv":                      surroundings(mlpJob),
	"service_discovery.MLPServiceDiscovery": surroundings(mlpJob),
	"service_discovery.ConsulServiceDiscovery": in("consul_id", oneOf("job.id", "j"), "elements", some(3, object{"Port", oneOf(1, 2), "Host", oneOf("a", "b"),
		"Tags", object{"index", oneOf("0", "1", "x"), "name", oneOf("ps", "worker"), "ip", oneOf("a", "b")}}), "calls", some(6, discoveryCall)),
	"service_discovery.TfConfigServiceDiscovery": in("tf_config", object{"cluster", seldom(12, oneOf("chief", []any{"chief"}, []any{}, nil, 1),
		object{"ps!3", roleAddrs, "worker!3", roleAddrs, "chief!3", roleAddrs}), "task", object{"type", oneOf("worker", "ps", "chief", "evaluator"),
		"index", seldom(5, oneOf("0", "1", nil, true, -1, bigInt("9223372036854775807"), float, []any{}), oneOf(0, 1, 5))}}),
	"service_discovery.ZKServiceDiscovery.threads.sequence": recorded("steps ([name, arguments]…)", "until_ms"),
	"service_discovery.ZKServiceDiscovery": in("job_name", "job", "tree", oneOf([]any{}, []any{[]any{join("/monolith/job/", oneOf("ps.0", "worker.1", "ps", "x.y.0", "ps.a")),
		bytesOf(oneOf("a:1", "", "\xff"))}}), "calls", some(6, seldom(5, oneOf([]any{"zk.delete", []any{"/monolith/job/ps.0"}},
		[]any{"zk.create", []any{"/monolith/job/ps.7", hexBytes("z:9")}}, []any{"zk.set", []any{"/monolith/job/ps.0", hexBytes("q:1")}}), discoveryCall))),
}

var roleAddrs = seldom(8, oneOf("ab", nil, 1, object{"a", 1}), some(3, oneOf("p0:1", "p1:1", "h:2")))

func heapEnv(d *draws, c *testee.Case) {
	d.vary(c.Env, "LD_PRELOAD?", oneOf("/a.so", "", "/a.so:/b.so"), "HEAPPROFILE?3", "/old")
}

// mlpJob draws the environment variables that describe a job to a process of MLP.
func mlpJob(d *draws, c *testee.Case) {
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
			// The number is the length of a list. With a huge number, reference and port would take
			// forever.
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

// discoveryCall draws a call of a method that every kind of discovery has.
var discoveryCall = oneOf([]any{"register", registration}, []any{"register", registration}, []any{"query", []any{roleName}}, []any{"deregister", registration})

var (
	roleName     = oneOf("ps", "worker", "nope")
	registration = []any{roleName, oneOf(0, 1, 3), oneOf("a:1", "b:2", "h:1", "bad", "[fd00::1]:1")}
)
