package jaas_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/zookeeper/jaas"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: ZooKeeper clients can authenticate with SASL (ZK-27). Method: kazoo with pure-sasl,
// and the Java client, each with the right and a wrong password. kazoo does not know the
// code -124, so its server does not enforce authentication.

func serve(t *testing.T, enforced ...string) (addr string) {
	t.Helper()
	known, err := jaas.Read(filepath.Join("testdata", "jaas.conf"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := wire.Listen("127.0.0.1:0", wire.Options{Config: zookeeper.Config{SASLUsers: known, SASLScheme: true, EnforceAuth: enforced}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.Addr()
}

func TestKazoo(t *testing.T) {
	python := pythontest.Find(t)
	for _, module := range []string{"kazoo.client", "puresasl"} {
		if !pythontest.Has(t, python, module) {
			t.Skipf("%s has no %s: PYTHON names an interpreter that does", python, module)
		}
	}
	cmd := exec.Command(python, "-c", `
import sys
from kazoo.client import KazooClient
from kazoo.exceptions import AuthFailedError
from kazoo.security import make_acl
for user, password in (("joe", "joe password"), ("joe", "wrong"), ("nobody", "x")):
    c = KazooClient(sys.argv[1], sasl_options={"mechanism": "DIGEST-MD5", "username": user, "password": password})
    try:
        c.start(timeout=60 if password == "joe password" else 10)
        c.create("/x", b"by SASL", acl=[make_acl("sasl", user, all=True)])
        print(c.get("/x")[0].decode(), c.get_acls("/x")[0][0].id)
    except (AuthFailedError, c.handler.timeout_exception):  # start may see the end only
        print("refused")
    c.stop()`, serve(t))
	out, err := cmd.Output()
	if want := "by SASL Id(scheme='sasl', id='joe')\nrefused\nrefused\n"; err != nil || !strings.HasSuffix(string(out), want) {
		t.Errorf("got %v\n%swant %s", err, out, want)
	}
}

func TestTheJavaClient(t *testing.T) {
	if err := server.Installed(); err != nil {
		t.Skip(err)
	}
	right, err := os.ReadFile(filepath.Join("testdata", "jaas.conf"))
	if err != nil {
		t.Fatal(err)
	}
	addr := serve(t, "sasl")
	for password, want := range map[string]string{"joe password": "\nsasl: joe\n", "wrong": "AuthFailed"} {
		conf := filepath.Join(t.TempDir(), "jaas.conf")
		if err := os.WriteFile(conf, []byte(strings.ReplaceAll(string(right), `password="joe password"`, `password="`+password+`"`)), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("java", "-cp", "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-nop.jar", "-Djava.security.auth.login.config="+conf,
			"org.apache.zookeeper.ZooKeeperMain", "-server", addr)
		cmd.Stdin = strings.NewReader("create /j x sasl:joe:cdrwa\nwhoami\nquit\n")
		out, _ := cmd.CombinedOutput() // the error is not looked at: zkCli's exit status does not say whether it worked
		if !strings.Contains(strings.ReplaceAll(string(out), "\t", ""), want) {
			t.Errorf("%s: got\n%s\nwant %s", password, out, want)
		}
	}
}
