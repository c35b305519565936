package caseworld

import (
	"slices"
	"sort"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/zookeeper/kazoofake"
)

// ZooKeeper is a fake client that behaves as the reference's fake, and logs its calls.
type ZooKeeper struct {
	*kazoofake.Client
	calls     []any // [name, arguments]
	quiet     bool
	listeners []func(env.SessionState) bool
	refusals
	// Strict makes a delete obey its flag "recursive", and log the flag only if it is set. Without
	// Strict every delete is recursive and logged so, which is the fake's default and what agents
	// use.
	Strict bool
	// OnCall, when set, is called with each call. Such calls are not logged.
	OnCall func(name string, arguments *pysem.Dict)
	// Life counts how often the step drop_watches has run. Watches that were set before its last
	// run stay silent.
	Life int
}

// NewZK makes a client that is not started.
func (c *Call) NewZK() *ZooKeeper {
	return &ZooKeeper{Client: kazoofake.New(c.Env)}
}

// StartedZK makes a client and starts it.
func (c *Call) StartedZK() (*ZooKeeper, error) {
	zk := c.NewZK()
	return zk, zk.Start(0)
}

// Fill creates the znodes in the case's tree, a list of [path, value]. It does not log them.
func (z *ZooKeeper) Fill(in Arguments) error {
	for _, row := range in.Rows("tree", "path", "value") {
		if _, err := z.Client.Create(row.Str("path"), row.Bytes("value"), env.CreateOptions{MakePath: true}); err != nil {
			return err
		}
	}
	return nil
}

func (z *ZooKeeper) note(name string, arguments *pysem.Dict) {
	if !z.quiet && z.OnCall != nil {
		z.OnCall(name, arguments)
	} else if !z.quiet {
		z.calls = append(z.calls, []any{name, arguments})
	}
}

func (z *ZooKeeper) Create(path string, value []byte, o env.CreateOptions) (string, error) {
	arguments := Object("path", path, "value", value)
	if value == nil {
		arguments.Set("value", []byte{})
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"ephemeral", o.Ephemeral}, {"makepath", o.MakePath}, {"sequence", o.Sequence}} {
		if f.set {
			arguments.Set(f.name, true)
		}
	}
	z.note("create", arguments)
	if err := z.refused("create", z.quiet); err != nil {
		return "", err
	}
	return z.Client.Create(path, value, o)
}

// createStat creates a znode with include_data, which returns the stat too. Agents never use that,
// only cases do.
func (z *ZooKeeper) createStat(path string, value []byte, o env.CreateOptions) (any, error) {
	real, stat, err := z.CreateStat(path, value, o)
	return []any{real, StatOf(stat)}, err
}

func (z *ZooKeeper) Set(path string, value []byte, version int32) error {
	z.note("set", Object("path", path, "value", value))
	if err := z.refused("set", z.quiet); err != nil {
		return err
	}
	return z.Client.Set(path, value, version)
}

func (z *ZooKeeper) Delete(path string, o env.DeleteOptions) error {
	if z.Strict && !o.Recursive {
		return z.DeleteLeaf(path)
	}
	z.note("delete", Object("path", path, "recursive", true))
	if err := z.refused("delete", z.quiet); err != nil {
		return err
	}
	return z.Client.Delete(path, o)
}

// DeleteLeaf deletes a znode without children. The flag "recursive" of this delete is false, and
// the log does not show it.
func (z *ZooKeeper) DeleteLeaf(path string) error {
	z.note("delete", Object("path", path))
	if err := z.refused("delete", z.quiet); err != nil {
		return err
	}
	return z.Client.DeleteLeaf(path)
}

func (z *ZooKeeper) EnsurePath(path string) error {
	z.note("ensure_path", Object("path", path))
	if err := z.refused("ensure_path", z.quiet); err != nil {
		return err
	}
	return z.Client.EnsurePath(path)
}

func (z *ZooKeeper) Get(path string) ([]byte, env.Stat, error) {
	if err := z.refused("get", z.quiet); err != nil {
		return nil, env.Stat{}, err
	}
	return z.Client.Get(path)
}

func (z *ZooKeeper) Exists(path string) (*env.Stat, error) {
	if err := z.refused("exists", z.quiet); err != nil {
		return nil, err
	}
	return z.Client.Exists(path)
}

func (z *ZooKeeper) Children(path string) ([]string, error) {
	if err := z.refused("get_children", z.quiet); err != nil {
		return nil, err
	}
	return z.Client.Children(path)
}

// Restart only logs the call. The reference's fake has no restart, so the protocol defines this.
func (z *ZooKeeper) Restart() error {
	z.note("restart", Object())
	return nil
}

func (z *ZooKeeper) AddListener(fn func(env.SessionState) bool) {
	z.listeners = append(z.listeners, fn)
}

