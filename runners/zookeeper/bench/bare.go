package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// ServeBare listens on a free loopback port, prints the address, and answers every request
// at once with success. It does nothing else, so it measures the cost of the sockets that
// any server has. It returns when ctx ends. Its only error is that it cannot listen.
func ServeBare(ctx context.Context, out io.Writer) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	for {
		tcp, err := ln.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		go func() {
			defer tcp.Close()
			_ = answerAll(tcp) // the error is not looked at: it says that the client has gone
		}()
	}
}

// answerAll answers all requests on a connection until the client closes it.
func answerAll(tcp net.Conn) error {
	in, have := make([]byte, readSize), 0
	out := wire.AppendConnectResponse(nil, &zookeeper.ConnectResponse{TimeoutMs: 30_000, SessionID: 1})
	done := wire.AppendReply(nil, &zookeeper.Reply{Op: zookeeper.OpDelete, Zxid: 1})
	connected := false
	for {
		k, err := tcp.Read(in[have:])
		if err != nil {
			return err
		}
		rest := in[:have+k]
		for len(rest) >= 4 {
			size := 4 + int(binary.BigEndian.Uint32(rest))
			if len(rest) < size {
				break
			}
			if connected {
				out = append(out, done...)
			}
			rest, connected = rest[size:], true
		}
		have = copy(in, rest)
		if connected && len(out) > 0 {
			if _, err := tcp.Write(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
}
