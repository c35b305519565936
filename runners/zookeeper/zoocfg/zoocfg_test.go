package zoocfg_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/zoocfg"
)

// Goal: a zoo.cfg and Java properties become the equivalent flags. A setting without an equivalent
// is refused with its place. Method: files as in clients' test suites and manuals.

func write(t *testing.T, lines ...string) string {
	name := filepath.Join(t.TempDir(), "zoo.cfg")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestASecurePort(t *testing.T) {
	flags, notes, err := flagsOf(t, []string{
		"secureClientPort=2281", "ssl.keyStore.location=own.pem", "ssl.keyStore.password=x", "ssl.trustStore.location=ca.pem", "ssl.clientAuth=WANT", "4lw.commands.whitelist=*",
		"admin.enableServer=false", "tickTime=2000", "dataDir=zk",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--tls-key-store=own.pem", "--tls-trust-store=ca.pem", "--tls-client-auth=want", "--4lw=*",
		"--tick=2000ms", "--data-dir=zk", "--secure-listen=127.0.0.1:2281", "--listen=127.0.0.1:0",
	}
	if diff := cmp.Diff(want, flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{":3: zookeeper.ssl.keyStore.password has no effect here"}, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// flagsOf writes a zoo.cfg with the given lines, adds the properties, and returns the resulting
// flags as text and the notes.
func flagsOf(t *testing.T, lines, properties []string) (flags, notes []string, err error) {
	name := write(t, lines...)
	s, err := zoocfg.Read(name)
	for _, p := range properties {
		if err == nil {
			err = s.Define(p)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	list, notes, err := s.Flags()
	for _, f := range list {
		flags = append(flags, fmt.Sprintf("--%s=%s", f.Flag, f.Value))
	}
	for i := range notes {
		notes[i] = strings.TrimPrefix(notes[i], name)
	}
	return flags, notes, err
}

func TestASuitesFile(t *testing.T) {
	flags, notes, err := flagsOf(t, []string{
		"# a comment", "tickTime=500", "initLimit = 10", "dataDir: /tmp/zk", "clientPort 21811", "", "maxClientCnxns=016",
		"minSessionTimeout=-1", "reconfigEnabled=true", "4lw.commands.whitelist=*", "skipACL=yes", "jute.maxbuffer=100",
	}, []string{
		"znode.container.checkIntervalMs=1000", "jute.maxbuffer=0x200000", "zookeeper.skipACL=no", "tickTime=3",
		"zookeeper.DigestAuthenticationProvider.digestAlg=SHA-256",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--container-check-interval=1000ms", "--jute-maxbuffer=2097152", "--digest-alg=SHA-256",
		"--tick=500ms", "--data-dir=/tmp/zk", "--max-client-cnxns=16", "--min-session-timeout=0ms", "--reconfig-enabled=true", "--4lw=*",
		"--skip-acl=true", "--listen=127.0.0.1:21811",
	}
	if diff := cmp.Diff(want, flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	// jute.maxbuffer in the file has no effect, because a real server reads it only from Java's
	// properties.
	if diff := cmp.Diff([]string{
		"-D: tickTime is read from a zoo.cfg alone, and has no effect here", ":3: initLimit has no effect here",
		":12: zookeeper.jute.maxbuffer is none that a real server is known to have, and has no effect here", withoutAdmin,
	}, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

const withoutAdmin = "there is no AdminServer without admin.serverPort or admin.enableServer=true"

// Goal: the AdminServer listens where the settings say. Without such settings it is off.
func TestTheAdminServer(t *testing.T) {
	for _, c := range []struct {
		lines, properties []string
		want              string
	}{
		{[]string{"admin.serverPort=9090"}, nil, "--admin-server=127.0.0.1:9090"},
		{[]string{"admin.enableServer=true"}, nil, "--admin-server=127.0.0.1:8080"},
		{[]string{"admin.serverAddress=::1"}, nil, "--admin-server=[::1]:8080"},
		{[]string{"admin.serverPort=9090"}, []string{"zookeeper.admin.serverPort=0"}, "--admin-server=127.0.0.1:9090"},
		{[]string{"admin.enableServer=FALSE"}, nil, "--admin-server=127.0.0.1:8080"},
		{[]string{"admin.serverPort=9090", "admin.enableServer=false"}, nil, ""},
		{nil, []string{"zookeeper.admin.enableServer=false"}, ""},
		{nil, nil, ""},
	} {
		flags, notes, err := flagsOf(t, append([]string{"dataDir=zk"}, c.lines...), c.properties)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, flag := range flags {
			if strings.HasPrefix(flag, "--admin-server=") {
				got += flag
			}
		}
		silent := c.lines == nil && c.properties == nil
		if got != c.want || (len(notes) == 1 && notes[0] == withoutAdmin) != silent {
			t.Errorf("%q %q: got %q, %q, want %q", c.lines, c.properties, got, notes, c.want)
		}
	}
}

// Goal: settings for allowed and for required authentication become the right flags.
func TestSASL(t *testing.T) {
	const provider = "authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider"
	for _, c := range []struct {
		line, property, want string
	}{
		{"sessionRequireClientSASLAuth=true", "java.security.auth.login.config=jaas.conf", "--enforce-auth=sasl --jaas=jaas.conf --sasl-acls=true"},
		{"enforce.auth.schemes=sasl, digest", "zookeeper.enforce.auth.enabled=true", "--enforce-auth=sasl,digest --sasl-acls=true"},
		{"superUser.1=bob", "zookeeper.superUser=ann", "--sasl-acls=true --super-user=ann --super-user=bob"},
		{"letAnySaslUserDoX=anyone", "zookeeper.superUser.x.y=ann", "--sasl-acls=true --sasl-any-user=anyone --super-user=ann"},
	} {
		flags, _, err := flagsOf(t, []string{provider, c.line, "4lw.commands.whitelist=*"}, []string{c.property})
		if err != nil {
			t.Fatal(err)
		}
		flags = slices.DeleteFunc(flags, func(f string) bool { return f == "--4lw=*" || f == "--tick=3s" })
		slices.Sort(flags)
		if got := strings.Join(flags, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
}

// Goal: one server is no ensemble, as for a real server (QuorumPeerConfig.java parseDynamicConfig). The
// image of Docker has such a line.
func TestASingleServer(t *testing.T) {
	for line, want := range map[string]string{
		"server.1=localhost:2888:3888;2181":                      "--listen=127.0.0.1:2181",
		"server.7=localhost:2888:3888:participant;[::1]:2181":    "--listen=[::1]:2181",
		"server.1=localhost:2888:3888\nclientPort=2182":          "--listen=127.0.0.1:2182",
		"clientPort=2181\nserver.1=localhost:2888:3888;::1:2181": "",
	} {
		flags, _, err := flagsOf(t, []string{line, "standaloneEnabled=true"}, nil)
		if (err == nil) != (want != "") || err == nil && !slices.Contains(flags, want) {
			t.Errorf("%s: got %q, %v, want %s", line, flags, err, want)
		}
	}
}

// Goal: a zoo.cfg is read as Java's Properties are. Method: values that a real server 3.8.0 and 3.9.3 were
// seen to take from these lines.
func TestTheSyntaxIsThatOfProperties(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"tickTime=0500", "--tick=500ms"},
		{"tickTime=+500", "--tick=500ms"},
		{"tickTime=5\\\n  00", "--tick=500ms"},
		{"tick\\u0054ime=50\\u0030", "--tick=500ms"},
		{"tick\\u0054ime\\=500", "--tick=3s"},
		{"\t tickTime : 500", "--tick=500ms"},
		{"tickTime=100\rtickTime=500", "--tick=500ms"},
		{"# a comment \\\ntickTime=500", "--tick=500ms"},
		{"dataDir=C\\:\\\\zk", "--data-dir=C:\\zk"},
		{"minSessionTimeout=0", "--min-session-timeout=1ms"},
		{"minSessionTimeout=-2", "--min-session-timeout=1ms"},
		{"maxSessionTimeout=-1", "--max-session-timeout=0ms"},
		{"maxClientCnxns=-1", "--max-client-cnxns=0"},
		{"DigestAuthenticationProvider.enabled=no", "--no-digest=true"},
		{"DigestAuthenticationProvider.enabled=TRUE", "--no-digest=false"},
		{"skipACL=YES", "--skip-acl=false"},
	} {
		flags, _, err := flagsOf(t, []string{c.lines}, nil)
		if err != nil || !slices.Contains(flags, c.want) {
			t.Errorf("%q: got %q, %v, want %s", c.lines, flags, err, c.want)
		}
	}
	flags, notes, err := flagsOf(t, []string{"zookeeper.skipACL=yes", "extendedTypesEnabled"}, nil)
	if err == nil || !strings.Contains(err.Error(), `zookeeper.extendedTypesEnabled: found "", want true or false`) {
		t.Errorf("got %q %q %v", flags, notes, err)
	}
}

// Goal: each setting of the administrator's guide is one that a flag has, one that is refused, or one
// that is known to have no effect. Method: the guide of the checkout that ZOOKEEPER_SRC names.
func TestTheGuidesSettings(t *testing.T) {
	source := os.Getenv("ZOOKEEPER_SRC")
	if source == "" {
		t.Skip("ZOOKEEPER_SRC names no checkout of apache/zookeeper")
	}
	text, err := os.ReadFile(filepath.Join(source, "zookeeper-docs/src/main/resources/markdown/zookeeperAdmin.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, guide, _ := strings.Cut(string(text), "#### Minimum Configuration")
	guide, _, _ = strings.Cut(guide, "### ZooKeeper Commands")
	names := 0
	for _, m := range regexp.MustCompile(`(?m)^\* \*([\w.\-]+)|\*\*(zookeeper\.[\w.\-]*\w)|property[: ]+\*\*([\w.\-]+\w)`).FindAllStringSubmatch(guide, -1) {
		// Some titles are those of properties alone.
		title, property := m[1], m[2]+m[3]
		if strings.HasPrefix(title, "zookeeper.") || strings.HasPrefix(title, "znode.") || title == "jute.maxbuffer" {
			title, property = "", title
		}
		switch title + property {
		case "Read", "server.x", "authProvider", "zookeeper.authProvider": // a heading, and the beginnings of names
			continue
		}
		names++
		var notes []string
		if title != "" {
			_, notes, _ = flagsOf(t, []string{title + "=1"}, nil)
		} else {
			_, notes, _ = flagsOf(t, nil, []string{property + "=1"})
		}
		if strings.Contains(strings.Join(notes, ""), "known to have") {
			t.Errorf("%s%s is unknown: %q", title, property, notes)
		}
	}
	if names < 150 {
		t.Errorf("found %d settings in the guide, want 150 at least", names)
	}
}

func TestARealServerAnswersFewWords(t *testing.T) {
	flags, _, err := flagsOf(t, []string{"clientPort=0", "clientPortAddress=::1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"--listen=[::1]:0", "--tick=3s", "--4lw=srvr"}, flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, c := range []struct{ line, property, want string }{
		{"tickTime", "", `:1: tickTime: found "", want a decimal number of milliseconds`},
		{"tickTime=fast", "", `:1: tickTime: found "fast", want a decimal number of milliseconds`},
		{"tickTime=0x1f4", "", `:1: tickTime: found "0x1f4", want a decimal number of milliseconds`},
		{"maxClientCnxns=1.5", "", `:1: maxClientCnxns: found "1.5", want a decimal number`},
		{"maxSessionTimeout=0", "", `:1: maxSessionTimeout: found "0", want no less than minSessionTimeout`},
		{"autopurge.snapRetainCount=many", "", `:1: autopurge.snapRetainCount: found "many", want a decimal number`},
		{"syncEnabled=maybe", "", `:1: syncEnabled: found "maybe", want true or false`},
		{"peerType=leader", "", `:1: peerType: found "leader", want participant or observer`},
		{"electionAlg=2", "", ":1: electionAlg has the one value 3"},
		{"standaloneEnabled=false", "", ":1: standaloneEnabled is for an ensemble"},
		{"maxCnxns=2", "", ":1: zookeeper.maxCnxns is not served: want maxClientCnxns"},
		{"ssl.crl=true", "", ":1: zookeeper.ssl.crl is not served"},
		{"", "zookeeper.admin.forceHttps=true", "-D: zookeeper.admin.forceHttps is not served"},
		{"dataDir=C:\\users", "", `:1: found \users, want four hexadecimal digits after \u`},
		{"reconfigEnabled=yes", "", `:1: reconfigEnabled: found "yes", want true or false`},
		{"server.1=a:2888:3888\nserver.2=b:2888:3888", "", ":1: server.1 is of an ensemble: want --ensemble N"},
		{"server.1=a:2888:3888:observer", "", ":1: server.1 is of an ensemble: want --ensemble N"},
		{"server.1=a:2888:3888;2181\nclientPort=2182", "", ":1: server.1: found the client port 2181, want 2182 as in "},
		{"ssl.quorum.keyStore.location=x", "", ":1: zookeeper.ssl.quorum.keyStore.location is for TLS between servers"},
		{"authProvider.1=org.example.X509", "", `:1: zookeeper.authProvider.1: found "org.example.X509", want org.apache.zookeeper.server.auth.SASL`},
		{"enforce.auth.enabled=true", "", ":1: zookeeper.enforce.auth.enabled: want zookeeper.enforce.auth.schemes too"},
		{"allowSaslFailedClients=true", "", ":1: zookeeper.allowSaslFailedClients is not served"},
		{"", "tickTime", `-D: found "tickTime", want name=value`},
	} {
		var properties []string
		if c.property != "" {
			properties = []string{c.property}
		}
		_, _, err := flagsOf(t, []string{c.line}, properties)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %q: got %v, want it to say %q", c.line, c.property, err, c.want)
		}
	}
	if _, err := zoocfg.Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("read a file that does not exist")
	}
}
