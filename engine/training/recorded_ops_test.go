package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// ops are the operations of section 19 of the protocol.
var ops = map[string]func(*caseRunner) (any, error){
	"path_utils.find_main":      (*caseRunner).findMain,
	"net_utils.is_ipv6_address": func(r *caseRunner) (any, error) { return IsIPv6Address(r.str("ip")), nil },
	"net_utils.concat_ip_and_port": func(r *caseRunner) (any, error) {
		return ConcatIPAndPort(r.str("ip"), pysem.Str(item(r.in, "port"))), nil
	},
	"net_utils.get_local_server_addr":            (*caseRunner).localServerAddr,
	"net_utils.NodeAliveChecker":                 (*caseRunner).nodeAliveChecker,
	"env_utils.get_zk_auth_data":                 (*caseRunner).zkAuthData,
	"env_utils.generate_psm_from_uuid":           func(r *caseRunner) (any, error) { return GeneratePSMFromUUID(r.str("s")), nil },
	"mem_profiling.enable_tcmalloc":              (*caseRunner).enableTCMalloc,
	"mem_profiling.setup_heap_profile":           (*caseRunner).setupHeapProfile,
	"yarn_runtime.get_local_host":                func(r *caseRunner) (any, error) { return LocalHost(r.host) },
	"mlp_utils.MLPEnv":                           (*caseRunner).mlpEnv,
	"consul.Client":                              (*caseRunner).consulAddress,
	"service_discovery.TfConfigServiceDiscovery": (*caseRunner).tfConfig,
	"service_discovery.MLPServiceDiscovery":      (*caseRunner).mlpDiscovery,
	"service_discovery.ConsulServiceDiscovery":   (*caseRunner).consulDiscovery,
	"service_discovery.ZKServiceDiscovery":       (*caseRunner).zkDiscovery,
}

func (r *caseRunner) findMain() (any, error) {
	main, err := FindMain(r.env.Files, r.str("__file__"))
	return object("find_main", attempt(main, err), "get_libops_path", attempt(LibopsPath(main, "lib/x.so"), err),
		"get_libops_path_abs", attempt(LibopsPath(main, "/abs/x.so"), err)), nil
}

func (r *caseRunner) localServerAddr() (any, error) {
	ip, ipErr := LocalIP(r.host)
	v4, v4Err := IsIPv4Supported(r.host)
	addr, addrErr := LocalServerAddr(r.host, "2222")
	none, noneErr := LocalServerAddr(r.host, "None")
	supported := &pysem.Dict{}
	supported.Set("r", v4)
	out := object("get_local_ip", attempt(ip, ipErr), "is_ipv4_supported", supported,
		"get_local_server_addr", attempt(addr, addrErr), "none_port", attempt(none, noneErr))
	if v4Err != nil {
		out.Set("is_ipv4_supported", attempt(nil, v4Err))
	}
	return out, nil
}

func (r *caseRunner) nodeAliveChecker() (any, error) {
	var addrs []string
	for _, a := range item(r.in, "addrs").([]any) {
		addrs = append(addrs, a.(string))
	}
	c := NewNodeAliveChecker(r.env, addrs, item(r.in, "num_thread").(int))
	out := object("dead", encode(c.DeadNodes()), "alive", encode(c.AliveNodes()), "addrs", encode(c.Addrs()))
	out.Set("all", c.AllNodesAlive())
	return out, nil
}

func (r *caseRunner) zkAuthData() (any, error) {
	auth, printed := ZKAuthData(r.host)
	out := object("auth", nil, "stdout", printed)
	if auth != nil {
		out.Set("auth", []any{[]any{auth[0][0], auth[0][1]}})
	}
	return out, nil
}

