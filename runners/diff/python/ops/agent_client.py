"""agent_client: the program (PROTOCOL.md section 23)."""
from monolith.agent_service import agent_client

from ops import program


def main(given):
    return program.run(agent_client.main, "agent_client", given, [agent_client])


OPS = {"agent_client.main": main}
