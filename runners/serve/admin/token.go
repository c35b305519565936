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

// user is the user name that goes with the token in HTTP's basic scheme.
const user = "monosim"

// Access says which token the interface wants. The zero value makes a new token and a file for it.
type Access struct {
	// Token is the secret that every request must carry, as a bearer token or as the password of
	// HTTP's basic scheme. "" makes a new token, and [NoToken] asks for none.
	Token string
	// File is the path of the file that holds the token, with mode 600. It holds a header that curl
	// -H @FILE sends. If the file exists, its token is used. "" means a file in the user's cache
	// folder, named by the port and removed by Close.
	File string
}

// Validate returns an error for contradictory settings and for unusable tokens.
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

// key holds the token of an interface and the path of its file.
type key struct {
	token, file string
	// temporary means that the file is removed when the interface closes.
	temporary bool
}

// bearer is the start of the header line in a token file. The token follows it.
const bearer = "Authorization: Bearer "

// open makes the key of an interface that listens on port. It reads or writes the token file.
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
	if a.Token == "" { // a generated token has to be written down for its users
		k.file, k.temporary = tokenFile(port), true
		if err := writeToken(k.file, k.token); err != nil {
			k.file, k.temporary = "", false // no file has to be kept, because the token is printed
		}
	}
	return k, nil
}

// readToken reads a token from its file. It fails if other users may read the file.
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

// writeToken writes a token file atomically, with mode 600.
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

// tokenFile returns the path of the token file for a port. It makes the folder, which only the user
// may read.
func tokenFile(port string) string {
	caches, err := os.UserCacheDir()
	dir := filepath.Join(caches, "monosim")
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil { // there is no home folder, as in some containers
		dir = filepath.Join(os.TempDir(), "monosim-"+strconv.Itoa(os.Getuid()))
		_ = os.Mkdir(dir, 0o700) // the folder may exist; if it is missing, writing into it fails
	}
	return filepath.Join(dir, "admin-"+port)
}

// remove removes the token file if it is temporary.
func (k key) remove() {
	if k.temporary {
		os.Remove(k.file)
	}
}

// admits reports whether a request carries the token. It compares in constant time, so that the
// time does not reveal parts of the token.
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

// place says where the token can be found, as part of an error message.
func (k key) place() string {
	if k.file == "" {
		return "who began this has it"
	}
	return "curl -H @" + k.file + " sends it"
}

// option returns the curl option that sends the token. It names the file if there is one, which
// keeps the token out of process lists.
func (k key) option() string {
	switch {
	case k.token == "":
		return ""
	case k.file == "":
		return "-H '" + bearer + k.token + "' "
	}
	return "-H @" + k.file + " "
}
