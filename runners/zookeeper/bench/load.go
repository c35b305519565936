package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Load is one operation, done by a number of connections that each keep a number
// of requests under way.
type Load struct {
	// Op is OpCreate, OpGetData or OpSetData, of 100 bytes.
	Op            zookeeper.OpCode
	Conns, Window int
}

// Loads lists the loads that ZK-20 has numbers for, of its hand-written client, and
// between those creates by other numbers of connections that have as many under way in
// all.
func Loads() []Load {
	loads := []Load{{zookeeper.OpCreate, 1, 1000}}
	for _, conns := range []int{4, 16, 64, 256} {
		loads = append(loads, Load{zookeeper.OpCreate, conns, max(1600/conns, 1)})
	}
	for _, op := range []zookeeper.OpCode{zookeeper.OpGetData, zookeeper.OpSetData} {
		loads = append(loads, Load{op, 1, 1000}, Load{op, 16, 100})
	}
	return loads
}

func (l Load) String() string {
	name := map[zookeeper.OpCode]string{zookeeper.OpCreate: "create", zookeeper.OpGetData: "get", zookeeper.OpSetData: "set"}[l.Op]
	if l.Conns == 1 {
		return fmt.Sprintf("%s, 1 connection, %d in flight", name, l.Window)
	}
	return fmt.Sprintf("%s, %d connections, %d in flight each", name, l.Conns, l.Window)
}

// root is the znode below which all is done, and digits the length of the names in
// it.
const (
	root   = "/zkbench"
	digits = 9
)

// Length says how long a run of a load is: Batch operations, again and again until
// they have taken Least together. What is deleted between batches is not counted.
type Length struct {
	Batch int
	Least time.Duration
}

// Measurement is what one run, or the median of several, has found.
type Measurement struct {
	// PerSecond is how many operations were done in a second of wall time.
	PerSecond float64
	// Server and Client are the processor time that one operation took of the two
	// processes, in microseconds. Unlike the rate it hardly depends on what else the
	// machine does.
	Server, Client float64
}

// Run does the operation on the server at addr, a host:port, for the length of a run. It
// removes the znodes that it made. The server is process pid, of which the processor time
// is taken; 0 takes none.
func (l Load) Run(addr string, pid int, length Length) (m Measurement, err error) {
	clients := make([]*client, l.Conns)
	defer func() {
		for _, c := range clients {
			if c != nil {
				c.tcp.Close()
			}
		}
	}()
	for i := range clients {
		if clients[i], err = dial(addr, i); err != nil {
			return m, err
		}
	}
	if err := clients[0].ensureRoot(); err != nil {
		return m, err
	}
	each := max(length.Batch/l.Conns, 1)
	done, took := 0, cost{}
	for took.wall < length.Least || done == 0 {
		if err := l.batch(clients, pid, each, &took); err != nil {
			return m, err
		}
		done += each * l.Conns
	}
	micros := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(done) }
	m = Measurement{PerSecond: float64(done) / took.wall.Seconds(), Server: micros(took.server), Client: micros(took.client)}
	return m, all(clients, zookeeper.OpCloseSession, 1, 1, 1)
}

// batch does the operation each times with each client and adds what that took.
// A create's znodes, and the one that each client gets or sets, are there only for
// the time of the batch.
func (l Load) batch(clients []*client, pid, each int, took *cost) error {
	nodes := each
	if l.Op != zookeeper.OpCreate {
		nodes = 1
		if err := all(clients, zookeeper.OpCreate, 1, 1, 1); err != nil {
			return err
		}
	}
	began, err := costs(pid)
	if err != nil {
		return err
	}
	if err := all(clients, l.Op, each, nodes, l.Window); err != nil {
		return err
	}
	ended, err := costs(pid)
	if err != nil {
		return err
	}
	took.wall += ended.wall - began.wall
	took.server += ended.server - began.server
	took.client += ended.client - began.client
	return all(clients, zookeeper.OpDelete, nodes, nodes, l.Window)
}

// cost is wall time, and the processor time of two processes.
type cost struct{ wall, server, client time.Duration }

// beginning is what wall times are counted from.
var beginning = time.Now()

