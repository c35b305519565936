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
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Load is one kind of operation, sent over Conns connections that each keep Window requests
// in flight.
type Load struct {
	// Op is OpCreate, OpGetData or OpSetData. The data have 100 bytes.
	Op            zookeeper.OpCode
	Conns, Window int
}

// Loads lists the loads for which ZK-20 gives numbers of its hand-written client. It adds
// loads that create znodes over other numbers of connections, with the same total of
// requests in flight.
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

// root is the parent of all znodes that loads create. digits is the number of digits in
// their names.
const (
	root   = "/zkbench"
	digits = 9
)

// Length sets how long a run takes. It runs batches of Batch operations until their total
// time is at least Least. Deletions between batches are not timed.
type Length struct {
	Batch int
	Least time.Duration
}

// Measurement is the result of one run, or the median of several.
type Measurement struct {
	// PerSecond counts operations per second of wall time.
	PerSecond float64
	// Server and Client are the processor time of one operation in each process, in
	// microseconds. Other work on the host hardly changes them, while it lowers the rate.
	Server, Client float64
}

// Run runs the load on the server at addr (host:port) and then removes the znodes that it
// created. pid is the server's process, whose processor time is measured. With pid 0 none is
// measured.
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

// batch makes every client do the operation a number of times (each), and adds the cost to took.
// The znodes of a batch are created for it and deleted after it.
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

// cost holds a wall time and the processor times of server and client during it.
type cost struct{ wall, server, client time.Duration }

// beginning is the time from which wall times count.
var beginning = time.Now()

// costs returns the wall time and the processor time of this process so far. If pid is not 0
// it adds the processor time of process pid.
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

// all makes every client send n requests. They go in turn to the client's first znodes, and nodes
// is the number of these znodes.
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
	in     []byte // buffer of the bytes read from the connection
	have   int    // number of bytes in the buffer that have not been parsed yet
	out    []byte
}

// readSize is the size of the read buffer in bytes, enough for the answers to a window of
// requests.
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

// ensureRoot creates the parent of all znodes of the load if it is missing.
func (c *client) ensureRoot() error {
	frame := wire.AppendRequest(nil, &zookeeper.Request{Op: zookeeper.OpCreate, Path: root, ACL: acl.Open()})
	if _, err := c.tcp.Write(frame); err != nil {
		return err
	}
	return c.answers(1, func(code zookeeper.Code) bool { return code == 0 || code == -110 })
}

// do sends n requests and keeps up to window of them in flight.
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

// request returns the frame of a request. at is the offset in the frame of the digits in the
// znode's name, 0 if the frame has none.
func (c *client) request(op zookeeper.OpCode) (frame []byte, at int) {
	prefix := fmt.Sprintf("%s/%02d-", root, c.number)
	req := zookeeper.Request{Op: op, Path: prefix + "000000000", Version: -1, ACL: acl.Open()}
	if op == zookeeper.OpCreate || op == zookeeper.OpSetData {
		req.Data = make([]byte, 100)
	}
	frame = wire.AppendRequest(nil, &req)
	if op == zookeeper.OpCloseSession {
		return frame, 0
	}
	const header = 4 + 4 + 4 + 4 // lengths of the fields before the path: frame length, xid, opcode, path length
	return frame, header + len(prefix)
}

func writeDigits(to []byte, v int) {
	for i := len(to) - 1; i >= 0; i-- {
		to[i] = byte('0' + v%10)
		v /= 10
	}
}

// answers waits for n answers. good, when set, decides which error codes are acceptable.
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

// read reads once from the connection and returns how many complete answers it got.
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
