package zoocfg_test

import (
	"fmt"
	"os"
	"path/filepath"
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
		"admin.enableServer=false",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--tls-key-store=own.pem", "--tls-trust-store=ca.pem", "--tls-client-auth=want", "--4lw=*",
		"--secure-listen=127.0.0.1:2281", "--listen=127.0.0.1:0",
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
		"# a comment", "tickTime=500", "initLimit = 10", "dataDir: /tmp/zk", "clientPort 21811", "", "maxClientCnxns=0x10",
		"minSessionTimeout=-1", "reconfigEnabled=true", "4lw.commands.whitelist=*", "skipACL=yes", "jute.maxbuffer=100",
	}, []string{
		"znode.container.checkIntervalMs=1000", "jute.maxbuffer=0x200000", "zookeeper.skipACL=no",
		"zookeeper.DigestAuthenticationProvider.digestAlg=SHA-256",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--tick=500ms", "--data-dir=/tmp/zk", "--max-client-cnxns=16", "--min-session-timeout=0ms", "--reconfig-enabled=true", "--4lw=*",
		"--container-check-interval=1000ms", "--jute-maxbuffer=2097152", "--skip-acl=false", "--digest-alg=SHA-256", "--listen=127.0.0.1:21811",
	}
	if diff := cmp.Diff(want, flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	// jute.maxbuffer in the file has no effect, because a real server reads it only from Java's
	// properties.
	if diff := cmp.Diff([]string{":3: initLimit has no effect here", ":12: zookeeper.jute.maxbuffer has no effect here", withoutAdmin}, notes); diff != "" {
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
		{[]string{"admin.serverPort=9090"}, []string{"zookeeper.admin.serverPort=0"}, "--admin-server=127.0.0.1:0"},
		{[]string{"admin.serverPort=9090", "admin.enableServer=false"}, nil, ""},
		{nil, []string{"zookeeper.admin.enableServer=false"}, ""},
		{nil, nil, ""},
	} {
		flags, notes, err := flagsOf(t, c.lines, c.properties)
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
		{"sessionRequireClientSASLAuth=true", "java.security.auth.login.config=jaas.conf", "--sasl-acls=true --jaas=jaas.conf --enforce-auth=sasl"},
		{"enforce.auth.schemes=sasl, digest", "zookeeper.enforce.auth.enabled=true", "--sasl-acls=true --enforce-auth=sasl,digest"},
		{"superUser.1=bob", "zookeeper.superUser=ann", "--sasl-acls=true --super-user=bob --super-user=ann"},
		{"letAnySaslUserDoX=anyone", "zookeeper.superUser.x.y=ann", "--sasl-acls=true --sasl-any-user=anyone --super-user=ann"},
	} {
		flags, _, err := flagsOf(t, []string{provider, c.line, "4lw.commands.whitelist=*"}, []string{c.property})
		if err != nil {
			t.Fatal(err)
		}
		flags = slices.DeleteFunc(flags, func(f string) bool { return f == "--4lw=*" })
		if got := strings.Join(flags, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
}

func TestARealServerAnswersFewWords(t *testing.T) {
	flags, _, err := flagsOf(t, []string{"clientPort=0", "clientPortAddress=::1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"--listen=[::1]:0", "--4lw=srvr"}, flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, c := range []struct{ line, property, want string }{
		{"tickTime", "", `:1: found "tickTime", want key=value`},
		{"tickTime=fast", "", `:1: tickTime: found "fast", want a number of milliseconds`},
		{"maxClientCnxns=1.5", "", `:1: maxClientCnxns: found "1.5", want a number`},
		{"reconfigEnabled=yes", "", `:1: reconfigEnabled: found "yes", want true or false`},
		{"server.1=a:2888:3888", "", ":1: server.1 is of an ensemble: want --ensemble N"},
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
