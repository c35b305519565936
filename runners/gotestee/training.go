package gotestee

import (
	"fmt"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
)

// trainingOps are section 19 of the protocol, but for service_discovery.py.
var trainingOps = table{
	"path_utils.find_main":             (*call).findMain,
	"net_utils.is_ipv6_address":        (*call).isIPv6Address,
	"net_utils.concat_ip_and_port":     (*call).concatIPAndPort,
	"net_utils.get_local_server_addr":  (*call).localServerAddr,
	"net_utils.NodeAliveChecker":       (*call).nodeAliveChecker,
	"zk_utils.is_ipv6_only":            (*call).isIPv6Only,
	"env_utils.get_zk_auth_data":       (*call).zkAuthData,
	"env_utils.generate_psm_from_uuid": (*call).psmFromUUID,
	"mem_profiling.enable_tcmalloc":    (*call).enableTCMalloc,
	"mem_profiling.setup_heap_profile": (*call).setupHeapProfile,
	"yarn_runtime.get_local_host":      (*call).yarnLocalHost,
	"mlp_utils.MLPEnv":                 (*call).mlpEnv,
}

// sourceDir stands for the root of the reference's sources.
const sourceDir = "/tmp/testee.source"

func (c *call) findMain() (any, error) {
	main, err := training.FindMain(c.env.Files, c.in.str("__file__"))
	return object("find_main", attempt(main, err), "get_libops_path", attempt(training.LibopsPath(main, "lib/x.so"), err),
		"get_libops_path_abs", attempt(training.LibopsPath(main, "/abs/x.so"), err)), nil
}

func (c *call) isIPv6Address() (any, error) { return training.IsIPv6Address(c.in.str("ip")), nil }

func (c *call) concatIPAndPort() (any, error) {
	return training.ConcatIPAndPort(c.in.str("ip"), pysem.Str(c.in.value("port"))), nil
}

func (c *call) localServerAddr() (any, error) {
	ip, ipErr := training.LocalIP(c.env.Host)
	v4, v4Err := training.IsIPv4Supported(c.env.Host)
	addr, addrErr := training.LocalServerAddr(c.env.Host, "2222")
	none, noneErr := training.LocalServerAddr(c.env.Host, "None")
	return object("get_local_ip", attempt(ip, ipErr), "is_ipv4_supported", attempt(v4, v4Err),
		"get_local_server_addr", attempt(addr, addrErr), "none_port", attempt(none, noneErr)), nil
}

// deadNetwork reaches nobody.
type deadNetwork struct{ env.Network }

func (deadNetwork) Probe(string) error { return &env.RPCError{Code: env.Unavailable} }

func (c *call) nodeAliveChecker() (any, error) {
	c.env.Network = deadNetwork{c.env.Network}
	checker := training.NewNodeAliveChecker(c.env, c.in.strings("addrs"), c.in.integer("num_thread"))
	orEmpty := func(list []string) []string { return append([]string{}, list...) }
	return object("all", checker.AllNodesAlive(), "dead", orEmpty(checker.DeadNodes()), "alive", orEmpty(checker.AliveNodes()),
		"addrs", orEmpty(checker.Addrs())), nil
}

func (c *call) isIPv6Only() (any, error) {
	return object("ipv6_only", agent.IsIPv6Only(c.env),
		"default", agent.DefaultZKServers(), "default_v6", agent.DefaultZKServers()), nil
}

func (c *call) zkAuthData() (any, error) {
	auth, printed := training.ZKAuthData(c.env.Host)
	var pairs any
	if auth != nil {
		list := []any{}
		for _, a := range auth {
			list = append(list, []any{a[0], a[1]})
		}
		pairs = list
	}
	return object("auth", pairs, "stdout", printed), nil
}

func (c *call) psmFromUUID() (any, error) { return training.GeneratePSMFromUUID(c.in.str("s")), nil }

