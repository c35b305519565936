package jaas_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/jaas"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: Read returns exactly the users that a real server finds in this file.
func TestRead(t *testing.T) {
	got, err := jaas.Read(filepath.Join("testdata", "jaas.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(users, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestWhatFitsNoUsers(t *testing.T) {
	conf := filepath.Join("testdata", "jaas.conf")
	for _, c := range []struct {
		cfg        zookeeper.Config
		file, want string
	}{
		{zookeeper.Config{SuperUsers: []string{"ann"}}, "", `--super-user: found "ann", want a user of --jaas`},
		{zookeeper.Config{SuperUsers: []string{"ann", "bob"}}, conf, `--super-user: found "bob", want a user of --jaas`},
		{zookeeper.Config{SuperUsers: []string{"ann"}}, conf, ""},
		{zookeeper.Config{EnforceAuth: []string{"digest", "sasl"}}, conf, `--enforce-auth: found "sasl", want digest, ip or, with --sasl-acls, sasl`},
		{zookeeper.Config{EnforceAuth: []string{"x509"}, SASLScheme: true}, conf, `--enforce-auth: found "x509", want`},
		{zookeeper.Config{EnforceAuth: []string{"sasl", "ip"}, SASLScheme: true}, conf, ""},
		{zookeeper.Config{}, "none", "--jaas: open none: "},
	} {
		err := jaas.Configure(&c.cfg, c.file)
		if (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v %s: got %v, want %s", c.cfg, c.file, err, c.want)
		}
	}
}

func TestAFileThatIsNone(t *testing.T) {
	const module = "org.apache.zookeeper.server.auth.DigestLoginModule"
	for text, want := range map[string]string{
		"":                          `:1: found no entry Server, want Server { `,
		"Client {\n};":              `:2: found no entry Server`,
		"Server {\n x required;\n}": `:2: found "x", want ` + module,
		"Server {\n " + module + " required\n user_a=b\n};":        `:4: found "}", want an option`,
		"Server {\n " + module + " required user_a b;};":           `:2: found "b", want "="`,
		"Server {\n " + module + " required user_a=;};":            `:2: found ";", want a value`,
		"Server {\n " + module + " required user_a=\"b\n;};":       `:2: found literal not terminated`,
		"Server {\n " + module + " required user_a=\"\\q\";};":     `:2: found invalid char escape`,
		"Server {\n " + module + " required \"user_a@B\"=\"c\";};": `:2: found "user_a@B", want a user without`,
		"Server {\n " + module + " required user_a=b;}":            `:2: found the end of the file, want ";"`,
		"{":                `:1: found "{", want the name of an entry`,
		"Server /* x\n {}": `:1: found comment not terminated`,
	} {
		name := filepath.Join(t.TempDir(), "jaas.conf")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := jaas.Read(name)
		if err == nil || !strings.HasPrefix(err.Error(), name+want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
