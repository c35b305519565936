package serve

import (
	"fmt"
	"net/http"
	"strings"
)

// httpRequest is one request as libevent passes it on. Of a refused request it has what was
// read before the mistake.
type httpRequest struct {
	// old selects libevent 2.1.8, with which tfs-2.4 is built; tfs-head has 2.1.12.
	old bool

	method, target string
	major, minor   int // of HTTP/major.minor
	headers        httpHeaders
	body           []byte
}

// httpHeaders has name and value of each header, in order.
type httpHeaders [][2]string

// find returns the first value of a header; ok is false without one.
func (h httpHeaders) find(name string) (value string, ok bool) {
	for _, header := range h {
		if strings.EqualFold(header[0], name) {
			return header[1], true
		}
	}
	return "", false
}

// get returns the first value of a header, or "".
func (h httpHeaders) get(name string) string {
	value, _ := h.find(name)
	return value
}

// refusal is the status of an error page. libevent answers the request with it, and then closes
// the connection.
type refusal int

func (r refusal) Error() string { return fmt.Sprintf("request refused with %d", int(r)) }

// atLeast11 reports whether the version is 1.1 or above.
func (r *httpRequest) atLeast11() bool { return r.major > 1 || r.major == 1 && r.minor >= 1 }

// asksToStay reports whether the header "Connection" begins with "keep-alive".
func (r *httpRequest) asksToStay() bool {
	const want = "keep-alive"
	connection := r.headers.get("Connection")
	return len(connection) >= len(want) && strings.EqualFold(connection[:len(want)], want)
}

// asksToClose reports whether the client wants the connection closed. A client that talks as if
// to a proxy does, unless Proxy-Connection says otherwise.
func (r *httpRequest) asksToClose() bool {
	if r.toProxy() {
		return !strings.EqualFold(r.headers.get("Proxy-Connection"), "keep-alive")
	}
	return strings.EqualFold(r.headers.get("Connection"), "close")
}

// toProxy reports whether the target is an absolute URI of HTTP, as proxies get it.
func (r *httpRequest) toProxy() bool {
	scheme, rest, _ := strings.Cut(r.target, ":")
	isHTTP := strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
	return isHTTP && strings.HasPrefix(rest, "//") && !r.isTunnel()
}

// isTunnel reports whether the request is a CONNECT. The old release treats CONNECT as any
// other method.
func (r *httpRequest) isTunnel() bool { return r.method == http.MethodConnect && !r.old }

// mayHaveBody reports whether libevent looks for a body. If not, the bytes behind the headers
// are the next request.
func (r *httpRequest) mayHaveBody() bool {
	switch r.method {
	case "POST", "PUT", "PATCH":
		return true
	case "GET", "DELETE", "OPTIONS", "CONNECT":
		return !r.old
	}
	return false
}

// apiTarget returns the target in the form that the API reads. The target of a tunnel is the
// authority of a URI.
func (r *httpRequest) apiTarget() string {
	if r.isTunnel() {
		return "//" + r.target
	}
	return r.target
}
