package digestmd5_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/digestmd5"
)

// Goal: client and server prove to each other that they know the password (ZK-27.1). Method: the
// two exchanges printed in section 4 of RFC 2831. The package runners/zookeeper/jaas compares other
// responses with a real server.
func TestTheExchangesOfTheRFC(t *testing.T) {
	for _, c := range []struct{ nonce, cnonce, uri, response, rspauth string }{
		{"OA6MG9tEQGm2hh", "OA6MHXh6VqTrRk", "imap/elwood.innosoft.com", "d388dad90d4bbd760a152321f2143af7", "ea40f60335c427b5527b84dbabcdfffd"},
		{"OA9BSXrbuRhWay", "OA9BSuZWMSpW8m", "acap/elwood.innosoft.com", "6084c6db3fede7352c551284490fd0fc", "2f0b3d7c3c2e486600ef710726aa2eae"},
	} {
		s := digestmd5.Secret{User: "chris", Realm: "elwood.innosoft.com", Password: "secret", Nonce: c.nonce, ClientNonce: c.cnonce, URI: c.uri}
		if got := s.Response("AUTHENTICATE:"); got != c.response {
			t.Errorf("%s: response %s, want %s", c.uri, got, c.response)
		}
		if got := s.Response(":"); got != c.rspauth {
			t.Errorf("%s: rspauth %s, want %s", c.uri, got, c.rspauth)
		}
	}
}

// Goal: only one response is accepted, whether it is right or wrong. A response longer than 4096
// bytes is always refused.
func TestAResponseIsTakenOnce(t *testing.T) {
	s := digestmd5.Secret{User: "u", Realm: digestmd5.Realm, Password: "p", Nonce: "n", ClientNonce: "c", URI: "zookeeper/zk-sasl-md5"}
	right := fmt.Sprintf(`username="u",realm="%s",nonce="n",cnonce="c",digest-uri="%s",response=%s`, s.Realm, s.URI, s.Response("AUTHENTICATE:"))
	for _, c := range []struct {
		first string
		want  error
	}{{"", nil}, {right, nil}, {strings.Repeat("x", 4097), digestmd5.ErrRefused}} {
		e := digestmd5.Exchange{Nonce: "n", Password: func(string) (string, bool) { return "p", true }}
		if _, _, err := e.Answer([]byte(c.first)); !errors.Is(err, c.want) {
			t.Errorf("%.9q first: %v, want %v", c.first, err, c.want)
		}
		if c.want != nil {
			continue
		}
		if _, user, err := e.Answer([]byte(right)); user != "u" || err != nil {
			t.Errorf("the right response: %q, %v", user, err)
		}
		if _, _, err := e.Answer([]byte(right)); !errors.Is(err, digestmd5.ErrRefused) {
			t.Errorf("a second one: %v", err)
		}
	}
}
