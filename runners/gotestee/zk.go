package gotestee

import (
	"slices"
	"sort"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/zookeeper"
)

// fakeZK is the reference's fake client, with its calls written down.
type fakeZK struct {
	*zookeeper.FakeClient
	calls     []any // [name, arguments]
	quiet     bool
	listeners []func(env.SessionState) bool
	// strict logs and obeys the recursive of a delete; otherwise it is the fake's
	// default, true, which agents leave it at.
	strict bool
	// life counts drop_watches: watches of an earlier life are silent.
	life int
}

func (c *call) newZK() *fakeZK {
	return &fakeZK{FakeClient: zookeeper.NewFakeClient(c.env)}
}

// startedZK is a client that is started.
func (c *call) startedZK() (*fakeZK, error) {
	zk := c.newZK()
	return zk, zk.Start(0)
}

func (z *fakeZK) note(name string, arguments *pysem.Dict) {
	if !z.quiet {
		z.calls = append(z.calls, []any{name, arguments})
	}
}

func (z *fakeZK) Create(path string, value []byte, o env.CreateOptions) (string, error) {
	arguments := object("path", path, "value", value)
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
	return z.FakeClient.Create(path, value, o)
}

// createStat is a create with include_data, which no agent asks for.
func (z *fakeZK) createStat(path string, value []byte, o env.CreateOptions) (any, error) {
	real, stat, err := z.CreateStat(path, value, o)
	return []any{real, statOf(stat)}, err
}

func (z *fakeZK) Set(path string, value []byte, version int32) (env.Stat, error) {
	z.note("set", object("path", path, "value", value))
	return z.FakeClient.Set(path, value, version)
}

func (z *fakeZK) Delete(path string, o env.DeleteOptions) error {
	if z.strict && !o.Recursive {
		return z.DeleteLeaf(path)
	}
	z.note("delete", object("path", path, "recursive", true))
	return z.FakeClient.Delete(path, o)
}

// DeleteLeaf is logged without recursive, which is false.
func (z *fakeZK) DeleteLeaf(path string) error {
	z.note("delete", object("path", path))
	return z.FakeClient.DeleteLeaf(path)
}

func (z *fakeZK) EnsurePath(path string) error {
	z.note("ensure_path", object("path", path))
	return z.FakeClient.EnsurePath(path)
}

// Restart is only logged: the reference's fake has none, the protocol adds it.
func (z *fakeZK) Restart() error {
	z.note("restart", object())
	return nil
}

func (z *fakeZK) AddListener(fn func(env.SessionState) bool) { z.listeners = append(z.listeners, fn) }

func (z *fakeZK) tell(state env.SessionState) {
	for _, fn := range z.listeners {
		fn(state)
	}
}

func (z *fakeZK) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	life := z.life
	return z.FakeClient.DataWatch(path, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		if life != z.life {
			return nil
		}
		return fn(data, stat, event)
	})
}

func (z *fakeZK) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	life := z.life
	return z.FakeClient.ChildrenWatch(path, func(children []string) error {
		if life != z.life {
			return nil
		}
		return fn(children)
	})
}

// take is the log since the last take. Runs of consecutive calls of one of the
// names are sorted by path.
func (z *fakeZK) take(sorted ...string) []any {
	calls := z.calls
	z.calls = nil
	for i := 0; i < len(calls); {
		j := i + 1
		for j < len(calls) && callName(calls[j]) == callName(calls[i]) && slices.Contains(sorted, callName(calls[i])) {
			j++
		}
		sortByPath(calls[i:j])
		i = j
	}
	return calls
}

func sortByPath(calls []any) {
	sort.SliceStable(calls, func(i, j int) bool { return callPath(calls[i]) < callPath(calls[j]) })
}

func callName(call any) string { return call.([]any)[0].(string) }

func callPath(call any) string {
	path, _ := call.([]any)[1].(*pysem.Dict).Get("path")
	text, _ := path.(string)
	return text
}

// tree lists all znodes depth first in order of creation; nil before the start.
func (z *fakeZK) tree() any {
	if z.State() != env.Connected {
		return nil
	}
	rows := []any{}
	for _, n := range z.Znodes() {
		rows = append(rows, []any{n.Path, n.Value, int(n.Version), n.Ephemeral})
	}
	return rows
}

// statOf is a stat as answers show it.
func statOf(s env.Stat) *pysem.Dict {
	return object("version", int(s.Version), "dataLength", int(s.DataLengthBytes),
		"numChildren", int(s.NumChildren), "ephemeralOwner", int(s.EphemeralOwner))
}

// value is an argument of a create or set: bytes, empty when missing. A text
// value, which the fake holds as it is, cannot be passed here.
func (s step) valueOrEmpty() []byte {
	if !s.has("value") {
		return []byte{}
	}
	return s.bytes("value")
}

// do is a step on the client, by the names of section 7. get gives value and
// stat.
func (z *fakeZK) do(s step) (any, error) {
	switch s.name {
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
		_, err := z.Set(s.str("path"), s.valueOrEmpty(), -1)
		return nil, err
	case "get":
		value, stat, err := z.Get(s.str("path"))
		return []any{value, statOf(stat)}, err
	case "delete":
		if s.has("recursive") && !s.flag("recursive") {
			return nil, z.DeleteLeaf(s.str("path"))
		}
		return nil, z.Delete(s.str("path"), env.DeleteOptions{Version: -1, Recursive: true})
	case "ensure_path":
		return nil, z.EnsurePath(s.str("path"))
	case "exists":
		stat, err := z.Exists(s.str("path"))
		return stat != nil, err
	case "get_children":
		names, err := z.Children(s.str("path"))
		if err != nil || !s.flag("include_data") {
			return names, err
		}
		_, stat, err := z.Get(s.str("path"))
		return []any{names, statOf(stat)}, err
	}
	unknownStep(s)
	return nil, nil
}

func (z *fakeZK) doCreate(s step) (any, error) {
	o := env.CreateOptions{Ephemeral: s.flag("ephemeral"), MakePath: s.flag("makepath"), Sequence: s.flag("sequence")}
	if s.flag("include_data") {
		return z.createStat(s.str("path"), s.valueOrEmpty(), o)
	}
	path, err := z.Create(s.str("path"), s.valueOrEmpty(), o)
	return path, err
}

// doQuietly is a zk.* step of the other operations: it is not logged, and get
// gives the value only.
func (z *fakeZK) doQuietly(s step) (any, error) {
	z.quiet = true
	defer func() { z.quiet = false }()
	v, err := z.do(s)
	if s.name == "get" && err == nil {
		v = v.([]any)[0]
	}
	return v, err
}
