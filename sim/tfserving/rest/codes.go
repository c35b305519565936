package rest

import (
	"context"
	"errors"
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// httpStatuses maps gRPC codes to HTTP statuses, as TFS-13.3 does
// (model_servers/http_server.cc:46-87).
var httpStatuses = [...]int{
	rpcerrors.OK:                 200,
	rpcerrors.Canceled:           499,
	rpcerrors.Unknown:            500,
	rpcerrors.InvalidArgument:    400,
	rpcerrors.DeadlineExceeded:   504,
	rpcerrors.NotFound:           404,
	rpcerrors.AlreadyExists:      409,
	rpcerrors.PermissionDenied:   403,
	rpcerrors.ResourceExhausted:  429,
	rpcerrors.FailedPrecondition: 400,
	rpcerrors.Aborted:            409,
	rpcerrors.OutOfRange:         400,
	rpcerrors.Unimplemented:      501,
	rpcerrors.Internal:           500,
	rpcerrors.Unavailable:        503,
	rpcerrors.DataLoss:           500,
	rpcerrors.Unauthenticated:    401,
}

func httpStatus(code rpcerrors.Code) int {
	if code < 0 || int(code) >= len(httpStatuses) {
		return 500
	}
	return httpStatuses[code]
}

// reply returns a response of the API, with the HTTP status for a gRPC code.
func reply(code rpcerrors.Code, header []Field, body []byte) Response {
	status := httpStatus(code)
	return Response{Status: status, Reason: phrase(status), Header: header, Body: body, Code: code}
}

func invalid(format string, args ...any) error {
	return &env.RPCError{Code: rpcerrors.InvalidArgument, Message: fmt.Sprintf(format, args...)}
}

func internal(format string, args ...any) error {
	return &env.RPCError{Code: rpcerrors.Internal, Message: fmt.Sprintf(format, args...)}
}

// statusOf converts an error to a status. For an expired or cancelled context it uses the texts of
// the TensorFlow runtime.
func statusOf(err error) *env.RPCError {
	var status *env.RPCError
	switch {
	case err == nil:
		return &env.RPCError{}
	case errors.As(err, &status):
		return status
	case errors.Is(err, context.DeadlineExceeded):
		return tfserving.ErrTimedOut
	case errors.Is(err, context.Canceled):
		return &env.RPCError{Code: rpcerrors.Canceled, Message: "Run call was cancelled"}
	}
	return &env.RPCError{Code: rpcerrors.Unknown, Message: err.Error()}
}

// errorBody returns the JSON body of a failed call (TFS-13.3).
func errorBody(message string) []byte {
	w := rapidjson.NewWriter()
	w.StartObject()
	w.Key("error")
	w.String(message)
	w.EndObject()
	return w.Bytes()
}

// statusText formats a status for use inside another message, as Status::ToString does (TFS-1.3).
func (c converter) statusText(err error) string {
	profile := tfserving.ProfileHead
	if c.old {
		profile = tfserving.Profile24
	}
	return profile.StatusString(statusOf(err))
}