// costs is what was spent so far by the server that is process pid, if not 0, and by this
// process.
func costs(pid int) (c cost, err error) {
	if pid != 0 {
		if c.server, err = process.CPU(pid); err != nil {
			return c, err
		}
		if c.client, err = process.CPU(os.Getpid()); err != nil {
			return c, err
		}
	}
	c.wall = time.Since(beginning)
	return c, nil
}

// all lets every client do n requests on its first nodes znodes, in turn.
func all(clients []*client, op zookeeper.OpCode, n, nodes, window int) error {
	errs := make([]error, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() { errs[i] = c.do(op, n, nodes, window) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// client is a connection with a session.
type client struct {
	tcp    net.Conn
	number int
	in     []byte // what was read
	have   int    // of it, not yet looked at
	out    []byte
}

// readSize holds the answers of a window.
const readSize = 256 << 10

func dial(addr string, number int) (*client, error) {
	tcp, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &client{tcp: tcp, number: number, in: make([]byte, readSize)}
	_, err = tcp.Write(wire.AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 30_000, Password: make([]byte, 16)}))
	if err == nil {
		err = c.answers(1, nil)
	}
	if err != nil {
		tcp.Close()
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return c, nil
}

// ensureRoot makes the znode that all others are below, unless it is there.
func (c *client) ensureRoot() error {
	frame := wire.AppendRequest(nil, &zookeeper.Request{Op: zookeeper.OpCreate, Path: root, ACL: zookeeper.OpenACL()})
	if _, err := c.tcp.Write(frame); err != nil {
		return err
	}
	return c.answers(1, func(code zookeeper.Code) bool { return code == 0 || code == -110 })
}

// do sends n requests, window of them ahead of their answers.
func (c *client) do(op zookeeper.OpCode, n, nodes, window int) error {
	frame, at := c.request(op)
	sent, done := 0, 0
	for done < n {
		c.out = c.out[:0]
		for ; sent < n && sent < done+window; sent++ {
			if at > 0 {
				writeDigits(frame[at:at+digits], sent%nodes)
			}
			c.out = append(c.out, frame...)
		}
		if len(c.out) > 0 {
			if _, err := c.tcp.Write(c.out); err != nil {
				return err
			}
		}
		k, err := c.read(func(code zookeeper.Code) bool { return code == 0 })
		if err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
		done += k
	}
	return nil
}

// request is the frame of a request and where in it the digits of the znode's name
// are; 0 when it has none.
func (c *client) request(op zookeeper.OpCode) (frame []byte, at int) {
	prefix := fmt.Sprintf("%s/%02d-", root, c.number)
	req := zookeeper.Request{Op: op, Path: prefix + "000000000", Version: -1, ACL: zookeeper.OpenACL()}
	if op == zookeeper.OpCreate || op == zookeeper.OpSetData {
		req.Data = make([]byte, 100)
	}
	frame = wire.AppendRequest(nil, &req)
	if op == zookeeper.OpCloseSession {
		return frame, 0
	}
	const header = 4 + 4 + 4 + 4 // the frame's length, xid, opcode, the path's length
	return frame, header + len(prefix)
}

func writeDigits(to []byte, v int) {
	for i := len(to) - 1; i >= 0; i-- {
		to[i] = byte('0' + v%10)
		v /= 10
	}
}

// answers waits for n answers; good, when set, says which codes are.
func (c *client) answers(n int, good func(zookeeper.Code) bool) error {
	for n > 0 {
		k, err := c.read(good)
		if err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// read waits for bytes and counts the answers that are whole.
func (c *client) read(good func(zookeeper.Code) bool) (answers int, err error) {
	k, err := c.tcp.Read(c.in[c.have:])
	if err != nil {
		return 0, err
	}
	rest := c.in[:c.have+k]
	for len(rest) >= 4 {
		size := 4 + int(binary.BigEndian.Uint32(rest))
		if len(rest) < size {
			break
		}
		if good != nil {
			// xid, zxid, code
			if code := zookeeper.Code(int32(binary.BigEndian.Uint32(rest[16:]))); !good(code) {
				return answers, fmt.Errorf("answered %s", zookeeper.CodeName(code))
			}
		}
		rest = rest[size:]
		answers++
	}
	c.have = copy(c.in, rest)
	return answers, nil
}
