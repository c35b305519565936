"""run: the program that is the others by their names (PROTOCOL.md section 23).

Of those only agent_client is entered; the others are noted.
"""
from monolith.agent_service import agent_client, run

from ops import program

called = []
run.agent_main = lambda _: called.append("agent")
run.tfs_client_main = lambda _: called.append("tfs_client")


def main(given):
    called.clear()
    answer = program.run(run.main, "run", given, [agent_client])
    if called:
        answer["called"] = list(called)
    return answer


OPS = {"run.main": main}
