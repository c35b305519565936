package members

import (
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// Change is a requested reconfig. A nil field means null in the request.
type Change struct {
	Joining, Leaving, New *string
	// From is the version of the configuration that the change applies to; -1 for any.
	From int64
}

// Changed returns the configuration after a change. code is the error of the reconfig; 0 if it
// succeeds. An exception that a real server does not expect is a MarshallingError.
func (m List) Changed(change *Change) (next List, code zkerrors.Code) {
	if change.New != nil {
		return parseList(*change.New)
	}
	next = m.copied()
	for _, text := range items(change.Leaving, ",") {
		id, err := java.ParseInt(text, 64)
		if err != nil {
			return next, zkerrors.MarshallingError
		}
		next.remove(id)
	}
	for _, text := range items(change.Joining, ",") {
		joiner, code := parseJoiner(text)
		if code != 0 {
			return next, code
		}
		if next.takes(joiner) {
			return next, zkerrors.BadArguments
		}
		next.put(joiner)
	}
	return next, 0
}

// takes reports whether another member already uses one of the joiner's addresses (QuorumPeer.java,
// checkAddressDuplicate).
func (m *List) takes(joiner Server) bool {
	for _, one := range m.members {
		if one.ID == joiner.ID {
			continue
		}
		for _, addr := range joiner.addresses() {
			if slices.Contains(one.addresses(), addr) {
				return true
			}
		}
	}
	return false
}

// addresses lists the server's addresses that no other server may have. Addresses of the loopback and
// of all interfaces are left out, because several servers may have those.
func (s Server) addresses() (list []string) {
	for _, addr := range []string{s.Host + ":" + strconv.Itoa(s.PeerPort), s.Host + ":" + strconv.Itoa(s.ElectionPort), s.Client} {
		if addr != "" && !java.IsSpecialHost(addr[:strings.LastIndexByte(addr, ':')]) {
			list = append(list, addr)
		}
	}
	return list
}

// items splits a list at a separator and drops empty items (StringUtils.java split).
func items(list *string, separator string) (found []string) {
	if list == nil {
		return nil
	}
	for _, text := range strings.Split(*list, separator) {
		if text = strings.TrimSpace(text); text != "" {
			found = append(found, text)
		}
	}
	return found
}

// parseJoiner parses server.5=host:port:port:observer;port.
func parseJoiner(text string) (Server, zkerrors.Code) {
	parts := items(&text, "=")
	if len(parts) != 2 {
		return Server{}, zkerrors.BadArguments
	}
	id, err := java.ParseInt(parts[0][strings.LastIndexByte(parts[0], '.')+1:], 64)
	if err != nil {
		return Server{}, zkerrors.MarshallingError
	}
	member, code := parseServer(id, parts[1])
	if code == 0 && member.Client == "" {
		code = zkerrors.BadArguments
	}
	return member, code
}

// parseList parses a whole configuration, which is a file of properties. Its lines may also be separated by
// commas. Groups and weights are refused, since all quorums here are majorities.
func parseList(text string) (next List, code zkerrors.Code) {
	entries, err := java.Properties(strings.ReplaceAll(text, ",", "\n"))
	if err != nil {
		return next, zkerrors.MarshallingError
	}
	for _, one := range entries {
		if key := strings.TrimSpace(one.Key); !strings.HasPrefix(key, "server.") && key != "version" {
			return next, zkerrors.BadArguments
		}
	}
	next = List{buckets: 16}
	for _, one := range inOrder(entries) {
		number, isServer := strings.CutPrefix(one.Key, "server.")
		if !isServer {
			if _, err := strconv.ParseInt(one.Value, 16, 64); err != nil {
				return next, zkerrors.MarshallingError
			}
			continue
		}
		id, err := java.ParseInt(number, 64)
		if err != nil {
			return next, zkerrors.MarshallingError
		}
		member, code := parseServer(id, one.Value)
		if code != 0 {
			return next, code
		}
		next.put(member)
	}
	if voters := len(next.Voters()); voters < 2 && voters < len(next.members) && len(next.members) > 0 {
		return next, zkerrors.MarshallingError // observers without a quorum (QuorumPeerConfig.java parseDynamicConfig)
	}
	return next, 0
}

// inOrder returns the entries in the order in which Java iterates over Properties, a
// ConcurrentHashMap. The last value of a key counts.
func inOrder(entries []java.Property) (list []java.Property) {
	for _, one := range entries {
		same := func(p java.Property) bool { return p.Key == one.Key }
		if at := slices.IndexFunc(list, same); at >= 0 {
			list[at] = one
		} else {
			list = append(list, one)
		}
	}
	buckets := java.Buckets(16, len(list)+1) // this table doubles with the entry that makes it three quarters full
	return java.Copied(list, buckets, func(p java.Property) uint32 { return java.Spread(p.Key) })
}

// parseServer parses host:port:port[:kind][;[host:]port] (QuorumPeer.java,
// initializeWithAddressString).
func parseServer(id int64, text string) (s Server, code zkerrors.Code) {
	s.ID = id
	parts := java.Split(text, ";")
	if len(parts) == 0 {
		return s, zkerrors.MarshallingError
	}
	if len(parts) == 2 {
		client, ok := hostAndPort(parts[1])
		switch {
		case !ok || len(client) > 2:
			return s, zkerrors.BadArguments
		case len(client) == 0:
			return s, zkerrors.MarshallingError
		}
		host := "0.0.0.0"
		if len(client) == 2 {
			host = java.Host(client[0])
		}
		number, code := port(client[len(client)-1])
		if code != 0 {
			return s, code
		}
		s.Client = host + ":" + strconv.Itoa(number)
	}
	addresses := java.Split(parts[0], "|") // more than one are refused, unless multiAddress.enabled
	fields, ok := hostAndPort(strings.Join(addresses, "|"))
	if !ok || len(addresses) != 1 || len(parts) > 2 || len(fields) < 3 || len(fields) > 4 {
		return s, zkerrors.BadArguments
	}
	s.Host = java.Host(fields[0])
	if s.PeerPort, code = port(fields[1]); code != 0 {
		return s, code
	}
	if s.ElectionPort, code = port(fields[2]); code != 0 {
		return s, code
	}
	if s.PeerPort == s.ElectionPort {
		return s, zkerrors.BadArguments
	}
	if len(fields) == 4 {
		switch kind := strings.ToLower(strings.TrimSpace(fields[3])); kind {
		case "observer", "participant":
			s.Observer = kind == "observer"
		default:
			return s, zkerrors.BadArguments
		}
	}
	return s, 0
}

// hostAndPort splits an address at its colons, but not those of an IPv6 address in brackets
// (ConfigUtils.java getHostAndPort).
func hostAndPort(text string) (fields []string, ok bool) {
	if !strings.HasPrefix(text, "[") {
		return java.Split(text, ":"), true
	}
	host, rest, found := strings.Cut(text[1:], "]")
	switch {
	case !found || len(rest) == 1:
		return nil, false
	case rest == "":
		return []string{host}, true
	}
	return append([]string{host}, java.Split(rest[1:], ":")...), true
}

// port parses the number of a port.
func port(text string) (int, zkerrors.Code) {
	n, err := java.ParseInt(text, 32)
	switch {
	case err != nil:
		return 0, zkerrors.BadArguments
	case n < 0 || n > 65535:
		return 0, zkerrors.MarshallingError
	}
	return int(n), 0
}
