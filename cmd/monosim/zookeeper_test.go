package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: `monosim zookeeper` serves until a signal, saves the state that its flags ask for, and
// refuses flags that make no sense.

// served is a running `monosim zookeeper` inside the test process.
type served struct {
	*testing.T
	addr string
	errs bytes.Buffer
	says string // text that the errors must contain at the end
	end  chan error
}

func serveZooKeeper(t *testing.T, args ...string) *served {
	t.Helper()
	return serveTwin(t, "zookeeper", args...)
}

// serveTwin starts a monosim command that prints its address and serves.
func serveTwin(t *testing.T, name string, args ...string) *served {
	t.Helper()
	s := &served{T: t, end: make(chan error, 1)}
	out, in := io.Pipe()
	root := newRootCommand()
	root.SetArgs(append([]string{name, "--listen", "127.0.0.1:0"}, args...))
	root.SetOut(in)
	root.SetErr(&s.errs)
	go func() {
		err := root.Execute()
		in.Close()
		s.end <- err
	}()
	scanner := bufio.NewScanner(out)
	if !scanner.Scan() {
		t.Fatalf("no address: %v", <-s.end)
	}
	s.addr = scanner.Text()
	return s
}

// terminate sends SIGTERM and waits for the end.
func (s *served) terminate() {
	s.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	select {
	case err := <-s.end:
		if err != nil || s.errs.String() != s.says {
			s.Fatalf("ended with %v and said %q, want %q", err, s.errs.String(), s.says)
		}
	case <-time.After(20 * time.Second):
		s.Fatal("does not end")
	}
}

type noLog struct{}

func (noLog) Printf(string, ...any) {}

// client returns a connected client that has a session.
func (s *served) client() *zk.Conn {
	s.Helper()
	c, _, err := zk.Connect([]string{s.addr}, 10*time.Second, zk.WithLogger(noLog{}))
	if err != nil {
		s.Fatal(err)
	}
	if _, _, err := c.Exists("/"); err != nil {
		s.Fatal(err)
	}
	return c
}

func (s *served) word(word string) string {
	s.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close()
	conn.Write([]byte(word))
	answer, err := io.ReadAll(conn)
	if err != nil {
		s.Fatal(err)
	}
	return string(answer)
}

func TestZooKeeperServesAndKeepsItsState(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
	}{
		{"data directory", []string{"--data-dir", filepath.Join(dir, "data")}},
		{"snapshot file", []string{"--snapshot", filepath.Join(dir, "snapshot")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serveZooKeeper(t, c.args...)
			client := s.client()
			if _, err := client.Create("/kept", []byte("x"), 0, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatal(err)
			}
			client.Close()
			s.terminate()

			s = serveZooKeeper(t, c.args...)
			client = s.client()
			data, _, err := client.Get("/kept")
			if err != nil || string(data) != "x" {
				t.Errorf("got %q, %v", data, err)
			}
			client.Close()
			s.terminate()
		})
	}
}

// recordedApache is a data directory that a real ZooKeeper has written (see package datadir).
const recordedApache = "../../runners/zookeeper/datadir/testdata/recorded"

