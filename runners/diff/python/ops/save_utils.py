"""save_utils.py (PROTOCOL.md section 24)."""
import itertools
import os
import shutil

import tensorflow as tf
from google.protobuf import text_format
from monolith.native_training import save_utils
from monolith.native_training.monolith_checkpoint_state_pb2 import MonolithCheckpointState

import saver_hook
import surroundings
import tensorflow_case as case
from ops.session_run_hooks import Now
from values import attempt

save_utils.datetime = Now


def monolith_state(state):
    """A MonolithCheckpointState as an answer shows it."""
    return state and {
        "exempt_model_checkpoint_paths": list(state.exempt_model_checkpoint_paths),
        "last_checkpoint_save_timestamp": state.last_checkpoint_save_timestamp,
        "builtin_hash_table_type": state.builtin_hash_table_type,
    }


def monolith_state_of(directory):
    """What is in the file of a directory."""
    name = os.path.join(directory, "monolith_checkpoint")
    if not os.path.exists(name):
        return None
    try:
        with open(name, encoding="utf-8") as f:
            return monolith_state(text_format.Parse(f.read(), MonolithCheckpointState()))
    except (text_format.ParseError, UnicodeDecodeError):
        return "<unparsable>"


def state(found):
    """A CheckpointState as an answer shows it."""
    return found and {"model_checkpoint_path": found.model_checkpoint_path,
                      "all_model_checkpoint_paths": list(found.all_model_checkpoint_paths)}


def get_monolith_checkpoint_state(given):
    return monolith_state(save_utils.get_monolith_checkpoint_state(**given))


def save_helper(given):
    helper = save_utils.SaveHelper(given["basename"])
    prefix = helper.get_ckpt_prefix(given["step"])
    return {"prefix": prefix, "asset_dir": helper.get_ckpt_asset_dir(prefix),
            "steps": [[p, attempt(helper.get_global_step_value, p)] for p in given["prefixes"]]}


def existing_checkpoint_steps(given):
    return sorted(save_utils.SaveHelper(given["basename"]).get_existing_checkpoint_steps())


def latest_checkpoint_state(given):
    save_utils._ckpt_state_cache_map.clear()
    directory, states = given["checkpoint_dir"], []
    for name, *arguments in given["steps"]:
        file = os.path.join(directory, "checkpoint")
        if name == "write":
            surroundings.directory.write_one(file, arguments[0])
        elif name == "remove":
            os.remove(file)
        else:
            states.append(state(save_utils.get_latest_checkpoint_state(directory, arguments[0])))
    return {"states": states}


def timer(given):
    case.time.reset(given["now"])
    made = save_utils.SecondOrStepTimerWithTideSetting(**given["kwargs"])

    def advance(seconds):
        case.time.now += seconds

    methods = {"should": made.should_trigger_for_step, "update": made.update_last_triggered_step,
               "last": made.last_triggered_step, "reset": made.reset, "enable": made.enable, "disable": made.disable,
               "pass": advance}
    return {"steps": case.steps(lambda name, arguments: methods[name](**arguments), given["steps"])}


def hook_sequence(given):
    log = []
    with case.graph(given.get("now", surroundings.START_TIME)):
        step = tf.compat.v1.train.create_global_step()
        value = tf.compat.v1.placeholder(tf.int64, [])
        assign = step.assign(value)
        hook = saver_hook.make(log, given.get("outcomes") or (), given.get("listeners") or (), given.get("guards") or (),
                               **given["kwargs"])
        for name, flag in (given.get("flags") or {}).items():
            setattr(hook, name, flag)
        hook.begin()
        begin = list(log)
        log.clear()
        with case.session() as session:

            def set_step(number):
                session.run(assign, {value: number})

            def run_step(number):
                set_step(number - 1)
                context = tf.estimator.SessionRunContext((), session)
                read = session.run(hook.before_run(context).fetches)
                set_step(number)
                hook.after_run(context, tf.estimator.SessionRunValues(read, None, None))
                return {"stop": context.stop_requested}

            def advance(seconds):
                case.time.now += seconds

            methods = {
                "create_session": lambda: hook.after_create_session(session, None),
                "run": lambda step: run_step(step), "set": lambda value: set_step(value),
                "trigger_save": lambda **kwargs: hook.trigger_save(session, **kwargs), "end": lambda: hook.end(session),
                "enable": lambda: hook.timer.enable(), "disable": lambda: hook.timer.disable(),
                "last": lambda: case.plain(hook.timer.last_triggered_step()), "pass": advance,
            }

            def after(answer, name):
                del name
                answer["log"] = case.plain(list(log))
                answer["monolith_checkpoint"] = monolith_state_of("m")
                log.clear()

            return {"begin": begin,
                    "steps": case.steps(lambda name, arguments: methods[name](**arguments), given["steps"], after)}


