package gotestee

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// trainingOps holds the operations of section 19 of the protocol, without those on
// service_discovery.py.
var trainingOps = table{
	"path_utils.find_main":                 (*call).findMain,
	"net_utils.is_ipv6_address":            training.IsIPv6Address,
	"net_utils.concat_ip_and_port":         func(ip string, port any) string { return training.ConcatIPAndPort(ip, pysem.Str(port)) },
	"net_utils.get_local_server_addr":      (*call).localServerAddr,
	"net_utils.NodeAliveChecker":           (*call).nodeAliveChecker,
	"net_utils.NodeAliveChecker.reachable": (*call).nodesReachable,
	"zk_utils.is_ipv6_only":                (*call).isIPv6Only,
	"env_utils.get_zk_auth_data":           (*call).zkAuthData,
	"env_utils.generate_psm_from_uuid":     envutils.GeneratePSMFromUUID,
	"mem_profiling.enable_tcmalloc":        (*call).enableTCMalloc,
	"mem_profiling.setup_heap_profile":     (*call).setupHeapProfile,
	"yarn_runtime.get_local_host":          training.LocalHost,
	"mlp_utils.MLPEnv":                     (*call).mlpEnv,
}

func (c *call) findMain() (any, error) {
	main, err := training.FindMain(c.Env.Files, c.In.Str("__file__"))
	return caseworld.Object("find_main", caseworld.Attempt(main, err), "get_libops_path", caseworld.Attempt(training.LibopsPath(main, "lib/x.so"), err),
		"get_libops_path_abs", caseworld.Attempt(training.LibopsPath(main, "/abs/x.so"), err)), nil
}

func (c *call) localServerAddr() (any, error) {
	ip, ipErr := training.LocalIP(c.Env.Host)
	v4, v4Err := training.IsIPv4Supported(c.Env.Host)
	addr, addrErr := training.LocalServerAddr(c.Env.Host, "2222")
	none, noneErr := training.LocalServerAddr(c.Env.Host, "None")
	return caseworld.Object("get_local_ip", caseworld.Attempt(ip, ipErr), "is_ipv4_supported", caseworld.Attempt(v4, v4Err),
		"get_local_server_addr", caseworld.Attempt(addr, addrErr), "none_port", caseworld.Attempt(none, noneErr)), nil
}

// deadNetwork reaches nobody.
type deadNetwork struct{ env.Network }

func (deadNetwork) Probe(string, time.Duration) error {
	return &env.RPCError{Code: rpcerrors.Unavailable}
}

// openNetwork is a network in which only the case's open addresses can be reached. It records every
// attempt.
type openNetwork struct {
	env.Network
	open     []any
	connects []any
}

func (n *openNetwork) Probe(addr string, timeout time.Duration) error {
	colon := strings.LastIndexByte(addr, ':')
	host, family := strings.Trim(addr[:colon], "[]"), "ipv4"
	if training.IsIPv6Address(host) {
		family = "ipv6"
	}
	port, _, err := pysem.ParseSmallInt(addr[colon+1:])
	if err != nil {
		return err
	}
	n.connects = append(n.connects, []any{family, host, port, int(timeout / time.Second)})
	if !slices.ContainsFunc(n.open, func(v any) bool { return pysem.Repr(v) == pysem.Repr([]any{host, port}) }) {
		return &env.RPCError{Code: rpcerrors.Unavailable}
	}
	return nil
}

// countedLog counts log lines of the engine. The reference prints these lines.
type countedLog struct {
	env.Log
	lines int
}

func (l *countedLog) Logf(env.Level, string, ...any) { l.lines++ }

func (c *call) nodesReachable() (any, error) {
	n, log := &openNetwork{Network: c.Env.Network, open: c.In.List("open"), connects: []any{}}, &countedLog{Log: c.Env.Log}
	c.Env.Network, c.Env.Log = n, log
	checker := c.aliveChecker()
	return caseworld.Object("all", checker.AllNodesAlive(), "dead", orNone(checker.DeadNodes()), "alive", orNone(checker.AliveNodes()),
		"connects", n.connects, "printed", log.lines), nil
}

func (c *call) aliveChecker() *training.NodeAliveChecker {
	return training.NewNodeAliveChecker(c.Env, c.In.Strings("addrs"), time.Duration(c.In.Integer("timeout"))*time.Second, c.In.Count("num_thread"))
}

// orNone returns an empty list if list is nil, and otherwise a copy.
func orNone(list []string) []string { return append([]string{}, list...) }

func (c *call) nodeAliveChecker() (any, error) {
	c.Env.Network = deadNetwork{c.Env.Network}
	checker := c.aliveChecker()
	return caseworld.Object("all", checker.AllNodesAlive(), "dead", orNone(checker.DeadNodes()), "alive", orNone(checker.AliveNodes()),
		"addrs", orNone(checker.Addrs())), nil
}

