package zookeeper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/java"
)

// A quota of /a is stored in two znodes that clients write: its limits in
// /zookeeper/quota/a/zookeeper_limits and its usage in /zookeeper/quota/a/zookeeper_stats. The
// server updates the usage without a version, a zxid or an event (DataTree.java updateQuotaStat).
// It enforces the limits only with Config.EnforceQuota (ZK-6.6).
const (
	quotaRoot   = "/zookeeper/quota"
	limitsChild = "zookeeper_limits"
	statsChild  = "zookeeper_stats"
)

// countQuotas updates the usage of quotas after the changes of the present transaction.
func (m *Machine) countQuotas() {
	for i := range m.changes {
		c := &m.changes[i]
		n := c.node
		if c.kind != nodeDataSet && strings.HasPrefix(n.path, quotaRoot+"/") {
			m.tree.trackQuota(n, c.kind)
		}
		if len(m.tree.quotas) == 0 {
			continue
		}
		var stats *znode
		switch c.kind {
		case nodeCreated:
			stats = m.tree.use(n.path, c.bytes, 1)
		case nodeDeleted:
			stats = m.tree.use(n.path, c.bytes, -1)
		case nodeDataSet:
			stats = m.tree.use(n.path, c.bytes, 0)
		}
		if stats != nil && m.notes.on {
			m.notes.add(stats, notedNode)
		}
	}
}

// trackQuota starts or ends a quota when its znode with the limits is created or deleted. When a
// client creates the znode with the usage, it recounts the usage.
func (t *tree) trackQuota(n *znode, kind changeKind) {
	of := n.parent.path[len(quotaRoot):]
	switch {
	case n.name == limitsChild && kind == nodeCreated && of != "":
		t.quotas = append(t.quotas, of)
	case n.name == limitsChild && kind == nodeDeleted:
		t.quotas = slices.DeleteFunc(t.quotas, func(path string) bool { return path == of })
	case n.name == statsChild && kind == nodeCreated:
		t.countAll(n, of)
	}
}

// countAll counts the znodes and bytes of the subtree at of, and stores the usage in the znode n.
func (t *tree) countAll(n *znode, of string) {
	var used usage
	if top := t.nodes[of]; top != nil {
		used.count, used.bytes = 1, int64(len(top.data))
		for below := top.first; below != nil; below = below.after(top) {
			used.count++
			used.bytes += int64(len(below.data))
		}
	}
	n.data = []byte(used.String())
}

// use adds bytes and count to the usage of the nearest quota above path. It returns the znode that
// stores that usage; nil if there is no quota.
func (t *tree) use(path string, bytes, count int64) *znode {
	q := t.quotaOf(path)
	stats := t.nodes[quotaRoot+q+"/"+statsChild]
	if q == "" || stats == nil {
		return nil
	}
	used, ok := parseUsage(string(stats.data))
	if !ok {
		return nil
	}
	used.count += count
	used.bytes += bytes
	stats.data = []byte(used.String())
	return stats
}

// quotaOf returns the longest path that has a quota and contains path; "" if there is none.
func (t *tree) quotaOf(path string) string {
	longest := ""
	for _, q := range t.quotas {
		if (path == q || strings.HasPrefix(path, q+"/")) && len(q) > len(longest) {
			longest = q
		}
	}
	return longest
}

// checkQuota returns an error for a write that would exceed a hard limit (ZooKeeperServer.java
// checkQuota). In a multi it counts only what existed before the multi. If the server cannot parse
// the znodes of the quota, the write fails.
func (m *Machine) checkQuota(path string, bytes, count int64) Code {
	if !m.cfg.EnforceQuota {
		return CodeOK
	}
	q := m.tree.quotaOf(path)
	limitsNode, statsNode := m.tree.nodes[quotaRoot+q+"/"+limitsChild], m.tree.nodes[quotaRoot+q+"/"+statsChild]
	if q == "" || limitsNode == nil || statsNode == nil {
		return CodeOK
	}
	limits, readable := parseUsage(string(limitsNode.data))
	used, counted := parseUsage(string(statsNode.data))
	switch {
	case !readable || !counted:
		return marshallingError
	case count != 0 && limits.countHardLimit > -1 && used.count+count > limits.countHardLimit,
		bytes != 0 && limits.byteHardLimit > -1 && used.bytes+bytes > limits.byteHardLimit:
		return quotaExceeded
	}
	return CodeOK
}

// usage is the content of a quota's znodes. A value of -1 means that the text does not give it. A
// hard limit that the text gives is written back, even if it is -1.
type usage struct {
	count, bytes                  int64
	byteHardLimit, countHardLimit int64
	more                          []string
}

// parseUsage parses a text such as "count=4,bytes=5=;byteHardLimit=10;countHardLimit=10"
// (StatsTrack.java). ok is false if a real server would fail to parse it.
func parseUsage(text string) (u usage, ok bool) {
	u = usage{count: -1, bytes: -1, byteHardLimit: -1, countHardLimit: -1}
	if text == "" {
		return u, true
	}
	for _, pair := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ';' }) {
		name, rest, _ := strings.Cut(pair, "=")
		number, _, _ := strings.Cut(rest, "=")
		v, err := java.ParseInt(number, 64)
		if err != nil {
			return u, false
		}
		switch name {
		case "count":
			u.count = v
		case "bytes":
			u.bytes = v
		case "countHardLimit":
			u.countHardLimit = v
			u.more = append(u.more, fmt.Sprintf(";%s=%d", name, v))
		case "byteHardLimit":
			u.byteHardLimit = v
			u.more = append(u.more, fmt.Sprintf(";%s=%d", name, v))
		}
	}
	slices.Sort(u.more)
	return u, true
}

func (u usage) String() string {
	text := fmt.Sprintf("count=%d,bytes=%d", u.count, u.bytes)
	if len(u.more) > 0 {
		text += "=" + strings.Join(u.more, "")
	}
	return text
}
