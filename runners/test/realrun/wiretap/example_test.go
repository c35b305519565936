package wiretap_test

import (
	"fmt"

	"github.com/monosim/monosim/runners/test/realrun/wiretap"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// A relay gives the messages of a client and a server to a connection of the tap.
func Example() {
	tap := &wiretap.ZooKeeper{Tell: func(a wiretap.Act) { fmt.Printf("%s %v %q\n", a.Client, a.Op, a.Path) }}
	c := tap.Connect("pod")
	c.Request(wire.AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 10_000})[4:])
	c.Answer(wire.AppendConnectResponse(nil, &zookeeper.ConnectResponse{TimeoutMs: 10_000, SessionID: 7})[4:])
	c.Request(wire.AppendRequest(nil, &zookeeper.Request{Xid: 1, Op: zookeeper.OpCreate, Path: "/a"})[4:])
	c.Answer(wire.AppendReply(nil, &zookeeper.Reply{Xid: 1, Op: zookeeper.OpCreate, Path: "/a"})[4:])

	// Output:
	// pod createSession ""
	// pod create "/a"
}
