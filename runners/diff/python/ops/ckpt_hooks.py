"""ckpt_hooks.py (PROTOCOL.md section 24)."""
import os

import tensorflow as tf
from monolith.native_training import barrier_ops
from monolith.native_training.hooks import ckpt_hooks
from monolith.native_training.hooks import ckpt_hooks_pb2

import tensorflow_case as case
from ops.barrier_ops import Callbacks, Steps

ckpt_hooks.time = case.time


def barrier_saver_listener(given):
    with case.graph():
        callbacks = Callbacks(["log"], lambda action, session: [action, ckpt_hooks.get_ckpt_info(session).global_step])
        barrier = barrier_ops.BarrierOp(given["capacity"], barrier_callbacks=callbacks.functions)
        more = {k: given[k] for k in ("wait_seconds", "max_pending_seconds") if k in given}
        listener = ckpt_hooks.BarrierSaverListener(barrier, **more)
        with case.session() as session:
            on_barrier = Steps(barrier, session)

            def run(name, arguments):
                if name.startswith("barrier."):
                    return on_barrier.run(name[len("barrier."):], arguments)
                if name == "info":
                    return ckpt_hooks.get_ckpt_info(session).global_step
                return {"before_save": listener.before_save, "after_save": listener.after_save}[name](
                    session, arguments["step"])

            def after(answer, name):
                del name
                answer["blocked"] = on_barrier.blocked()
                callbacks.take(answer)

            return {"steps": case.steps(run, given["steps"], after)}


def state(name):
    """The checkpoint state in a file of m, [current, all]; None when there is none."""
    found = tf.train.get_checkpoint_state("m", name)
    return found and [found.model_checkpoint_path, list(found.all_model_checkpoint_paths)]


def worker_ckpt_helper(given):
    with case.graph():
        if given.get("disabled"):
            ckpt_hooks.disable_iterator_save_restore()
        iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(given["size"]))
        following = iterator.get_next()
        tf.compat.v1.add_to_collection(ckpt_hooks.iterator_ops.GLOBAL_ITERATORS, iterator._iterator_resource)
        helper = ckpt_hooks.WorkerCkptHelper("m", given["index"])
        os.makedirs("m", exist_ok=True)
        with case.session() as session:
            session.run(iterator.initializer)

            def save(action, global_step):
                ckpt_hooks.assign_ckpt_info(session, ckpt_hooks_pb2.WorkerCkptInfo(global_step=global_step))
                helper.create_save_iterator_callback()(action, session)

            methods = {
                "next": lambda: int(session.run(following)), "initialize": lambda: session.run(iterator.initializer),
                "save": save, "restore": lambda: helper.create_restorer_hook().after_create_session(session, None),
                "state": lambda: state(f"checkpoint_input_worker_{given['index']}"),
                "info": lambda: session.run(ckpt_hooks._get_meta().info_var),
                "files": lambda: sorted(os.listdir("m")),
            }
            return {"steps": case.steps(lambda name, arguments: methods[name](**arguments), given["steps"])}


OPS = {
    "ckpt_hooks.BarrierSaverListener.sequence": barrier_saver_listener,
    "ckpt_hooks.WorkerCkptHelper.sequence": worker_ckpt_helper,
}