// heapVariables are the variables that profiling sets.
func (r *caseRunner) heapVariables() *pysem.Dict {
	d := &pysem.Dict{}
	for _, name := range []string{"LD_PRELOAD", "HEAPPROFILE", "HEAP_PROFILE_INUSE_INTERVAL", "HEAP_PROFILE_ALLOCATION_INTERVAL",
		"HEAP_PROFILE_SAMPLE_RATIO", "HEAP_PROFILE_TIME_INTERVAL", "HEAP_PROFILE_MMAP"} {
		d.Set(name, nil)
		if v, ok := r.host.LookupEnv(name); ok {
			d.Set(name, encode(v))
		}
	}
	return d
}

func (r *caseRunner) enableTCMalloc() (any, error) {
	EnableTCMalloc(r.host, mainDir)
	return r.heapVariables(), nil
}

func (r *caseRunner) setupHeapProfile() (any, error) {
	p := DefaultHeapProfile()
	for _, argument := range r.in.Items {
		switch argument.Key {
		case "heap_profile_inuse_interval":
			p.InuseIntervalBytes = argument.Value
		case "heap_profile_allocation_interval":
			p.AllocationIntervalBytes = argument.Value
		case "heap_profile_time_interval":
			p.TimeIntervalSeconds = argument.Value
		case "sample_ratio":
			p.SampleRatio = argument.Value
		case "heap_profile_mmap":
			p.MMap = argument.Value
		case "heap_pro_file":
			p.Directory, _ = argument.Value.(string)
		}
	}
	err := SetupHeapProfile(r.host, mainDir, p)
	return object("result", attempt(nil, err), "env", r.heapVariables()), nil
}

func (r *caseRunner) mlpEnv() (any, error) {
	m, err := NewMLPEnv(r.host)
	if err != nil {
		return nil, err
	}
	roles := &pysem.Dict{}
	for _, role := range m.Roles {
		roles.Set(role.Role, role.Count)
	}
	fields := object("framework", encode(m.Framework), "ssh_port", encode(m.SSHPort), "role", m.Role, "all_roles", roles,
		"index", m.Index, "port", m.Port, "cpu", m.CPU, "gpu", m.GPU, "gpu_type", m.GPUType, "mem", m.Mem,
		"host", m.Host, "queue_device", m.QueueDevice())
	fields.Set("avaiable", m.Available)
	fields.Set("enable_mpi", m.EnableMPI())
	queries := &pysem.Dict{}
	for _, role := range []OptString{{}, pysem.Some("ps"), pysem.Some("worker"), pysem.Some("chief"), pysem.Some("dsworker"), pysem.Some("nope")} {
		count, err := m.NumReplicas(role)
		queries.Set(fmt.Sprintf("num_replicas(%s)", role), attempt(count, err))
		queries.Set(fmt.Sprintf("get_all_host(%s)", role), attempt(m.AllHosts(role), nil))
		queries.Set(fmt.Sprintf("get_all_addrs(%s)", role), attempt(m.AllAddrs(role), nil))
		for _, index := range []OptInt{{}, pysem.Some(0), pysem.Some(1), pysem.Some(2)} {
			addr, err := m.Addr(role, index)
			queries.Set(fmt.Sprintf("get_addr(%s,%s)", role, index), attempt(addr, err))
			host, err := m.HostOf(role, index, false)
			queries.Set(fmt.Sprintf("get_host(%s,%s,secondary)", role, index), attempt(host, err))
			port, err := m.PortOf(role, index)
			queries.Set(fmt.Sprintf("get_port(%s,%s)", role, index), attempt(port, err))
		}
	}
	target, err := m.DispatcherTarget(OptString{})
	queries.Set("dispatcher_target", attempt(target, err))
	target, err = m.DispatcherTarget(pysem.Some("ps"))
	queries.Set("dispatcher_target(ps)", attempt(target, err))
	return object("fields", fields, "queries", queries), nil
}

func (r *caseRunner) consulAddress() (any, error) {
	a, err := FindConsul(r.env)
	return object("host", a.Host, "port", a.Port), err
}

