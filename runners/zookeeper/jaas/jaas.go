// Package jaas reads JAAS files, in which Java programs list the users who may log in. It reads
// only what ZooKeeper's SASL mechanism DIGEST-MD5 needs.
//
// Two things to use first:
//
//   - [Configure] gives a server its users.
//   - [Read] reads them.
//
// To change: users decides which login modules count, and next splits a file into tokens.
//
// Unstable: any commit may change it.
package jaas

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/scanner"
	"unicode"

	"github.com/monosim/monosim/sim/zookeeper"
)

// serverEntry names the JAAS entry that servers read. digestModule is the only login module that
// this entry may contain. The options of the module define the users.
const (
	serverEntry  = "Server"
	digestModule = "org.apache.zookeeper.server.auth.DigestLoginModule"
)

// Configure reads the users from the JAAS file that --jaas names ("" means no file) and checks the
// related settings. Errors begin with the name of the wrong flag.
func Configure(cfg *zookeeper.Config, name string) (err error) {
	if name != "" {
		if cfg.SASLUsers, err = Read(name); err != nil {
			return fmt.Errorf("--jaas: %w", err)
		}
	}
	for _, user := range cfg.SuperUsers {
		if _, known := cfg.SASLUsers[user]; !known {
			return fmt.Errorf("--super-user: found %q, want a user of --jaas", user)
		}
	}
	for _, scheme := range cfg.EnforceAuth {
		if scheme != "digest" && scheme != "ip" && (scheme != "sasl" || !cfg.SASLScheme) {
			return fmt.Errorf("--enforce-auth: found %q, want digest, ip or, with --sasl-acls, sasl", scheme)
		}
	}
	return nil
}

// file scans a JAAS file token by token.
type file struct {
	scanner.Scanner
	token rune
	text  string // text is the token, without quotes
	err   error
}

// Read returns the passwords by user name from the entry Server of a JAAS file. An option user_NAME
// defines the user NAME. Errors say the file and the line.
func Read(name string) (map[string]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &file{}
	r.Init(f)
	r.Filename = name
	r.Mode = scanner.ScanIdents | scanner.ScanStrings | scanner.ScanComments | scanner.SkipComments
	r.IsIdentRune = func(c rune, _ int) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-$*.", c)
	}
	r.Error = func(_ *scanner.Scanner, text string) { r.fail(text, "a JAAS file") }
	var found map[string]string
	for r.next(); r.token != scanner.EOF && r.err == nil; {
		entry := r.word("the name of an entry")
		r.expect('{')
		users := r.users(entry == serverEntry)
		r.expect(';')
		if entry == serverEntry && found == nil {
			found = users
		}
	}
	if r.err == nil && found == nil {
		r.fail("no entry "+serverEntry, serverEntry+" { "+digestModule+` required user_NAME="PASSWORD"; };`)
	}
	return found, r.err
}

// users parses the login modules of an entry up to the closing brace. It returns the passwords by
// user name. server is true for the entry Server, which accepts no module but digestModule.
func (r *file) users(server bool) map[string]string {
	users := map[string]string{}
	for r.token != '}' && r.err == nil {
		if module := r.text; server && module != digestModule {
			r.fail(strconv.Quote(module), digestModule+", as there is no other SASL here")
		}
		r.word("a login module")
		r.word("required, requisite, sufficient or optional")
		for r.token != ';' && r.err == nil {
			option := r.word("an option")
			r.expect('=')
			user, isUser := strings.CutPrefix(option, "user_")
			if isUser && strings.Contains(user, "@") {
				r.fail(strconv.Quote(option), "a user without a Kerberos realm")
			}
			if value := r.word("a value"); isUser {
				users[user] = value
			}
		}
		r.expect(';')
	}
	r.expect('}')
	return users
}

// word returns the next token, which must be a name or a quoted text. The argument what describes
// the expected token in the error.
func (r *file) word(what string) string {
	text := r.text
	if r.token != scanner.Ident && r.token != scanner.String {
		r.fail(r.found(), what)
	}
	r.next()
	return text
}

func (r *file) expect(token rune) {
	if r.token != token {
		r.fail(r.found(), strconv.Quote(string(token)))
	}
	r.next()
}

func (r *file) next() {
	if r.token = r.Scan(); r.err != nil {
		return
	}
	r.text = r.TokenText()
	if r.token != scanner.String {
		return
	}
	text, err := strconv.Unquote(r.text)
	if err != nil {
		r.fail(r.text, "a text in quotes, with \\ only before n, t, r, \\ and \"")
	}
	r.text = text
}

func (r *file) found() string {
	if r.token == scanner.EOF {
		return "the end of the file"
	}
	return strconv.Quote(r.text)
}

func (r *file) fail(found, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%d: found %s, want %s", r.Filename, max(r.Position.Line, 1), found, want)
	}
}
