package consul_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/consul"
)

// sayingAgent is a fake agent that answers each request with the same status and body.
type sayingAgent struct {
	env.Network
	status int
	body   []byte
}

func (a *sayingAgent) DialHTTP(string, time.Duration) env.HTTPConn { return a }
func (a *sayingAgent) Request(string, string, []byte) error        { return nil }
func (a *sayingAgent) Status() (int, error)                        { return a.status, nil }
func (a *sayingAgent) Body() ([]byte, error)                       { return a.body, nil }
func (a *sayingAgent) Close()                                      {}

// FuzzLookupAnswer checks that any answer of an agent, complete or truncated, yields a list or a
// Python exception.
func FuzzLookupAnswer(f *testing.F) {
	whole := `[{"Port": 1, "Host": "a", "Tags": {"index": "0", "name": "ps", "ip": "a"}}]`
	for _, body := range []string{"", whole, whole[:40], "null", "1", `{"a": 1}`, `"text"`, "\xff", "\ufeff[]", "[NaN]", `["\ud83d"]`} {
		f.Add(200, []byte(body))
	}
	f.Add(500, []byte("no leader"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := envtest.New(nil, nil)
		e.Network, e.Clock, e.Log = &sayingAgent{status: status, body: body}, envtest.Clock{}, envtest.Quiet{}
		client, err := consul.New(e, quirks.Python)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Lookup("n", 3); err != nil && pysem.TypeOf(err) == "" {
			t.Errorf("%d %q: got %v, want an exception of Python", status, body, err)
		}
	})
}
