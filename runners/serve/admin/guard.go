package admin

import (
	"fmt"
	"net"
	"net/http"
	"slices"
)

// guard refuses requests without the token, and requests that a foreign web page makes a browser
// send. Such a page cannot set the checked headers, even if its host name resolves to this machine.
type guard struct {
	hosts []string
	key   key
	next  http.Handler
}

// newGuard makes the guard of a server on this port. It passes accepted requests on to next.
func newGuard(port string, k key, next http.Handler) *guard {
	g := &guard{key: k, next: next}
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		g.hosts = append(g.hosts, net.JoinHostPort(host, port))
	}
	return g
}

// ServeHTTP answers a request of a foreign page with status 403, and one without the token with
// 401.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := g.refusal(r); why != "" {
		answer(w, http.StatusForbidden, failure{why})
		return
	}
	if !g.key.admits(r) {
		w.Header().Set("WWW-Authenticate", `Basic realm="monosim", charset="UTF-8"`)
		answer(w, http.StatusUnauthorized, failure{"header Authorization: found none with the token of this interface, want it: it was printed with the address, and " + g.key.place()})
		return
	}
	g.next.ServeHTTP(w, r)
}

// refusal returns the reason to refuse a request, or "" to accept it.
func (g *guard) refusal(r *http.Request) string {
	if !slices.Contains(g.hosts, r.Host) {
		return fmt.Sprintf("header Host: found %q, want one of %v", r.Host, g.hosts)
	}
	for _, origin := range r.Header.Values("Origin") {
		if origin != "http://"+r.Host {
			return fmt.Sprintf("header Origin: found %q, want http://%s or none", origin, r.Host)
		}
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "none", "same-origin":
		return ""
	default:
		return fmt.Sprintf("header Sec-Fetch-Site: found %q, want same-origin or none", site)
	}
}

// checkLoopback returns an error for an address that other hosts can reach.
func checkLoopback(addr string) error {
	resolved, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return fmt.Errorf("address of the admin interface: %w; want one as 127.0.0.1:0", err)
	}
	if !resolved.IP.IsLoopback() {
		return fmt.Errorf("address of the admin interface: other machines reach %q; want one as 127.0.0.1:0, as it lets whoever reaches it do anything", addr)
	}
	return nil
}
