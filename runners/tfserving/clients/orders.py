"""Answers orders: JSON lines on stdin, a line on stdout for each.

obey(order) makes the answer. What cannot be done is {"failed": why}.
"""
import json
import os
import sys
import traceback


def answer_all(obey):
    # What libraries print must not reach the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            answer = obey(json.loads(line))
        except Exception as e:  # pylint: disable=broad-except
            traceback.print_exc()
            answer = {"failed": repr(e)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    os._exit(0)  # threads of gRPC may be left
