// Package zoocfg reads what starts a real ZooKeeper server, a zoo.cfg and Java's system properties,
// and tells which flags of `monosim zookeeper` say the same.
//
// Two things to use first:
//
//   - [Read] reads a zoo.cfg, and [Settings.Define] adds a property as of -D.
//   - [Settings.Flags] lists the flags, and what has no effect here.
//
// To change: a setting that a flag has is a line of the table known in settings.go; one that must be
// refused is in refused, and one without effect in idle or official.
//
// Unstable: any commit may change it.
package zoocfg

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/zookeeper/datadir"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// setting is a value from a zoo.cfg or from a Java property, with its place for error messages.
type setting struct {
	name, value string
	// at is the setting's place in error messages, such as "zoo.cfg:3".
	at string
}

// Settings holds the settings of a server from a zoo.cfg and from -D properties, in order.
type Settings struct {
	// list holds those of the file, and properties those of -D.
	list, properties []setting
	file             bool
	// notes say what of -D has no effect.
	notes []string
}

// Flag is a command-line flag with its value. At and Name give the place and name of the setting
// that the flag was made from.
type Flag struct{ Flag, Value, At, Name string }

// Read reads a zoo.cfg. The error names the first line that cannot be read.
func Read(name string) (*Settings, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	entries, err := java.Properties(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	s := &Settings{file: true}
	for _, p := range entries {
		key := strings.TrimSpace(p.Key)
		if !own(key) {
			// The server sets a Java property by the rest (QuorumPeerConfig.java parseProperties).
			key = "zookeeper." + key
		}
		s.list = append(s.list, setting{key, strings.TrimSpace(p.Value), fmt.Sprintf("%s:%d", name, p.Line)})
	}
	return s, nil
}

// Define adds a Java property given as -Dname=value. A zoo.cfg that sets it, too, counts more, as the
// server sets it when it reads that file. What the server reads from the file alone has no effect as a
// property.
func (s *Settings) Define(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return fmt.Errorf("-D: found %q, want name=value", text)
	}
	if own(name) {
		s.notes = append(s.notes, fmt.Sprintf("-D: %s is read from a zoo.cfg alone, and has no effect here", name))
		return nil
	}
	s.properties = append(s.properties, setting{name, value, "-D"})
	return nil
}

// Flags converts the settings to flags. notes lists the settings that have no effect here. The
// error names the place of a setting that is refused, or whose value is wrong.
func (s *Settings) Flags() (flags []Flag, notes []string, err error) {
	notes = s.notes
	list := slices.Concat(s.properties, s.list)
	last := map[string]setting{}
	for _, one := range list {
		last[one.name] = one // if a key occurs several times, its last value counts, as in Java properties
	}
	var servers []setting
	for i, one := range list {
		if last[one.name] != one || slices.Index(list, one) != i {
			continue
		}
		if err := one.refusal(); err != nil {
			return nil, nil, err
		}
		k, ok := known[one.name]
		switch {
		case strings.HasPrefix(one.name, "server."):
			servers = append(servers, one)
			continue
		case strings.HasPrefix(one.name, "zookeeper.superUser."):
			flags = append(flags, Flag{"super-user", one.value, one.at, one.name})
			continue
		case strings.HasPrefix(one.name, "zookeeper.authProvider."):
			if one.value != saslProvider {
				return nil, nil, fmt.Errorf("%s: %s: found %q, want %s, as no Java runs here", one.at, one.name, one.value, saslProvider)
			}
			flags = append(flags, Flag{"sasl-acls", "true", one.at, one.name})
			continue
		case slices.Contains(ofSeveral, one.name):
			continue
		case one.name == "dataLogDir" && datadir.Holds(one.value):
			flags = append(flags, Flag{"import-logs", one.value, one.at, one.name})
			continue
		case !ok:
			note, err := one.idle()
			if err != nil {
				return nil, nil, err
			}
			notes = append(notes, note)
			continue
		}
		value, err := k.convert(one.value)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: found %q, want %w", one.at, one.name, one.value, err)
		}
		flags = append(flags, Flag{k.flag, value, one.at, one.name})
	}
	if err := alone(servers, last); err != nil {
		return nil, nil, err
	}
	enforced, err := enforcedAuth(last)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := last["dataDir"]; s.file && !ok {
		notes = append(notes, "there is no dataDir, without which a real server does not start: the state is in memory")
	}
	commands, note := s.adminServer(last)
	return slices.Concat(flags, s.defaults(last), enforced, commands), append(notes, note...), nil
}

// refusal returns the error for a setting that changes what clients see and is not there.
func (s setting) refusal() error {
	for _, r := range refused {
		if strings.HasPrefix(s.name, r.prefix) && (r.harmless == "" || !strings.EqualFold(s.value, r.harmless)) {
			return fmt.Errorf("%s: %s %s", s.at, s.name, r.why)
		}
	}
	return nil
}

// idle returns the note for a setting without effect. The error says that a real server would not
// start with its value.
func (s setting) idle() (note string, err error) {
	check, ok := idle[s.name]
	if ok {
		if _, err := check(s.value); err != nil {
			return "", fmt.Errorf("%s: %s: found %q, want %w", s.at, s.name, s.value, err)
		}
	}
	if ok || own(s.name) || s.official() || !strings.HasPrefix(s.name, "zookeeper.") {
		return fmt.Sprintf("%s: %s has no effect here", s.at, s.name), nil
	}
	return fmt.Sprintf("%s: %s is none that a real server is known to have, and has no effect here", s.at, s.name), nil
}

