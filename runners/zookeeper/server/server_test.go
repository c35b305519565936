package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/server"
)

// Goal: writes that the server has acknowledged survive a restart. Method: a client writes, the
// server is stopped and started, and another client reads.
func TestRestartKeepsTheData(t *testing.T) {
	s := server.ForTest(t, server.Config{Tick: 500 * time.Millisecond})
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

// Goal: Transactions reads correctly from the server's own log who wrote what. Method: a client
// writes data with commas and brackets, which the log uses as separators.
func TestTransactionsSayWhatWasWritten(t *testing.T) {
	s := server.ForTest(t, server.Config{Tick: 500 * time.Millisecond})
	c, _, err := zk.Connect([]string{s.Addr()}, 10*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	open := zk.WorldACL(zk.PermAll)
	data := "{\"a\": [1,2],\n\"b\": \"],true,\"}"
	for _, err := range []error{
		second(c.Create("/x", []byte(data), 0, open)),
		second(c.Create("/x/e-", nil, zk.FlagEphemeral|zk.FlagSequence, open)),
		second(c.Set("/x", []byte("7,8"), -1)),
		c.Delete("/x/e-0000000000", -1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Delete("/nothing", -1); err != zk.ErrNoNode {
		t.Fatalf("delete of nothing: %v", err)
	}
	id := c.SessionID()
	c.Close()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	got, err := s.Transactions()
	if err != nil {
		t.Fatal(err)
	}
	want := []server.Transaction{
		{Session: id, Zxid: 1, Op: "createSession"},
		{Session: id, Zxid: 2, Op: "create", Path: "/x", Data: data},
		{Session: id, Zxid: 3, Op: "create", Path: "/x/e-0000000000", Ephemeral: true},
		{Session: id, Zxid: 4, Op: "setData", Path: "/x", Data: "7,8"},
		{Session: id, Zxid: 5, Op: "delete", Path: "/x/e-0000000000"},
		{Session: id, Zxid: 6, Op: "error", Code: -101},
		{Session: id, Zxid: 7, Op: "closeSession"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transactions (-want +got):\n%s", diff)
	}
}

func second[T any](_ T, err error) error { return err }

// Goal: Profile knows the version of an installed server. Otherwise scenarios of another version
// would run on the server.
func TestTheInstalledVersionIsKnown(t *testing.T) {
	if err := server.Installed(); err != nil {
		t.Skip(err)
	}
	if got := server.Profile(); !strings.HasPrefix(got, "zookeeper-3.") {
		t.Errorf("profile: got %q, want zookeeper-3. and a number", got)
	}
}
