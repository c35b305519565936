package wire

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// MaxFrame is the length in bytes of the longest frame that a server accepts. It is Java's default
// of jute.maxbuffer (ZK-1.6). Replies have no limit.
const MaxFrame = 0xfffff

// null is the length that stands for a null string, buffer or vector (ZK-1.1).
const null = -1

// ErrMalformed is wrapped by all errors about bytes that are not a valid message.
var ErrMalformed = errors.New("malformed message")

// reader decodes jute values from the front of a message. It checks every length against the
// remaining bytes before it allocates memory. The first invalid value sets why to the reason. The
// reader returns zero for that value and for all later ones.
type reader struct {
	rest []byte
	why  string
	// names caches the strings of a client's requests, which are decoded as Java decodes UTF-8. It
	// is nil for all other messages.
	names *names
	// hasNull is true once a null string was read where null is not allowed. Later values are still
	// read.
	hasNull bool
}

// decoded converts the bytes of a string. For a client's request it decodes UTF-8 as Java does.
func (r *reader) decoded(b []byte) string {
	if r.names != nil {
		return java.Text(b)
	}
	return string(b)
}

func (r *reader) fail(why string) {
	if r.why == "" {
		r.why = why
	}
	r.rest = nil
}

// err returns the first error of the message, or nil. what names the kind of message in the error's
// text.
func (r *reader) err(what string) error {
	switch {
	case r.why != "":
		return fmt.Errorf("%w: %s: %s", ErrMalformed, what, r.why)
	case r.hasNull:
		return fmt.Errorf("%w: %s: null string", ErrMalformed, what)
	}
	return nil
}

// front consumes and returns the next n bytes. If fewer are left it fails and returns nil. what
// names the value in the error.
func (r *reader) front(n int, what string) []byte {
	if n > len(r.rest) {
		r.fail(what + " cut short")
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) int32() int32 {
	if b := r.front(4, "int"); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64() int64 {
	if b := r.front(8, "long"); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// bool reads a boolean: any byte but 0 is true, as in Java's readBoolean.
func (r *reader) bool() bool {
	b := r.front(1, "boolean")
	return b != nil && b[0] != 0
}

// bytes reads a string or buffer. The result is a slice of the message; nil for null.
func (r *reader) bytes(what string) []byte {
	n := r.int32()
	switch {
	case n == null || r.why != "":
		return nil
	case n < 0:
		r.fail(what + " of negative length")
		return nil
	case n == 0:
		return []byte{}
	}
	return r.front(int(n), what)
}

// buffer reads a buffer and copies it; null becomes nil.
func (r *reader) buffer() []byte {
	b := r.bytes("buffer")
	if b == nil {
		return nil
	}
	return append(make([]byte, 0, len(b)), b...)
}

// textOrNull reads a string of an access control list; null becomes acl.Null.
func (r *reader) textOrNull() string {
	b := r.bytes("string")
	if b == nil && r.why == "" {
		return acl.Null
	}
	return r.decoded(b)
}

// string reads a string that must not be null. It sets hasNull if the string is null.
func (r *reader) string() string { return r.decoded(r.notNull()) }

// remembered converts the bytes of a string that is likely to recur, such as a path, through the
// cache.
func (r *reader) remembered(b []byte) string {
	if r.names == nil {
		return string(b)
	}
	return r.names.get(b)
}

func (r *reader) notNull() []byte {
	b := r.bytes("string")
	r.hasNull = r.hasNull || b == nil && r.why == ""
	return b
}

// count reads the length of a vector. least is the smallest size of one item in bytes. A length of
// -1 means null. Other negative lengths mean an empty vector, as in Java.
func (r *reader) count(least int) (n int, isNull bool) {
	count := r.int32()
	switch {
	case count < 0:
		return 0, count == null
	case int(count) > len(r.rest)/least:
		r.fail("vector longer than its message")
		return 0, false
	}
	return int(count), false
}

// strings reads a vector of strings. A null vector makes the message malformed. A null string in it
// sets hasNull.
func (r *reader) strings() []string {
	n, isNull := r.count(4)
	if isNull {
		r.fail("null vector")
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.string()
	}
	return list
}

// openACL is the access control list that allows everything to everybody. All decoded messages with
// this list share it, so nobody may write to it.
var openACL = acl.Open()

// openACLBytes is the encoded form of openACL. Nearly every create request contains these bytes.
var openACLBytes = appendACL(nil, openACL)

// acl reads an access control list; null becomes nil.
func (r *reader) acl() []acl.Entry {
	if n := len(openACLBytes); len(r.rest) >= n && string(r.rest[:n]) == string(openACLBytes) {
		r.rest = r.rest[n:]
		return openACL
	}
	n, isNull := r.count(12)
	if isNull {
		return nil
	}
	list := make([]acl.Entry, n)
	for i := range list {
		list[i] = acl.Entry{Perms: acl.Perm(r.int32()), Scheme: r.textOrNull(), ID: r.textOrNull()}
	}
	return list
}

func (r *reader) stat() (s zookeeper.Stat) {
	s.Czxid, s.Mzxid, s.CtimeMs, s.MtimeMs = r.int64(), r.int64(), r.int64(), r.int64()
	s.Version, s.Cversion, s.Aversion = r.int32(), r.int32(), r.int32()
	s.EphemeralOwner = r.int64()
	s.DataLengthBytes, s.NumChildren = r.int32(), r.int32()
	s.Pzxid = r.int64()
	return s
}

func appendInt(b []byte, v int32) []byte  { return binary.BigEndian.AppendUint32(b, uint32(v)) }
func appendLong(b []byte, v int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(v)) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendString(b []byte, s string) []byte { return append(appendInt(b, int32(len(s))), s...) }

// appendBuffer appends a buffer; nil becomes null.
func appendBuffer(b, data []byte) []byte {
	if data == nil {
		return appendInt(b, null)
	}
	return append(appendInt(b, int32(len(data))), data...)
}

// appendNullable appends a string, or null if isNull is true.
func appendNullable(b []byte, s string, isNull bool) []byte {
	if isNull {
		return appendInt(b, null)
	}
	return appendString(b, s)
}

func appendStrings(b []byte, list []string) []byte {
	b = appendInt(b, int32(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

// appendACL appends an access control list; nil becomes null.
func appendACL(b []byte, list []acl.Entry) []byte {
	if list == nil {
		return appendInt(b, null)
	}
	b = appendInt(b, int32(len(list)))
	for i := range list {
		b = appendInt(b, int32(list[i].Perms))
		b = appendNullable(b, list[i].Scheme, list[i].Scheme == acl.Null)
		b = appendNullable(b, list[i].ID, list[i].ID == acl.Null)
	}
	return b
}

// appendStat appends the 68 bytes of a stat (ZK-5.1).
func appendStat(b []byte, s *zookeeper.Stat) []byte {
	b = appendLong(b, s.Czxid)
	b = appendLong(b, s.Mzxid)
	b = appendLong(b, s.CtimeMs)
	b = appendLong(b, s.MtimeMs)
	b = appendInt(b, s.Version)
	b = appendInt(b, s.Cversion)
	b = appendInt(b, s.Aversion)
	b = appendLong(b, s.EphemeralOwner)
	b = appendInt(b, s.DataLengthBytes)
	b = appendInt(b, s.NumChildren)
	return appendLong(b, s.Pzxid)
}

// beginFrame appends four bytes for a frame's length, which endFrame sets later. at is their index
// in the buffer.
func beginFrame(b []byte) (grown []byte, at int) { return append(b, 0, 0, 0, 0), len(b) }

func endFrame(b []byte, at int) []byte {
	binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}
