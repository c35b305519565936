package history_test

import (
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/history"
)

// A client may read /a as missing before it was written. It must not read /a as missing after it
// has seen the write.
func Example() {
	h := &history.History{}
	m := zookeeper.New(zookeeper.Config{OnWrite: h.Wrote}, 0)
	client := h.Join()
	ask := func(req zookeeper.Request) zookeeper.Reply {
		began := h.Now()
		m.Handle(0, 1, &req)
		reply := m.Drain()[0].Reply
		h.Answered(client, began, &req, &reply)
		return reply
	}
	m.Connect(0, 1, &zookeeper.ConnectRequest{TimeoutMs: 10_000})
	m.Drain()
	get := zookeeper.Request{Op: zookeeper.OpGetData, Path: "/a"}
	stale := ask(get)
	ask(zookeeper.Request{Op: zookeeper.OpCreate, Path: "/a", ACL: acl.Open()})
	fmt.Println(h.Check())

	h.Answered(client, h.Now(), &get, &stale)
	fmt.Println(h.Check())

	// Output:
	// <nil>
	// seen 2: client 0: getData /a: zxid 0x1, though this client has seen a later one
}