func (c *call) isIPv6Only() (any, error) {
	return caseworld.Object("ipv6_only", agentconfig.IsIPv6Only(c.Env),
		"default", agentconfig.DefaultZKServers(c.Env, false), "default_v6", agentconfig.DefaultZKServers(c.Env, true)), nil
}

func (c *call) zkAuthData() (any, error) {
	auth := envutils.ZKAuthData(c.Env.Host)
	var pairs any
	if auth != nil {
		list := lists.Map(auth, func(a [2]string) any { return []any{a[0], a[1]} })
		pairs = list
	}
	return caseworld.Object("auth", pairs, "stdout", envutils.ZKAuthOutput(c.Env.Host)), nil
}

// heapVariables returns the environment variables that heap profiling sets, with their values.
func (c *call) heapVariables() *pysem.Dict {
	d := caseworld.Object()
	for _, name := range []string{
		"LD_PRELOAD", "HEAPPROFILE", "HEAP_PROFILE_INUSE_INTERVAL", "HEAP_PROFILE_ALLOCATION_INTERVAL",
		"HEAP_PROFILE_SAMPLE_RATIO", "HEAP_PROFILE_TIME_INTERVAL", "HEAP_PROFILE_MMAP",
	} {
		d.Set(name, nil)
		if v, ok := c.Env.Host.LookupEnv(name); ok {
			d.Set(name, v)
		}
	}
	return d
}

func (c *call) enableTCMalloc() (any, error) {
	training.EnableTCMalloc(c.Env.Host, c.Quirks, caseworld.SourceDir)
	return c.heapVariables(), nil
}

func (c *call) setupHeapProfile() (any, error) {
	p := training.DefaultHeapProfile()
	for _, item := range c.In.Items {
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
			p.Directory = c.In.OptStr(item.Key).V
		default:
			return nil, pysem.Raise("TypeError", "setup_heap_profile() got an unexpected keyword argument '%s'", item.Key)
		}
	}
	err := training.SetupHeapProfile(c.Env, c.Quirks, caseworld.SourceDir, p)
	return caseworld.Object("result", caseworld.Attempt(nil, err), "env", c.heapVariables()), nil
}

func (c *call) mlpEnv() (any, error) {
	m, err := training.NewMLPEnv(c.Env)
	if err != nil {
		return nil, err
	}
	roles := caseworld.Object()
	for _, role := range m.Roles {
		roles.Set(role.Role, role.Count)
	}
	fields := caseworld.Object("framework", m.Framework, "ssh_port", m.SSHPort, "role", m.Role, "all_roles", roles,
		"index", m.Index, "port", m.Port, "avaiable", m.Available, "cpu", m.CPU, "gpu", m.GPU, "gpu_type", m.GPUType, "mem", m.Mem,
		"host", m.Host, "enable_mpi", m.EnableMPI(), "queue_device", m.QueueDevice())
	queries := caseworld.Object()
	some := pysem.Some[string]
	for _, role := range []training.OptString{{}, some("ps"), some("worker"), some("chief"), some("dsworker"), some("nope")} {
		mlpQueries(m, role, queries)
	}
	target, err := m.DispatcherTarget(training.OptString{})
	queries.Set("dispatcher_target", caseworld.Attempt(target, err))
	target, err = m.DispatcherTarget(some("ps"))
	queries.Set("dispatcher_target(ps)", caseworld.Attempt(target, err))
	return caseworld.Object("fields", fields, "queries", queries), nil
}

func mlpQueries(m *training.MLPEnv, role training.OptString, out *pysem.Dict) {
	count, err := m.NumReplicas(role)
	out.Set(fmt.Sprintf("num_replicas(%s)", role), caseworld.Attempt(count, err))
	out.Set(fmt.Sprintf("get_all_host(%s)", role), caseworld.Attempt(m.AllHosts(role), nil))
	out.Set(fmt.Sprintf("get_all_addrs(%s)", role), caseworld.Attempt(append([]string{}, m.AllAddrs(role)...), nil))
	for _, index := range []training.OptInt{{}, pysem.Some(0), pysem.Some(1), pysem.Some(2)} {
		addr, err := m.Addr(role, index)
		out.Set(fmt.Sprintf("get_addr(%s,%s)", role, index), caseworld.Attempt(addr, err))
		host, err := m.HostOf(role, index, false)
		out.Set(fmt.Sprintf("get_host(%s,%s,secondary)", role, index), caseworld.Attempt(host, err))
		port, err := m.PortOf(role, index)
		out.Set(fmt.Sprintf("get_port(%s,%s)", role, index), caseworld.Attempt(port, err))
	}
}
