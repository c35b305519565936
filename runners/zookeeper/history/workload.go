package history

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Workload describes random operations that several clients do on the same few znodes. Each client
// waits for an answer before its next operation.
type Workload struct {
	Seed                uint64
	Clients, Ops, Nodes int
}

// root is the parent of the workload's znodes. It must not exist before a run.
const root = "/history"

// Run runs the workload on the server at addr (host:port) and returns when all clients are done.
// The same seed gives the same operations, apart from the versions that they expect. The history
// still differs from run to run. An error means that a client's connection failed.
func (w Workload) Run(addr string) (History, error) {
	began := time.Now()
	clients := make([]*client, w.Clients)
	for i := range clients {
		c, err := dial(addr)
		if err != nil {
			return nil, err
		}
		defer c.conn.Close()
		c.Workload, c.number, c.began = w, i, began
		c.random = rand.New(rand.NewPCG(w.Seed, uint64(i)))
		c.versions = map[string]int32{}
		clients[i] = c
	}
	if err := clients[0].makeRoot(); err != nil {
		return nil, err
	}
	errs := make([]error, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() { errs[i] = c.run() })
	}
	wg.Wait()
	var all History
	for _, c := range clients {
		all = append(all, c.history...)
	}
	return all, errors.Join(errs...)
}

// client runs one client's operations of a workload.
type client struct {
	Workload
	conn   diff.Conn
	number int
	xid    int32
	began  time.Time
	random *rand.Rand
	// versions maps znodes to the version that the client last saw.
	versions map[string]int32
	history  History
}

func dial(addr string) (*client, error) {
	conn, err := diff.TCP{Label: addr, Addr: addr}.Dial()
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn}
	err = conn.Send(wire.AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 30_000, Password: make([]byte, 16)}))
	if err == nil {
		_, err = conn.Receive()
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return c, nil
}

func (c *client) makeRoot() error {
	replies, err := c.ask(zookeeper.Request{Op: zookeeper.OpCreate, Path: root, ACL: acl.Open()})
	if err == nil && replies[0].Err != zookeeper.CodeOK {
		err = fmt.Errorf("create %s: %s", root, zookeeper.CodeName(replies[0].Err))
	}
	return err
}

// ask sends several requests at once and waits for all their answers.
func (c *client) ask(reqs ...zookeeper.Request) (replies []zookeeper.Reply, err error) {
	var frames []byte
	for i := range reqs {
		c.xid++
		reqs[i].Xid = c.xid
		frames = wire.AppendRequest(frames, &reqs[i])
	}
	if err := c.conn.Send(frames); err != nil {
		return nil, err
	}
	for i := range reqs {
		message, err := c.conn.Receive()
		if err != nil {
			return nil, err
		}
		reply, err := wire.DecodeReply(message, reqs[i].Op)
		if err != nil {
			return nil, err
		}
		if reply.Xid != reqs[i].Xid {
			return nil, fmt.Errorf("got the answer to %d, want %d", reply.Xid, reqs[i].Xid)
		}
		replies = append(replies, reply)
	}
	return replies, nil
}

func (c *client) run() error {
	for n := range c.Ops {
		o := c.next(n)
		if err := c.do(&o); err != nil {
			return fmt.Errorf("%s: %w", &o, err)
		}
		c.history = append(c.history, o)
	}
	return nil
}

// next draws the client's n-th operation at random.
func (c *client) next(n int) Operation {
	o := Operation{Client: c.number, Path: fmt.Sprintf("%s/%d", root, c.random.IntN(c.Nodes)), Expected: -1}
	switch dice := c.random.IntN(10); {
	case dice < 2:
		o.Op = zookeeper.OpCreate
	case dice < 3:
		o.Op = zookeeper.OpDelete
	case dice < 6:
		o.Op = zookeeper.OpSetData
	default:
		o.Op, o.Synced = zookeeper.OpGetData, dice < 8
	}
	if o.Op == zookeeper.OpCreate || o.Op == zookeeper.OpSetData {
		o.Value = fmt.Sprintf("client %d, %d", c.number, n)
	}
	if (o.Op == zookeeper.OpSetData || o.Op == zookeeper.OpDelete) && c.random.IntN(3) > 0 {
		o.Expected = c.versions[o.Path]
	}
	return o
}

// do sends the operation, preceded by a sync if it is Synced, and stores the answer in o.
func (c *client) do(o *Operation) error {
	var reqs []zookeeper.Request
	if o.Synced {
		reqs = append(reqs, zookeeper.Request{Op: zookeeper.OpSync, Path: o.Path})
	}
	req := zookeeper.Request{Op: o.Op, Path: o.Path, Version: o.Expected}
	switch o.Op {
	case zookeeper.OpCreate:
		req.Data, req.ACL = []byte(o.Value), acl.Open()
	case zookeeper.OpSetData:
		req.Data = []byte(o.Value)
	}
	reqs = append(reqs, req)
	o.Call = time.Since(c.began)
	replies, err := c.ask(reqs...)
	o.Return = time.Since(c.began)
	if err != nil {
		return err
	}
	if o.Synced && replies[0].Err != zookeeper.CodeOK {
		return fmt.Errorf("sync: %s", zookeeper.CodeName(replies[0].Err))
	}
	reply := &replies[len(replies)-1]
	o.Code, o.Zxid = reply.Err, reply.Zxid
	switch o.Code {
	case zookeeper.CodeOK, zkerrors.NoNode, zkerrors.NodeExists, zkerrors.BadVersion:
	default:
		return errors.New("not an answer of these operations")
	}
	if o.Code != zookeeper.CodeOK {
		return nil
	}
	switch o.Op {
	case zookeeper.OpGetData:
		o.Value = string(reply.Data)
		fallthrough
	case zookeeper.OpSetData:
		o.Version = reply.Stat.Version
	}
	c.versions[o.Path] = o.Version
	return nil
}
