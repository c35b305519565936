package serve

import (
	"fmt"
	"net/http"
	"strings"
)

// httpRequest is a request as libevent parses it. If the request was refused, only the fields that
// were parsed before the error are set.
type httpRequest struct {
	// old selects libevent 2.1.8, used by tfs-2.4, instead of 2.1.12, used by tfs-head.
	old bool

	method, target string
	major, minor   int // version numbers of HTTP/major.minor
	headers        httpHeaders
	body           []byte
}

// httpHeaders holds the name and value of each header, in order.
type httpHeaders [][2]string

// find returns the value of the first header with a name; ok is false if there is none.
func (h httpHeaders) find(name string) (value string, ok bool) {
	for _, header := range h {
		if strings.EqualFold(header[0], name) {
			return header[1], true
		}
	}
	return "", false
}

// get returns the value of the first header with a name, or "".
func (h httpHeaders) get(name string) string {
	value, _ := h.find(name)
	return value
}

// refusal is an HTTP status with which libevent refuses a request. It sends an error page and
// closes the connection.
type refusal int

func (r refusal) Error() string { return fmt.Sprintf("request refused with %d", int(r)) }

func (r *httpRequest) atLeast11() bool { return r.major > 1 || r.major == 1 && r.minor >= 1 }

// asksToStay reports whether the header "Connection" begins with "keep-alive".
func (r *httpRequest) asksToStay() bool {
	const want = "keep-alive"
	connection := r.headers.get("Connection")
	return len(connection) >= len(want) && strings.EqualFold(connection[:len(want)], want)
}

// asksToClose reports whether the connection must be closed after the response because of the
// request. A request to a proxy counts as a wish to close, unless Proxy-Connection is keep-alive.
func (r *httpRequest) asksToClose() bool {
	if r.toProxy() {
		return !strings.EqualFold(r.headers.get("Proxy-Connection"), "keep-alive")
	}
	return strings.EqualFold(r.headers.get("Connection"), "close")
}

// toProxy reports whether the target is an absolute HTTP URI, as sent to proxies.
func (r *httpRequest) toProxy() bool {
	scheme, rest, _ := strings.Cut(r.target, ":")
	isHTTP := strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
	return isHTTP && strings.HasPrefix(rest, "//") && !r.isTunnel()
}

// isTunnel reports whether the request is a CONNECT. libevent 2.1.8 does not treat CONNECT
// specially.
func (r *httpRequest) isTunnel() bool { return r.method == http.MethodConnect && !r.old }

// mayHaveBody reports whether this libevent reads a body for the request's method. If not, the bytes after the
// headers are the next request.
func (r *httpRequest) mayHaveBody() bool {
	switch r.method {
	case "POST", "PUT", "PATCH":
		return true
	case "GET", "DELETE", "OPTIONS", "CONNECT":
		return !r.old
	}
	return false
}

// apiTarget returns the target as a URI. A CONNECT request has only the authority as its target, so
// "//" is put before it.
func (r *httpRequest) apiTarget() string {
	if r.isTunnel() {
		return "//" + r.target
	}
	return r.target
}
