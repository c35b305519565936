package datadir

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// reader decodes values in the jute format. After the first incomplete value it sets err and
// returns zeros.
type reader struct {
	all []byte
	at  int
	err error
}

func (r *reader) left() int { return len(r.all) - r.at }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %s", r.at, fmt.Sprintf(format, args...))
	}
	r.at = len(r.all)
}

// take returns the next n bytes. If fewer are left it sets the error of the reader and
// returns zeros.
func (r *reader) take(n int, what string) []byte {
	if r.err == nil && r.left() < n {
		r.fail("found %d bytes, want %d of %s", r.left(), n, what)
	}
	if r.err != nil {
		return make([]byte, min(n, 8))
	}
	r.at += n
	return r.all[r.at-n : r.at]
}

func (r *reader) int32(what string) int32 { return int32(binary.BigEndian.Uint32(r.take(4, what))) }
func (r *reader) int64(what string) int64 { return int64(binary.BigEndian.Uint64(r.take(8, what))) }
func (r *reader) bool(what string) bool   { return r.take(1, what)[0] != 0 }

// buffer decodes a byte buffer. It returns nil for the length -1, which means null.
func (r *reader) buffer(what string) []byte {
	n := r.int32("the length of " + what)
	switch {
	case n == -1 || r.err != nil:
		return nil
	case n < 0 || int(n) > r.left():
		r.at -= 4
		r.fail("found the length %d of %s, want at most %d", n, what, r.left()-4)
		return nil
	}
	return r.take(int(n), what)
}

// string decodes text. A server writes a character beyond the basic plane as two surrogates,
// which it cannot read again itself (BinaryOutputArchive.java stringToByteBuffer). This
// function restores the original character (ZK-25.6).
func (r *reader) string(what string) string {
	return java.Text([]byte(java.UTF8(string(r.buffer(what)))))
}

// count decodes the length of a list, -1 for null. It fails if the list would need more bytes than
// are left, with itemBytes for each item.
func (r *reader) count(what string, itemBytes int) int {
	n := r.int32("the number of " + what)
	if r.err == nil && (n < -1 || int64(n)*int64(itemBytes) > int64(r.left())) {
		r.at -= 4
		r.fail("found %d %s, want at most %d", n, what, r.left()/itemBytes)
		return 0
	}
	return max(int(n), 0)
}

// acl decodes a list of permissions. A null list permits everything to everybody
// (ReferenceCountedACLCache.java).
func (r *reader) acl() []acl.Entry {
	list := make([]acl.Entry, r.count("entries of an ACL", 12))
	for i := range list {
		list[i] = acl.Entry{Perms: acl.Perm(r.int32("permissions")), Scheme: r.string("a scheme"), ID: r.string("an id")}
	}
	if acl.IsOpen(list) {
		return acl.Everyone
	}
	return list
}

func appendInt(b []byte, v int32) []byte  { return binary.BigEndian.AppendUint32(b, uint32(v)) }
func appendLong(b []byte, v int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(v)) }

// appendString encodes text so that a server can read it again. Characters beyond the basic
// plane take four bytes. A server itself would write them as two surrogates, which it cannot
// read.
func appendString(b []byte, s string) []byte {
	s = java.UTF8(s)
	return append(appendInt(b, int32(len(s))), s...)
}

func appendBuffer(b, data []byte) []byte {
	if data == nil {
		return appendInt(b, -1)
	}
	return append(appendInt(b, int32(len(data))), data...)
}

func appendACL(b []byte, list []acl.Entry) []byte {
	b = appendInt(b, int32(len(list)))
	for _, e := range list {
		b = appendString(appendString(appendInt(b, int32(e.Perms)), e.Scheme), e.ID)
	}
	return b
}

// Special values of a znode's owner that stand for container and TTL znodes instead of a
// session (EphemeralType.java).
const (
	containerOwner = math.MinInt64
	ttlMask        = -1 << 56
	ttlBits        = 1<<40 - 1
)

func isTTL(owner int64) bool { return owner&ttlMask == ttlMask }

// isSession reports whether the owner of a znode is a session, which makes the znode an
// ephemeral.
func isSession(owner int64) bool { return owner != 0 && owner != containerOwner && !isTTL(owner) }
