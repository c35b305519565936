// Package digestmd5 is the server's side of the SASL mechanism DIGEST-MD5 (RFC 2831), as ZooKeeper uses
// it from the JDK: one realm, text in UTF-8, and no encryption of the messages after it.
//
// Two things to use first:
//
//   - [Exchange.Answer] takes a client's tokens, one after the other.
//   - [Secret.Response] computes the response by which a client proves that it knows the password.
//
// To change: which directives count is in Answer, how they are read in parse.
//
// Unstable: any commit may change it.
package digestmd5

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/java"
)

// Realm is ZooKeeper's server name in DIGEST-MD5, and its only realm.
const Realm = "zk-sasl-md5"

// longestToken is the maximum length of a client's token in bytes.
const longestToken = 4096

// Exchange is the server's side of one connection's authentication by DIGEST-MD5.
type Exchange struct {
	// Nonce is the random text in the challenge. It must contain no character that needs escaping.
	Nonce string
	// Password returns a user's password; ok is false for an unknown user.
	Password func(user string) (password string, ok bool)

	challenged, over bool
}

// ErrRefused means that the client has failed to authenticate. ErrNumber means that the response
// contains an invalid number, to which the JDK sends no answer.
var (
	ErrRefused = errors.New("DIGEST-MD5: refused")
	ErrNumber  = errors.New("DIGEST-MD5: not a number")
)

// Answer handles a token of the client. It answers the first token, whatever it is, with the
// challenge. It answers a correct second token with the proof that the server knows the password,
// and also returns the authenticated user. All other tokens are refused.
func (e *Exchange) Answer(token []byte) (answer []byte, user string, err error) {
	switch {
	case e.over || len(token) > longestToken:
		return nil, "", ErrRefused
	case !e.challenged:
		e.challenged = true
		return fmt.Appendf(nil, `realm="%s",nonce="%s",charset=utf-8,algorithm=md5-sess`, Realm, e.Nonce), "", nil
	}
	e.over = true
	d, ok := parse(string(token))
	if !ok {
		return nil, "", ErrRefused
	}
	if err := e.check(d); err != nil {
		return nil, "", err
	}
	user = java.Text([]byte(d["username"]))
	password, ok := e.Password(user)
	s := Secret{user, Realm, password, e.Nonce, d["cnonce"], d["digest-uri"], d["authzid"]}
	if !ok || d["response"] != s.Response("AUTHENTICATE:") {
		return nil, "", ErrRefused
	}
	return []byte("rspauth=" + s.Response(":")), user, nil
}

// check checks the directives of a client's response, in the JDK's order.
func (e *Exchange) check(d map[string]string) error {
	for _, c := range []struct {
		name   string
		needed bool
		base   int // base is the base of the directive's number; 0 if it is no number
		want   string
	}{
		{"charset", false, 0, "utf-8"}, {"maxbuf", false, 10, ""}, {"username", true, 0, ""}, {"realm", true, 0, Realm},
		{"nonce", true, 0, e.Nonce}, {"cnonce", true, 0, ""}, {"nonce-count", false, 16, "1"}, {"qop", false, 0, "auth"},
		{"digest-uri", true, 0, ""}, {"response", true, 0, ""},
	} {
		value, given := d[c.name]
		if given && c.base != 0 {
			n, err := strconv.ParseInt(value, c.base, 32)
			if err != nil {
				return ErrNumber
			}
			value = strconv.FormatInt(n, 10)
		}
		if !given && c.needed || given && c.want != "" && value != c.want || c.name == "digest-uri" && !strings.EqualFold(value, "zookeeper/"+Realm) {
			return ErrRefused
		}
	}
	return nil
}

// Secret holds everything from which a response is computed. Both sides know it if the password is
// right.
type Secret struct{ User, Realm, Password, Nonce, ClientNonce, URI, AuthzID string }

// Response computes the hash that proves knowledge of the secret. before is the text before the
// URI: "AUTHENTICATE:" for a client's proof, and ":" for a server's (RFC 2831, 2.1.2.1 and 2.1.3).
func (s Secret) Response(before string) string {
	user := md5.Sum([]byte(latin1(s.User) + ":" + latin1(s.Realm) + ":" + latin1(s.Password)))
	a1 := string(user[:]) + ":" + s.Nonce + ":" + s.ClientNonce
	if s.AuthzID != "" {
		a1 += ":" + s.AuthzID
	}
	return hash(hash(a1) + ":" + s.Nonce + ":00000001:" + s.ClientNonce + ":auth:" + hash(before+s.URI))
}

func hash(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// latin1 encodes a text in ISO 8859-1. A text with other characters stays in UTF-8.
func latin1(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c > 0xff {
			return text
		}
		b.WriteByte(byte(c))
	}
	return b.String()
}

// parse parses a list of directives key=value or key="value", separated by commas or white space.
// ok is false for an invalid list, and for a list with a known directive twice (DigestMD5Base.java
// parseDirectives).
func parse(text string) (map[string]string, bool) {
	list := map[string]string{}
	for {
		text = strings.TrimLeft(text, space+",")
		if text == "" {
			return list, true
		}
		value, rest := "", "" // the last key needs no value
		key, ok := text, true
		if end := strings.IndexAny(text, space+",="); end >= 0 {
			key = text[:end]
			if text = strings.TrimLeft(text[end:], space); text == "" || text[0] != '=' {
				return nil, false
			}
			if text = strings.TrimLeft(text[1:], space); text == "" {
				return nil, false
			}
			value, rest, ok = parseValue(text)
		}
		key = strings.ToLower(key)
		if _, twice := list[key]; !ok || key == "" || twice && known[key] {
			return nil, false
		}
		list[key], text = value, rest
	}
}

const space = " \t\r\n"

// known lists the directives that must not occur twice.
var known = map[string]bool{
	"username": true, "realm": true, "nonce": true, "cnonce": true, "qop": true, "digest-uri": true, "response": true,
	"maxbuf": true, "charset": true, "cipher": true, "authzid": true, "auth-param": true, "nonce-count": true,
}

// parseValue parses a value. It ends before white space or a comma. A quoted value ends after its
// closing quote.
func parseValue(text string) (value, rest string, ok bool) {
	if text[0] != '"' {
		end := strings.IndexAny(text, space+",")
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			rest = text[i+1:]
			return b.String(), rest, rest == "" || strings.ContainsRune(space+",", rune(rest[0]))
		case text[i] == '\\':
			if i++; i == len(text) {
				return "", "", false
			}
		}
		b.WriteByte(text[i])
	}
	return "", "", false
}
