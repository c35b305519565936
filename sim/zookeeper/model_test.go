package zookeeper

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Goal: after any operations by several clients the tree equals that of a simple model, a map with
// five rules. A replica that follows has the same tree. Every one-shot watch fires at most once,
// when it must. Method: rapid draws operations. The model shares no code with the machine.

// modelNode is the model's state of a znode.
type modelNode struct {
	data    string
	version int32
	creates int32
	owner   int // connection that created the ephemeral znode; 0 for a persistent one
}

type model map[string]*modelNode

func newModel() model {
	return model{"/": {}, "/zookeeper": {}, "/zookeeper/config": {}, "/zookeeper/quota": {}}
}

func (m model) children(path string) []string {
	names := []string{}
	prefix := strings.TrimSuffix(path, "/") + "/"
	for p := range m { //lint:ordered sorted below
		if p != "/" && strings.HasPrefix(p, prefix) && !strings.Contains(p[len(prefix):], "/") {
			names = append(names, p[len(prefix):])
		}
	}
	sort.Strings(names)
	return names
}

func (m model) parent(path string) (string, *modelNode) {
	up := path[:strings.LastIndex(path, "/")]
	if up == "" {
		up = "/"
	}
	return up, m[up]
}

// create creates a znode in the model and returns its real path. It returns "" if the create must
// fail.
func (m model) create(path string, owner int, seq bool) string {
	_, parent := m.parent(path)
	if parent == nil {
		return ""
	}
	if seq {
		path += fmt.Sprintf("%010d", parent.creates)
	}
	if m[path] != nil || parent.owner != 0 {
		return ""
	}
	m[path] = &modelNode{owner: owner}
	parent.creates++
	return path
}

func (m model) delete(path string) bool {
	if m[path] == nil || len(m.children(path)) > 0 {
		return false
	}
	delete(m, path)
	return true
}

func (m model) set(path, data string) bool {
	n := m[path]
	if n == nil {
		return false
	}
	n.data, n.version = data, n.version+1
	return true
}

func (m model) clone() model {
	c := make(model, len(m))
	for path, n := range m { //lint:ordered each path has an entry of its own
		saved := *n
		c[path] = &saved
	}
	return c
}

