package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: frames that no client library sends are answered as the real server answers them. Method:
// the same frames go to both servers. MONOSIM_REAL_ZOOKEEPER is the real server's address.
func TestFramesAgainstARealServer(t *testing.T) {
	real := os.Getenv("MONOSIM_REAL_ZOOKEEPER")
	if real == "" {
		t.Skip("MONOSIM_REAL_ZOOKEEPER names no server to compare with")
	}
	ours := serve(t, Options{})
	for _, c := range oddFrames {
		t.Run(c.name, func(t *testing.T) {
			frames := unhex(t, c.frames)
			expect(t, (&lab{TB: t, addr: ours.addr}).answers(frames), (&lab{TB: t, addr: real}).answers(frames))
		})
	}
}

// oddFrames holds unusual requests. The test sends a ping after each, whose answer shows that the
// connection is still open. Requests that are answered and then end the connection are not listed:
// the real server answers their ping only by chance.
var oddFrames = []struct{ name, frames string }{
	{"null path of getData", "0000000d 00000001 00000004 ffffffff 00"},
	{"null path of exists", "0000000d 00000001 00000003 ffffffff 00"},
	{"null path of getChildren", "0000000d 00000001 00000008 ffffffff 00"},
	{"null path of create", "0000001c 00000001 00000001 ffffffff ffffffff ffffffff 00000000 00000000"},
	{"null path of delete", "00000010 00000001 00000002 ffffffff ffffffff"},
	{"null path of setData", "00000014 00000001 00000005 ffffffff ffffffff ffffffff"},
	{"null path of getACL", "0000000c 00000001 00000006 ffffffff"},
	{"null path of addWatch", "00000010 00000001 0000006a ffffffff 00000000"},
	{"null path of removeWatches", "00000010 00000001 00000012 ffffffff 00000003"},
	{"null path of checkWatches", "00000010 00000001 00000011 ffffffff 00000003"},
	{"null path of getAllChildrenNumber", "0000000c 00000001 00000068 ffffffff"},
	{"null prefix of getEphemerals", "0000000c 00000001 00000067 ffffffff"},
	{"null path of setACL", "00000014 00000001 00000007 ffffffff ffffffff ffffffff"},
	{"null path of check", "00000010 00000001 0000000d ffffffff ffffffff"},
	{"null path of getChildren2", "0000000d 00000001 0000000c ffffffff 00"},
	{"null id of world in ACL", "00000000 00000001 00000001 00000002 2f7a ffffffff 00000001 0000001f 00000005 776f726c64 ffffffff 00000000"},
	{"null id of auth in ACL", "00000000 00000001 00000001 00000002 2f7a ffffffff 00000001 0000001f 00000004 61757468 ffffffff 00000000"},
	{"null id of digest in ACL", "00000000 00000001 00000001 00000002 2f7a ffffffff 00000001 0000001f 00000006 646967657374 ffffffff 00000000"},
	{"null id of ip in ACL", "00000000 00000001 00000001 00000002 2f7a ffffffff 00000001 0000001f 00000002 6970 ffffffff 00000000"},
	{"null id of other in ACL", "00000000 00000001 00000001 00000002 2f7a ffffffff 00000001 0000001f 00000005 6f74686572 ffffffff 00000000"},
	{"null ACL", "0000001a 00000001 00000001 00000002 2f7a ffffffff ffffffff 00000000"},
	{"negative ACL", "0000001a 00000001 00000001 00000002 2f7a ffffffff fffffffe 00000000"},
	{"null scheme in ACL", "0000002a 00000001 00000001 00000002 2f7a ffffffff 00000001 0000001f ffffffff 00000000 00000000"},
	{"null lists of setWatches", "0000001c 00000001 00000065 0000000000000000 ffffffff ffffffff ffffffff"},
	{"negative lists of setWatches", "0000001c 00000001 00000065 0000000000000000 fffffff0 fffffff0 fffffff0"},
	{"null path in setWatches", "00000020 00000001 00000065 0000000000000000 00000001 ffffffff 00000000 00000000"},
	{"list of setWatches that is too long", "0000001c 00000001 00000065 0000000000000000 7fffffff 00000000 00000000"},
	{"string of negative length", "0000000d 00000001 00000004 fffffffe 00"},
	{"string longer than the frame", "0000000d 00000001 00000004 00000010 00"},
	{"string of unreasonable length", "0000000d 00000001 00000004 7fffffff 00"},
	{"set of a string cut short", "0000000d 00000001 00000005 00000010 00"},
	{"no body", "00000008 00000001 00000004"},
	{"no body of a create", "00000008 00000001 00000001"},
	{"bytes after the body", "0000001b 00000001 00000003 0000000a 2f7a6f6f6b6565706572 00 12345678"},
	{"boolean that is not 0 or 1", "00000017 00000001 00000003 0000000a 2f7a6f6f6b6565706572 40"},
	{"half a header", "00000006 00000001 0000"},
	{"multi without end", "00000008 00000001 0000000e"},
	{"multi of an unknown type", "0000001a 00000001 0000000e 00000063 00 ffffffff ffffffff 01 ffffffff"},
	{"multi of a read", "0000001f 00000001 0000000e 00000004 00 ffffffff 00000001 2f 00 ffffffff 01 ffffffff"},
	{"empty multiRead", "00000011 00000001 00000016 ffffffff 01 ffffffff"},
	{"sasl", "0000000c 00000001 00000066 ffffffff"},
	{"sasl with a token", "00000010 00000001 00000066 00000004 01020304"},
	{"auth without body", "00000008 fffffffc 00000064"},
	{"auth with null scheme", "00000014 fffffffc 00000064 00000000 ffffffff ffffffff"},
	{"createSession", "00000008 00000001 fffffff6"},
	{"reconfig", "0000001c 00000001 00000010 ffffffff ffffffff ffffffff ffffffffffffffff"},
	{"reconfig without body", "00000008 00000001 00000010"},
	{"deleteContainer", "0000000e 00000001 00000014 00000002 2f7a"},
	{"whoAmI with a body", "0000000c 00000001 0000006b 00000000"},
	{"invalid UTF-8 in a path", "00000010 00000001 00000004 00000003 2fffff 00 "},
	{"invalid UTF-8 created", "0000002f 00000001 00000001 00000003 2fc328 ffffffff 00000001 0000001f 00000005 776f726c64 00000006 616e796f6e65 00000000"},
}

