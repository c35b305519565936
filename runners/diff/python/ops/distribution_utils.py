"""distribution_utils.py (PROTOCOL.md section 26)."""
import contextlib
import io
import os
import sys
import types

from monolith.native_training import cpu_training, distribution_utils

from values import attempt


def posix(text):
    """A text whose temporary directory is the one that the reference names literally."""
    return text.replace("/tmp/bps_", "<POSIX TMP>/bps_")


@contextlib.contextmanager
def modules(**found):
    """Has imports of byteps.tensorflow and horovod.tensorflow find these; None is not there."""
    before = {name: sys.modules.get(name) for name in ("byteps", "byteps.tensorflow", "horovod", "horovod.tensorflow")}
    for name, library in found.items():
        sys.modules[name] = None if library is None else types.SimpleNamespace(tensorflow=library)
        sys.modules[name + ".tensorflow"] = library
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def get_mpi(given):
    del given
    return {name: attempt(getattr(distribution_utils, "get_mpi_" + name)) for name in ("rank", "local_rank", "size", "local_size")}


def bps_init(given):
    before, directories, commands, lazy = dict(os.environ), [], [], []

    def popen(command):
        commands.append(command.split(" | ")[0])
        return io.StringIO("10.9.8.7\n")

    fake = types.SimpleNamespace(environ=os.environ, getenv=os.getenv, popen=popen,
                                 makedirs=lambda path, exist_ok: directories.append(posix(path)))
    real, distribution_utils.os = distribution_utils.os, fake
    try:
        with modules(byteps=types.SimpleNamespace(init=lambda lazy_=None, **kwargs: lazy.append(kwargs["lazy"]))):
            result = attempt(distribution_utils.bps_init, given["uuid"])
    finally:
        distribution_utils.os = real
    changed = {n: posix(v) for n, v in sorted(os.environ.items()) if before.get(n) != v}
    return {"result": result, "environ": changed, "directories": directories, "commands": commands, "init_lazy": lazy}


def init_sync_train_and_update_conf(given):
    log, confs = [], []
    library = types.SimpleNamespace(init=lambda: log.append("init"), rank=lambda: given["rank"], size=lambda: given["size"])
    if given["missing"]:
        library = None
    config = cpu_training.DistributedCpuTrainingConfig(**given["kwargs"])
    real = distribution_utils.bps_init, distribution_utils.enable_bps
    distribution_utils.bps_init = lambda uuid: log.append("bps_init " + uuid)
    distribution_utils.enable_bps, distribution_utils._SYNC_TRAIN_INITED = given["enable_bps"], False
    try:
        with modules(byteps=library, horovod=library):
            for _ in range(given["times"]):
                log.clear()
                distribution_utils.init_sync_train_and_update_conf(config)
                confs.append({"num_ps": config.num_ps, "index": config.index, "num_workers": config.num_workers,
                              "model_dir": config.model_dir, "reorder_fids": config.reorder_fids_in_data_pipeline,
                              "enable_variable_partition": config.enable_variable_partition, "log": list(log)})
    finally:
        distribution_utils.bps_init, distribution_utils.enable_bps = real
        distribution_utils._SYNC_TRAIN_INITED = False
    return {"confs": confs}


OPS = {
    "distribution_utils.get_mpi": get_mpi,
    "distribution_utils.bps_init": bps_init,
    "distribution_utils.init_sync_train_and_update_conf": init_sync_train_and_update_conf,
}
