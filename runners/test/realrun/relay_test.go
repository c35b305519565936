package realrun_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// relay passes connections on to an address, and can reset the open ones.
type relay struct {
	to       string
	listener net.Listener

	mu      sync.Mutex
	clients []*net.TCPConn
}

func newRelay(t *testing.T, to string) *relay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{to: to, listener: l}
	t.Cleanup(func() {
		l.Close()
		r.each(func(c *net.TCPConn) { c.Close() })
	})
	go r.accept()
	return r
}

func (r *relay) addr() string { return r.listener.Addr().String() }

func (r *relay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		client := c.(*net.TCPConn)
		r.mu.Lock()
		r.clients = append(r.clients, client)
		r.mu.Unlock()
		go r.pass(client)
	}
}

// pass copies bytes between client and server in both directions.
func (r *relay) pass(client *net.TCPConn) {
	defer client.Close()
	server, err := net.Dial("tcp", r.to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, client) // the error is not looked at: it also ends the copying in the other direction
		server.Close()
	}()
	_, _ = io.Copy(client, server)
}

func (r *relay) each(fn func(*net.TCPConn)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.clients {
		fn(c)
	}
}

// reset resets all open connections.
func (r *relay) reset() {
	r.each(func(c *net.TCPConn) {
		_ = c.SetLinger(0) // the error is not looked at: it says that the connection is closed already
		c.Close()
	})
}