// official reports whether the administrator's guide has a property, which it also calls some keys of a
// zoo.cfg, or refused has another value of it.
func (s setting) official() bool {
	name := strings.TrimPrefix(s.name, "zookeeper.")
	return slices.Contains(official, name) || own(name) ||
		slices.ContainsFunc(refused, func(r refusal) bool { return strings.HasPrefix(s.name, r.prefix) })
}

// alone checks the lines of an ensemble's servers. A single one is that of a standalone server; its
// address for clients, behind a semicolon, is the client port if nothing else says that.
func alone(servers []setting, last map[string]setting) error {
	if len(servers) == 0 {
		return nil
	}
	one := servers[0]
	peer, client, _ := strings.Cut(one.value, ";")
	if len(servers) > 1 || strings.HasSuffix(strings.ToLower(peer), ":observer") {
		return fmt.Errorf("%s: %s is of an ensemble: want --ensemble N, which serves all servers of one", one.at, one.name)
	}
	client = strings.TrimSpace(client)
	if client == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(client)
	if err != nil {
		host, port = "", client
	}
	if said, ok := last["clientPort"]; ok && said.value != port {
		return fmt.Errorf("%s: %s: found the client port %s, want %s as in %s", one.at, one.name, port, said.value, said.at)
	}
	last["clientPort"] = setting{one.name, port, one.at}
	if _, ok := last["clientPortAddress"]; !ok && host != "" {
		last["clientPortAddress"] = setting{one.name, host, one.at}
	}
	return nil
}

// saslProvider is the Java class that implements the authentication scheme sasl.
const saslProvider = "org.apache.zookeeper.server.auth.SASLAuthenticationProvider"

// enforcedAuth returns the flag for the schemes in which each client must authenticate
// (AuthenticationHelper.java). last maps each setting's name to its last value.
func enforcedAuth(last map[string]setting) ([]Flag, error) {
	sasl, on, schemes := last["zookeeper.sessionRequireClientSASLAuth"], last["zookeeper.enforce.auth.enabled"], last["zookeeper.enforce.auth.schemes"]
	switch {
	case strings.EqualFold(sasl.value, "true"):
		return []Flag{{"enforce-auth", "sasl", sasl.at, sasl.name}}, nil
	case !strings.EqualFold(on.value, "true"):
		return nil, nil
	case schemes.value == "":
		return nil, fmt.Errorf("%s: %s: want zookeeper.enforce.auth.schemes too", on.at, on.name)
	}
	return []Flag{{"enforce-auth", strings.ReplaceAll(schemes.value, " ", ""), schemes.at, schemes.name}}, nil
}

// ofSeveral lists the settings that become a flag only in combination with others.
var ofSeveral = []string{
	"zookeeper.sessionRequireClientSASLAuth", "zookeeper.enforce.auth.enabled", "zookeeper.enforce.auth.schemes",
	"clientPort", "clientPortAddress", "secureClientPort", "secureClientPortAddress", "zookeeper.admin.enableServer", "zookeeper.admin.serverPort", "zookeeper.admin.serverAddress",
}

// adminServer returns the flag for the AdminServer's address. Without settings a real server's
// AdminServer listens on port 8080 of all addresses. The AdminServer here stays off in that case,
// because the servers of several suites may run on one machine.
func (s *Settings) adminServer(last map[string]setting) (flags []Flag, notes []string) {
	on, port, addr := last["zookeeper.admin.enableServer"], last["zookeeper.admin.serverPort"], last["zookeeper.admin.serverAddress"]
	switch {
	case on.value == "false":
	case on.name == "" && port.name == "" && addr.name == "":
		if s.file {
			notes = append(notes, "there is no AdminServer without admin.serverPort or admin.enableServer=true")
		}
	default:
		said := cmp.Or(port, on, addr)
		flags = append(flags, Flag{"admin-server", net.JoinHostPort(cmp.Or(addr.value, "127.0.0.1"), cmp.Or(port.value, "8080")), said.at, said.name})
	}
	return flags, notes
}

// defaults returns flags for settings whose defaults differ between this command and a server that
// is started from a zoo.cfg. They are the address, the tick, which is 3 s there, and the whitelist of
// four-letter words, which holds only srvr.
func (s *Settings) defaults(last map[string]setting) (flags []Flag) {
	if port, ok := last["clientPort"]; ok {
		host := "127.0.0.1"
		if addr := last["clientPortAddress"]; addr.value != "" {
			host = addr.value
		}
		flags = append(flags, Flag{"listen", net.JoinHostPort(host, port.value), port.at, port.name})
	}
	if port, ok := last["secureClientPort"]; ok {
		host := cmp.Or(last["secureClientPortAddress"].value, "127.0.0.1")
		flags = append(flags, Flag{"secure-listen", net.JoinHostPort(host, port.value), port.at, port.name})
		if _, plain := last["clientPort"]; !plain {
			// --listen is required, and here any port will do
			flags = append(flags, Flag{"listen", "127.0.0.1:0", port.at, port.name})
		}
	}
	if _, ok := last["tickTime"]; !ok && s.file {
		flags = append(flags, Flag{"tick", "3s", "zoo.cfg", "tickTime"})
	}
	if _, ok := last["zookeeper.4lw.commands.whitelist"]; !ok && s.file {
		flags = append(flags, Flag{"4lw", "srvr", "zoo.cfg", "4lw.commands.whitelist"})
	}
	return flags
}
