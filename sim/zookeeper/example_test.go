package zookeeper_test

import (
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// The machine gets requests and the time in ms, and returns what the server sends. Nothing happens
// by itself: a session expires at the first input whose time is late enough.
func Example() {
	m := zookeeper.New(zookeeper.Config{}, 0)
	tell := func() {
		for _, out := range m.Drain() {
			fmt.Println(out.String())
		}
	}

	const alice, bob = 1, 2 // connections
	m.Connect(0, alice, &zookeeper.ConnectRequest{TimeoutMs: 10_000})
	m.Connect(0, bob, &zookeeper.ConnectRequest{TimeoutMs: 40_000})
	m.Handle(5, alice, &zookeeper.Request{Xid: 1, Op: zookeeper.OpCreate, Path: "/lock",
		Flags: zookeeper.FlagEphemeral, ACL: acl.Open()})
	m.Handle(6, bob, &zookeeper.Request{Xid: 1, Op: zookeeper.OpExists, Path: "/lock", Watch: true})
	tell()

	m.Drop(7, alice) // her connection ends, and her session lives on for ten seconds
	m.Tick(20_000)
	fmt.Println("20 s later:")
	tell()
	fmt.Print(m.DumpTree())

	// Output:
	// 1 connected session=0x100000000000000 timeout=10000
	// 2 connected session=0x100000000000001 timeout=40000
	// 1 create OK zxid=3 /lock
	// 2 exists OK zxid=3
	// 20 s later:
	// 2 event DELETED /lock
	// / pzxid=4 cversion=1
	// /zookeeper cversion=-2
	// /zookeeper/config aversion=-1 acl=world:anyone:r
	// /zookeeper/quota
}
