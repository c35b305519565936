"""server_lib.py (PROTOCOL.md section 24)."""
import grpc
import tensorflow as tf
from monolith.native_training import barrier_ops
from monolith.native_training.hooks.server import client_lib
from monolith.native_training.hooks.server import server_lib
from monolith.native_training.hooks.server import service_pb2

import saver_hook
import tensorflow_case as case
from ops.barrier_ops import Steps

RPCS = ("StopTraining", "ResumeTraining", "GetBlockStatus", "SaveCheckpoint", "GetTrainingStatus")


class Saver(saver_hook.Saver):

    def save(self, session, path, global_step=None, write_meta_graph=True):
        self.log.append([path, int(global_step)])


def loopback(address):
    """The address of this machine that the port is served at, in the place of the case's host."""
    return "127.0.0.1:" + address.rsplit(":", 1)[1]


def sequence(given):
    with case.graph():
        barrier = barrier_ops.BarrierOp(given["capacity"])
        global_step = tf.compat.v1.train.create_global_step()
        value = tf.compat.v1.placeholder(tf.int64, [])
        assign = global_step.assign(value)
        saved = []
        hook = saver_hook.make([], save_secs=10000)
        hook._saver = Saver(saved)
        server = server_lib.ServerHook("m", barrier, hook)
        hook.begin()
        with case.session() as session:
            session.run(assign, {value: given.get("global_step", 7)})
            server.after_create_session(session, None)
            hook.after_create_session(session, None)
            saved.clear()
            with open("m/controller_server_addr.txt", encoding="utf-8") as f:
                address = f.read()
            on_barrier = Steps(barrier, session)
            with grpc.insecure_channel(loopback(address)) as channel:
                stub = client_lib.service_pb2_grpc.ControllerStub(channel)

                def run(name, arguments):
                    if name == "global_step":
                        session.run(assign, {value: arguments["value"]})
                        return None
                    if name not in RPCS:
                        return on_barrier.run(name, arguments)
                    return getattr(stub, name)(getattr(service_pb2, name + "Request")(), timeout=20)

                def attempt_call(answer, name):
                    answer["saved"] = list(saved)
                    saved.clear()
                    if name in RPCS and "e" in answer:
                        answer["status"] = failures.pop()
                        del answer["e"]

                failures = []

                def noting(name, arguments):
                    try:
                        return run(name, arguments)
                    except grpc.RpcError as e:
                        failures.append({"code": e.code().name, "details": e.details()})
                        raise

                answers = case.steps(noting, given["steps"], attempt_call)
            server._server.stop(None)
            return {"address": address.rsplit(":", 1)[0] + ":<PORT>", "steps": answers}


OPS = {"server_lib.ControllerServicer.sequence": sequence}
