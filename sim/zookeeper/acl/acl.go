// Package acl has the access control lists of znodes (ZK-9): which identity has which permissions,
// and which entries a server accepts.
//
// Two things to use first:
//
//   - [Open] is the list that permits everything to everybody.
//   - [Entry] gives one identity its permissions.
//
// To change:
//
//   - who a connection is, and what it may do: sim/zookeeper/acl.go
//   - which digests and addresses are accepted: [ValidDigest], [ValidIP], [InNetwork]
//
// Unstable: any commit may change it.
package acl

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"hash"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// Perm is a set of permission bits (ZK-9.1).
type Perm int32

// These are the permissions of an entry.
const (
	Read   Perm = 1
	Write  Perm = 2
	Create Perm = 4
	Delete Perm = 8
	Admin  Perm = 16
	All    Perm = 31
)

// Entry gives permissions to one identity of a scheme.
type Entry struct {
	Perms  Perm
	Scheme string
	ID     string
}

// Null stands for a null scheme or ID in a request. Java's decoder never returns this text.
const Null = "\xffnull"

// String formats the entry as zkCli does: scheme:id:permissions.
func (a Entry) String() string {
	letters := ""
	for i, letter := range "rwcda" {
		if a.Perms&(1<<i) != 0 {
			letters += string(letter)
		}
	}
	return fmt.Sprintf("%s:%s:%s", a.Scheme, a.ID, letters)
}

// Unique drops repeated entries. It compares each entry with the earlier ones. It returns false if
// such a comparison reaches a null in the later entry, because Java throws an exception there
// (PrepRequestProcessor.java removeDuplicates).
func Unique(acl []Entry) ([]Entry, bool) {
	unique := make([]Entry, 0, len(acl))
next:
	for _, a := range acl {
		for _, earlier := range unique {
			switch {
			case a.Perms != earlier.Perms:
			case a.Scheme == Null:
				return nil, false
			case a.Scheme != earlier.Scheme:
			case a.ID == Null:
				return nil, false
			case a.ID == earlier.ID:
				continue next
			}
		}
		unique = append(unique, a)
	}
	return unique, true
}

// Reread returns a list as it is after a server has encoded it and decoded it again. A server does that
// with the transactions of a multi, of its log, and of its leader. Each character beyond the basic
// plane then becomes two characters U+FFFD, one for each surrogate (ZK-1.10).
func Reread(list []Entry) []Entry {
	again := func(a Entry) Entry { return Entry{a.Perms, a.Scheme, java.Reread(a.ID)} }
	if !slices.ContainsFunc(list, func(a Entry) bool { return again(a) != a }) {
		return list
	}
	return lists.Map(list, again)
}

// Open returns a list that permits everything to everybody.
func Open() []Entry { return slices.Clone(Everyone) }

// IsOpen reports whether a list equals Open's.
func IsOpen(acl []Entry) bool { return len(acl) == 1 && acl[0] == Everyone[0] }

// These shared lists are used by many znodes at once, so they must not be changed.
var (
	Everyone = []Entry{{All, "world", "anyone"}}
	Readers  = []Entry{{Read, "world", "anyone"}}
)

// DigestID returns the identity for a digest credential: user:base64(sha1(user:password)). A
// credential without a colon counts as a user name (ZK-9.3). The credential's bytes are decoded as
// Java does.
func DigestID(credential string) string { return DigestBy("", credential) }

// DigestBy returns the identity for a digest credential by one of the algorithms of Digests. An
// unknown algorithm or "" means SHA1.
func DigestBy(algorithm, credential string) string {
	sum := sha1.New()
	if make1 := digests[strings.ToUpper(algorithm)]; make1 != nil {
		sum = make1()
	}
	text := java.Text([]byte(credential))
	user, _, _ := strings.Cut(text, ":")
	sum.Write([]byte(java.UTF8(text)))
	return user + ":" + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

// digests maps Java's names of hash algorithms to their functions (MessageDigest).
var digests = map[string]func() hash.Hash{
	"SHA1": sha1.New, "SHA-1": sha1.New, "MD5": md5.New, "SHA-224": sha256.New224, "SHA-256": sha256.New, "SHA-384": sha512.New384, "SHA-512": sha512.New,
	"SHA3-256": func() hash.Hash { return sha3.New256() }, "SHA3-384": func() hash.Hash { return sha3.New384() }, "SHA3-512": func() hash.Hash { return sha3.New512() },
}

// Digests lists the names of the algorithms.
func Digests() []string { return slices.Sorted(maps.Keys(digests)) }

// ValidDigest reports whether a digest identity has exactly two parts, separated by a colon. Empty
// parts at the end do not count, as in Java's split (DigestAuthenticationProvider.java:130).
func ValidDigest(id string) bool {
	parts := strings.Split(id, ":")
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return len(parts) == 2
}

// principal matches a Kerberos name: service/host@realm, or any text without @.
var principal = regexp.MustCompile(`^([^/@]*(/[^/@]*)?@[^/@]*|[^@]*)$`)

// ValidPrincipal reports whether an id is valid for the scheme sasl (KerberosName.java).
func ValidPrincipal(id string) bool { return principal.MatchString(id) }

func MaskDigests(acl []Entry) []Entry {
	out := slices.Clone(acl)
	for i := range out {
		if user, _, found := strings.Cut(out[i].ID, ":"); found && out[i].Scheme == "digest" {
			out[i].ID = user + ":x"
		}
	}
	return out
}

// InNetwork reports whether addr lies in the network a.b.c.d or a.b.c.d/bits. Only IPv4 is
// supported (IPAuthenticationProvider.java).
func InNetwork(addr, network string) bool {
	base, bits, ok := parseIPNetwork(network)
	if !ok {
		return false
	}
	ip, ok := parseIPv4(addr)
	if !ok {
		return false
	}
	return bits == 0 || (ip^base)>>(32-bits) == 0
}

func ValidIP(network string) bool {
	_, _, ok := parseIPNetwork(network)
	return ok
}

func parseIPNetwork(s string) (base uint32, bits int, ok bool) {
	addr, mask, masked := strings.Cut(s, "/")
	if base, ok = parseIPv4(addr); !ok {
		return 0, 0, false
	}
	bits = 32
	if masked {
		v, err := java.ParseInt(mask, 32)
		if bits = int(v); err != nil || bits < 0 || bits > 32 {
			return 0, 0, false
		}
	}
	return base, bits, true
}

func parseIPv4(s string) (ip uint32, ok bool) {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return 0, false
	}
	for _, part := range parts {
		v, err := java.ParseInt(part, 32)
		if err != nil || v < 0 || v > 255 {
			return 0, false
		}
		ip = ip<<8 | uint32(v)
	}
	return ip, true
}
