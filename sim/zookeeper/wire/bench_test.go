package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: the speeds listed in ZK-20: create, get and set of 100 bytes, with 1 and 16 connections,
// and with 1 and 100 requests in flight. Clients send prepared bytes, so that the server and the
// kernel take nearly all of the time. MONOSIM_BENCH_ADDR names another server to measure, such as a
// real one.

func BenchmarkServer(b *testing.B) {
	for _, disk := range []bool{false, true} {
		for _, op := range []string{"create", "get", "set"} {
			for _, load := range []struct{ conns, window int }{{1, 1}, {1, 1000}, {16, 1}, {16, 100}} {
				where := "memory"
				if disk {
					where = "disk"
				}
				b.Run(fmt.Sprintf("%s/%s/conns=%d/window=%d", where, op, load.conns, load.window), func(b *testing.B) {
					opt := Options{Speed: 1}
					if disk {
						opt.DataDir = b.TempDir()
					}
					benchmark(b, opt, op, load.conns, load.window)
				})
			}
		}
	}
}

func benchmark(b *testing.B, opt Options, op string, conns, window int) {
	l := benchServer(b, opt)
	setup := l.connect()
	setup.do(mk("/bench"))
	data := make([]byte, 100)
	setup.ok(zookeeper.Request{Op: zookeeper.OpSetData, Path: "/bench", Data: data, Version: -1})
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	clients := make([]*benchClient, conns)
	for i := range clients {
		clients[i] = newBenchClient(l.connect(), window)
	}
	run := benchRun.Add(1)
	b.ReportAllocs()
	b.ResetTimer()
	for i, c := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := int64(window); n == int64(window); {
				n = max(min(n, left.Add(-n)+n), 0)
				c.round(b, int(n), func(frame []byte, k int) []byte {
					return appendBenchRequest(frame, op, fmt.Sprintf("/bench/%d-%d-%d", run, i, c.made+k), data)
				})
			}
		}()
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "op/s")
}

var benchRun atomic.Int64

func appendBenchRequest(frame []byte, op, path string, data []byte) []byte {
	switch op {
	case "create":
		return AppendRequest(frame, &zookeeper.Request{Op: zookeeper.OpCreate, Path: path, Data: data, ACL: openACL})
	case "get":
		return AppendRequest(frame, &zookeeper.Request{Op: zookeeper.OpGetData, Path: "/bench"})
	}
	return AppendRequest(frame, &zookeeper.Request{Op: zookeeper.OpSetData, Path: "/bench", Data: data, Version: -1})
}

// benchClient sends rounds of prepared requests. It only checks that the answers are no errors.
type benchClient struct {
	conn   net.Conn
	in     *bufio.Reader
	out    []byte
	window int
	made   int
}

func newBenchClient(p *peer, window int) *benchClient {
	return &benchClient{conn: p.Conn, in: bufio.NewReaderSize(p.Conn, 1<<16), window: window}
}

func (c *benchClient) round(b *testing.B, n int, request func([]byte, int) []byte) {
	c.out = c.out[:0]
	for k := range n {
		c.out = request(c.out, k)
	}
	c.made += n
	if _, err := c.conn.Write(c.out); err != nil {
		b.Error(err)
		return
	}
	var head [20]byte
	for range n {
		if _, err := io.ReadFull(c.in, head[:]); err != nil {
			b.Error(err)
			return
		}
		if code := int32(binary.BigEndian.Uint32(head[16:])); code != 0 {
			b.Errorf("answer %d", code)
			return
		}
		if _, err := c.in.Discard(int(binary.BigEndian.Uint32(head[:])) - 16); err != nil {
			b.Error(err)
			return
		}
	}
}

// benchServer starts our server, or uses the server that MONOSIM_BENCH_ADDR names.
func benchServer(b *testing.B, opt Options) *lab {
	if addr := os.Getenv("MONOSIM_BENCH_ADDR"); addr != "" {
		return &lab{TB: b, addr: addr}
	}
	return serve(b, opt)
}
