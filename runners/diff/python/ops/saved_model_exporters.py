"""saved_model_exporters.py (PROTOCOL.md section 26)."""
import os

from monolith.native_training.model_export import saved_model_exporters

import command_line
from values import attempt

KINDS = {"standalone": saved_model_exporters.StandaloneExporter, "distributed": saved_model_exporters.DistributedExporter}


def export_saved_model(given):
    """What an exporter's model function finds in TF_CONFIG, and what is there afterwards."""
    command_line.parse([])
    log = []

    def model_fn(serving_input_receiver_fn):
        del serving_input_receiver_fn
        log.append(["model_fn", os.environ.get("TF_CONFIG")])
        if given["outcome"] != "ok":
            raise RuntimeError("model_fn failed")

    exporter = KINDS[given["kind"]](None, "m", "m/exported", **({"dense_only": True} if given["kind"] == "distributed" else {}))
    exporter._model_fn_with_input_reveiver = model_fn
    exporter.gen_warmup_assets = lambda: {}
    exporter._export_saved_model_from_graph = lambda graph, **kwargs: log.append(["export", os.environ.get("TF_CONFIG")]) or b"m/exported/1"
    result = attempt(lambda: exporter.export_saved_model(None, "m/model.ckpt-1", 1) is not None)
    return {"result": result, "log": log, "tf_config": os.environ.get("TF_CONFIG")}


OPS = {
    "saved_model_exporters.export_saved_model": export_saved_model,
}
