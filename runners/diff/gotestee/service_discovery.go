package gotestee

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// discoveryOps holds those operations of section 19 of the protocol that are about
// service_discovery.py and consul.py.
var discoveryOps = table{
	"service_discovery.TfConfigServiceDiscovery": (*call).tfConfigDiscovery,
	"service_discovery.MLPServiceDiscovery":      (*call).mlpDiscovery,
	"service_discovery.ConsulServiceDiscovery":   (*call).consulDiscovery,
	"service_discovery.ZKServiceDiscovery":       (*call).zkDiscovery,

	"service_discovery.ZKServiceDiscovery.threads.sequence": (*call).zkRegistrations,
	"consul.Client": (*call).consulClient,
}

// addrsDict encodes addresses as a dict from index to address.
func addrsDict(addrs training.Addrs) caseworld.IntDict {
	return lists.Map(addrs, func(a training.IndexedAddr) [2]any {
		if past, ok := new(big.Int).SetString(a.Past, 10); ok {
			return [2]any{past, a.Addr}
		}
		return [2]any{a.Index, a.Addr}
	})
}

func namedDict(all []training.NamedAddrs) *pysem.Dict {
	d := caseworld.Object()
	for _, n := range all {
		d.Set(n.Name, addrsDict(n.Addrs))
	}
	return d
}

func (c *call) consulClient() (any, error) {
	a, err := training.FindConsul(c.Env, c.Quirks)
	return caseworld.Object("host", a.Host, "port", a.Port), err
}

func (c *call) tfConfigDiscovery() (any, error) {
	d := training.NewTFConfigServiceDiscovery(c.In.Value("tf_config"))
	out := caseworld.Object()
	for _, name := range []string{"ps", "worker", "chief", "", "PS"} {
		addrs, err := d.Query(name)
		out.Set("query("+name+")", caseworld.Attempt(addrsDict(addrs), err))
	}
	out.Set("server_type", caseworld.Attempt(d.ServerType()))
	addr, err := d.Addr()
	out.Set("addr", caseworld.Attempt(addr, err))
	index, err := d.Index()
	out.Set("index", caseworld.Attempt(index, err))
	out.Set("register", caseworld.Attempt(nil, d.Register("ps", 0, "x")))
	out.Set("deregister", caseworld.Attempt(nil, d.Deregister("ps", 0, "x")))
	return out, nil
}

// mlpCalls lists the calls of the MLP operation, which the protocol fixes.
var mlpCalls = [][]any{
	{"props"}, {"query", "ps", true}, {"query", "WORKER", true}, {"query", "nope", true}, {"query", "", true}, {"query", nil}, {"query_all"},
	{"deregister", "ps", 0, "ps0:1000"}, {"query", "ps", true}, {"register", "ps", 0, "ps0:1000"}, {"query", "ps", true},
	{"register", "ps", 5, "ps0:1000"}, {"register", "nope", 0, "x:1"}, {"register", "ps", 0, "ps0:9"}, {"register", "ps", 0, "other:1000"},
	{"register", "ps", 0, "localhost:1000"}, {"register", "worker", 1, "w1b:2222"}, {"register", "worker", 1, "10.5.5.5:2222"},
	{"register", "ps", 0, "bad"}, {"deregister_all"}, {"query", "ps", true}, {"query_all"}, {"register", "PS", 1, "ps1:1001"},
	{"query", "ps", true}, {"close"}, {"props"}, {"query", "ps", true}, {"query_all"}, {"deregister_all"},
}

func (c *call) mlpDiscovery() (any, error) {
	d, err := training.NewMLPServiceDiscovery(c.Env)
	if err != nil {
		typ, message := caseworld.FailureOf(err)
		return caseworld.Object("ctor", caseworld.Object("type", typ, "message", message)), nil
	}
	out := []any{}
	for _, call := range mlpCalls {
		out = append(out, []any{call[0], call[1:], mlpCall(d, discoveryCall{name: call[0].(string), args: call[1:]})})
	}
	return out, nil
}

