package loopback

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/test/realrun/wiretap"
)

// modelRelays relays the traffic from a pod to its model servers, to observe it in a run
// with details. Each server listens at another port than its command line says. A relay
// listens at the stated port exactly as long as the server listens, so that clients notice
// no difference.
type modelRelays struct {
	p     *pod
	told  *os.File // the wrapper script writes a line to it for each server that it starts: the server's name
	wg    sync.WaitGroup
	mu    sync.Mutex
	conns map[net.Conn]bool
	over  bool
}

// mostStarts limits how many times an external model server can be started in a pod, because
// each start has ports reserved.
const mostStarts = 32

// startedPipe returns the named pipe through which the wrapper script reports a server's
// start.
func (p *pod) startedPipe() string { return filepath.Join(p.serversDir(), "started") }

// portsFile returns the file with ports for external model servers: for each start, one port
// for gRPC and one for REST.
func (p *pod) portsFile() string { return filepath.Join(p.serversDir(), "ports") }

// relayed reports whether the pod reaches its model servers through relays.
func (p *pod) relayed() bool { return p.c.spec.Detail && p.bare == nil }

// serverIP returns the address on which the pod's model servers listen.
func (p *pod) serverIP() string {
	switch {
	case !p.relayed():
		return p.ip
	case p.c.o.ModelServer != "":
		return "127.0.0.1"
	}
	return p.c.behind.prefix + strings.TrimPrefix(p.ip, p.c.net.prefix)
}

func newModelRelays(p *pod) (*modelRelays, error) {
	if err := makePipe(p.startedPipe()); err != nil {
		return nil, err
	}
	if p.c.o.ModelServer != "" {
		ports, err := process.FreePorts(2 * mostStarts)
		if err != nil {
			return nil, err
		}
		var lines strings.Builder
		for i := range mostStarts {
			fmt.Fprintln(&lines, ports[2*i], ports[2*i+1])
		}
		if err := p.c.disks.write(p.c.disks.below(p.portsFile()), []byte(lines.String()), 0o644); err != nil {
			return nil, err
		}
	}
	// opened for reading and writing, so that reading never meets an end of file
	told, err := p.c.disks.files.OpenFile(p.c.disks.below(p.startedPipe()), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	m := &modelRelays{p: p, told: told, conns: map[net.Conn]bool{}}
	m.wg.Go(func() {
		for lines := bufio.NewScanner(told); lines.Scan(); {
			m.wg.Go(func() { m.serve(lines.Text()) })
		}
	})
	return m, nil
}

func (m *modelRelays) close() {
	m.mu.Lock()
	m.over = true
	for conn := range m.conns {
		conn.Close()
	}
	m.mu.Unlock()
	m.told.Close()
	m.wg.Wait()
}

func (m *modelRelays) isOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// serverLooks is the wall time between two checks whether a model server listens or still
// runs.
const serverLooks = 5 * time.Millisecond

// serve relays the traffic to the named model server until that server ends or the relays are
// closed.
func (m *modelRelays) serve(name string) {
	s, ok := m.p.readServer(name + ".args")
	if !ok {
		return
	}
	var ways []net.Listener
	defer func() {
		for _, ln := range ways {
			ln.Close()
		}
	}()
	open := map[int]bool{0: true} // a server without this port has 0 here, which is never opened
	for s.runs() && !m.isOver() {
		for _, way := range []struct {
			port, behind int
			read         func(func(wiretap.Call)) wiretap.Reading
		}{{s.port, s.behind, wiretap.GRPC}, {s.restAsked, s.restBehind, wiretap.REST}} {
			if open[way.port] {
				continue
			}
			addr := net.JoinHostPort(m.p.serverIP(), strconv.Itoa(way.behind))
			conn, err := net.DialTimeout("tcp", addr, dialLimit)
			if err != nil {
				continue
			}
			conn.Close()
			ln, err := net.Listen("tcp", net.JoinHostPort(m.p.ip, strconv.Itoa(way.port)))
			if err != nil {
				continue // the relay of the previous server still has the port, and is about to end
			}
			open[way.port] = true
			ways = append(ways, ln)
			m.wg.Go(func() { m.accept(ln, addr, way.read) })
		}
		time.Sleep(serverLooks)
	}
}

func (m *modelRelays) accept(ln net.Listener, addr string, read func(func(wiretap.Call)) wiretap.Reading) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		m.wg.Go(func() { m.pass(conn, addr, read(m.called)) })
	}
}

// keep registers a connection, so that it can be closed. It returns false if the relays are
// already closed.
func (m *modelRelays) keep(conn net.Conn) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.conns[conn] = true
	return !m.over
}

func (m *modelRelays) drop(conn net.Conn) {
	conn.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.conns, conn)
}

// pass copies the traffic between a client and a model server in both directions. A client
// that connects but sends nothing has only probed the port.
func (m *modelRelays) pass(client net.Conn, addr string, reads wiretap.Reading) {
	defer reads.FromClient.Close()
	defer reads.FromServer.Close()
	defer m.drop(client)
	at := m.p.c.Now()
	server, err := net.DialTimeout("tcp", addr, dialLimit)
	if err != nil {
		return
	}
	defer m.drop(server)
	if !m.keep(client) || !m.keep(server) {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		wiretap.Copy(client, server, reads.FromServer)
		client.Close()
	})
	if wiretap.Copy(server, client, reads.FromClient) == 0 && !m.isOver() {
		m.p.c.journal.add(runners.Observation{At: at, Pod: m.p.Name, Op: "probe", Path: "modelserver"})
	}
	server.Close()
	back.Wait()
}

// called records a call that the server has answered.
func (m *modelRelays) called(call wiretap.Call) {
	o := runners.Observation{Pod: m.p.Name, Op: "rpc", Path: path.Base(call.Method), Peer: m.p.Name}
	if strings.Contains(call.Method, " ") {
		o.Path, o.Note = call.Method, strconv.Itoa(call.Code)
		m.p.c.journal.add(o)
		return
	}
	o.Note = rpcerrors.Code(call.Code).String()
	var asked apis.GetModelStatusRequest
	if o.Path == "GetModelStatus" && proto.Unmarshal(call.Request, &asked) == nil {
		o.Note = asked.GetModelSpec().GetName() + ": " + o.Note
	}
	m.p.c.journal.add(o)
}
