"""export_state_utils.py (PROTOCOL.md section 24)."""
import os

from monolith.native_training.model_export import export_pb2
from monolith.native_training.model_export import export_state_utils

import tensorflow_case as case


def sequence(given):
    base = given["export_dir_base"]

    def get():
        state = export_state_utils.get_export_saver_listener_state(base)
        return [{"export_dir": e.export_dir, "global_step": e.global_step} for e in state.entries]

    def put(entries):
        state = export_pb2.ServingModelState(entries=[export_pb2.ServingEntry(**e) for e in entries])
        export_state_utils.overwrite_export_saver_listener_state(base, state)

    case.time.reset()
    steps = case.steps(lambda name, arguments: {"get": get, "put": put}[name](**arguments), given["steps"])
    return {"steps": steps, "files": sorted(os.listdir(base)) if os.path.isdir(base) else None}


OPS = {"export_state_utils.sequence": sequence}
