package rest

import (
	"context"
	"regexp"
	"time"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// Backend is the model server behind the REST API. Its errors are *env.RPCError, or the context's.
type Backend interface {
	// Predict runs a signature. Timeout(ctx) returns how long that may take.
	Predict(ctx context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error)

	// Classify runs a signature on examples. Timeout(ctx) returns how long that may take.
	Classify(ctx context.Context, r *apis.ClassificationRequest) (*apis.ClassificationResponse, error)

	// Regress runs a signature on examples. Timeout(ctx) returns how long that may take.
	Regress(ctx context.Context, r *apis.RegressionRequest) (*apis.RegressionResponse, error)

	// GetModelStatus answers ModelService.GetModelStatus.
	GetModelStatus(r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error)

	// GetModelMetadata answers PredictionService.GetModelMetadata.
	GetModelMetadata(r *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error)

	// Signatures returns the signatures of the version that a spec resolves to. The conversion from
	// JSON needs their dtypes.
	Signatures(spec *apis.ModelSpec) (map[string]*tfcore.SignatureDef, error)
}

// Options holds the server's flags that concern REST.
type Options struct {
	// Profile is Profile24 or ProfileHead; python-fake has no REST (TFS-17.1 item 23).
	Profile tfserving.Profile

	// CORS is --enable_cors_support of tfs-head (TFS-13.4).
	CORS bool

	// Timeout is --rest_api_timeout_in_ms; 0 means no limit.
	Timeout time.Duration

	// Metrics makes the page at MetricsPath (TFS-14.1); nil means that there is no such page.
	Metrics     func() string
	MetricsPath string
}

// Request is an HTTP request as received, with the transfer encoding of the body removed.
type Request struct {
	Method string
	Target string // Target is the text between the method and the version
	Body   []byte

	// ContentEncoding and Origin are the values of the first headers with these names; "" if there
	// are none.
	ContentEncoding string
	Origin          string
}

// Response is an HTTP response as it is sent.
type Response struct {
	Status int
	Reason string // Reason is libevent's phrase for Status
	Body   []byte

	// Header is in libevent's order. The listener adds Date (for HTTP/1.1) and Content-Length. It
	// puts them before a Content-Type of text/html with a charset, and otherwise after all headers.
	// The body is sent for HEAD too, without Content-Length.
	Header []Field

	// Model, API and Code are labels of tfs-head's metrics (TFS-14.1). Model and API hold what the
	// path names, and "" for a path that is no API call. Code is the result of the call.
	Model, API string
	Code       rpcerrors.Code
}

// Field is one HTTP header.
type Field struct{ Name, Value string }

// Handler answers requests. It is stateless, so calls may overlap if the Backend allows that.
type Handler struct {
	backend Backend
	options Options
	paths   *paths
	convert converter
}

// New makes a Handler that calls backend.
func New(backend Backend, options Options) *Handler {
	old := options.Profile != tfserving.ProfileHead
	return &Handler{backend: backend, options: options, paths: pathsOf(old), convert: converter{old: old}}
}

// apiPath matches the paths of the API. Other paths get status 404
// (model_servers/http_rest_api_util.h:33).
var apiPath = regexp.MustCompile(`^(?i:/v1/.*)$`)

// Serve answers one request. Every request gets a response: a failure gets an error page or a JSON
// error. It passes ctx to the Backend.
func (h *Handler) Serve(ctx context.Context, r Request) Response {
	if !IsTarget(r.Target) {
		return ErrorPage(400)
	}
	if !h.allows(r.Method) {
		return ErrorPage(501)
	}
	target, ok := parseTarget(r.Target, true)
	switch {
	case !ok:
		return ErrorPage(400)
	case h.options.Metrics != nil && target.path == h.options.MetricsPath:
		return h.metrics(target.full)
	case !apiPath.MatchString(target.full):
		return ErrorPage(404)
	}
	return h.api(ctx, r, target.full)
}

// allows reports whether evhttp accepts a method. tfs-2.4 uses libevent's default list, and
// tfs-head the list of util/net_http/server/internal/evhttp_server.cc:114.
func (h *Handler) allows(method string) bool {
	switch method {
	case "GET", "POST", "HEAD", "PUT", "DELETE":
		return true
	case "OPTIONS", "PATCH":
		return !h.convert.old
	}
	return false
}

// metrics answers a request for the Prometheus page. full is the request's path with its query
// (model_servers/http_server.cc:90).
func (h *Handler) metrics(full string) Response {
	body, code := "", rpcerrors.OK
	if full == h.options.MetricsPath {
		body = h.options.Metrics()
	} else {
		body, code = "Unexpected path: "+full+". Should be "+h.options.MetricsPath, rpcerrors.InvalidArgument
	}
	return reply(code, []Field{{"Content-Type", "text/plain"}}, []byte(body))
}

// api answers a request below /v1/, as upstream's RestApiRequestDispatcher::ProcessRequest does
// (model_servers/http_server.cc:155).
func (h *Handler) api(ctx context.Context, r Request, path string) Response {
	var response Response
	if r.Method == "OPTIONS" {
		response = preflight(r.Origin)
	} else {
		response = h.call(ctx, r.Method, path, body(r))
	}
	if h.options.CORS && !h.convert.old {
		response.Header = append(response.Header,
			Field{"Access-Control-Allow-Origin", "*"},
			Field{"Access-Control-Allow-Methods", "POST, GET"},
			Field{"Access-Control-Allow-Headers", "Content-Type"})
	}
	if r.Method == "OPTIONS" { // the type that libevent adds, because upstream sets none
		response.Header = append(response.Header, Field{"Content-Type", "text/html; charset=ISO-8859-1"})
	}
	return response
}

var originOfBrowser = regexp.MustCompile(`https?://`)

// preflight answers a CORS preflight request (OPTIONS), always without a body.
func preflight(origin string) Response {
	if originOfBrowser.MatchString(origin) {
		return reply(rpcerrors.OK, nil, nil)
	}
	return reply(rpcerrors.FailedPrecondition, nil, nil)
}

type timeoutKey struct{}

// Timeout returns how long the call of ctx may run; false if there is no limit. The Backend must
// measure the time by its own clock, which may be virtual, so ctx has no deadline.
func Timeout(ctx context.Context) (time.Duration, bool) {
	timeout, ok := ctx.Value(timeoutKey{}).(time.Duration)
	return timeout, ok
}

func (h *Handler) withTimeout(ctx context.Context) context.Context {
	if h.options.Timeout <= 0 {
		return ctx
	}
	return context.WithValue(ctx, timeoutKey{}, h.options.Timeout)
}
