package zookeeper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Quorum makes a machine a server of an ensemble (ZK-24): its znode /zookeeper/config
// tells who belongs to it, and the leader's can be reconfigured.
type Quorum struct {
	Members Membership
	// Synced reports whether a majority of voters with these ids follow the leader, or are
	// it.
	Synced func(voters []int64) bool
	// Changed is told of the members that a reconfig has made, before its answer.
	Changed func(Membership)
}

// MembershipChange is what a reconfig asks for; nil texts were null.
type MembershipChange struct {
	Joining, Leaving, New *string
	// From is the version that it is to replace, -1 for any.
	From int64
}

// Member is one server of an ensemble.
type Member struct {
	ID                     int64
	Host                   string
	PeerPort, ElectionPort int
	Observer               bool
	// Client is host:port for clients, "" where nobody has said it.
	Client string
}

// String is as in a configuration, without the id.
func (m Member) String() string {
	kind := "participant"
	if m.Observer {
		kind = "observer"
	}
	text := fmt.Sprintf("%s:%d:%d:%s", m.Host, m.PeerPort, m.ElectionPort, kind)
	if m.Client != "" {
		text += ";" + m.Client
	}
	return text
}

// Membership is who belongs to an ensemble.
type Membership struct {
	// Version is the zxid of the reconfig that made it, or of the first leader.
	Version int64
	// members are as they were put into a Java HashMap with so many buckets.
	members []Member
	buckets int
}

// NewMembership is that of an ensemble's first configuration.
func NewMembership(members []Member) Membership {
	m := Membership{buckets: 16}
	for _, one := range members {
		m.put(one)
	}
	return m
}

// Members lists the servers as a real server does, by bucket (QuorumMaj.java).
func (m Membership) Members() []Member {
	list := slices.Clone(m.members)
	bucket := func(id int64) int {
		h := uint32(id ^ int64(uint64(id)>>32))
		return int((h ^ h>>16) & uint32(m.buckets-1))
	}
	slices.SortStableFunc(list, func(a, b Member) int { return bucket(a.ID) - bucket(b.ID) })
	return list
}

