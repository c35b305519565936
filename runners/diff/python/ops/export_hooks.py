"""export_hooks.py (PROTOCOL.md section 26)."""
import os
import shutil
import types

from google.protobuf import text_format
from monolith.native_training.model_export import export_hooks, export_pb2, export_state_utils

import surroundings
import tensorflow_case as case

STATE_FILE = "ExportSaverListenerState"


def get_global_step(given):
    return export_hooks.get_global_step(given["checkpoint_path"])


class Exporter:
    """Makes the directories that the case's step says, and answers them."""

    def __init__(self, log):
        self.log, self.dirs = log, None

    def export_saved_model(self, serving_input_receiver_fn, checkpoint, step):
        del serving_input_receiver_fn
        self.log.append(["export", checkpoint, step])
        many = [self.dirs] if isinstance(self.dirs, str) else self.dirs.values() if isinstance(self.dirs, dict) else self.dirs
        for directory in many:
            os.makedirs(directory, exist_ok=True)
        if isinstance(self.dirs, str):
            return self.dirs.encode()
        if isinstance(self.dirs, dict):
            return {n: d.encode() for n, d in self.dirs.items()}
        return [d.encode() for d in self.dirs]


def state_of(path):
    try:
        with open(path, encoding="utf-8") as f:
            state = text_format.Parse(f.read(), export_pb2.ServingModelState())
        return [{"export_dir": e.export_dir, "global_step": e.global_step} for e in state.entries]
    except (text_format.ParseError, UnicodeDecodeError):
        return "<unparsable>"


def exported():
    """The state files below the case's directory, and the directories next to them."""
    states, directories = {}, []
    for directory, subdirectories, files in os.walk("."):
        if STATE_FILE in files:
            name = os.path.normpath(directory)
            states[name] = state_of(os.path.join(directory, STATE_FILE))
            directories.extend(os.path.join(name, d) for d in subdirectories)
    return {"states": states, "directories": sorted(directories)}


def write_checkpoint(steps):
    """The file "checkpoint" of m, which lists the checkpoints of steps."""
    os.makedirs("m", exist_ok=True)
    names = [f"model.ckpt-{step}" for step in steps]
    lines = [f'model_checkpoint_path: "{name}"\n' for name in names[-1:]] + [f'all_model_checkpoint_paths: "{name}"\n' for name in names]
    surroundings.directory.write_one("m/checkpoint", "".join(lines))


def sequence(given):
    log = []
    metrics = types.SimpleNamespace(emit_store=lambda name, value, tags: log.append(["store", name, value, tags]), flush=lambda: None)
    real, export_hooks.cli = export_hooks.cli, types.SimpleNamespace(get_cli=lambda prefix: metrics)
    try:
        exporter = Exporter(log)
        listener = export_hooks.ExportSaverListener(os.path.join(os.getcwd(), "m/model.ckpt"), None, exporter,
                                                    given["exempt_checkpoint_paths"], given["dense_only"])
    finally:
        export_hooks.cli = real

    def save(step, dirs, checkpoints):
        exporter.dirs = dirs
        if checkpoints is not None:
            write_checkpoint(checkpoints)
        listener.after_save(None, step)

    def remove(dir):  # pylint: disable=redefined-builtin
        shutil.rmtree(dir)

    methods = {"save": save, "remove": remove, "write": lambda name, text: surroundings.directory.write({name: text})}

    def after(answer, name):
        del name
        answer["log"] = list(log)
        answer.update(exported())
        log.clear()

    case.time.reset()
    return {"steps": case.steps(lambda name, arguments: methods[name](**arguments), given["steps"], after)}


OPS = {
    "export_hooks.get_global_step": get_global_step,
    "export_hooks.ExportSaverListener.sequence": sequence,
}
