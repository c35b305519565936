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

// ServeBare serves on any port of the loopback, which it prints first, and answers every
// request at once that it was done. It does nothing else, so what it takes is what any
// server of so many connections and its client take for their sockets. It returns when ctx
// ends, with an error only when it cannot serve before that.
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
			_ = answerAll(tcp) // a client that has gone
		}()
	}
}

// answerAll answers until the client has gone.
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
