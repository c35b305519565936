package secure_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/zookeeper/secure"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: clients that speak TLS are served. Clients without a certificate are refused where the
// server requires one (ZK-26.1). Method: go-zookeeper, kazoo and the Java client connect with
// certificates made for the test.

// files holds the paths of a test's PEM files: the certificate authority, the server, and a client
// with its key.
type files struct{ ca, server, client, clientKey string }

func certificates(t *testing.T) files {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sign := func(name string, template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*ecdsa.PrivateKey, string, string) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(err)
		if signer == nil {
			signer = key
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		must(err)
		private, err := x509.MarshalPKCS8PrivateKey(key)
		must(err)
		certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
		both := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), certificate...)
		must(os.WriteFile(filepath.Join(dir, name+"-key.pem"), both, 0o600))
		must(os.WriteFile(filepath.Join(dir, name+".pem"), certificate, 0o600))
		return key, filepath.Join(dir, name+".pem"), filepath.Join(dir, name+"-key.pem")
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	of := func(number int64, name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: name}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		}
	}
	key, caFile, _ := sign("ca", ca, ca, nil)
	_, _, serverFile := sign("server", of(2, "server"), ca, key)
	_, clientFile, clientKey := sign("client", of(3, "client"), ca, key)
	return files{caFile, serverFile, clientFile, clientKey}
}

// serve starts a ZooKeeper server and a TLS port that forwards to it. It returns the TLS address.
func serve(t *testing.T, f files, clientAuth string) (addr string) {
	t.Helper()
	config, err := secure.Config(secure.Stores{Key: f.server, Trust: f.ca, ClientAuth: clientAuth})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := wire.Listen("127.0.0.1:0", wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	port, err := secure.Listen("127.0.0.1:0", plain.Addr(), config, func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := port.Close(); err != nil {
			t.Error(err)
		}
		if err := plain.Close(); err != nil {
			t.Error(err)
		}
	})
	return port.Addr()
}

func (f *files) config(t *testing.T, withCertificate bool) *tls.Config {
	t.Helper()
	text, err := os.ReadFile(f.ca)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(text)
	if withCertificate {
		pair, err := tls.LoadX509KeyPair(f.client, f.clientKey)
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

type silent struct{}

func (silent) Printf(string, ...any) {}

func TestGoZooKeeperByTLS(t *testing.T) {
	f := certificates(t)
	addr := serve(t, f, "need")
	config := f.config(t, true)
	c, _, err := zk.Connect([]string{addr}, 10*time.Second, zk.WithLogger(silent{}), zk.WithDialer(func(network, address string, timeout time.Duration) (net.Conn, error) {
		return tls.DialWithDialer(&net.Dialer{Timeout: timeout}, network, address, config)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	large := bytes.Repeat([]byte("x"), 500_000)
	if _, err := c.Create("/large", large, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	// Behind the TLS port the server still sees a local client's own address.
	if _, err := c.Create("/mine", []byte("mine"), 0, []zk.ACL{{Perms: zk.PermAll, Scheme: "ip", ID: "127.0.0.1"}}); err != nil {
		t.Fatal(err)
	}
	if got, _, err := c.Get("/large"); err != nil || !bytes.Equal(got, large) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(large))
	}
	if got, _, err := c.Get("/mine"); err != nil || string(got) != "mine" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWhoHasToShowACertificate(t *testing.T) {
	f := certificates(t)
	for _, c := range []struct {
		auth            string
		shown, answered bool
	}{{"need", true, true}, {"need", false, false}, {"want", true, true}, {"want", false, true}, {"none", false, true}} {
		conn, err := tls.Dial("tcp", serve(t, f, c.auth), f.config(t, c.shown))
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte("ruok"))
		answer := make([]byte, 10)
		n, err := conn.Read(answer)
		if got := string(answer[:n]) == "imok"; got != c.answered {
			t.Errorf("%s with a certificate %v: got %q, %v, want an answer: %v", c.auth, c.shown, answer[:n], err, c.answered)
		}
		conn.Close()
	}
}

func TestKazooByTLS(t *testing.T) {
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "kazoo.client") {
		t.Skipf("%s has no kazoo: PYTHON names an interpreter that does", python)
	}
	f := certificates(t)
	addr := serve(t, f, "need")
	out, err := exec.Command(python, "-c", `
import sys
from kazoo.client import KazooClient
c = KazooClient(sys.argv[1], use_ssl=True, ca=sys.argv[2], certfile=sys.argv[3], keyfile=sys.argv[4])
c.start()
c.create("/x", b"by TLS")
print(c.get("/x")[0].decode())
c.stop()`, addr, f.ca, f.client, f.clientKey).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "by TLS\n") {
		t.Errorf("got %v\n%s", err, out)
	}
}

func TestTheJavaClientByTLS(t *testing.T) {
	if err := server.Installed(); err != nil {
		t.Skip(err)
	}
	netty, err := filepath.Glob("/usr/share/java/netty-*.jar") // the Java client needs these libraries to speak TLS
	if err != nil || len(netty) == 0 {
		t.Skip("no netty is installed for the Java client")
	}
	f := certificates(t)
	cmd := exec.Command("java", "-cp", strings.Join(append(netty, "/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-nop.jar"), ":"),
		"-Dzookeeper.client.secure=true", "-Dzookeeper.clientCnxnSocket=org.apache.zookeeper.ClientCnxnSocketNetty",
		"-Dzookeeper.ssl.keyStore.location="+f.clientKey, "-Dzookeeper.ssl.trustStore.location="+f.ca,
		"org.apache.zookeeper.ZooKeeperMain", "-server", serve(t, f, "need"))
	cmd.Stdin = strings.NewReader("create /x by-TLS\nget /x\nquit\n")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "\nby-TLS\n") {
		t.Errorf("got %v\n%s", err, out)
	}
}

func TestStoresThatAreNone(t *testing.T) {
	f := certificates(t)
	bad := filepath.Join(t.TempDir(), "store.jks")
	if err := os.WriteFile(bad, []byte("\xfe\xed\xfe\xed"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stores secure.Stores
		want   string
	}{
		{secure.Stores{ClientAuth: "need"}, "--tls-key-store: found none"},
		{secure.Stores{Key: f.server, ClientAuth: "need"}, "--tls-trust-store: found none"},
		{secure.Stores{Key: f.server, ClientAuth: "must"}, `--tls-client-auth: found "must", want need, want or none`},
		{secure.Stores{Key: bad, ClientAuth: "none"}, "--tls-key-store: " + bad + ": found no PEM"},
		{secure.Stores{Key: f.ca, ClientAuth: "none"}, "--tls-key-store: " + f.ca},
		{secure.Stores{Key: f.server, Trust: bad, ClientAuth: "want"}, "--tls-trust-store: " + bad + ": found no PEM"},
	} {
		if _, err := secure.Config(c.stores); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.stores, err, c.want)
		}
	}
}