// answers sends frames in a new session and returns the answers, without their zxids.
func (l *lab) answers(frames []byte) (list []string) {
	l.Helper()
	conn := must[net.Conn](l)(net.Dial("tcp", l.addr))
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	p := &peer{lab: l, Conn: conn}
	p.greet(zookeeper.ConnectRequest{TimeoutMs: 10_000})
	// The test corrects the frame's length, because the listed length may be wrong by some bytes.
	// Only the body matters here.
	binary.BigEndian.PutUint32(frames, uint32(len(frames)-4))
	ping := AppendRequest(nil, &zookeeper.Request{Xid: zookeeper.XidPing, Op: zookeeper.OpPing})
	p.Write(append(bytes.Clone(frames), ping...))
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(p, head); err != nil {
			return append(list, "closed")
		}
		b := make([]byte, binary.BigEndian.Uint32(head))
		if _, err := io.ReadFull(p, b); err != nil {
			return append(list, "closed in a message")
		}
		zxid := binary.BigEndian.Uint64(b[4:])
		sign := fmt.Sprint(int64(zxid))
		if int64(zxid) > 0 {
			sign = "zxid"
		}
		list = append(list, fmt.Sprintf("%x %s %x %x", b[:4], sign, b[12:16], b[16:]))
		if int32(binary.BigEndian.Uint32(b)) == zookeeper.XidPing {
			return list
		}
	}
}
