"""client: ServingClient, which asks agents v2 for models (PROTOCOL.md section 21), and its program (section 23)."""
import types

from monolith.agent_service import client

import recorder
from ops import program
from ops import zk_mirror  # gives the mirror threads that run inline
from values import attempt, pairs

del zk_mirror

real_logging = client.logging


class Sequence:
    """A ServingClient on a fake client."""

    def __init__(self, given):
        self.zk, self.warnings = recorder.Client(), []
        client.MonolithKazooClient = lambda hosts: self.zk
        client.logging = types.SimpleNamespace(warning=self.warn)
        self.serving = client.ServingClient("", given["bzid"])
        self.start = self.zk.take_writes()

    def warn(self, line):
        self.warnings.append(line)
        real_logging.warning(line)

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
    run = Sequence(given)
    steps = [run.answer(name, arguments) for name, arguments in given["steps"]]
    return {"start": run.start, "steps": steps, "tree": run.zk.tree()}


def main(given):
    return program.run(client.main, "client", given, [client])


OPS = {"client.ServingClient.sequence": sequence, "client.main": main}