func (m model) String() string {
	var lines []string
	//lint:ordered the lines are sorted below
	for path, n := range m {
		kids := int32(len(m.children(path)))
		version := n.creates*2 - kids
		lines = append(lines, fmt.Sprintf("%s %q v%d c%d n%d e%t", path, n.data, n.version, version, kids, n.owner != 0))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// shape prints the machine's tree in the same format as the model's.
func shape(m *Machine) string {
	var lines []string
	for _, n := range m.Nodes() {
		s := n.Stat
		lines = append(lines, fmt.Sprintf("%s %q v%d c%d n%d e%t", n.Path, n.Data, s.Version, s.Cversion, s.NumChildren, s.EphemeralOwner != 0))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// play is one run of the random test.
type play struct {
	t     *rapid.T
	m     *Machine
	model model
	nowMs int64
	// conns are the connected clients; last is the latest connection id.
	conns []int
	last  int
	// armed counts the one-shot watches that were set and have not fired, by client, path and
	// table.
	armed map[string]int
}

var modelPaths = []string{"/a", "/b", "/a/x", "/a/y", "/a/x/1", "/b/z", "/a/x/1/2"}

func (p *play) path() string { return rapid.SampledFrom(modelPaths).Draw(p.t, "path") }

func (p *play) connect() {
	p.last++
	p.m.Connect(p.nowMs, ConnID(p.last), &ConnectRequest{TimeoutMs: 10_000})
	p.drain()
	p.conns = append(p.conns, p.last)
}

func (p *play) send(conn int, req Request) Code {
	p.m.Handle(p.nowMs, ConnID(conn), &req)
	return p.drain()
}

// drain checks the events in the machine's output and returns the code of the reply.
func (p *play) drain() Code {
	code := Code(1)
	for _, o := range p.m.Drain() {
		switch o.Kind {
		case OutReply:
			code = o.Reply.Err
		case OutEvent:
			p.use(int(o.Conn), o.Event)
		}
	}
	return code
}

// use removes the watches that an event has used up. It fails if there was no such watch.
func (p *play) use(conn int, e Event) {
	used := 0
	for _, table := range []string{"data", "child"} {
		fires := e.Type == deleted || (e.Type == children) == (table == "child")
		key := fmt.Sprint(conn, e.Path, table)
		if fires && p.armed[key] > 0 {
			used++
			delete(p.armed, key)
		}
	}
	if used == 0 {
		p.t.Fatalf("connection %d: event %s %s without a watch", conn, e.Type, e.Path)
	}
}

func (p *play) end(conn int) {
	for i, c := range p.conns {
		if c == conn {
			p.conns = append(p.conns[:i:i], p.conns[i+1:]...)
		}
	}
	for path, n := range p.model { //lint:ordered each entry is looked at alone
		if n.owner == conn {
			delete(p.model, path)
		}
	}
	for key := range p.armed { //lint:ordered each entry is looked at alone
		if strings.HasPrefix(key, fmt.Sprint(conn)+"/") {
			delete(p.armed, key)
		}
	}
}

func (p *play) want(what string, got Code, ok bool) {
	if (got == CodeOK) != ok {
		p.t.Fatalf("%s: got %s, want success %t", what, CodeName(got), ok)
	}
}

// change draws a write, applies it to the model m and returns the request.
func (p *play) change(conn int, m model) (Request, bool) {
	path := p.path()
	switch rapid.IntRange(0, 5).Draw(p.t, "write") {
	case 0, 1, 2:
		flags := rapid.Int32Range(0, 3).Draw(p.t, "flags")
		owner := 0
		if flags&1 != 0 {
			owner = conn
		}
		return mkFlags(path, flags), m.create(path, owner, flags&2 != 0) != ""
	case 3:
		return del(path), m.delete(path)
	}
	data := fmt.Sprint(rapid.IntRange(0, 99).Draw(p.t, "data"))
	return set(path, data), m.set(path, data)
}

func (p *play) multi(conn int) {
	draft := p.model.clone()
	var ops []Request
	all := true
	for range rapid.IntRange(0, 4).Draw(p.t, "operations") {
		req, ok := p.change(conn, draft)
		ops, all = append(ops, req), all && ok
	}
	req := multi(ops...)
	p.m.Handle(p.nowMs, ConnID(conn), &req)
	for _, o := range p.m.Drain() {
		switch {
		case o.Kind == OutEvent:
			p.use(int(o.Conn), o.Event)
		case len(o.Reply.Results) > 0 && (o.Reply.Results[0].Op != OpError) != all:
			p.t.Fatalf("multi: got %s, want success %t", o.Reply.String(), all)
		}
	}
	if all {
		p.model = draft
	}
}

func (p *play) watch(conn int) {
	path := p.path()
	op := rapid.SampledFrom([]OpCode{OpExists, OpGetData, OpGetChildren}).Draw(p.t, "read")
	found := p.model[path] != nil
	p.want(op.String(), p.send(conn, watchOn(op, path)), found)
	table := "data"
	if op == OpGetChildren {
		table = "child"
	}
	if found || op == OpExists {
		p.armed[fmt.Sprint(conn, path, table)] = 1
	}
}

func (p *play) step() {
	if len(p.conns) == 0 {
		p.connect()
	}
	conn := rapid.SampledFrom(p.conns).Draw(p.t, "client")
	switch rapid.IntRange(0, 20).Draw(p.t, "action") {
	case 0:
		p.connect()
	case 1:
		p.send(conn, Request{Op: OpCloseSession})
		p.end(conn)
	case 2:
		// One client goes silent while the others ping, so that its session expires.
		for range 4 {
			p.nowMs += 4_000
			for _, other := range p.conns {
				if other != conn {
					p.send(other, Request{Op: OpPing})
				}
			}
		}
		p.m.Tick(p.nowMs)
		p.drain()
		p.end(conn)
	case 3, 4, 5:
		p.multi(conn)
	case 6, 7, 8, 9:
		p.watch(conn)
	default:
		req, ok := p.change(conn, p.model)
		p.want(req.Op.String()+" "+req.Path, p.send(conn, req), ok)
	}
}

func TestMachineFollowsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &play{t: t, m: New(Config{}, 0), model: newModel(), armed: map[string]int{}}
		replica := p.m.Replica()
		p.m.OnCommit(replica.Follow)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			p.step()
			if got, want := shape(p.m), p.model.String(); got != want {
				t.Fatalf("tree:\n%s\nwant:\n%s", got, want)
			}
			if got, want := replica.DumpTree(), p.m.DumpTree(); got != want {
				t.Fatalf("replica:\n%s\nwant:\n%s", got, want)
			}
			if got, want := len(p.m.Watches()), len(p.armed); got != want {
				t.Fatalf("watches: got %d, want %d", got, want)
			}
			if c := p.m.Counters(); c.Unbalanced() != "" || c.WatchesHeld != uint64(len(p.armed)) {
				t.Fatalf("%+v: %s, want %d held", c, c.Unbalanced(), len(p.armed))
			}
		}
		again := Restore(p.m.cfg, p.nowMs, p.m.Snapshot())
		if got, want := again.DumpTree(), p.m.DumpTree(); got != want {
			t.Fatalf("restored tree:\n%s\nwant:\n%s", got, want)
		}
	})
}