func (r *caseRunner) tfConfig() (any, error) {
	d := NewTFConfigServiceDiscovery(item(r.in, "tf_config"))
	out := object("register", attempt(nil, d.Register("ps", 0, "x")), "deregister", attempt(nil, d.Deregister("ps", 0, "x")))
	for _, name := range []string{"ps", "worker", "chief", "", "PS"} {
		addrs, err := d.Query(name)
		out.Set("query("+name+")", attempt(addrs, err))
	}
	serverType, err := d.ServerType()
	out.Set("server_type", attempt(serverType, err))
	addr, err := d.Addr()
	out.Set("addr", attempt(addr, err))
	index, err := d.Index()
	out.Set("index", attempt(index, err))
	return out, nil
}

// mlpCalls are the calls of the protocol's fixed list.
var mlpCalls = [][]any{
	{"props"}, {"query", "ps", true}, {"query", "WORKER", true}, {"query", "nope", true}, {"query", "", true}, {"query", nil},
	{"query_all"}, {"deregister", "ps", 0, "ps0:1000"}, {"query", "ps", true}, {"register", "ps", 0, "ps0:1000"},
	{"query", "ps", true}, {"register", "ps", 5, "ps0:1000"}, {"register", "nope", 0, "x:1"}, {"register", "ps", 0, "ps0:9"},
	{"register", "ps", 0, "other:1000"}, {"register", "ps", 0, "localhost:1000"}, {"register", "worker", 1, "w1b:2222"},
	{"register", "worker", 1, "10.5.5.5:2222"}, {"register", "ps", 0, "bad"}, {"deregister_all"}, {"query", "ps", true},
	{"query_all"}, {"register", "PS", 1, "ps1:1001"}, {"query", "ps", true}, {"close"}, {"props"}, {"query", "ps", true},
	{"query_all"}, {"deregister_all"},
}

func (r *caseRunner) mlpDiscovery() (any, error) {
	d, err := NewMLPServiceDiscovery(r.env)
	if err != nil {
		return object("ctor", failure(err)), nil
	}
	out := []any{}
	for _, call := range mlpCalls {
		out = append(out, []any{call[0], call[1:], mlpCall(d, call[0].(string), call[1:])})
	}
	return out, nil
}

func mlpCall(d *MLPServiceDiscovery, name string, args []any) any {
	switch name {
	case "props":
		return object("server_type", attempt(d.ServerType(), nil), "index", attempt(d.Index(), nil), "addr", attempt(d.Addr(), nil))
	case "query":
		role, _ := args[0].(string)
		return attempt(d.QueryAddrs(role, true))
	case "query_all":
		all, err := d.QueryAll()
		return attempt(all, err)
	case "register":
		return attempt(nil, d.Register(args[0].(string), args[1].(int), args[2].(string)))
	case "deregister":
		return attempt(nil, d.Deregister(args[0].(string), args[1].(int), args[2].(string)))
	case "deregister_all":
		// A closed discovery answers an empty dict, an open one None.
		if d.Closed() {
			return attempt(&pysem.Dict{}, nil)
		}
		d.DeregisterAll()
	case "close":
		d.Close()
	}
	return attempt(nil, nil)
}

// stubConsul is the client that the protocol describes.
type stubConsul struct {
	elements []any
	log      []any
}

func (c *stubConsul) Lookup(service string, timeoutSeconds int) ([]any, error) {
	c.log = append(c.log, []any{"lookup", service, timeoutSeconds})
	return slices.Clone(c.elements), nil
}

func (c *stubConsul) Register(service string, port int, tags ConsulTags) error {
	c.log = append(c.log, []any{"register", service, port, object("index", tags.Index, "name", tags.Name, "ip", tags.IP)})
	c.elements = append(c.elements, object("Port", port, "Host", "h",
		"Tags", object("index", pysem.Str(tags.Index), "name", tags.Name, "ip", tags.IP)))
	return nil
}

