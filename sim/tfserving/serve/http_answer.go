package serve

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/tfserving/rest"
)

// writeAnswer sends a response with the headers that libevent adds, in libevent's order
// (evhttp_make_header_response). It reports whether the connection stays open.
func writeAnswer(out io.Writer, r *httpRequest, a *rest.Response, now time.Time) (stays bool, err error) {
	if isPage(a) && (r.major == 0 || r.minor == 0) {
		r.major, r.minor = 1, 1 // libevent's evhttp_send_page_ does this, too
	}
	headers := answerHeaders(r, a, now)
	data := fmt.Appendf(nil, "HTTP/%d.%d %d %s\r\n", r.major, r.minor, a.Status, a.Reason)
	for _, h := range headers {
		data = fmt.Appendf(data, "%s: %s\r\n", h.Name, h.Value)
	}
	data = append(append(data, "\r\n"...), a.Body...)
	_, err = out.Write(data)
	return r.staysAfter(headers), err
}

var connectionClose = rest.Field{Name: "Connection", Value: "close"}

func isPage(a *rest.Response) bool { return slices.Contains(a.Header, connectionClose) }

// staysAfter reports whether the connection stays open after the response, as evhttp_send_done
// decides.
func (r *httpRequest) staysAfter(sent []rest.Field) bool {
	switch {
	case !r.atLeast11() && !r.asksToStay():
		return false
	case r.isTunnel():
		return true
	}
	return !r.toProxy() && !r.asksToClose() && !slices.Contains(sent, connectionClose)
}

func answerHeaders(r *httpRequest, a *rest.Response, now time.Time) []rest.Field {
	headers, standard := cutDefaultType(a.Header)
	if r.major == 1 {
		headers = append(headers, versionHeaders(r, a, now)...)
	}
	headers = append(headers, standard...)
	if r.asksToClose() {
		headers = slices.DeleteFunc(headers, func(h rest.Field) bool { return h.Name == "Connection" })
		if !r.toProxy() {
			headers = append(headers, connectionClose)
		}
	}
	return headers
}

// versionHeaders returns the headers that libevent adds depending on the HTTP version.
func versionHeaders(r *httpRequest, a *rest.Response, now time.Time) (headers []rest.Field) {
	switch {
	case r.minor >= 1:
		headers = append(headers, rest.Field{Name: "Date", Value: now.UTC().Format(http.TimeFormat)})
	case r.minor == 0 && r.asksToStay():
		headers = append(headers, rest.Field{Name: "Connection", Value: "keep-alive"})
	}
	hasBody := r.method != http.MethodHead && !r.isTunnel()
	if (r.minor >= 1 || r.asksToStay()) && hasBody {
		headers = append(headers, rest.Field{Name: "Content-Length", Value: strconv.Itoa(len(a.Body))})
	}
	return headers
}

// cutDefaultType splits off libevent's default Content-Type, if it is the last header. libevent
// adds it after all other headers.
func cutDefaultType(headers []rest.Field) (before, standard []rest.Field) {
	last := len(headers) - 1
	if last >= 0 && headers[last].Name == "Content-Type" && strings.Contains(headers[last].Value, "charset") {
		return slices.Clone(headers[:last]), headers[last:]
	}
	return slices.Clone(headers), nil
}