// Voters are the ids of the servers that are no observers.
func (m Membership) Voters() (ids []int64) {
	for _, one := range m.Members() {
		if !one.Observer {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// String is the data of /zookeeper/config.
func (m Membership) String() string {
	var b strings.Builder
	for _, one := range m.Members() {
		fmt.Fprintf(&b, "server.%d=%s\n", one.ID, one)
	}
	fmt.Fprintf(&b, "version=%x", uint64(m.Version))
	return b.String()
}

func (m *Membership) put(one Member) {
	m.remove(one.ID)
	m.members = append(m.members, one)
	for len(m.members) > m.buckets/4*3 {
		m.buckets *= 2
	}
}

func (m *Membership) remove(id int64) {
	m.members = slices.DeleteFunc(slices.Clone(m.members), func(old Member) bool { return old.ID == id })
}

// copied is a new HashMap of another one: as large as its size wants.
func (m Membership) copied() Membership {
	next := Membership{Version: m.Version, buckets: 1}
	for float64(next.buckets) < float64(len(m.members))/0.75+1 {
		next.buckets *= 2
	}
	next.members = m.Members()
	return next
}

// reconfig replaces the members (ZK-24.6). The checks come in the order of
// PrepRequestProcessor.java:360.
func (m *Machine) reconfig(c *Conn, req *Request, _ bool) outcome {
	if !m.cfg.ReconfigEnabled {
		return outcome{code: CodeReconfigDisabled}
	}
	q := m.cfg.Quorum
	if q == nil {
		return outcome{code: unimplemented} // a standalone server (ZK-1.6)
	}
	change := req.Membership
	if change == nil {
		change = &MembershipChange{From: -1}
	}
	if change.From != -1 && change.From != q.Members.Version {
		return outcome{code: badVersion}
	}
	next, code := q.Members.changed(change)
	if code != CodeOK {
		return outcome{code: code}
	}
	if len(next.Voters()) < 2 {
		return outcome{code: badArguments}
	}
	if !q.Synced(next.Voters()) {
		return outcome{code: CodeNewConfigNoQuorum}
	}
	n := m.tree.lookup(configPath)
	if !m.permitted(c, n, OpSetData) {
		return outcome{code: noAuth}
	}
	next.Version = m.zxid
	data := []byte(next.String())
	m.changes = append(m.changes, savedBefore(n, int64(len(data)-len(n.data))))
	n.data, n.mzxid, n.mtimeMs, n.version = data, m.zxid, m.wallMs(), -1
	q.Members = next
	q.Changed(next)
	return outcome{node: n}
}

const configPath = "/zookeeper/config"

// savedBefore is a change of the data of a znode, with what undoes it.
func savedBefore(n *znode, bytes int64) change {
	return change{kind: nodeDataSet, node: n, bytes: bytes, data: n.data, mzxid: n.mzxid, mtimeMs: n.mtimeMs, version: n.version}
}

// tellMembers writes the members as a server does that joins its ensemble, which is no
// transaction (ZKDatabase.java, initConfigInZKDatabase).
func (m *Machine) tellMembers() {
	q := m.cfg.Quorum
	if q == nil {
		return
	}
	n := m.tree.lookup(configPath)
	n.data, n.mzxid, n.mtimeMs, n.version = []byte(q.Members.String()), q.Members.Version, m.wallMs(), -1
}

// changed is what a change makes of the members.
func (m Membership) changed(change *MembershipChange) (next Membership, code Code) {
	if change.New != nil {
		return parseMembership(*change.New)
	}
	next = m.copied()
	for _, text := range items(change.Leaving) {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return next, marshallingError // a NumberFormatException, which nobody expects
		}
		next.remove(id)
	}
	for _, text := range items(change.Joining) {
		joiner, code := parseJoiner(text)
		if code != CodeOK {
			return next, code
		}
		next.put(joiner)
	}
	return next, CodeOK
}

// items are what stands between commas, without what is empty.
func items(list *string) (found []string) {
	if list == nil {
		return nil
	}
	for _, text := range strings.Split(*list, ",") {
		if text = strings.TrimSpace(text); text != "" {
			found = append(found, text)
		}
	}
	return found
}

// parseJoiner reads server.5=host:port:port:observer;port.
func parseJoiner(text string) (Member, Code) {
	parts := slices.DeleteFunc(strings.Split(text, "="), func(part string) bool { return strings.TrimSpace(part) == "" })
	if len(parts) != 2 {
		return Member{}, badArguments
	}
	name := strings.TrimSpace(parts[0])
	id, err := strconv.ParseInt(name[strings.LastIndexByte(name, '.')+1:], 10, 64)
	if err != nil {
		return Member{}, marshallingError
	}
	member, ok := parseMember(id, strings.TrimSpace(parts[1]))
	if !ok || member.Client == "" {
		return Member{}, badArguments
	}
	return member, CodeOK
}

// parseMembership reads a whole configuration, a server a line or between commas.
func parseMembership(text string) (Membership, Code) {
	next := Membership{buckets: 16}
	for line := range strings.Lines(strings.ReplaceAll(text, ",", "\n")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		number, isServer := strings.CutPrefix(strings.TrimSpace(key), "server.")
		if !isServer {
			return next, badArguments
		}
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return next, marshallingError
		}
		member, ok := parseMember(id, strings.TrimSpace(value))
		if !ok {
			return next, badArguments
		}
		next.put(member)
	}
	return next, CodeOK
}

// parseMember reads host:port:port[:kind][;[host:]port].
func parseMember(id int64, text string) (m Member, ok bool) {
	m.ID = id
	server, client, _ := strings.Cut(text, ";")
	fields := strings.Split(server, ":")
	if len(fields) < 3 || len(fields) > 4 {
		return m, false
	}
	m.Host = fields[0]
	var peerErr, electionErr error
	m.PeerPort, peerErr = strconv.Atoi(fields[1])
	m.ElectionPort, electionErr = strconv.Atoi(fields[2])
	if peerErr != nil || electionErr != nil {
		return m, false
	}
	if len(fields) == 4 {
		switch kind := strings.ToLower(fields[3]); kind {
		case "observer", "participant":
			m.Observer = kind == "observer"
		default:
			return m, false
		}
	}
	if client = strings.TrimSpace(client); client == "" {
		return m, true
	}
	if !strings.Contains(client, ":") {
		client = "0.0.0.0:" + client
	}
	m.Client = client
	_, err := strconv.Atoi(client[strings.LastIndexByte(client, ':')+1:])
	return m, err == nil
}