// discoveryCall is one call in a case, written as [name, arguments].
type discoveryCall struct {
	name string
	args []any
}

// calls parses the calls in a case.
func (c *call) calls() []discoveryCall {
	return lists.MapOrNil(c.In.Rows("calls", "name", "arguments"), func(call caseworld.Arguments) discoveryCall {
		return discoveryCall{call.Str("name"), call.List("arguments")}
	})
}

// registration returns the arguments of a call of register or deregister.
func (d discoveryCall) registration() (name string, index int, addr string) {
	return argument[string](d.name, d.args, 0, "a string"), argument[int](d.name, d.args, 1, "an int"), argument[string](d.name, d.args, 2, "a string")
}

func mlpCall(d *training.MLPServiceDiscovery, c discoveryCall) any {
	switch c.name {
	case "props":
		return caseworld.Object("server_type", caseworld.Attempt(d.ServerType(), nil), "index", caseworld.Attempt(d.Index(), nil), "addr", caseworld.Attempt(d.Addr(), nil))
	case "query":
		role, _ := c.args[0].(string)
		addrs, err := d.QueryAddrs(role, true)
		return caseworld.Attempt(addrsDict(addrs), err)
	case "query_all":
		all, err := d.QueryAll()
		return caseworld.Attempt(namedDict(all), err)
	case "deregister_all":
		// In the reference, a closed discovery returns an empty dict here, and an open one None.
		if d.Closed() {
			return caseworld.Attempt(caseworld.Object(), nil)
		}
		d.DeregisterAll()
		return caseworld.Attempt(nil, nil)
	}
	return discover(d, c)
}

// stubConsul is the fake Consul client that the protocol describes.
type stubConsul struct {
	elements []any
	log      []any
}

func (s *stubConsul) Lookup(service string, timeoutSeconds int) ([]any, error) {
	s.log = append(s.log, []any{"lookup", service, timeoutSeconds})
	return slices.Clone(s.elements), nil
}

func (s *stubConsul) Register(service string, port int, tags training.ConsulTags) error {
	s.log = append(s.log, []any{"register", service, port, caseworld.Object("index", tags.Index, "name", tags.Name, "ip", tags.IP)})
	s.elements = append(s.elements, caseworld.Object("Port", port, "Host", "h",
		"Tags", caseworld.Object("index", pysem.Str(tags.Index), "name", tags.Name, "ip", tags.IP)))
	return nil
}

func (s *stubConsul) Deregister(service string, port int) error {
	s.log = append(s.log, []any{"deregister", service, port})
	s.elements = slices.DeleteFunc(s.elements, func(e any) bool {
		d, ok := e.(*pysem.Dict)
		if !ok {
			return false
		}
		v, _ := d.Get("Port")
		return v == port
	})
	return nil
}

func (c *call) consulDiscovery() (any, error) {
	stub := &stubConsul{elements: c.In.List("elements")}
	d := training.NewConsulServiceDiscovery(c.Env, stub, c.In.Str("consul_id"), 0)
	out := []any{}
	for _, call := range c.calls() {
		stub.log = []any{}
		result := discover(d, call)
		if call.name == "query_all" {
			all, err := d.QueryAll()
			result = caseworld.Attempt(namedDict(all), err)
		}
		if result == nil {
			caseworld.BadCasef("in.calls: found the call %q, which this operation does not have", call.name)
		}
		out = append(out, caseworld.Raw{V: caseworld.Encode([]any{call.name, call.args, result, stub.log})})
	}
	return out, nil
}

