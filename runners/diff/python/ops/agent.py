"""agent: the entry point, up to where it starts an agent (PROTOCOL.md section 20).

Children are run one after the other in this process, each with an environment of its own, as a forked one has.
"""
import os

from absl import flags

from monolith.agent_service import agent, agent_v1

from ops.agent_v1 import stage

flags.FLAGS.mark_as_parsed()

VARIABLES = ("REPLICA_ID", "DENSE_SERVICE_IDX")


class Child:
    """Stands for multiprocessing.Process."""

    def __init__(self, target, args):
        self._run = lambda: target(*args)

    def start(self):
        before = dict(os.environ)
        try:
            self._run()
        finally:
            os.environ.clear()
            os.environ.update(before)

    def join(self):
        pass


class Idle:
    """Stands for the model manager: nothing is started."""

    def __init__(self, *args):
        pass

    def start(self):
        return True


def main(given):
    agents = []

    class Agent(agent_v1.AgentV1):

        def __init__(self, config, conf_path, tfs_log):
            super().__init__(config, conf_path, tfs_log)
            agents.append({"tfs_log": tfs_log, "replica_id": config.replica_id, "agent_port": config.agent_port,
                           "tfs_dense_port": config.tfs_dense_port,
                           "environ": {name: os.environ.get(name) for name in VARIABLES}})

        def start(self):
            pass

        def wait_for_termination(self):
            pass

    stage.reset({"until_ms": 0})
    variables = dict(sorted(os.environ.items()))
    os.environ.clear()
    os.environ.update(variables)
    agent.Process, agent.AgentV1, agent.ModelManager = Child, Agent, Idle
    flags.FLAGS.conf = given["conf"]
    flags.FLAGS.tfs_log = given.get("tfs_log", flags.FLAGS["tfs_log"].default)
    agent.main(None)
    return {"agents": agents}


OPS = {"agent.main": main}