// heapVariables are the variables that profiling sets.
func (c *call) heapVariables() *pysem.Dict {
	d := object()
	for _, name := range []string{
		"LD_PRELOAD", "HEAPPROFILE", "HEAP_PROFILE_INUSE_INTERVAL", "HEAP_PROFILE_ALLOCATION_INTERVAL",
		"HEAP_PROFILE_SAMPLE_RATIO", "HEAP_PROFILE_TIME_INTERVAL", "HEAP_PROFILE_MMAP",
	} {
		d.Set(name, nil)
		if v, ok := c.env.Host.LookupEnv(name); ok {
			d.Set(name, v)
		}
	}
	return d
}

func (c *call) enableTCMalloc() (any, error) {
	training.EnableTCMalloc(c.env.Host, sourceDir)
	return c.heapVariables(), nil
}

func (c *call) setupHeapProfile() (any, error) {
	p := training.DefaultHeapProfile()
	for _, item := range c.in.Items {
		switch item.Key {
		case "heap_profile_inuse_interval":
			p.InuseIntervalBytes = item.Value
		case "heap_profile_allocation_interval":
			p.AllocationIntervalBytes = item.Value
		case "heap_profile_time_interval":
			p.TimeIntervalSeconds = item.Value
		case "sample_ratio":
			p.SampleRatio = item.Value
		case "heap_profile_mmap":
			p.MMap = item.Value
		case "heap_pro_file":
			p.Directory = c.in.optStr(item.Key).V
		default:
			return nil, pysem.Raise("TypeError", "setup_heap_profile() got an unexpected keyword argument '%s'", item.Key)
		}
	}
	err := training.SetupHeapProfile(c.env.Host, sourceDir, p)
	return object("result", attempt(nil, err), "env", c.heapVariables()), nil
}

func (c *call) yarnLocalHost() (any, error) {
	host, err := training.LocalHost(c.env.Host)
	return host, err
}

func (c *call) mlpEnv() (any, error) {
	m, err := training.NewMLPEnv(c.env.Host)
	if err != nil {
		return nil, err
	}
	roles := object()
	for _, role := range m.Roles {
		roles.Set(role.Role, role.Count)
	}
	fields := object("framework", m.Framework, "ssh_port", m.SSHPort, "role", m.Role, "all_roles", roles,
		"index", m.Index, "port", m.Port, "avaiable", m.Available, "cpu", m.CPU, "gpu", m.GPU, "gpu_type", m.GPUType, "mem", m.Mem,
		"host", m.Host, "enable_mpi", m.EnableMPI(), "queue_device", m.QueueDevice())
	queries := object()
	some := pysem.Some[string]
	for _, role := range []training.OptString{{}, some("ps"), some("worker"), some("chief"), some("dsworker"), some("nope")} {
		mlpQueries(m, role, queries)
	}
	target, err := m.DispatcherTarget(training.OptString{})
	queries.Set("dispatcher_target", attempt(target, err))
	target, err = m.DispatcherTarget(some("ps"))
	queries.Set("dispatcher_target(ps)", attempt(target, err))
	return object("fields", fields, "queries", queries), nil
}

func mlpQueries(m *training.MLPEnv, role training.OptString, out *pysem.Dict) {
	count, err := m.NumReplicas(role)
	out.Set(fmt.Sprintf("num_replicas(%s)", role), attempt(count, err))
	out.Set(fmt.Sprintf("get_all_host(%s)", role), attempt(m.AllHosts(role), nil))
	out.Set(fmt.Sprintf("get_all_addrs(%s)", role), attempt(append([]string{}, m.AllAddrs(role)...), nil))
	for _, index := range []training.OptInt{{}, pysem.Some(0), pysem.Some(1), pysem.Some(2)} {
		addr, err := m.Addr(role, index)
		out.Set(fmt.Sprintf("get_addr(%s,%s)", role, index), attempt(addr, err))
		host, err := m.HostOf(role, index, false)
		out.Set(fmt.Sprintf("get_host(%s,%s,secondary)", role, index), attempt(host, err))
		port, err := m.PortOf(role, index)
		out.Set(fmt.Sprintf("get_port(%s,%s)", role, index), attempt(port, err))
	}
}
