package zookeeper

import (
	"cmp"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// identity is a scheme and an id with which a connection has authenticated.
type identity struct{ scheme, id string }

// auth adds an identity to the connection. The reply has zxid 0. An unknown scheme ends the
// connection (ZK-9.6).
func (m *Machine) auth(c *Conn, req *Request) {
	r := m.reply(c, req)
	r.Zxid = 0
	switch {
	case req.Scheme == "digest" && req.Data != nil && !m.cfg.NoDigest:
		id := acl.DigestBy(m.cfg.DigestAlg, string(req.Data))
		if m.cfg.SuperDigest != "" && id == m.cfg.SuperDigest {
			c.prove(identity{"super", ""})
		}
		c.prove(identity{"digest", id})
	case req.Scheme == "ip":
		// Scheme ip is accepted without effect, because every connection already has its address as
		// an identity.
	default:
		r.Err = authFailed
		m.hangUp(c)
	}
}

// prove adds an identity. The server keeps identities in a hash set (ServerCnxn.java, a
// ConcurrentHashMap), so they are listed by the low bits of their hashes, and then by arrival.
// whoAmI shows this order, and so do ACLs in which auth was replaced by the identities.
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

// bucket returns the bucket in which Java's ConcurrentHashMap puts an Id.
func (id identity) bucket(buckets uint32) uint32 {
	hash := (17*37+java.Hash(id.scheme))*37 + java.Hash(id.id)
	return java.SpreadOf(hash) & (buckets - 1)
}

// whoAmI lists the connection's identities without their secrets (ZK-1.8).
func (m *Machine) whoAmI(c *Conn, req *Request) {
	clients := make([]ClientInfo, len(c.ids))
	for i, id := range c.ids {
		clients[i] = ClientInfo{Scheme: id.scheme, User: id.id}
		if id.scheme == "digest" {
			clients[i].User, _, _ = strings.Cut(id.id, ":")
		} else if id.scheme == "sasl" && !m.cfg.SASLScheme {
			clients[i].User = "" // without a provider, the user stays unknown (ZK-27.3)
		}
	}
	m.reply(c, req).Clients = clients
}

// allowed reports whether the ACL gives the connection at least one of the permissions
// (ZooKeeperServer.java:1993). A super user always has them.
func (m *Machine) allowed(c *Conn, acl []acl.Entry, perms acl.Perm) bool {
	for i := range acl {
		if acl[i].Perms&perms != 0 && m.matches(c, &acl[i]) {
			return true
		}
	}
	return m.cfg.SkipACL || c.super()
}

func (m *Machine) matches(c *Conn, a *acl.Entry) bool {
	switch a.Scheme {
	case "world":
		return a.ID == "anyone"
	case "digest":
		return slices.Contains(c.ids, identity{"digest", a.ID})
	case "sasl":
		any := m.cfg.AnyUser != "" && a.ID == m.cfg.AnyUser
		return slices.ContainsFunc(c.ids, func(id identity) bool {
			return id.scheme == "sasl" && (any || id.id == a.ID || id.id == "super")
		})
	case "ip":
		for _, id := range c.ids {
			if id.scheme == "ip" && acl.InNetwork(id.id, a.ID) {
				return true
			}
		}
	}
	return false
}

// expandACL checks an ACL sent by a client, drops repeated entries, and replaces auth by the
// caller's authenticated identities (ZK-9.2). An IP address is an identity, but not an
// authenticated one. The code is marshallingError if the server meets a null that it cannot use
// (ZK-9.8).
func (m *Machine) expandACL(c *Conn, sent []acl.Entry) ([]acl.Entry, Code) {
	if acl.IsOpen(sent) {
		return acl.Everyone, CodeOK
	}
	unique, ok := acl.Unique(sent)
	if !ok {
		return nil, marshallingError
	}
	var out []acl.Entry
	for _, a := range unique {
		switch {
		case a.Scheme == "world" && a.ID == "anyone":
			out = append(out, a)
		case a.Scheme == "auth":
			before := len(out)
			for _, id := range c.ids {
				if id.scheme == "digest" || id.scheme == "sasl" && m.cfg.SASLScheme {
					out = append(out, acl.Entry{Perms: a.Perms, Scheme: id.scheme, ID: id.id})
				}
			}
			if len(out) == before {
				return nil, invalidACL
			}
		case a.ID == acl.Null && m.looksAtID(a.Scheme):
			return nil, marshallingError
		case a.Scheme == "digest" && !m.cfg.NoDigest && acl.ValidDigest(a.ID), a.Scheme == "ip" && acl.ValidIP(a.ID),
			a.Scheme == "sasl" && m.cfg.SASLScheme && acl.ValidPrincipal(a.ID):
			out = append(out, a)
		default:
			return nil, invalidACL
		}
	}
	if len(out) == 0 {
		return nil, invalidACL
	}
	return out, CodeOK
}

// looksAtID reports whether the server reads the IDs of a scheme in an ACL. For such a scheme a
// null ID is a marshallingError, and not an invalid ACL.
func (m *Machine) looksAtID(scheme string) bool {
	switch scheme {
	case "world", "ip":
		return true
	case "digest":
		return !m.cfg.NoDigest
	}
	return scheme == "sasl" && m.cfg.SASLScheme
}

// getACL returns the ACL of a znode. The client needs READ or ADMIN. Without ADMIN, digests in the
// answer are masked (ZK-9.4).
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
	if !m.allowed(c, n.acl, acl.Admin) {
		r.ACL = acl.MaskDigests(n.acl)
	}
}
