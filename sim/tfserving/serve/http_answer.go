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

// writeAnswer sends a response with the headers that libevent adds, where it adds
// them (evhttp_make_header_response), and says whether the connection stays.
func writeAnswer(out io.Writer, r *httpRequest, a *rest.Response, now time.Time) (stays bool, err error) {
	headers := answerHeaders(r, a, now)
	data := fmt.Appendf(nil, "HTTP/1.%d %d %s\r\n", r.minor, a.Status, a.Reason)
	for _, h := range headers {
		data = fmt.Appendf(data, "%s: %s\r\n", h.Name, h.Value)
	}
	data = append(append(data, "\r\n"...), a.Body...)
	_, err = out.Write(data)
	closes := slices.Contains(headers, connectionClose)
	return !closes && r.keepsAlive(), err
}

var connectionClose = rest.Field{Name: "Connection", Value: "close"}

func answerHeaders(r *httpRequest, a *rest.Response, now time.Time) []rest.Field {
	headers, standard := cutDefaultType(a.Header)
	if r.minor >= 1 {
		headers = append(headers, rest.Field{Name: "Date", Value: now.UTC().Format(http.TimeFormat)})
	} else if r.keepsAlive() {
		headers = append(headers, rest.Field{Name: "Connection", Value: "keep-alive"})
	}
	if (r.minor >= 1 || r.keepsAlive()) && r.method != http.MethodHead {
		headers = append(headers, rest.Field{Name: "Content-Length", Value: strconv.Itoa(len(a.Body))})
	}
	headers = append(headers, standard...)
	if strings.EqualFold(r.headers.get("Connection"), "close") {
		headers = slices.DeleteFunc(headers, func(h rest.Field) bool { return h.Name == "Connection" })
		headers = append(headers, connectionClose)
	}
	return headers
}

// cutDefaultType takes off the Content-Type that libevent adds when there is
// none, which it does last.
func cutDefaultType(headers []rest.Field) (before, standard []rest.Field) {
	last := len(headers) - 1
	if last >= 0 && headers[last].Name == "Content-Type" && strings.Contains(headers[last].Value, "charset") {
		return slices.Clone(headers[:last]), headers[last:]
	}
	return slices.Clone(headers), nil
}
