package rest

import (
	"context"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// call answers a request to the REST API, as upstream's HttpRestApiHandler::ProcessRequest does.
func (h *Handler) call(ctx context.Context, method, path string, body []byte) Response {
	header := []Field{{"Content-Type", "application/json"}}
	route, err := h.paths.parse(method, path)
	if err != nil {
		// Upstream returns before it writes the error, so the body is empty
		// (http_rest_api_handler.cc:86).
		response := reply(statusOf(err).Code, header, nil)
		response.Model, response.API = route.model, route.method
		return response
	}
	out, err := h.dispatch(h.withTimeout(ctx), &route, body, "Malformed request: "+method+" "+path)
	status := statusOf(err)
	if status.Code != rpcerrors.OK {
		out = errorBody(status.Message)
	}
	response := reply(status.Code, header, out)
	response.Model, response.API = route.model, route.method
	return response
}

// dispatch executes the call that a path selects. Paths match in any case, but the names of methods
// only in lower case. A path that ends neither in a method nor in "metadata" selects the model
// status.
func (h *Handler) dispatch(ctx context.Context, r *route, body []byte, malformed string) ([]byte, error) {
	switch {
	case r.method == "classify":
		return h.classify(ctx, r, body)
	case r.method == "regress":
		return h.regress(ctx, r, body)
	case r.method == "predict":
		return h.predict(ctx, r, body)
	case r.method != "" || !r.matched:
		return nil, invalid("%s", malformed)
	case r.model == "":
		return nil, invalid("Missing model name in request.")
	case r.subResource == "metadata":
		return h.metadata(r)
	}
	return h.status(r)
}

func (h *Handler) classify(ctx context.Context, r *route, body []byte) ([]byte, error) {
	request := &apis.ClassificationRequest{ModelSpec: r.spec()}
	input, err := h.convert.examples(body, request.ModelSpec)
	if err != nil {
		return nil, err
	}
	request.Input = input
	response, err := h.backend.Classify(ctx, request)
	if err != nil {
		return nil, err
	}
	return classificationJSON(response.GetResult())
}

func (h *Handler) regress(ctx context.Context, r *route, body []byte) ([]byte, error) {
	request := &apis.RegressionRequest{ModelSpec: r.spec()}
	input, err := h.convert.examples(body, request.ModelSpec)
	if err != nil {
		return nil, err
	}
	request.Input = input
	response, err := h.backend.Regress(ctx, request)
	if err != nil {
		return nil, err
	}
	return regressionJSON(response.GetResult())
}

func (h *Handler) predict(ctx context.Context, r *route, body []byte) ([]byte, error) {
	request := &apis.PredictRequest{ModelSpec: r.spec()}
	format, err := h.convert.predictRequest(body, request, h.inputsOf)
	if err != nil {
		return nil, err
	}
	response, err := h.backend.Predict(ctx, request)
	if err != nil {
		return nil, err
	}
	return tensorsJSON(response.GetOutputs(), format)
}

// inputsOf returns the inputs of the signature that the spec selects, as upstream's GetInfoMap
// does (http_rest_api_handler.cc:233).
func (h *Handler) inputsOf(spec *apis.ModelSpec) (infos, error) {
	signatures, err := h.backend.Signatures(spec)
	if err != nil {
		return nil, err
	}
	name := spec.GetSignatureName()
	if name == "" {
		name = "serving_default"
	}
	signature, found := signatures[name]
	if !found {
		return nil, invalid("Serving signature name: \"%s\" not found in signature def", name)
	}
	return signature.GetInputs(), nil
}

func (h *Handler) status(r *route) ([]byte, error) {
	response, err := h.backend.GetModelStatus(&apis.GetModelStatusRequest{ModelSpec: r.spec()})
	if err != nil {
		return nil, err
	}
	return statusJSON(response, h.convert.old), nil
}

func (h *Handler) metadata(r *route) ([]byte, error) {
	response, err := h.backend.GetModelMetadata(&apis.GetModelMetadataRequest{
		ModelSpec: r.spec(), MetadataField: []string{"signature_def"},
	})
	if err != nil {
		return nil, err
	}
	return metadataJSON(response, h.convert.old)
}
