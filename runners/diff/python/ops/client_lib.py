"""client_lib.py (PROTOCOL.md section 24)."""
import types

from monolith.native_training.hooks.server import client_lib


def target(given):
    """The target of the channel that the stub is made on."""
    targets = []
    real = client_lib.grpc

    def insecure_channel(address):
        targets.append(address)
        return real.insecure_channel(address)

    client_lib.grpc = types.SimpleNamespace(insecure_channel=insecure_channel)
    try:
        client_lib.get_stub_from_model_dir(given["model_dir"])
    finally:
        client_lib.grpc = real
    return {"target": targets[0]}


OPS = {"client_lib.get_stub_from_model_dir": target}
