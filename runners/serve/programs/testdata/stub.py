"""Calls an agent with a stub that is generated from a .proto.

    python3 stub.py agent_service.proto PORT OUT

The stub is generated into the directory OUT, and each line of standard input is a call:
[method, type of the request, its fields]. The answer is a line: {"response": hex} or
{"code", "details"}; {"failed": why} where that cannot be.
"""
import importlib
import json
import os
import sys

import grpc
from grpc_tools import protoc


def generate(proto, out):
    """Generates and imports the messages and the stub."""
    arguments = ["protoc", "-I" + os.path.dirname(proto), "--python_out=" + out, "--grpc_python_out=" + out, proto]
    if protoc.main(arguments) != 0:
        raise RuntimeError("protoc " + " ".join(arguments))
    sys.path.insert(0, out)
    name = os.path.basename(proto)[:-len(".proto")]
    return importlib.import_module(name + "_pb2"), importlib.import_module(name + "_pb2_grpc")


def main():
    messages, services = generate(sys.argv[1], sys.argv[3])
    stub = services.AgentServiceStub(grpc.insecure_channel(sys.argv[2]))
    for line in sys.stdin:
        method, name, fields = json.loads(line)
        try:
            response = getattr(stub, method)(getattr(messages, name)(**fields), timeout=60)
            answer = {"response": response.SerializeToString(deterministic=True).hex()}
        except grpc.RpcError as error:
            answer = {"code": error.code().name, "details": error.details()}
        except Exception as error:  # pylint: disable=broad-except
            answer = {"failed": repr(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
