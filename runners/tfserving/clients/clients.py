"""Calls of a model server as Python programs make them: the stubs of tensorflow_serving.apis, and urllib.

    python3 clients.py < orders > answers

Where the stubs come from is sys.path's to say: generated ones, or the package tensorflow-serving-api.

    {"hello": true}                                     {"grpcio": version, "tensorflow": whether it is there}
    {"dial": [gRPC address, REST address]}              {}
    {"status": [name, version or null, label or null]}  an answer
    {"reload": [[name, base path, platform]...]}        an answer
    {"predict": {"model", "inputs", "filter", "version", "signature"}}
                                                        an answer; inputs are lists of floats, and all but the model
                                                        may be left out
    {"metadata": [name, [field...]]}                    an answer
    {"rest": [method, path, body or null]}              {"status", "type", "body"}

An answer is {"hex": the message, its map entries by key} or {"code", "details"}.
"""
import urllib.error
import urllib.request

import grpc
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.framework import types_pb2
from tensorflow_serving.apis import get_model_metadata_pb2
from tensorflow_serving.apis import get_model_status_pb2
from tensorflow_serving.apis import model_management_pb2
from tensorflow_serving.apis import model_service_pb2_grpc
from tensorflow_serving.apis import predict_pb2
from tensorflow_serving.apis import prediction_service_pb2_grpc

import orders

PATIENCE_SECONDS = 60


def tensorflow():
    """TensorFlow itself, None beside generated stubs."""
    try:
        from tensorflow import make_ndarray  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    return make_ndarray


def told(call, request):
    try:
        response = call(request, PATIENCE_SECONDS)
    except grpc.RpcError as e:
        return {"code": e.code().name, "details": e.details()}
    return {"hex": response.SerializeToString(deterministic=True).hex()}


def floats(values):
    """A tensor of a list of floats."""
    tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, float_val=values)
    tensor.tensor_shape.dim.add(size=len(values))
    return tensor


class Client:

    def __init__(self, address, rest):
        channel = grpc.insecure_channel(address)
        self.models = model_service_pb2_grpc.ModelServiceStub(channel)
        self.predictions = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        self.rest_address = rest

    def status(self, name, version, label):
        request = get_model_status_pb2.GetModelStatusRequest()
        request.model_spec.name = name
        if version is not None:
            request.model_spec.version.value = version
        if label is not None:
            request.model_spec.version_label = label
        return told(self.models.GetModelStatus, request)

    def reload(self, *models):
        request = model_management_pb2.ReloadConfigRequest()
        request.config.model_config_list.SetInParent()
        for name, base_path, platform in models:
            request.config.model_config_list.config.add(name=name, base_path=base_path, model_platform=platform)
        return told(self.models.HandleReloadConfigRequest, request)

    def predict(self, model, inputs=None, filter=(), version=None, signature=""):  # pylint: disable=redefined-builtin
        request = predict_pb2.PredictRequest(output_filter=filter)
        request.model_spec.name = model
        request.model_spec.signature_name = signature
        if version is not None:
            request.model_spec.version.value = version
        for name, values in (inputs or {}).items():
            request.inputs[name].CopyFrom(floats(values))
        answer = told(self.predictions.Predict, request)
        make_ndarray = tensorflow()
        if make_ndarray and "hex" in answer:  # what TensorFlow's own users do with it
            response = predict_pb2.PredictResponse.FromString(bytes.fromhex(answer["hex"]))
            answer["arrays"] = {name: make_ndarray(t).tolist() for name, t in sorted(response.outputs.items())}
        return answer

    def metadata(self, name, fields):
        request = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=fields)
        request.model_spec.name = name
        answer = told(self.predictions.GetModelMetadata, request)
        if "hex" in answer:
            response = get_model_metadata_pb2.GetModelMetadataResponse.FromString(bytes.fromhex(answer["hex"]))
            signatures = get_model_metadata_pb2.SignatureDefMap()
            if not response.metadata["signature_def"].Unpack(signatures):
                raise ValueError(f"metadata of {name}: no SignatureDefMap")
            answer["signatures"] = sorted(signatures.signature_def)
        return answer

    def rest(self, method, path, body):
        request = urllib.request.Request(f"http://{self.rest_address}{path}", method=method,
                                         data=body.encode() if body is not None else None)
        try:
            response = urllib.request.urlopen(request, timeout=PATIENCE_SECONDS)
        except urllib.error.HTTPError as e:
            response = e
        with response:
            return {"status": response.status, "type": response.headers["Content-Type"],
                    "body": response.read().decode()}


class Orders:

    def __init__(self):
        self.client = None

    def obey(self, order):
        (name, given), = order.items()
        if name == "hello":
            return {"grpcio": grpc.__version__, "tensorflow": tensorflow() is not None}
        if name == "dial":
            self.client = Client(*given)
            return {}
        if isinstance(given, dict):
            return getattr(self.client, name)(**given)
        return getattr(self.client, name)(*given)


if __name__ == "__main__":
    orders.answer_all(Orders().obey)
