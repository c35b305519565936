"""base_runner.py (PROTOCOL.md section 25)."""
from monolith import base_runner

from values import attempt


class Writer:
    """Notes what it is given."""

    def __init__(self):
        self.events = []

    def add_summary(self, summary, step):
        self.events.append([summary, step])


def write_summary(given):
    runner, writer = base_runner.BaseRunner("ignored", also="ignored"), Writer()
    result = attempt(runner.write_summary, dict(given["logs"]), writer, given["step"])
    return {"result": result, "events": writer.events, "run": attempt(runner.run)}


OPS = {"base_runner.write_summary": write_summary}
