package diff

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// This file makes requests that no client sends. Their bodies are cut short, too long or
// have impossible lengths, and their strings are not UTF-8.

// header is the length in bytes of a frame's length field and a request's header together.
const header = 4 + 8

// mangled damages the frame of a request as the step says. It does not change the root of
// the script, because the root differs between plays.
func (s *Step) mangled(frame []byte, root string) []byte {
	if places := placesOfWords(frame[header:], root); s.At > 0 && len(places) > 0 {
		binary.BigEndian.PutUint32(frame[header+places[(s.At-1)%len(places)]:], uint32(s.Word))
	}
	frame = frame[:len(frame)-min(s.Cut, len(frame)-header)]
	frame = append(frame, make([]byte, s.Extra)...)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

// placesOfWords lists the offsets in a body at which four bytes can be replaced without touching
// the root path.
func placesOfWords(body []byte, root string) (places []int) {
	taken := make([]bool, len(body))
	for i := range body {
		if bytes.HasPrefix(body[i:], []byte(root)) {
			for j := range root {
				taken[i+j] = true
			}
		}
	}
	for i := 0; i+4 <= len(body); i++ {
		if !slices.Contains(taken[i:i+4], true) {
			places = append(places, i)
		}
	}
	return places
}

// mangle draws how the frame of a step's request is damaged.
func (g *generator) mangle(s *Step) {
	switch g.IntN(4) {
	case 0:
		s.Extra = 1 + g.IntN(9)
	case 1, 2:
		s.Cut = 1 + g.IntN(40)
	default:
		if unsafeToMangle(s.Request) {
			s.Cut = 1 + g.IntN(20)
			return
		}
		s.At, s.Word = 1+g.IntN(60), pick[int32](g, -1, -1, -2, 1<<31-1, -1<<31)
	}
}

// unsafeToMangle reports whether a request must not be damaged. A changed number could make
// it a request that destroys a real server (ZK-1.7), or change a zxid, which differs between
// servers.
func unsafeToMangle(r *zookeeper.Request) bool {
	if r.Watches != nil {
		return true
	}
	for i := range r.Ops {
		if r.Ops[i].Op == zookeeper.OpCreateTTL {
			return true
		}
	}
	return r.Op == zookeeper.OpCreateTTL || r.Op == zookeeper.OpCheck
}

// oddText draws text with non-ASCII characters of one to four bytes, some of them invalid.
func (g *generator) oddText() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(pick(g,
			"x", "é", "模", "\ufffd", "😀", "\U0010ffff", "\ud7ff",
			"%ff", "%80", "%c3", "%c0%80", "%e6%a8", "%e6", "%ed%a0%bd%ed%b8%80", "%ed%a0%bd", "%e0%80%80",
			"%f0%9f%98", "%f0%9f", "%f0", "%f0%80%80%80", "%f4%90%80%80", "%f5%80%80%80", "%fe%ff"))
	}
	return b.String()
}

// unescaped returns text with each "%ff" replaced by the byte 0xff, and likewise for other
// hexadecimal numbers.
func unescaped(text string) string {
	at := strings.IndexByte(text, '%')
	if at < 0 {
		return text
	}
	var b []byte
	for ; at >= 0; at = strings.IndexByte(text, '%') {
		b = append(b, text[:at]...)
		if octet, err := hex.DecodeString(text[at+1 : min(at+3, len(text))]); err == nil && len(octet) == 1 {
			b, text = append(b, octet...), text[at+3:]
		} else {
			b, text = append(b, '%'), text[at+1:]
		}
	}
	return string(append(b, text...))
}

// unescapedACL returns an ACL with unescaped schemes and ids.
func unescapedACL(list []acl.Entry) []acl.Entry {
	return lists.MapOrNil(list, func(a acl.Entry) acl.Entry {
		return acl.Entry{Perms: a.Perms, Scheme: unescaped(a.Scheme), ID: unescaped(a.ID)}
	})
}
