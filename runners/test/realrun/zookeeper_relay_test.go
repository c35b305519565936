package realrun_test

import (
	"encoding/binary"
	"net"
	"sync"
	"testing"
)

// zkRelay passes the connections of one process on to a ZooKeeper server. It can cut them,
// or withhold an answer.
type zkRelay struct {
	to       string
	listener net.Listener

	mu    sync.Mutex
	conns []*net.TCPConn // both ends of each connection
	cut   bool
	lose  bool  // whether to lose the answer to the next request
	lost  int32 // xid of the request whose answer is lost, 0 for none
}

func newZKRelay(t *testing.T, to string) *zkRelay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &zkRelay{to: to, listener: l}
	t.Cleanup(func() {
		l.Close()
		r.reset()
	})
	go r.accept()
	return r
}

func (r *zkRelay) addr() string { return r.listener.Addr().String() }

func (r *zkRelay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.connect(c.(*net.TCPConn))
	}
}

func (r *zkRelay) connect(client *net.TCPConn) {
	c, err := net.Dial("tcp", r.to)
	if err != nil {
		client.Close()
		return
	}
	server := c.(*net.TCPConn)
	r.mu.Lock()
	r.conns = append(r.conns, client, server)
	cut := r.cut
	r.mu.Unlock()
	if cut {
		reset(client, server)
		return
	}
	go pass(server, client, r.answer)
	pass(client, server, r.request)
}

// pass copies bytes from one side to the other until either side ends. It also stops when
// look returns false for a chunk.
func pass(from, to *net.TCPConn, look func(chunk []byte) (goesOn bool)) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err != nil || !look(buf[:n]) {
			break
		}
		if _, err := to.Write(buf[:n]); err != nil {
			break
		}
	}
	reset(from, to)
}

func reset(conns ...*net.TCPConn) {
	for _, c := range conns {
		_ = c.SetLinger(0) // the error is not looked at: it says that the connection is closed already
		c.Close()
	}
}

// xid returns the xid of the frame at the start of a chunk. It assumes that each chunk is
// one whole frame, which holds while frames are small and rare.
func xid(chunk []byte) int32 {
	if len(chunk) < 8 {
		return 0
	}
	return int32(binary.BigEndian.Uint32(chunk[4:]))
}

func (r *zkRelay) request(chunk []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id := xid(chunk); r.lose && id > 0 {
		r.lose, r.lost = false, id
	}
	return true
}

func (r *zkRelay) answer(chunk []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == 0 || xid(chunk) != r.lost {
		return true
	}
	r.lost = 0
	return false
}

func (r *zkRelay) loseAnswer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lose = true
}

// setCut cuts all connections and keeps new ones out, or lets connections through again.
func (r *zkRelay) setCut(cut bool) {
	r.mu.Lock()
	r.cut = cut
	r.mu.Unlock()
	if cut {
		r.reset()
	}
}

// reset resets all open connections.
func (r *zkRelay) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	reset(r.conns...)
	r.conns = nil
}
