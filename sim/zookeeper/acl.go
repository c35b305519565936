package zookeeper

import (
	"cmp"
	"crypto/sha1"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Perm is a set of permission bits (ZK-9.1).
type Perm int32

// The permissions.
const (
	PermRead   Perm = 1
	PermWrite  Perm = 2
	PermCreate Perm = 4
	PermDelete Perm = 8
	PermAdmin  Perm = 16
	PermAll    Perm = 31
)

// ACL gives permissions to an identity.
type ACL struct {
	Perms  Perm
	Scheme string
	ID     string
}

// OpenACL lets everybody do everything.
func OpenACL() []ACL { return slices.Clone(openACL) }

// isOpen reports whether an ACL is OpenACL's.
func isOpen(acl []ACL) bool { return len(acl) == 1 && acl[0] == openACL[0] }

// Shared by all znodes that have them; never written to.
var (
	openACL = []ACL{{PermAll, "world", "anyone"}}
	readACL = []ACL{{PermRead, "world", "anyone"}}
)

// identity is one thing that a connection has proved to be.
type identity struct{ scheme, id string }

// DigestID makes the identity that a digest credential proves:
// user:base64(sha1(user:password)). A credential without a colon is all user
// (ZK-9.3).
func DigestID(credential string) string {
	user, _, _ := strings.Cut(credential, ":")
	sum := sha1.Sum([]byte(credential))
	return user + ":" + base64.StdEncoding.EncodeToString(sum[:])
}

// auth adds an identity to the connection. Its replies carry zxid 0; a scheme
// that the server does not know ends the connection (ZK-9.6).
func (m *Machine) auth(c *Conn, req *Request) {
	r := m.reply(c, req)
	r.Zxid = 0
	switch req.Scheme {
	case "digest":
		id := DigestID(string(req.Data))
		if m.cfg.SuperDigest != "" && id == m.cfg.SuperDigest {
			c.prove(identity{"super", ""})
		}
		c.prove(identity{"digest", id})
	case "ip":
		// Every connection has its address already.
	default:
		r.Err = authFailed
		m.hangUp(c)
	}
}

// sasl answers as a server without SASL does: success and a null token, whatever
// the token in Data is (ZooKeeperServer.java processSasl).
func (m *Machine) sasl(c *Conn, req *Request) {
	if req.Data == nil {
		m.hangUp(c) // it fails on a token that is null
		return
	}
	m.reply(c, req).Zxid = 0
}

// prove adds an identity. They are kept in the order of the server's hash set,
// which whoAmI and the expansion of auth show (ServerCnxn.java, a
// ConcurrentHashMap): that of the low bits of their hashes, then of arrival.
func (c *Conn) prove(id identity) {
	if slices.Contains(c.ids, id) {
		return
	}
	c.ids = append(slices.Clone(c.ids), id)
	buckets := uint32(16)
	for len(c.ids) >= int(buckets)*3/4 {
		buckets *= 2
	}
	slices.SortStableFunc(c.ids, func(a, b identity) int {
		return cmp.Compare(a.bucket(buckets), b.bucket(buckets))
	})
}

func (c *Conn) super() bool {
	return slices.ContainsFunc(c.ids, func(id identity) bool { return id.scheme == "super" })
}

// bucket is where Java's ConcurrentHashMap puts an Id.
func (id identity) bucket(buckets uint32) uint32 {
	hash := (17*37+javaHash(id.scheme))*37 + javaHash(id.id)
	return (hash ^ hash>>16) & (buckets - 1)
}

// javaHash is Java's String.hashCode.
func javaHash(s string) uint32 {
	var hash uint32
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return javaHashOf(utf16.Encode([]rune(s)))
		}
		hash = 31*hash + uint32(s[i])
	}
	return hash
}

func javaHashOf(units []uint16) (hash uint32) {
	for _, unit := range units {
		hash = 31*hash + uint32(unit)
	}
	return hash
}

