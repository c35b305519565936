"""client: ServingClient, which asks agents v2 for models (PROTOCOL.md section 21)."""
from monolith.agent_service import client

import recorder
from ops import zk_mirror  # gives the mirror threads that run inline
from values import attempt, pairs

del zk_mirror


class Sequence:
    """A ServingClient on a fake client."""

    def __init__(self, given):
        self.zk = recorder.Client()
        client.MonolithKazooClient = lambda hosts: self.zk
        self.serving = client.ServingClient("", given["bzid"])
        self.zk.take_writes()

    def answer(self, name, arguments):
        answer = attempt(self.step, name, arguments)
        writes = self.zk.take_writes()
        if writes:
            answer["writes"] = writes
        return answer

    def step(self, name, arguments):
        if name.startswith("zk."):
            return recorder.call(self.zk, name[len("zk."):], arguments)
        result = getattr(self.serving, name)(**arguments)
        if name == "get_status":
            return [result.portal, result.publish, pairs(result.service), str(result)]
        return result


def sequence(given):
    run = Sequence(given)
    steps = [run.answer(name, arguments) for name, arguments in given["steps"]]
    return {"steps": steps, "data": pairs(run.serving._zk._data), "tree": run.zk.tree()}


OPS = {"client.ServingClient.sequence": sequence}
