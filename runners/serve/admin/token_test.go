package admin_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/serve/admin"
)

// Goal: only requests with the token are answered. The token is in a file that nobody else may
// read, or in no file. Method: requests with all forms of the token, and token files in several
// states.

const given = "a-token-of-this-test"

// locked serves an admin interface that asks for a token.
func locked(t *testing.T, access admin.Access) *admin.Server {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s, err := admin.Listen("127.0.0.1:0", "a test", access, []admin.Action{double})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestWhoHasTheToken(t *testing.T) {
	s := locked(t, admin.Access{Token: given})
	bare := "http://" + s.Addr()
	for _, c := range []struct {
		name, url string
		headers   []string
		status    int
	}{
		{"the address", s.URL(), nil, 200},
		{"a bearer", bare, []string{"Authorization", "Bearer " + given}, 200},
		{"the address, another page", s.URL(), []string{"Origin", "http://evil.example"}, 403},
		{"nothing", bare, nil, 401},
		{"another", bare, []string{"Authorization", "Bearer another-token-of-it"}, 401},
		{"a beginning", bare, []string{"Authorization", "Bearer " + given[:8]}, 401},
		{"more", bare, []string{"Authorization", "Bearer " + given + "x"}, 401},
		{"an empty one", bare, []string{"Authorization", "Bearer "}, 401},
		{"another scheme", bare, []string{"Authorization", "Digest " + given}, 401},
		{"a cookie", bare, []string{"Cookie", "token=" + given}, 401},
	} {
		for _, path := range []string{"/double", "/", "/nowhere"} {
			method, want := "GET", c.status
			switch {
			case path == "/double":
				method = "POST"
			case path == "/nowhere" && want == 200:
				want = 404
			}
			status, body := ask(t, method, c.url+path, `{"n": 21}`, c.headers...)
			if status != want || want == 401 && (strings.Contains(body, given) || !strings.Contains(body, "header Authorization: found none")) {
				t.Errorf("%s: %s: got %d %s, want %d", c.name, path, status, body, want)
			}
		}
	}
}

func TestABrowserIsAskedForTheToken(t *testing.T) {
	answer, err := http.Get("http://" + locked(t, admin.Access{}).Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got := answer.Header.Get("WWW-Authenticate"); answer.StatusCode != 401 || !strings.HasPrefix(got, "Basic ") {
		t.Errorf("got %s and %q, want 401 and Basic", answer.Status, got)
	}
}

func TestTheFileOfAToken(t *testing.T) {
	s := locked(t, admin.Access{})
	text, err := os.ReadFile(s.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.TokenFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want 0600", info.Mode(), err)
	}
	name, value, _ := strings.Cut(strings.TrimSpace(string(text)), ": ")
	if status, body := ask(t, "GET", "http://"+s.Addr()+"/", "", name, value); status != 200 || !strings.Contains(body, "curl -H @"+s.TokenFile()+" -d") {
		t.Errorf("with the header of the file: got %d %s", status, body)
	}
	other := locked(t, admin.Access{})
	if s.URL() == other.URL() || strings.TrimSuffix(s.URL(), s.Addr()) == strings.TrimSuffix(other.URL(), other.Addr()) {
		t.Errorf("two interfaces have one token: %s, %s", s.URL(), other.URL())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.TokenFile()); !os.IsNotExist(err) {
		t.Errorf("the file after the end: %v, want it gone", err)
	}
}

func TestAFileThatSaysTheToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "admin.token")
	first := locked(t, admin.Access{File: file})
	again := locked(t, admin.Access{File: file})
	if one, other := strings.TrimSuffix(first.URL(), first.Addr()), strings.TrimSuffix(again.URL(), again.Addr()); one != other {
		t.Errorf("got %s and %s, want one token", one, other)
	}
	first.Close()
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte(given+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := locked(t, admin.Access{File: file}); !strings.Contains(s.URL(), given) {
		t.Errorf("got %s, want the token of a file without a header", s.URL())
	}
}

func TestTokensThatMakeNoSense(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, c := range []struct {
		access admin.Access
		want   string
	}{
		{admin.Access{Token: "short"}, "token: found one of 5 characters, want 16 or more"},
		{admin.Access{Token: "with blanks in it, and long"}, "of A-Z, a-z, 0-9"},
		{admin.Access{Token: admin.NoToken, File: "x"}, "found none with a file"},
		{admin.Access{File: file("open", given, 0o644)}, "of mode 0644, want 0600"},
		{admin.Access{File: file("empty", "", 0o600)}, "token: found none, want one"},
		{admin.Access{File: file("none", "none\n", 0o600)}, "token: found none, want one"},
		{admin.Access{File: file("other", given, 0o600), Token: "another-token-of-it"}, "found another one in"},
		{admin.Access{File: filepath.Join(dir, "nowhere", "x")}, "no such file"},
	} {
		s, err := admin.Listen("127.0.0.1:0", "a test", c.access, nil)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), given) {
			t.Errorf("%+v: got %v, want %s", c.access, err, c.want)
		}
	}
}