// Tell calls the listeners with a session state, as kazoo does.
func (z *ZooKeeper) Tell(state env.SessionState) {
	for _, fn := range z.listeners {
		fn(state)
	}
}

func (z *ZooKeeper) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	if err := z.refused("data_watch", z.quiet); err != nil {
		return nil, err
	}
	life := z.Life
	return z.Client.DataWatch(path, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		if life != z.Life {
			return nil
		}
		return fn(data, stat, event)
	})
}

func (z *ZooKeeper) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	if err := z.refused("children_watch", z.quiet); err != nil {
		return nil, err
	}
	life := z.Life
	return z.Client.ChildrenWatch(path, func(children []string) error {
		if life != z.Life {
			return nil
		}
		return fn(children)
	})
}

// Take returns the calls logged since the last Take. Consecutive calls of one of the given
// names are sorted by path.
func (z *ZooKeeper) Take(sorted ...string) []any {
	calls := z.calls
	z.calls = nil
	for i := 0; i < len(calls); {
		j := i + 1
		for j < len(calls) && CallName(calls[j]) == CallName(calls[i]) && slices.Contains(sorted, CallName(calls[i])) {
			j++
		}
		sortByPath(calls[i:j])
		i = j
	}
	return calls
}

func sortByPath(calls []any) {
	sort.SliceStable(calls, func(i, j int) bool { return CallPath(calls[i]) < CallPath(calls[j]) })
}

// CallName returns the method of a call from [ZooKeeper.Take].
func CallName(call any) string { return call.([]any)[0].(string) }

// CallPath returns the path of a call from [ZooKeeper.Take].
func CallPath(call any) string {
	path, _ := call.([]any)[1].(*pysem.Dict).Get("path")
	text, _ := path.(string)
	return text
}

// Tree lists all znodes depth first, in the order of their creation. Before the client is started
// it returns nil.
func (z *ZooKeeper) Tree() any {
	if z.State() != env.Connected {
		return nil
	}
	return lists.Map(z.Znodes(), func(n kazoofake.Znode) any { return []any{n.Path, n.Value, int(n.Version), n.Ephemeral} })
}

// StatOf encodes a stat.
func StatOf(s env.Stat) *pysem.Dict {
	return Object("version", int(s.Version), "dataLength", int(s.DataLengthBytes),
		"numChildren", int(s.NumChildren), "ephemeralOwner", int(s.EphemeralOwner))
}

// ValueOrEmpty returns the value of a create or set, or empty bytes if the step has none. The fake
// would accept a text, but the port takes only bytes, so that a text ends the case.
func (s Step) ValueOrEmpty() []byte {
	if !s.Has("value") {
		return []byte{}
	}
	return s.Bytes("value")
}

// Do runs a step on the client. Section 7 of the protocol lists the steps. The step get returns
// value and stat.
func (z *ZooKeeper) Do(s Step) (any, error) {
	switch s.Name {
	case "fail":
		return nil, z.refuse(s.Arguments)
	case "start":
		return nil, z.Start(0)
	case "stop":
		z.Stop()
		return nil, nil
	case "close":
		z.Close()
		return nil, nil
	case "create":
		return z.doCreate(s)
	case "set":
		return nil, z.Set(s.Str("path"), s.ValueOrEmpty(), -1)
	case "get":
		value, stat, err := z.Get(s.Str("path"))
		return []any{value, StatOf(stat)}, err
	case "delete":
		if s.Has("recursive") && !s.Flag("recursive") {
			return nil, z.DeleteLeaf(s.Str("path"))
		}
		return nil, z.Delete(s.Str("path"), env.DeleteOptions{Version: -1, Recursive: true})
	case "ensure_path":
		return nil, z.EnsurePath(s.Str("path"))
	case "exists":
		stat, err := z.Exists(s.Str("path"))
		return stat != nil, err
	case "get_children":
		names, err := z.Children(s.Str("path"))
		if err != nil || !s.Flag("include_data") {
			return names, err
		}
		_, stat, err := z.Get(s.Str("path"))
		return []any{names, StatOf(stat)}, err
	}
	UnknownStep(s)
	return nil, nil
}

func (z *ZooKeeper) doCreate(s Step) (any, error) {
	o := env.CreateOptions{Ephemeral: s.Flag("ephemeral"), MakePath: s.Flag("makepath"), Sequence: s.Flag("sequence")}
	if s.Flag("include_data") {
		return z.createStat(s.Str("path"), s.ValueOrEmpty(), o)
	}
	path, err := z.Create(s.Str("path"), s.ValueOrEmpty(), o)
	return path, err
}

// DoQuietly runs a step on the client for another operation. The step is not logged, and get
// returns only the value.
func (z *ZooKeeper) DoQuietly(s Step) (any, error) {
	z.quiet = true
	defer func() { z.quiet = false }()
	v, err := z.Do(s)
	if s.Name == "get" && err == nil {
		v = v.([]any)[0]
	}
	return v, err
}
