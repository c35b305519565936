package zkserver_test

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/runners/realrun/zkserver"
)

// Goal: a server keeps what it has acknowledged. Method: a client writes, the server
// is stopped and started, and another client reads.
func TestRestartKeepsTheData(t *testing.T) {
	s := zkserver.ForTest(t, zkserver.Config{Tick: 500 * time.Millisecond})
	dial := func() *zk.Conn {
		c, _, err := zk.Connect([]string{s.Addr()}, 10*time.Second, zk.WithLogInfo(false))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := dial()
	if _, err := c.Create("/x", []byte("kept"), 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("stopped again: %v", err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	c = dial()
	defer c.Close()
	data, _, err := c.Get("/x")
	if err != nil || string(data) != "kept" {
		t.Errorf("after a restart: %q, %v, want kept", data, err)
	}
}