def saver_sequence(given):
    os.makedirs("m", exist_ok=True)
    with case.graph(given["now"]):
        tf.compat.v1.get_variable("v", initializer=1.0)
        saver = save_utils.PartialRecoverySaver(**given["kwargs"])
        with case.session() as session:

            def remove(name):
                if os.path.isdir(name):
                    shutil.rmtree(name)
                else:
                    os.remove(name)

            def advance(seconds):
                case.time.now += seconds

            methods = {
                "save": lambda step: saver.save(session, "m/model.ckpt", global_step=step, write_meta_graph=False),
                "write": surroundings.directory.write_one, "remove": remove, "pass": advance,
                "set_last": lambda paths: saver.set_last_checkpoints_with_time([(p, case.time.now) for p in paths]),
                "recover": lambda paths: saver.recover_last_checkpoints(paths),
            }

            def run(name, arguments):
                if name == "write":
                    return methods[name](arguments["name"], arguments["text"])
                return methods[name](**arguments)

            def after(answer, name):
                del name
                answer["last"] = saver.last_checkpoints
                answer["files"] = sorted(n[:-len(".index")] for n in os.listdir("m") if n.endswith(".index"))
                answer["state"] = state(tf.train.get_checkpoint_state("m"))

            return {"steps": case.steps(run, given["steps"], after)}


def values_sequence(given):
    with case.graph():
        variables = {n: tf.compat.v1.get_variable(n, initializer=tf.constant(v, tf.int64)) for n, v in (("v0", 10), ("v1", 20))}
        places = {n: tf.compat.v1.placeholder(tf.int64, shape=[]) for n in variables}
        assigns = {n: v.assign(places[n]) for n, v in variables.items()}

        def make(names, **kwargs):
            return save_utils.PartialRecoverySaver({name: variables[n] for n, name in names.items()}, **kwargs)

        saver = make(given["names"], **given["kwargs"])
        others = {index: make(arguments["names"]) for index, (name, *rest) in enumerate(given["steps"])
                  for arguments in rest if name == "restore" and "names" in arguments}
        with case.session() as session:
            index = itertools.count()

            def restore(path, names=None):
                (others[current] if names is not None else saver).restore(session, path)

            methods = {
                "set": lambda name, value: session.run(assigns[name].op, {places[name]: value}),
                "save": lambda path, step=None: saver.save(session, path, global_step=step, write_meta_graph=False),
                "restore": restore, "latest": tf.train.latest_checkpoint, "move": os.renames,
                "mkdir": os.makedirs, "write": surroundings.directory.write_one,
            }

            def run(name, arguments):
                nonlocal current
                current = next(index)
                if name in ("write", "move", "mkdir", "latest"):
                    return methods[name](*arguments.values())
                return methods[name](**arguments)

            def after(answer, name):
                del name
                answer["values"] = {n: int(session.run(v)) for n, v in variables.items()}
                found = sorted(os.path.relpath(os.path.join(d, f), ".") for d, _, files in os.walk(".") for f in files)
                answer["checkpoints"] = [f[:-len(".index")] for f in found if f.endswith(".index")]
                answer["states"] = {}
                for f in found:
                    if os.path.basename(f) == "checkpoint":
                        with open(f, encoding="utf-8") as opened:
                            answer["states"][f] = opened.read()

            current = 0
            return {"steps": case.steps(run, given["steps"], after)}


