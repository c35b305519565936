// Package zoocfg reads what starts a real ZooKeeper server, a zoo.cfg and Java's system properties,
// and tells which flags of `monosim zookeeper` say the same.
//
// Two things to use first:
//
//   - [Read] reads a zoo.cfg, and [Settings.Define] adds a property as of -D.
//   - [Settings.Flags] lists the flags, and what has no effect here.
//
// To change: a setting that a flag has is a line of the table known; one that must be refused is in
// refused.
//
// Unstable: any commit may change it.
package zoocfg

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/runners/zookeeper/datadir"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// setting is a value from a zoo.cfg or from a Java property, with its place for error messages.
type setting struct {
	name, value string
	// at is the setting's place in error messages, such as "zoo.cfg:3".
	at string
}

// Settings holds the settings of a server from a zoo.cfg and from -D properties, in order.
type Settings struct {
	list []setting
	file bool
}

// Flag is a command-line flag with its value. At and Name give the place and name of the setting
// that the flag was made from.
type Flag struct{ Flag, Value, At, Name string }

// Read reads a zoo.cfg. The error names the first line that is no setting.
func Read(name string) (*Settings, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s := &Settings{file: true}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		at := fmt.Sprintf("%s:%d", name, n)
		end := strings.IndexAny(line, "=: \t")
		if end <= 0 {
			return nil, fmt.Errorf("%s: found %q, want key=value", at, line)
		}
		value := strings.TrimLeft(line[end:], " \t")
		if value != "" && (value[0] == '=' || value[0] == ':') {
			value = value[1:]
		}
		s.list = append(s.list, setting{property(line[:end]), strings.TrimSpace(value), at})
	}
	return s, nil
}

// property returns the Java property for a key of a zoo.cfg. The server prefixes keys that it does
// not know with "zookeeper." (QuorumPeerConfig.java parseProperties).
func property(key string) string {
	number, isServer := strings.CutPrefix(key, "server.")
	if _, err := strconv.Atoi(number); isServer && err == nil || slices.Contains(ownKeys, key) {
		return key
	}
	return "zookeeper." + strings.TrimPrefix(key, "zookeeper.")
}

// ownKeys are the zoo.cfg keys that the server reads itself. All others become Java properties.
var ownKeys = []string{
	"tickTime", "dataDir", "dataLogDir", "clientPort", "clientPortAddress", "secureClientPort", "secureClientPortAddress",
	"maxClientCnxns", "minSessionTimeout", "maxSessionTimeout", "initLimit", "syncLimit", "electionAlg", "peerType", "reconfigEnabled",
	"standaloneEnabled", "dynamicConfigFile", "localSessionsEnabled", "localSessionsUpgradingEnabled", "syncEnabled",
	"connectToLearnerMasterLimit", "quorumListenOnAllIPs", "clientPortListenBacklog",
}

// Define adds a Java property given as -Dname=value. It overrides the value from a zoo.cfg.
func (s *Settings) Define(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return fmt.Errorf("-D: found %q, want name=value", text)
	}
	s.list = append(s.list, setting{name, value, "-D"})
	return nil
}

// known maps each supported setting to its flag, and to a function that converts the value.
var known = map[string]struct {
	flag    string
	convert func(value string) (string, error)
}{
	"tickTime":                             {"tick", ms},
	"dataDir":                              {"data-dir", same},
	"maxClientCnxns":                       {"max-client-cnxns", number},
	"minSessionTimeout":                    {"min-session-timeout", ms},
	"maxSessionTimeout":                    {"max-session-timeout", ms},
	"reconfigEnabled":                      {"reconfig-enabled", boolean},
	"zookeeper.extendedTypesEnabled":       {"extended-types", boolean},
	"zookeeper.enforceQuota":               {"enforce-quota", boolean},
	"zookeeper.skipACL":                    {"skip-acl", yes},
	"zookeeper.4lw.commands.whitelist":     {"4lw", words},
	"zookeeper.nio.sessionlessCnxnTimeout": {"sessionless-timeout", ms},
	"zookeeper.DigestAuthenticationProvider.superDigest": {"super-digest", same},
	"zookeeper.DigestAuthenticationProvider.digestAlg":   {"digest-alg", same},
	"znode.container.checkIntervalMs":                    {"container-check-interval", ms},
	"znode.container.maxPerMinute":                       {"container-max-per-minute", number},
	"znode.container.maxNeverUsedIntervalMs":             {"container-max-never-used", ms},
	"jute.maxbuffer":                                     {"jute-maxbuffer", number},
	"java.security.auth.login.config":                    {"jaas", same},
	"zookeeper.superUser":                                {"super-user", same},
	"zookeeper.letAnySaslUserDoX":                        {"sasl-any-user", same},
	"zookeeper.ssl.keyStore.location":                    {"tls-key-store", same},
	"zookeeper.ssl.trustStore.location":                  {"tls-trust-store", same},
	"zookeeper.ssl.clientAuth":                           {"tls-client-auth", lower},
}

