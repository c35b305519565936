"""sync_hooks.py (PROTOCOL.md section 24)."""
from monolith.native_training import sync_hooks

import tensorflow_case as case
from tensorflow_case import plain

sync_hooks.time = case.time


def sequence(given):
    with case.graph():
        helper = sync_hooks.SyncHelper(given["num_workers"], True, var_device="")
        more = {"timeout_seconds": given["timeout"]} if "timeout" in given else {}
        chief = sync_hooks.ChiefSyncHook(helper, **more)
        with case.session() as session:
            methods = {
                "chief.after_create_session": lambda: chief.after_create_session(session, None),
                "chief.end": lambda: chief.end(session),
                "worker.after_create_session":
                    lambda index: sync_hooks.WorkerSyncHook(index, helper).after_create_session(session, None),
                "worker.end": lambda index: sync_hooks.WorkerSyncHook(index, helper).end(session),
                "start_worker": lambda index: helper.start_worker(session, index),
                "finish_worker": lambda index: helper.finish_worker(session, index),
                "restore_status": lambda: helper.get_restore_status(session),
                "alive": lambda: helper.get_alive_workers(session),
                "num_alive": lambda: helper.get_num_alive_workers(session),
            }
            return {"steps": case.steps(lambda name, arguments: plain(methods[name](**arguments)), given["steps"])}


def helper_hooks(given):
    arguments = {k: given[k] for k in ("enable_sync", "num_workers", "worker_idx")}
    if given["chief_timeout_seconds"] is not None:
        arguments["chief_timeout_seconds"] = given["chief_timeout_seconds"]
    with case.graph():
        helper = sync_hooks.TrainingHooksHelper(**arguments)
    return {"chief_hooks": [[type(h).__name__, h._timeout_seconds] for h in helper.training_chief_hooks],
            "hooks": [[type(h).__name__, h._worker_index] for h in helper.training_hooks]}


OPS = {"sync_hooks.sequence": sequence, "sync_hooks.TrainingHooksHelper": helper_hooks}
