package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/wholefile"
)

// NoToken is the [Access.Token] of an interface that everybody on this machine may use.
const NoToken = "none"

// user is the name that goes with a token where a client wants one.
const user = "monosim"

// Access says by which token an interface is used. The zero value makes a new one, and a
// file for it.
type Access struct {
	// Token is the secret that every request has to carry: as its bearer, or as the password
	// of HTTP's basic scheme. "" makes a new one, and [NoToken] wants none.
	Token string
	// File is where the token stands, as a header that curl -H @FILE sends, of mode 600. One
	// that is there already says which token it is. "" means a file of the port in the
	// folder of the user's caches, which is gone with the interface.
	File string
}

// Validate returns an error for access that no request could have.
func (a Access) Validate() error {
	const shortest = 16
	switch {
	case a.Token == NoToken && a.File != "":
		return errors.New("token: found none with a file for one, want a token or no file")
	case a.Token == "" || a.Token == NoToken:
		return nil
	case len(a.Token) < shortest || strings.ContainsFunc(a.Token, func(c rune) bool { return !isTokenByte(c) }):
		return fmt.Errorf("token: found one of %d characters, want %d or more of A-Z, a-z, 0-9, - and _, or %s", len(a.Token), shortest, NoToken)
	}
	return nil
}

func isTokenByte(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// key is the token of one interface, with the file in which it stands.
type key struct {
	token, file string
	// temporary is set if the file goes with the interface.
	temporary bool
}

// bearer begins the header that a file of a token has.
const bearer = "Authorization: Bearer "

// open makes the key of an interface at a port.
func (a Access) open(port string) (k key, err error) {
	if err := a.Validate(); err != nil || a.Token == NoToken {
		return key{}, err
	}
	k = key{token: a.Token, file: a.File}
	if k.file != "" {
		found, err := readToken(k.file)
		switch {
		case err == nil && k.token != "" && k.token != found:
			return key{}, fmt.Errorf("token: found another one in %s, want one or the other", k.file)
		case err == nil:
			k.token = found
			return k, nil
		case !errors.Is(err, fs.ErrNotExist):
			return key{}, err
		}
	}
	if k.token == "" {
		k.token = rand.Text()
	}
	if k.file != "" {
		return k, writeToken(k.file, k.token)
	}
	if a.Token == "" { // who gives a token has it already
		k.file, k.temporary = tokenFile(port), true
		if err := writeToken(k.file, k.token); err != nil {
			k.file, k.temporary = "", false // it is printed anyway
		}
	}
	return k, nil
}

// readToken reads the file of a token, which nobody else may read.
func readToken(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && os.PathSeparator == '/' {
		return "", fmt.Errorf("token: found %s of mode %#o, want 0600: others could read it", name, mode)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	a := Access{Token: strings.TrimPrefix(strings.TrimSpace(string(text)), bearer)}
	if a.Token == "" || a.Token == NoToken {
		return "", fmt.Errorf("%s: token: found none, want one, or no such file", name)
	}
	if err := a.Validate(); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return a.Token, nil
}

// writeToken writes the file of a token in one step.
func writeToken(name, token string) error {
	temporary, err := os.CreateTemp(filepath.Dir(name), ".token-*") // of mode 600
	if err != nil {
		return fmt.Errorf("token: %w", wholefile.Named(name, err))
	}
	_, err = temporary.WriteString(bearer + token + "\n")
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		os.Remove(temporary.Name())
		return fmt.Errorf("token: %w", wholefile.Named(name, err))
	}
	return nil
}

// tokenFile returns the file of the token of a port. Its folder is there and the user's own,
// if one can be made.
func tokenFile(port string) string {
	caches, err := os.UserCacheDir()
	dir := filepath.Join(caches, "monosim")
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil { // no home, as in some containers
		dir = filepath.Join(os.TempDir(), "monosim-"+strconv.Itoa(os.Getuid()))
		_ = os.Mkdir(dir, 0o700) // it may be there, and writing into it says if it is not
	}
	return filepath.Join(dir, "admin-"+port)
}

// remove removes a file that goes with the interface.
func (k key) remove() {
	if k.temporary {
		os.Remove(k.file)
	}
}

// admits reports whether a request carries the token. It takes as long for a wrong one.
func (k key) admits(r *http.Request) bool {
	if k.token == "" {
		return true
	}
	_, given, ok := r.BasicAuth()
	if !ok {
		given, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	want, got := sha256.Sum256([]byte(k.token)), sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// place says where the token is.
func (k key) place() string {
	if k.file == "" {
		return "who began this has it"
	}
	return "curl -H @" + k.file + " sends it"
}

// option returns what a curl command needs to carry the token. A file keeps it out of lists
// of processes.
func (k key) option() string {
	switch {
	case k.token == "":
		return ""
	case k.file == "":
		return "-H '" + bearer + k.token + "' "
	}
	return "-H @" + k.file + " "
}