func (c *stubConsul) Deregister(service string, port int) error {
	c.log = append(c.log, []any{"deregister", service, port})
	c.elements = slices.DeleteFunc(c.elements, func(e any) bool { return item(e.(*pysem.Dict), "Port") == port })
	return nil
}

func (r *caseRunner) consulDiscovery() (any, error) {
	stub := &stubConsul{elements: item(r.in, "elements").([]any)}
	d := NewConsulServiceDiscovery(r.env, stub, r.str("consul_id"), 0)
	out := []any{}
	for _, call := range item(r.in, "calls").([]any) {
		name, args := call.([]any)[0].(string), call.([]any)[1].([]any)
		stub.log = nil
		var result any
		switch name {
		case "query":
			addrs, err := d.Query(args[0].(string))
			result = attempt(addrs, err)
		case "query_all":
			all, err := d.QueryAll()
			result = attempt(all, err)
		case "register":
			result = attempt(nil, d.Register(args[0].(string), args[1].(int), args[2].(string)))
		case "deregister":
			result = attempt(nil, d.Deregister(args[0].(string), args[1].(int), args[2].(string)))
		}
		out = append(out, []any{name, args, result, append([]any{}, stub.log...)})
	}
	return out, nil
}

func (r *caseRunner) zkDiscovery() (any, error) {
	zk := &caseZooKeeper{data: map[string]env.DataFunc{}, children: map[string]env.ChildrenFunc{}}
	zk.fill = func() {
		for _, n := range item(r.in, "tree").([]any) {
			if err := zk.make(n.([]any)[0].(string), n.([]any)[1].([]byte), false); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	d, err := NewZKServiceDiscovery(r.env, ZKDiscoveryOptions{JobName: r.str("job_name"), MaxTries: 1, ZooKeeper: zk})
	if err != nil {
		return nil, err
	}
	calls := []any{[]any{"start", []any{}, attempt(nil, nil), encode(zk.writes)}}
	for _, call := range item(r.in, "calls").([]any) {
		name, args := call.([]any)[0].(string), call.([]any)[1].([]any)
		zk.writes = nil
		result := r.zkCall(d, zk, name, args)
		if strings.HasPrefix(name, "zk.") {
			zk.writes = nil
		}
		calls = append(calls, []any{name, encode(args), result, encode(append([]any{}, zk.writes...))})
	}
	tree := []any{}
	for _, n := range sortedTree(zk.nodes) {
		tree = append(tree, []any{n.path, encode(n.value), n.version, n.ephemeral})
	}
	return object("calls", calls, "tree", tree), nil
}

// sortedTree lists nodes depth first, children in the order of their making.
func sortedTree(nodes []*caseNode) []*caseNode {
	var list []*caseNode
	var visit func(parent string)
	visit = func(parent string) {
		for _, n := range nodes {
			if pysem.Dirname(n.path) == parent {
				list = append(list, n)
				visit(n.path)
			}
		}
	}
	visit("/")
	return list
}

func (r *caseRunner) zkCall(d *ZKServiceDiscovery, zk *caseZooKeeper, name string, args []any) any {
	switch name {
	case "query":
		addrs, err := d.Query(args[0].(string))
		return attempt(addrs, err)
	case "register":
		return attempt(nil, d.Register(args[0].(string), args[1].(int), args[2].(string)))
	case "deregister":
		return attempt(nil, d.Deregister(args[0].(string), args[1].(int), args[2].(string)))
	case "zk.create":
		path, err := zk.Create(args[0].(string), args[1].([]byte), env.CreateOptions{MakePath: true})
		return attempt(path, err)
	case "zk.set":
		_, err := zk.Set(args[0].(string), args[1].([]byte), -1)
		return attempt(nil, err)
	case "zk.delete":
		return attempt(nil, zk.Delete(args[0].(string), env.DeleteOptions{Version: -1, Recursive: true}))
	}
	r.t.Fatalf("unknown call %s", name)
	return nil
}
