"""cluster_manager.py (PROTOCOL.md section 24)."""
import os

from monolith.native_training import cluster_manager

import surroundings
import tensorflow_case as case
from values import Raw

cluster_manager.time = case.time


class Discovery:
    """Answers queries by views: of each name the first, the second and so on, the last for ever."""

    def __init__(self, views):
        self.views, self.queries = {n: list(v) for n, v in views.items()}, []

    def query(self, name):
        self.queries.append(["query", name])
        views = self.views.get(name) or [{}]
        view = views.pop(0) if len(views) > 1 else views[0]
        if isinstance(view, str):
            raise OSError(view)
        return {int(i): addr for i, addr in view.items()}


def get_training_cluster(given):
    case.time.reset()
    metrics = []
    real, cluster_manager._MCLI = cluster_manager._MCLI, None
    cluster_manager.emit_store = lambda name, value, tags=None: metrics.append([name, value, tags])
    discovery = Discovery(given["views"])
    case.appear(given.get("appear"))
    try:
        result = case.bounded(cluster_manager.get_training_cluster, discovery, **given["arguments"])
    finally:
        cluster_manager._MCLI = real
    directory, files = "m/ps_cluster_dir", {}
    if os.path.isdir(directory):
        for name in sorted(os.listdir(directory)):
            files[name] = surroundings.read_shown(os.path.join(directory, name))
    return {"result": result, "slept": case.time.take_slept(), "queries": case.in_rows(discovery.queries), "files": Raw(files),
            "metrics": case.in_rows(metrics)}


def generate_session_config(given):
    config = cluster_manager.generate_session_config(given["cluster_and_task"])
    return {
        "device_filters": list(config.device_filters),
        "cluster": [[job.name, [[i, job.tasks[i]] for i in sorted(job.tasks)]] for job in config.cluster_def.job],
        "allow_soft_placement": config.allow_soft_placement,
        "share_cluster_devices_in_session": config.share_cluster_devices_in_session,
        "share_session_state": config.experimental.share_session_state_in_clusterspec_propagation,
        "disable_meta_optimizer": config.graph_options.rewrite_options.disable_meta_optimizer,
    }


OPS = {"cluster_manager.get_training_cluster": get_training_cluster,
       "cluster_manager.generate_session_config": generate_session_config}
