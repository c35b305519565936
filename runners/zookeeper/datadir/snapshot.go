package datadir

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"os"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// A snapshot holds the sessions, the ACLs by number, and the znodes, each after its parent. A
// checksum follows (FileSnap.java, DataTree.java serialize). Since version 3.6 the digest of the
// tree follows with a checksum, and since 3.9 the last zxid with another one. The tree changes
// while a server writes it. So a snapshot is the state of some moment only after the transactions
// from the zxid in its name on have been applied, although it may contain some of them already. It
// contains none after the zxid of its digest.

const (
	snapshotMagic = "ZKSN"
	fileVersion   = 2
	// openACL is the number that stands for the ACL that permits everything to everybody
	// (ReferenceCountedACLCache.java).
	openACL = -1
	// checksumSize is the length in bytes of a checksum with the path "/" that follows it.
	checksumSize = 13
)

// snapshotDigest is the digest stored in a snapshot. zxid is the last transaction that the tree
// contained when the digest was computed.
type snapshotDigest struct {
	zxid int64
	Digest
}

// errUnfinished is the error for a snapshot that stops before its end mark (SnapStream.java
// isValidSnapshot).
var errUnfinished = errors.New("it was not written to its end")

// lastBytes is the encoded path "/" that follows a checksum.
var lastBytes = appendString(nil, "/")

// readSnapshot reads a snapshot file. The digest d has the zxid 0 if the snapshot has no
// digest.
func readSnapshot(name string) (t *tree, d snapshotDigest, err error) {
	b, err := snapshotBytes(name)
	if err != nil {
		return nil, d, err
	}
	front := b[:min(len(b), len(snapshotMagic))]
	switch {
	case !strings.HasPrefix(snapshotMagic, string(front)):
		return nil, d, fmt.Errorf("%s: found %q at its beginning, want %q, that of a snapshot", name, front, snapshotMagic)
	case !bytes.HasSuffix(b, lastBytes):
		return nil, d, fmt.Errorf("%s: %w", name, errUnfinished)
	}
	r := &reader{all: b}
	r.at = len(snapshotMagic)
	if version := r.int32("a version"); version != fileVersion {
		r.fail("found the version %d of the format, want %d", version, fileVersion)
	}
	r.int64("an id")
	t = newTree()
	t.read(r)
	r.checksum()
	if r.err == nil && r.left() >= checksumSize+20 {
		d = r.digest()
		r.checksum()
	}
	if r.err == nil && r.left() > 0 {
		r.int64("the last zxid")
		r.checksum()
	}
	if r.err == nil && r.left() > 0 {
		r.fail("found %d bytes behind its end", r.left())
	}
	if r.err != nil {
		return nil, d, fmt.Errorf("%s: %w", name, r.err)
	}
	return t, d, nil
}

// snapshotBytes reads a snapshot file and decompresses it if needed (SnapStream.java).
func snapshotBytes(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasSuffix(name, ".snappy"):
		return nil, fmt.Errorf("%s: it is compressed by snappy, which is not read here: want a snapshot of a server with snapshot.compression.method=gz, or without", name)
	case strings.HasSuffix(name, ".gz"):
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
			b, err = io.ReadAll(z)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errUnfinished
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return b, nil
}

// read decodes the sessions, ACLs and znodes of a snapshot into the tree.
func (t *tree) read(r *reader) {
	for range r.count("sessions", 12) {
		id := r.int64("a session")
		t.sessions[id] = r.int32("a timeout")
	}
	acls := map[int64][]acl.Entry{openACL: acl.Everyone}
	for range r.count("ACLs", 12) {
		number := r.int64("the number of an ACL")
		acls[number] = r.acl()
	}
	for r.err == nil {
		at := r.at
		path := r.string("a path")
		if path == "/" || r.err != nil {
			return
		}
		n := &node{data: r.buffer("data")}
		number := r.int64("the number of an ACL")
		n.czxid, n.mzxid, n.ctimeMs, n.mtimeMs = r.int64("czxid"), r.int64("mzxid"), r.int64("ctime"), r.int64("mtime")
		n.version, n.creates, n.aversion = r.int32("version"), r.int32("cversion"), r.int32("aversion")
		n.owner, n.pzxid = r.int64("owner"), r.int64("pzxid")
		list, known := acls[number]
		parent := t.nodes[parentOf(path)]
		switch {
		case r.err != nil:
			return
		case !known:
			r.fail("znode %s has the ACL %d, which is not there", shown(path), number)
		case path != "" && parent == nil, path == "" && t.root() != nil:
			r.at = at
			r.fail("znode %s comes before its parent", shown(path))
		}
		n.acl = list
		t.add(path, n)
		t.timeMs = max(t.timeMs, n.mtimeMs)
	}
}

// checksum decodes a checksum and compares it with the checksum of all bytes before it
// (SnapStream.java checkSealIntegrity).
func (r *reader) checksum() {
	at := r.at
	want := int64(adler32.Checksum(r.all[:at]))
	got := r.int64("a checksum")
	end := r.string("the end of a checksum")
	if r.err == nil && (got != want || end != "/") {
		r.at = at
		r.fail("found the checksum %#x, want %#x, that of the bytes before: it is damaged", got, want)
	}
}

func (r *reader) digest() (d snapshotDigest) {
	d.zxid, d.Version = r.int64("the zxid of a digest"), r.int32("the version of a digest")
	if d.Version < digestVersion {
		r.string("a digest") // another version of the digest: hexadecimal digits, computed from other fields
		return d
	}
	d.Value = r.int64("a digest")
	return d
}

// appendSnapshot encodes a tree as a snapshot with its digest.
func appendSnapshot(b []byte, t *tree) []byte {
	b = appendLong(appendInt(append(b, snapshotMagic...), fileVersion), -1)
	b = appendInt(b, int32(len(t.sessions)))
	for _, id := range sortedKeys(t.sessions) {
		b = appendInt(appendLong(b, id), t.sessions[id])
	}
	order := t.walk()
	numbers, lists := numberACLs(order)
	b = appendInt(b, int32(len(lists)))
	for i, list := range lists {
		b = append(appendLong(b, int64(i+1)), list...)
	}
	for _, one := range order {
		n := one.node
		b = appendLong(appendBuffer(appendString(b, one.path), n.data), numbers[n])
		b = appendLong(appendLong(appendLong(appendLong(b, n.czxid), n.mzxid), n.ctimeMs), n.mtimeMs)
		b = appendInt(appendInt(appendInt(b, n.version), n.creates), n.aversion)
		b = appendLong(appendLong(b, n.owner), n.pzxid)
	}
	b = appendChecksum(appendString(b, "/"))
	b = appendLong(appendInt(appendLong(b, t.zxid), digestVersion), t.digest)
	return appendChecksum(b)
}

func appendChecksum(b []byte) []byte {
	return appendString(binary.BigEndian.AppendUint64(b, uint64(adler32.Checksum(b))), "/")
}

// numberACLs numbers the different ACLs from 1 and encodes them. The ACL that permits
// everything gets openACL instead.
func numberACLs(order []placed) (numbers map[*node]int64, lists []string) {
	numbers, known := map[*node]int64{}, map[string]int64{}
	for _, one := range order {
		if acl.IsOpen(one.node.acl) {
			numbers[one.node] = openACL
			continue
		}
		list := string(appendACL(nil, one.node.acl))
		if known[list] == 0 {
			lists = append(lists, list)
			known[list] = int64(len(lists))
		}
		numbers[one.node] = known[list]
	}
	return numbers, lists
}