// whoAmI lists the connection's identities without their secrets (ZK-1.8).
func (m *Machine) whoAmI(c *Conn, req *Request) {
	clients := make([]ClientInfo, len(c.ids))
	for i, id := range c.ids {
		clients[i] = ClientInfo{Scheme: id.scheme, User: id.id}
		if id.scheme == "digest" {
			clients[i].User, _, _ = strings.Cut(id.id, ":")
		}
	}
	m.reply(c, req).Clients = clients
}

// allowed reports whether the connection has one of the permissions
// (ZooKeeperServer.java:1993). A super user has them all.
func (m *Machine) allowed(c *Conn, acl []ACL, perms Perm) bool {
	for i := range acl {
		if acl[i].Perms&perms != 0 && c.matches(&acl[i]) {
			return true
		}
	}
	return c.super()
}

func (c *Conn) matches(a *ACL) bool {
	switch a.Scheme {
	case "world":
		return a.ID == "anyone"
	case "digest":
		return slices.Contains(c.ids, identity{"digest", a.ID})
	case "ip":
		for _, id := range c.ids {
			if id.scheme == "ip" && ipMatches(id.id, a.ID) {
				return true
			}
		}
	}
	return false
}

// expandACL checks a list that a client sends, drops repeated entries and
// replaces auth by the caller's own authenticated identities (ZK-9.2). An
// address is an identity but not an authenticated one.
func (m *Machine) expandACL(c *Conn, acl []ACL) ([]ACL, bool) {
	if isOpen(acl) {
		return openACL, true
	}
	var out []ACL
	for i, a := range acl {
		if slices.Contains(acl[:i], a) {
			continue
		}
		switch {
		case a.Scheme == "world" && a.ID == "anyone":
			out = append(out, a)
		case a.Scheme == "auth":
			before := len(out)
			for _, id := range c.ids {
				if id.scheme == "digest" {
					out = append(out, ACL{a.Perms, id.scheme, id.id})
				}
			}
			if len(out) == before {
				return nil, false
			}
		case a.Scheme == "digest" && validDigest(a.ID), a.Scheme == "ip" && validIP(a.ID):
			out = append(out, a)
		default:
			return nil, false
		}
	}
	return out, len(out) > 0
}

// validDigest wants exactly two parts around the colon; Java's split does not
// count empty ones at the end (DigestAuthenticationProvider.java:130).
func validDigest(id string) bool {
	parts := strings.Split(id, ":")
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return len(parts) == 2
}

// getACL needs READ or ADMIN; without ADMIN the digests are masked (ZK-9.4).
func (m *Machine) getACL(c *Conn, req *Request) {
	r := m.reply(c, req)
	n := m.tree.lookup(req.Path)
	if n == nil {
		r.Err = noNode
		return
	}
	if !m.permitted(c, n, req.Op) {
		r.Err = noAuth
		return
	}
	r.Stat, r.ACL = n.stat(), n.acl
	if !m.allowed(c, n.acl, PermAdmin) {
		r.ACL = maskDigests(n.acl)
	}
}

func maskDigests(acl []ACL) []ACL {
	out := slices.Clone(acl)
	for i := range out {
		if user, _, found := strings.Cut(out[i].ID, ":"); found && out[i].Scheme == "digest" {
			out[i].ID = user + ":x"
		}
	}
	return out
}

// ipMatches reports whether addr lies in the network a.b.c.d or a.b.c.d/bits. Only
// IPv4 is known (IPAuthenticationProvider.java).
func ipMatches(addr, network string) bool {
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

func validIP(network string) bool {
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
		var err error
		if bits, err = strconv.Atoi(mask); err != nil || bits < 0 || bits > 32 {
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
		v, err := strconv.Atoi(part)
		if err != nil || v < 0 || v > 255 {
			return 0, false
		}
		ip = ip<<8 | uint32(v)
	}
	return ip, true
}
