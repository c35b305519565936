package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

const (
	page400 = "<HTML><HEAD>\n<TITLE>400 Bad Request</TITLE>\n</HEAD><BODY>\n<H1>Bad Request</H1>\n</BODY></HTML>\n"
	page404 = "<HTML><HEAD>\n<TITLE>404 Not Found</TITLE>\n</HEAD><BODY>\n<H1>Not Found</H1>\n</BODY></HTML>\n"
	page501 = "<HTML><HEAD>\n<TITLE>501 Not Implemented</TITLE>\n</HEAD><BODY>\n<H1>Not Implemented</H1>\n</BODY></HTML>\n"
)

// Goal: paths match in any case but method names do not, and queries count as part of the path
// (TFS-13.1). monolith's model names need a %-escape, which only tfs-head decodes.
func TestPaths(t *testing.T) {
	for _, c := range []struct{ method, target, only, want string }{
		{"GET", "/V1/Models/M", both, `GetModelStatus name:"M"`},
		{"GET", "/v1/models/m/METADATA", both, `GetModelStatus name:"m"`},
		{"GET", "/v1/models/m/metadata", both, `GetModelMetadata name:"m"`},
		{"POST", "/v1/models/m:Predict", both, "Malformed request: POST /v1/models/m:Predict"},
		{"POST", "/v1/MODELS/m:regress", both, `Regression name:"m"`},
		{"GET", "/v1/models/m?x=1", both, `GetModelStatus name:"m?x=1"`},
		{"GET", "/v1/models/m/metadata?x", both, "Malformed request: GET /v1/models/m/metadata?x"},
		{"GET", "http://host:80/v1/models/m", both, `GetModelStatus name:"m"`},
		{"GET", "/v1/models/m/", both, "Malformed request: GET /v1/models/m/"},
		{"GET", "/v1/models/model:ps_0", both, "Malformed request: GET /v1/models/model:ps_0"},
		{"POST", "/v1/models/model:ps_0:predict", both, "Malformed request: POST /v1/models/model:ps_0:predict"},
		{"GET", "/v1/models/model%3Aps_0", newOnly, `GetModelStatus name:"model:ps_0"`},
		{"GET", "/v1/models/model%3Aps_0", oldOnly, `GetModelStatus name:"model%3Aps_0"`},
		{"GET", "/v1/models/m/labels/a-b", newOnly, `GetModelStatus name:"m" version_label:"a-b"`},
		{"GET", "/v1/models/m/labels/a-b", oldOnly, "Malformed request: GET /v1/models/m/labels/a-b"},
		{"GET", "/v1/models/metadata", both, `GetModelStatus name:"metadata"`},
		{"GET", "/v1/models/versions/3", both, "Missing model name in request."},
		{"GET", "/v1/models/metadata/metadata", both, `GetModelMetadata name:"metadata"`},
	} {
		eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
			w := &world{err: status(rpcerrors.Unavailable, "")}
			response := serve(w, profile, c.method, c.target, `{"examples":[{}]}`)
			got := ""
			if w.calls > 0 {
				kind, _, _ := strings.Cut(string(w.request.ProtoReflect().Descriptor().Name()), "Request")
				got = kind + " " + strings.Join(strings.Fields(w.spec.String()), " ")
			} else {
				got = errorOf(t, response.Body)
			}
			if got != c.want {
				t.Errorf("%s %s: %s, want %s", c.method, c.target, got, c.want)
			}
		})
	}
}

