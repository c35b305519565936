"""session_hooks.py (PROTOCOL.md section 24)."""
import tensorflow as tf
from monolith.native_training.hooks import session_hooks

import tensorflow_case as case


def sequence(given):
    session_hooks._INFO.session = None
    with case.graph():
        names = ("first", "second", "default")
        sessions = {name: tf.compat.v1.Session() for name in names}
        hook, current, entered = session_hooks.SetCurrentSessionHook(), [], []
        for step in given["steps"]:
            if step == "after_create_session":
                hook.after_create_session(sessions["first"], None)
            elif step == "after_create_session2":
                hook.after_create_session(sessions["second"], None)
            elif step == "end":
                hook.end(None)
            elif step == "enter":
                entered.append(sessions["default"].as_default())
                entered[-1].__enter__()
            elif step == "leave":
                entered.pop().__exit__(None, None, None)
            else:
                found = session_hooks.get_current_session()
                current.append(next((n for n in names if sessions[n] is found), None))
        while entered:
            entered.pop().__exit__(None, None, None)
    return {"current": current}


OPS = {"session_hooks.sequence": sequence}
