package consul

import "testing"

// Goal: no request body makes the agent panic, and a refused registration leaves nothing behind.
func FuzzRegister(f *testing.F) {
	f.Add([]byte(ps0))
	f.Add([]byte(`{"name": "x", "check": {"ttl": "-1s"}}`))
	f.Add([]byte(`{"name": "x", "tags": [":", "a:b:c"]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a := New()
		answer := a.Handle(0, Request{Method: "PUT", Target: reg, Body: body})
		known := len(a.Services(0))
		if answer.Status == 200 && known != 1 || answer.Status == 400 && known != 0 || answer.Status != 200 && answer.Status != 400 {
			t.Errorf("%q: got %d with %d services", body, answer.Status, known)
		}
		a.Handle(0, Request{Method: "GET", Target: look})
	})
}