// discover makes a call that every kind of discovery has, and returns its answer. For any other
// call it returns nil.
func discover(d training.ServiceDiscovery, c discoveryCall) *pysem.Dict {
	switch c.name {
	case "query":
		addrs, err := d.Query(argument[string](c.name, c.args, 0, "a string"))
		return caseworld.Attempt(addrsDict(addrs), err)
	case "register":
		name, index, addr := c.registration()
		return caseworld.Attempt(nil, d.Register(name, index, addr))
	case "deregister":
		name, index, addr := c.registration()
		return caseworld.Attempt(nil, d.Deregister(name, index, addr))
	case "close":
		d.Close()
		return caseworld.Attempt(nil, nil)
	}
	return nil
}

// filledZK is a client that creates the case's znodes when it is started.
type filledZK struct {
	*caseworld.ZooKeeper
	tree caseworld.Arguments
}

func (z *filledZK) Start(limit time.Duration) error {
	if err := z.ZooKeeper.Start(limit); err != nil {
		return err
	}
	return z.Fill(z.tree)
}

func (c *call) zkDiscovery() (any, error) {
	zk := &filledZK{ZooKeeper: c.NewZK(), tree: c.In}
	d, err := training.NewZKServiceDiscovery(c.Env, training.ZKDiscoveryOptions{JobName: c.In.Str("job_name"), MaxTries: 1, ZooKeeper: zk, Quirks: c.Quirks})
	if err != nil {
		return nil, err
	}
	calls := []any{[]any{"start", []any{}, caseworld.Attempt(nil, nil), writesOf(zk.ZooKeeper)}}
	for _, call := range c.calls() {
		var result *pysem.Dict
		if method, ok := strings.CutPrefix(call.name, "zk."); ok {
			result = caseworld.Attempt(zk.DoQuietly(positional(method, call.args)))
		} else if call.name == "half_an_hour" {
			// half an hour and a second, so that even the task that began last wakes once
			c.Env.Tasks.Sleep(30*time.Minute + time.Second)
			result = caseworld.Attempt(nil, nil)
		} else if result = discover(d, call); result == nil {
			caseworld.BadCasef("in.calls: found the call %q, which this operation does not have", call.name)
		}
		calls = append(calls, caseworld.Raw{V: caseworld.Encode([]any{call.name, call.args, result, writesOf(zk.ZooKeeper)})})
	}
	return caseworld.Object("calls", calls, "tree", zk.ZooKeeper.Tree()), nil
}

// zkRegistrations lets the tasks run that register processes again and again.
func (c *call) zkRegistrations() (any, error) {
	s := &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}
	c.Env.Clock = caseClock{c.Env.Clock, s.begin}
	zk := c.NewZK()
	zk.OnCall = func(name string, arguments *pysem.Dict) { s.note(name, arguments) }
	c.Life.Go("main thread", func() {
		d, err := training.NewZKServiceDiscovery(c.Env, training.ZKDiscoveryOptions{JobName: "job", MaxTries: 1, ZooKeeper: zk, Quirks: c.Quirks})
		if err != nil {
			panic(err)
		}
		for _, v := range c.In.List("steps") {
			step := v.([]any)
			name := step[0].(string)
			method, ofZK := strings.CutPrefix(name, "zk.")
			switch {
			case name == "pass":
				c.Env.Tasks.Sleep(time.Duration(step[1].(int)) * time.Second)
			case name == "state":
				zk.Tell(states[step[1].(string)])
			case ofZK:
				if _, err := zk.DoQuietly(positional(method, step[1:])); err != nil {
					panic(err)
				}
			default:
				s.note(name, discover(d, discoveryCall{name, step[1:]}))
			}
		}
	})
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	s.over = true
	return caseworld.Object("log", s.log), nil
}

// positional turns positional arguments of a client's method into a step with named arguments.
func positional(method string, args []any) caseworld.Step {
	d := caseworld.Object()
	for i, name := range []string{"path", "value"} {
		if i < len(args) {
			d.Set(name, args[i])
		}
	}
	if method == "create" {
		d.Set("makepath", true)
	}
	return caseworld.Step{Name: method, Arguments: caseworld.Arguments{Dict: d, Where: "in.calls." + method}}
}
