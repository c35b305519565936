package wire_test

import (
	"fmt"
	"io"
	"net"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Example starts a server on a free port and sends it a four-letter word. Then it encodes a
// client's request and decodes it as a server does. In Go tests zookeepertest.Start is shorter.
func Example() {
	server, err := wire.Listen("127.0.0.1:0", wire.Options{Speed: 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	conn, err := net.Dial("tcp", server.Addr())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "ruok")
	answer, err := io.ReadAll(conn)
	fmt.Printf("%s %v\n", answer, err)

	frame := wire.AppendRequest(nil, &zookeeper.Request{Xid: 7, Op: zookeeper.OpGetData, Path: "/a", Watch: true})
	fmt.Printf("% x\n", frame)

	// Output:
	// imok <nil>
	// 00 00 00 0f 00 00 00 07 00 00 00 04 00 00 00 02 2f 61 01
}
