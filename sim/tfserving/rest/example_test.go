package rest_test

import (
	"context"
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

// statusOnly is a model server that only answers status requests. Its other methods come from a nil
// interface and must not be called.
type statusOnly struct{ rest.Backend }

func (statusOnly) GetModelStatus(r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	if name := r.GetModelSpec().GetName(); name != "ranker" {
		return nil, &env.RPCError{Code: rpcerrors.NotFound, Message: "Could not find any versions of model " + name}
	}
	return modelconfig.StatusResponse([]env.ModelVersionStatus{{Version: 3, State: env.StateAvailable}}), nil
}

// A handler returns the exact bytes of the response to a raw request.
func Example() {
	h := rest.New(statusOnly{}, rest.Options{Profile: tfserving.Profile24})
	for _, target := range []string{"/v1/models/ranker", "/v1/models/other", "/v2"} {
		response := h.Serve(context.Background(), rest.Request{Method: "GET", Target: target})
		fmt.Printf("%s: %d %s\n%s\n", target, response.Status, response.Reason, response.Body)
	}

	// Output:
	// /v1/models/ranker: 200 OK
	// {
	//  "model_version_status": [
	//   {
	//    "version": "3",
	//    "state": "AVAILABLE",
	//    "status": {
	//     "error_code": "OK",
	//     "error_message": ""
	//    }
	//   }
	//  ]
	// }
	//
	// /v1/models/other: 404 Not Found
	// {
	//     "error": "Could not find any versions of model other"
	// }
	// /v2: 404 Not Found
	// <HTML><HEAD>
	// <TITLE>404 Not Found</TITLE>
	// </HEAD><BODY>
	// <H1>Not Found</H1>
	// </BODY></HTML>
}