func TestZooKeeperImportsADirectoryOfApaches(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	s := serveZooKeeper(t, "--import", recordedApache, "--data-dir", dir)
	client := s.client()
	data, stat, err := client.Get("/multi")
	if err != nil || string(data) != "again" || stat.Version != 2 || stat.Mzxid != 0x27 {
		t.Errorf("got %q, %+v, %v, want what the real server had", data, stat, err)
	}
	if _, stat, err := client.Get("/a/e-0000000001"); err != nil || stat.EphemeralOwner == 0 {
		t.Errorf("got %+v, %v, want an ephemeral", stat, err)
	}
	if _, err := client.Create("/mine too", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	client.Close()
	s.says = "zookeeper: imported zxid 0x27, 27 znodes, 3 sessions, from " + recordedApache + "/version-2/snapshot.23 and 4 transactions of log.24\n"
	s.terminate()

	s = serveZooKeeper(t, "--data-dir", dir)
	client = s.client()
	if _, stat, err := client.Get("/mine too"); err != nil || stat.Czxid != 0x29 {
		t.Errorf("served again: got %+v, %v, want the zxid after that of a session", stat, err)
	}
	client.Close()
	s.terminate()
}

func TestZooKeeperFlagsReachTheServer(t *testing.T) {
	log := filepath.Join(t.TempDir(), "writes.jsonl")
	s := serveZooKeeper(t, "--tick", "500ms", "--max-client-cnxns", "7", "--max-session-timeout", "1m",
		"--4lw", "conf, ruok", "--log-writes", log, "--profile", "zookeeper-3.9", "--speed", "2x")
	s.says = "zookeeper: warning: time passes 2x as fast as the wall clock; session timeouts stay those of the wall clock, by which clients ping\n"
	for _, want := range []string{"tickTime=500\n", "maxClientCnxns=7\n", "minSessionTimeout=1000\n", "maxSessionTimeout=60000\n"} {
		if got := s.word("conf"); !strings.Contains(got, want) {
			t.Errorf("conf: got %q, want it to hold %q", got, want)
		}
	}
	if got, want := s.word("mntr"), "mntr is not executed because it is not in the whitelist.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.word("srvr"); !strings.HasPrefix(got, "Zookeeper version: 3.9.") {
		t.Errorf("got %q", got)
	}
	client := s.client()
	if _, err := client.Create("/a", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	client.Close()
	s.terminate()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"op":"zookeeper.create","path":"/a"`; !strings.Contains(string(text), want) {
		t.Errorf("log of writes: got %q, want it to hold %s", text, want)
	}
}

func TestZooKeeperRefusesWhatMakesNoSense(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken")
	os.WriteFile(broken, []byte("no snapshot"), 0o600)
	logsElsewhere := filepath.Join(dir, "zoo.cfg")
	os.WriteFile(logsElsewhere, []byte("dataDir="+filepath.Join(dir, "zk")+"\ndataLogDir="+recordedApache+"\nadmin.enableServer=false\n"), 0o600)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"remote address", []string{"--listen", "0.0.0.0:0"}, "--listen: other machines reach 0.0.0.0:0; want an address as 127.0.0.1:2181, or --allow-remote"},
		{"all addresses", []string{"--listen", ":0"}, "--listen: other machines reach :0; want an address as 127.0.0.1:2181, or --allow-remote"},
		{"no port", []string{"--listen", "127.0.0.1"}, "--listen: address 127.0.0.1: missing port in address; want an address as 127.0.0.1:2181"},
		{"no tick", []string{"--tick", "0s"}, "--tick: 0s, want whole milliseconds from 1ms to 596h"},
		{"part of a millisecond", []string{"--tick", "1500us"}, "--tick: 1.5ms, want whole milliseconds from 1ms to 596h"},
		{"negative timeout", []string{"--min-session-timeout", "-1s"}, "--min-session-timeout: -1s, want whole milliseconds from 0s to 596h"},
		{"timeouts that cross", []string{"--min-session-timeout", "50s"}, "--min-session-timeout: 50s, want at most --max-session-timeout, 40s"},
		{"no speed", []string{"--speed", "0x"}, `--speed: "0x", want a number from 0.001x to 1000000x, as 60x`},
		{"speed of words", []string{"--speed", "fast"}, `--speed: "fast", want a number from 0.001x to 1000000x, as 60x`},
		{"half a digest", []string{"--super-digest", "foo"}, `--super-digest: found "foo", want user:base64(sha1(user:password))`},
		{"a digest of nothing", []string{"--super-digest", "super:eA=="}, `--super-digest: found "super:eA==", want user:base64(sha1(user:password))`},
		{"unknown clock", []string{"--session-clock", "mine"}, `--session-clock: found "mine", want wall or server`},
		{"negative connections", []string{"--max-client-cnxns", "-1"}, "--max-client-cnxns: -1, want 0 or more"},
		{"unknown word", []string{"--4lw", "ruok,what"}, `--4lw: four-letter word "what", want some of conf, cons, crst, dirs, dump, envi, gtmk, hash, isro, mntr, ruok, srst, srvr, stat, stmk, wchc, wchp, wchs`},
		{"unknown profile", []string{"--profile", "kazoo-fake"}, `--profile: profile "kazoo-fake", want one of [zookeeper-3.8 zookeeper-3.9]`},
		{"no zoo.cfg", []string{"--config", filepath.Join(dir, "none")}, "--config: open " + filepath.Join(dir, "none") + ": no such file or directory"},
		{"a property without a value", []string{"-D", "jute.maxbuffer"}, `-D: found "jute.maxbuffer", want name=value`},
		{"a property of TLS", []string{"-Dzookeeper.ssl.keyStore.location=x"}, "--tls-key-store, --tls-trust-store and --tls-client-auth: want --secure-listen too"},
		{"TLS without a key", []string{"--secure-listen", "127.0.0.1:0"}, "--tls-key-store: found none, want a PEM file with the server's private key and certificates"},
		{"TLS by a store of Java's", []string{"--secure-listen", "127.0.0.1:0", "--tls-client-auth", "none", "--tls-key-store", broken}, "--tls-key-store: " + broken + ": found no PEM; stores of JKS and PKCS12 are not read: openssl pkcs12 -nodes writes PEM"},
		{"TLS of an ensemble", []string{"--secure-listen", "127.0.0.1:0", "--ensemble", "3"}, "--secure-listen: an ensemble has no such port"},
		{"unknown digest", []string{"-Dzookeeper.DigestAuthenticationProvider.digestAlg=ROT13"}, `--digest-alg: found "ROT13", want one of MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512, SHA1, SHA3-256, SHA3-384, SHA3-512`},
		{"no super user", []string{"--super-digest", ""}, `--super-digest: found "", want identity of the super user, as user:base64(sha1(user:password))`},
		{"no token", []string{"--admin", "127.0.0.1:0", "--admin-token", ""}, `--admin-token: found "", want token that requests to --admin carry, or none for an interface that whoever is on this machine may use; a new one without`},
		{"no data directory", []string{"--data-dir", ""}, `--data-dir: found "", want directory that keeps the state across restarts`},
		{"snapshot in no directory", []string{"--snapshot", filepath.Join(dir, "none", "s")}, "--snapshot: the state could not be saved at the end: stat " + filepath.Join(dir, "none") + ": no such file or directory"},
		{"two places", []string{"--snapshot", "a", "--data-dir", "b"}, "--snapshot: cannot go with --data-dir, which has snapshots of its own"},
		{"no snapshot", []string{"--snapshot", broken}, "--snapshot: " + broken + ": not a file of records: want MSIMZK01 at its beginning"},
		{"a directory of Apache's to keep", []string{"--data-dir", recordedApache}, "--data-dir: found the files of an Apache ZooKeeper in " + recordedApache + ", want --import " + recordedApache + " to start from them, and --data-dir DIR to keep the state in another directory"},
		{"nothing to import", []string{"--import", dir}, "--import: " + dir + ": found neither version-2 nor a file like snapshot.0 or log.1: want the data directory of an Apache ZooKeeper"},
		{"logs alone", []string{"--import-logs", dir}, "--import-logs: found logs of an Apache ZooKeeper in " + dir + ", want --import DIR too, where its snapshots are"},
		{"Apache's logs as dataLogDir", []string{"--config", logsElsewhere}, "--import-logs: found logs of an Apache ZooKeeper in " + recordedApache + ", want --import DIR too, where its snapshots are"},
		{"an ensemble of what was imported", []string{"--ensemble", "3", "--import", recordedApache}, "--data-dir, --snapshot and --import: an ensemble begins with nothing and keeps its state in memory"},
		{"log in no directory", []string{"--log-writes", filepath.Join(dir, "none", "log")}, "--log-writes: open " + filepath.Join(dir, "none", "log") + ": no such file or directory"},
		{"argument", []string{"127.0.0.1"}, `found argument "127.0.0.1", want none; see monosim zookeeper --help`},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, message := monosim(append([]string{"zookeeper"}, c.args...)...)
			if code != command.ExitBadInput {
				t.Errorf("exit code %d, want %d", code, command.ExitBadInput)
			}
			if diff := cmp.Diff(c.want, message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: a zoo.cfg and Java properties configure the server. A flag takes precedence over both.
func TestZooKeeperByAZooCfg(t *testing.T) {
	file := filepath.Join(t.TempDir(), "zoo.cfg")
	os.WriteFile(file, []byte("tickTime=250\ndataDir="+filepath.Join(t.TempDir(), "zk")+"\ninitLimit=5\nclientPort=2181\nmaxClientCnxns=7\n4lw.commands.whitelist=conf\n"), 0o600)
	s := serveZooKeeper(t, "--config", file, "--max-client-cnxns", "9", "-Dzookeeper.4lw.commands.whitelist=stat")
	s.says = "zookeeper: " + file + ":3: initLimit has no effect here\nzookeeper: there is no AdminServer without admin.serverPort or admin.enableServer=true\n"
	for _, want := range []string{"tickTime=250\n", "maxClientCnxns=9\n"} {
		if got := s.word("conf"); !strings.Contains(got, want) {
			t.Errorf("conf: got %q, want it to hold %q", got, want)
		}
	}
	s.terminate()
}

func TestZooKeeperWarnsOfAllowRemote(t *testing.T) {
	s := serveZooKeeper(t, "--listen", "0.0.0.0:0", "--allow-remote")
	s.says = "zookeeper: warning: other machines reach 0.0.0.0:0, and whoever does may write\n"
	s.terminate()
}

func TestZooKeeperOnAnAddressThatIsTaken(t *testing.T) {
	s := serveZooKeeper(t)
	code, _, message := monosim("zookeeper", "--listen", s.addr)
	if code != command.ExitFailed || !strings.Contains(message, "address already in use") {
		t.Errorf("exit code %d, message %q", code, message)
	}
	s.terminate()
}
