package members

import (
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env/zkerrors"
)

// Change is a requested reconfig. A nil field means null in the request.
type Change struct {
	Joining, Leaving, New *string
	// From is the version of the configuration that the change applies to; -1 for any.
	From int64
}

// Changed returns the configuration after a change. code is the error of the reconfig; 0 if it
// succeeds.
func (m List) Changed(change *Change) (next List, code zkerrors.Code) {
	if change.New != nil {
		return parseList(*change.New)
	}
	next = m.copied()
	for _, text := range items(change.Leaving) {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return next, zkerrors.MarshallingError // the real server does not catch this NumberFormatException
		}
		next.remove(id)
	}
	for _, text := range items(change.Joining) {
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
			if addr != "" && slices.Contains(one.addresses(), addr) {
				return true
			}
		}
	}
	return false
}

func (s Server) addresses() []string {
	return []string{s.Host + ":" + strconv.Itoa(s.PeerPort), s.Host + ":" + strconv.Itoa(s.ElectionPort), s.Client}
}

// items splits a list at commas and drops empty items.
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

// parseJoiner parses server.5=host:port:port:observer;port.
func parseJoiner(text string) (Server, zkerrors.Code) {
	parts := slices.DeleteFunc(strings.Split(text, "="), func(part string) bool { return strings.TrimSpace(part) == "" })
	if len(parts) != 2 {
		return Server{}, zkerrors.BadArguments
	}
	name := strings.TrimSpace(parts[0])
	id, err := strconv.ParseInt(name[strings.LastIndexByte(name, '.')+1:], 10, 64)
	if err != nil {
		return Server{}, zkerrors.MarshallingError
	}
	member, ok := parseServer(id, strings.TrimSpace(parts[1]))
	if !ok || member.Client == "" {
		return Server{}, zkerrors.BadArguments
	}
	return member, 0
}

// parseList parses a whole configuration: servers on lines or separated by commas.
func parseList(text string) (List, zkerrors.Code) {
	next := List{buckets: 16}
	for line := range strings.Lines(strings.ReplaceAll(text, ",", "\n")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		number, isServer := strings.CutPrefix(strings.TrimSpace(key), "server.")
		if !isServer {
			return next, zkerrors.BadArguments
		}
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return next, zkerrors.MarshallingError
		}
		member, ok := parseServer(id, strings.TrimSpace(value))
		if !ok {
			return next, zkerrors.BadArguments
		}
		next.put(member)
	}
	return next, 0
}

// parseServer parses host:port:port[:kind][;[host:]port].
func parseServer(id int64, text string) (s Server, ok bool) {
	s.ID = id
	server, client, _ := strings.Cut(text, ";")
	fields := strings.Split(server, ":")
	if len(fields) < 3 || len(fields) > 4 {
		return s, false
	}
	s.Host = fields[0]
	var peerErr, electionErr error
	s.PeerPort, peerErr = strconv.Atoi(fields[1])
	s.ElectionPort, electionErr = strconv.Atoi(fields[2])
	if peerErr != nil || electionErr != nil {
		return s, false
	}
	if len(fields) == 4 {
		switch kind := strings.ToLower(fields[3]); kind {
		case "observer", "participant":
			s.Observer = kind == "observer"
		default:
			return s, false
		}
	}
	if client = strings.TrimSpace(client); client == "" {
		return s, true
	}
	if !strings.Contains(client, ":") {
		client = "0.0.0.0:" + client
	}
	s.Client = client
	_, err := strconv.Atoi(client[strings.LastIndexByte(client, ':')+1:])
	return s, err == nil
}