class Cluster:
    """Servers of TensorFlow for so many PS and one worker, in this process."""

    servers = {}

    @classmethod
    def target(cls, num_ps):
        if num_ps not in cls.servers:
            ports = []
            for _ in range(num_ps + 1):
                with surroundings.real_socket() as s:
                    s.bind(("127.0.0.1", 0))
                    ports.append(s.getsockname()[1])
            addrs = [f"127.0.0.1:{p}" for p in ports]
            spec = tf.train.ClusterSpec({"ps": addrs[:num_ps], "worker": addrs[num_ps:]})
            cls.servers[num_ps] = [tf.distribute.Server(spec, job_name=job, task_index=i)
                                   for job, n in (("ps", num_ps), ("worker", 1)) for i in range(n)]
        return cls.servers[num_ps][-1].target


containers = itertools.count()


def restore_sequence(given):
    os.makedirs("m", exist_ok=True)
    num_ps = given["num_ps"]
    with case.graph() as graph, graph.container(f"case{next(containers)}"):
        variables = {}
        for i in range(max(1, num_ps)):
            with tf.device(save_utils.utils.ps_device(i) if num_ps else None):
                variables[f"v{i}"] = tf.compat.v1.get_variable(f"v{i}", initializer=tf.constant(1, tf.int64), use_resource=False)
        with tf.device(save_utils.utils.ps_device(0) if num_ps else None):
            variables["global_step"] = tf.compat.v1.train.get_or_create_global_step()
        monitor = save_utils.PsMonitor(num_ps) if given.get("monitor") else None
        forget = [q.dequeue() for q in monitor._queues.values()] if monitor else []
        init = tf.compat.v1.global_variables_initializer()
        saver = save_utils.PartialRecoverySaver(sharded=num_ps > 0, ps_monitor=monitor)
        clear = given.get("clear_nn")
        if clear is not None:
            init.model_dir = clear.get("model_dir")
            if clear.get("continue_training"):
                ph = tf.compat.v1.placeholder(tf.int64, shape=[])
                update = variables["global_step"].assign(ph)
                graph.add_to_collection(save_utils.CUSTOM_RESTORE_OP, ([init, update], [ph], None))
            else:
                graph.add_to_collection(save_utils.CUSTOM_RESTORE_OP, ([init], [None], None))
        places = {n: tf.compat.v1.placeholder(tf.int64, shape=[]) for n in variables}
        assigns = {n: v.assign(places[n]) for n, v in variables.items()}
        with tf.compat.v1.Session(Cluster.target(num_ps) if num_ps else "") as session:
            session.run(init)

            def run(name, arguments):
                if name == "set":
                    session.run(assigns[arguments["name"]], {places[arguments["name"]]: arguments["value"]})
                    return None
                if name == "forget":
                    session.run(forget[arguments["ps"]])
                    return None
                if name == "uninitialized":
                    return bool(monitor.is_ps_uninitialized(session, arguments["device"]))
                if name == "remove":
                    return os.remove(arguments["name"])
                return {"save": lambda step: saver.save(session, "m/model.ckpt", global_step=step, write_meta_graph=False),
                        "restore": lambda path: saver.restore(session, path),
                        "setup": lambda: saver.setup_ps_initialized_state(session),
                        "write": lambda name, text: surroundings.directory.write_one(name, text)}[name](**arguments)

            def after(answer, name):
                del name
                answer["values"] = {n: int(session.run(v)) for n, v in variables.items()}
                answer["cleared"] = sorted(d for d in ("m", "other") if os.path.exists(f"{d}/clear_nn"))

            return {"steps": case.steps(run, given["steps"], after)}


OPS = {
    "save_utils.get_monolith_checkpoint_state": get_monolith_checkpoint_state,
    "save_utils.SaveHelper": save_helper,
    "save_utils.SaveHelper.get_existing_checkpoint_steps": existing_checkpoint_steps,
    "save_utils.get_latest_checkpoint_state": latest_checkpoint_state,
    "save_utils.SecondOrStepTimerWithTideSetting.sequence": timer,
    "save_utils.NoFirstSaveCheckpointSaverHook.sequence": hook_sequence,
    "save_utils.PartialRecoverySaver.sequence": saver_sequence,
    "save_utils.PartialRecoverySaver.restore": restore_sequence,
    "save_utils.PartialRecoverySaver.values": values_sequence,
}
