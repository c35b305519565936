"""hvd_lib.py (PROTOCOL.md section 26)."""
import types

from monolith.native_training import hvd_lib

from values import attempt


def enable_bps(given):
    del given
    imported = []

    def import_module(name):
        imported.append(name)
        return types.SimpleNamespace(rank=lambda: 3, size=lambda: 4)

    real, hvd_lib.importlib = hvd_lib.importlib, types.SimpleNamespace(import_module=import_module)
    try:
        lib = hvd_lib._Lib()
        return {"enable_bps": attempt(lambda: lib.enable_bps), "rank": attempt(lib.rank), "size": attempt(lib.size), "imported": imported}
    finally:
        hvd_lib.importlib = real


OPS = {"hvd_lib.enable_bps": enable_bps}
