"""prefetch_queue.py (PROTOCOL.md section 25)."""
import tensorflow as tf
from monolith.native_training import prefetch_queue

import tensorflow_case as case


def push_hook(given):
    with case.graph():
        counter = tf.compat.v1.get_variable("counter", initializer=0, use_resource=True)
        given_tensors = {"v": counter.assign_add(1, read_value=True), "s": "keep"}
        given_tensors["v"] = tf.identity(given_tensors["v"])
        taken, queue = prefetch_queue.enqueue_dicts_with_queue_return(given_tensors, capacity=given["capacity"])
        if queue is None:
            return {"queue": None, "keys": sorted(taken)}
        consumed = []

        def note(value):
            consumed.append(int(value))
            return value

        hook = prefetch_queue.AsyncPushHook(queue, tf.compat.v1.py_func(note, [taken["v"]], tf.int32))
        hook.begin()
        nothing = tf.no_op()
        with case.session() as session:

            def step(enqueue=True):
                context = tf.estimator.SessionRunContext(tf.estimator.SessionRunArgs(nothing), session)
                asked = hook.before_run(context)
                fetches = [nothing] if asked else [queue.enqueue_op if enqueue else nothing]
                session.run(fetches + ([asked.fetches] if asked else []))
                hook.after_run(context, None)

            def run(name, arguments):
                return {"enqueue": lambda: session.run(queue.enqueue_op) and None, "step": step,
                        "size": lambda: int(session.run(queue.size())), "primed": lambda: bool(hook._queue_init),
                        "end": lambda: hook.end(session)}[name](**arguments)

            def after(answer, name):
                del name
                answer["log"] = [["consumed", v] for v in consumed]
                consumed.clear()

            return {"queue": type(queue).__name__, "other": taken["s"], "steps": case.steps(run, given["steps"], after)}


def function_mgr(given):
    with case.graph():
        default = given["default_is_async"]
        manager = prefetch_queue.AsyncFunctionMgr(*([] if default is None else [default]))
        called, made = [], tf.no_op(name="of_the_target")

        def target(*args, **kwargs):
            called.append([len(args), sorted(kwargs)])
            if given.get("fails"):
                raise RuntimeError("the target failed")
            return made

        options = {} if given["is_async"] is None else {"is_async": given["is_async"]}
        if given["with_arguments"]:
            options.update(args=(tf.constant(1),), kwargs={"x": tf.constant(2), "s": "keep"})
        returned = manager.add_async_function(target, **options)
        return {"target_arguments": called, "hooks": len(manager.hooks), "returns": "target" if returned is made else "enqueue"}


OPS = {"prefetch_queue.AsyncPushHook.sequence": push_hook, "prefetch_queue.AsyncFunctionMgr": function_mgr}
