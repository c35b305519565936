"""client: ServingClient, which asks agents v2 for models (PROTOCOL.md section 21), and its program (section 23)."""
from absl import logging

from monolith.agent_service import client

import recorder
from ops import program
from ops import zk_mirror  # gives the mirror threads that run inline
from values import attempt, pairs

del zk_mirror

real_log = logging.log


class Sequence:
    """A ServingClient on a fake client."""

    def __init__(self, given):
        self.zk, self.warnings = recorder.Client(), []
        client.MonolithKazooClient = lambda hosts: self.zk
        logging.log = self.log
        self.serving = client.ServingClient("", given["bzid"])
        self.start = self.zk.take_writes()

    def log(self, level, line, *args):
        if level == logging.WARNING:
            self.warnings.append(str(line) % args if args else str(line))
        real_log(level, line, *args)

    def answer(self, name, arguments):
        answer = attempt(self.step, name, arguments)
        writes = self.zk.take_writes()
        if writes:
            answer["writes"] = writes
        if self.warnings:
            answer["log"], self.warnings = self.warnings, []
        return answer

    def step(self, name, arguments):
        if name.startswith("zk."):
            recorder.call(self.zk, name[len("zk."):], arguments)
            return None
        result = getattr(self.serving, name)(**arguments)
        if name == "get_status":
            return {"portal": result.portal, "publish": result.publish, "service": pairs(result.service),
                    "str": str(result)}
        return result


def sequence(given):
    try:
        run = Sequence(given)
        steps = [run.answer(name, arguments) for name, arguments in given["steps"]]
    finally:
        logging.log = real_log
    return {"start": run.start, "steps": steps, "tree": run.zk.tree()}


def main(given):
    return program.run(client.main, "client", given, [client])


OPS = {"client.ServingClient.sequence": sequence, "client.main": main}