// refused lists settings that this server does not support although they change what clients see.
// Ignoring them would be wrong, so they are errors.
var refused = []struct{ prefix, why string }{
	{"server.", "is of an ensemble: want --ensemble N, which serves all servers of one"},
	{"dynamicConfigFile", "is of an ensemble: want --ensemble N, which serves all servers of one"},
	{"zookeeper.ssl.quorum.", "is for TLS between servers, which is not served"},
	{"zookeeper.sslQuorum", "is for TLS between servers, which is not served"},
	{"zookeeper.allowSaslFailedClients", "is not served: who fails to authenticate is cut off"},
	{"zookeeper.SASLAuthenticationProvider.superPassword", "is not read: want user_super in the JAAS file"},
	{"zookeeper.sasl.serverconfig", "is not read: want an entry Server in the JAAS file"},
}

// Flags converts the settings to flags. notes lists the settings that have no effect here. The
// error names the place of a setting that is refused, or whose value is wrong.
func (s *Settings) Flags() (flags []Flag, notes []string, err error) {
	last := map[string]setting{}
	for _, one := range s.list {
		last[one.name] = one // if a key occurs several times, its last value counts, as in Java properties
	}
	for i, one := range s.list {
		if last[one.name] != one || slices.Index(s.list, one) != i {
			continue
		}
		for _, r := range refused {
			if strings.HasPrefix(one.name, r.prefix) {
				return nil, nil, fmt.Errorf("%s: %s %s", one.at, one.name, r.why)
			}
		}
		k, ok := known[one.name]
		switch {
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
			notes = append(notes, fmt.Sprintf("%s: %s has no effect here", one.at, one.name))
			continue
		}
		value, err := k.convert(one.value)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: found %q, want %w", one.at, one.name, one.value, err)
		}
		flags = append(flags, Flag{k.flag, value, one.at, one.name})
	}
	enforced, err := enforcedAuth(last)
	if err != nil {
		return nil, nil, err
	}
	commands, note := s.adminServer(last)
	return slices.Concat(flags, s.defaults(last), enforced, commands), append(notes, note...), nil
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
	case on.name != "" && !strings.EqualFold(on.value, "true"):
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
// is started from a zoo.cfg. They are the address and the whitelist of four-letter words. The
// default whitelist with a zoo.cfg holds only srvr.
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
	if _, ok := last["zookeeper.4lw.commands.whitelist"]; !ok && s.file {
		flags = append(flags, Flag{"4lw", "srvr", "zoo.cfg", "4lw.commands.whitelist"})
	}
	return flags
}

func same(value string) (string, error) { return value, nil }

// words parses a whitelist of four-letter words. It ignores unknown words, as a real server does.
// The list always contains srvr.
func words(value string) (string, error) {
	list := []string{"srvr"}
	for word := range strings.SplitSeq(value, ",") {
		if word = strings.TrimSpace(word); word == "*" {
			return word, nil
		}
		if wire.CheckWords([]string{word}) == nil {
			list = append(list, word)
		}
	}
	return strings.Join(list, ","), nil
}

// number parses a decimal, hexadecimal or octal number, as Java's Integer.decode does.
func number(value string) (string, error) {
	n, err := strconv.ParseInt(value, 0, 32)
	if err != nil {
		return "", fmt.Errorf("a number")
	}
	return strconv.FormatInt(n, 10), nil
}

// ms parses a number of milliseconds; -1 means the server's default.
func ms(value string) (string, error) {
	n, err := number(value)
	if err != nil {
		return "", fmt.Errorf("a number of milliseconds")
	}
	if n == "-1" {
		n = "0"
	}
	return n + "ms", nil
}

func boolean(value string) (string, error) {
	switch strings.ToLower(value) {
	case "true", "false":
		return strings.ToLower(value), nil
	}
	return "", fmt.Errorf("true or false")
}

func lower(value string) (string, error) { return strings.ToLower(value), nil }

// yes converts a switch of a zoo.cfg to a bool. Only "yes" turns it on.
func yes(value string) (string, error) { return strconv.FormatBool(value == "yes"), nil }