// Goal: paths that match no pattern get the errors of TFS-13.2, and invalid requests those of
// libevent.
func TestUnmatchedPaths(t *testing.T) {
	const malformed = "{\n    \"error\": \"Malformed request: %s\"\n}"
	for _, c := range []struct {
		method, target, only string
		status               int
		body                 string
	}{
		{"GET", "/", both, 404, page404},
		{"GET", "/v1", both, 404, page404},
		{"GET", "/v2/models/m", both, 404, page404},
		{"GET", "http://host", both, 404, page404},
		{"GET", "/v1/x", both, 400, fmt.Sprintf(malformed, "GET /v1/x")},
		{"GET", "/v1/models", both, 400, "{\n    \"error\": \"Missing model name in request.\"\n}"},
		{"PUT", "/v1/models/m", both, 400, fmt.Sprintf(malformed, "PUT /v1/models/m")},
		{"DELETE", "/v1/models/m", both, 400, fmt.Sprintf(malformed, "DELETE /v1/models/m")},
		{"HEAD", "/v1/models/m", both, 400, fmt.Sprintf(malformed, "HEAD /v1/models/m")},
		{"PATCH", "/v1/models/m", newOnly, 400, fmt.Sprintf(malformed, "PATCH /v1/models/m")},
		{"PATCH", "/v1/models/m", oldOnly, 501, page501},
		{"OPTIONS", "/v1/models/m", oldOnly, 501, page501},
		{"TRACE", "/v1/models/m", both, 501, page501},
		{"BREW", "/v1/models/m", both, 501, page501},
		{"GET", "/v1/models/{m}", both, 400, page400},
		{"BREW", "/v1/models/{m}", both, 501, page501},
		{"GET", "/v1/models/%zz", both, 400, page400},
		{"GET", "/v1/models/é", both, 400, page400},
		{"GET", "//", both, 404, page404},
		{"GET", "http://[::1/v1/x", both, 400, page400},
		{"GET", "http://h:99999/v1/x", both, 400, page400},
		{"GET", "v1:x/y", both, 404, page404},
		{"GET", "a_b:c", both, 400, page400},
	} {
		eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
			response := serve(&world{}, profile, c.method, c.target, "")
			if response.Status != c.status || string(response.Body) != c.body {
				t.Errorf("%s %s: %d %s, want %d %s", c.method, c.target, response.Status, response.Body, c.status, c.body)
			}
			wantHeader := []rest.Field{{Name: "Content-Type", Value: "application/json"}}
			if strings.HasPrefix(c.body, "<") {
				wantHeader = []rest.Field{{Name: "Content-Type", Value: "text/html"}, {Name: "Connection", Value: "close"}}
			}
			if diff := cmp.Diff(wantHeader, response.Header); diff != "" {
				t.Errorf("%s %s:\n%s", c.method, c.target, diff)
			}
		})
	}
}

// Goal: every status code has libevent's reason phrase, and a body with RapidJSON's escapes
// (TFS-13.3).
func TestErrorCodes(t *testing.T) {
	const want = "{\n    \"error\": \"no \\\"<m>\\\" \\u0001\\n/é\"\n}"
	for _, c := range []struct {
		code   rpcerrors.Code
		status int
		reason string
	}{
		{rpcerrors.Canceled, 499, "Client Error"}, {rpcerrors.Unknown, 500, "Internal Server Error"},
		{rpcerrors.InvalidArgument, 400, "Bad Request"}, {rpcerrors.DeadlineExceeded, 504, "Gateway Time-out"},
		{rpcerrors.NotFound, 404, "Not Found"}, {rpcerrors.AlreadyExists, 409, "Conflict"},
		{rpcerrors.PermissionDenied, 403, "Forbidden"}, {rpcerrors.ResourceExhausted, 429, "Client Error"},
		{rpcerrors.FailedPrecondition, 400, "Bad Request"}, {rpcerrors.Aborted, 409, "Conflict"},
		{rpcerrors.OutOfRange, 400, "Bad Request"}, {rpcerrors.Unimplemented, 501, "Not Implemented"},
		{rpcerrors.Internal, 500, "Internal Server Error"}, {rpcerrors.Unavailable, 503, "Service Unavailable"},
		{rpcerrors.DataLoss, 500, "Internal Server Error"}, {rpcerrors.Unauthenticated, 401, "Unauthorized"},
		{rpcerrors.Code(99), 500, "Internal Server Error"},
	} {
		each(t, func(t *testing.T, profile tfserving.Profile) {
			w := &world{err: status(c.code, "no \"<m>\" \x01\n/é")}
			response := serve(w, profile, "GET", "/v1/models/m", "")
			if response.Status != c.status || response.Reason != c.reason || string(response.Body) != want {
				t.Errorf("%s: %d %s %s, want %d %s %s",
					c.code, response.Status, response.Reason, response.Body, c.status, c.reason, want)
			}
			if response.Model != "m" || response.Code != c.code {
				t.Errorf("%s: metrics of %q %s", c.code, response.Model, response.Code)
			}
		})
	}
}
