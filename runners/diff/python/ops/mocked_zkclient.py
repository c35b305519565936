"""mocked_zkclient.sequence (PROTOCOL.md section 7)."""
import recorder
from values import Raw, attempt, encode


class Sequence:
    """One client, and the log of what its watches called."""

    def __init__(self):
        self.client = recorder.Client()
        self.called = []

    def step(self, name, arguments):
        """Does a step; answers its result."""
        if hasattr(self, name):
            return getattr(self, name)(**arguments)
        return recorder.shown(getattr(self.client, name)(**arguments))

    def log(self, *entry):
        self.called.append(Raw(encode(list(entry))))

    def behave(self, behaviour):
        """What a callback does after it was logged."""
        if behaviour == "raise_type_error":
            raise TypeError("boom")
        if behaviour == "raise_value_error":
            raise ValueError("boom")
        if behaviour == "return_false":
            return False
        if isinstance(behaviour, list) and behaviour:
            (name, arguments), = behaviour
            behaviour.clear()
            self.log("re-entrant", name, attempt(self.step, name, arguments))
        return None

    def data_watch(self, path, id, arity=3, behave=None):  # pylint: disable=redefined-builtin

        def of_two(value, stat):
            self.log(id, "data2", value, recorder.stat(stat))
            return self.behave(behave)

        def of_three(value, stat, event):
            self.log(id, "data", value, recorder.stat(stat), recorder.event(event))
            return self.behave(behave)

        def of_any(*arguments):
            return of_two(*arguments) if len(arguments) == 2 else of_three(*arguments)

        self.client.DataWatch(path, {2: of_two, 0: of_any}.get(arity, of_three))

    def children_watch(self, path, id, send_event=False, behave=None):  # pylint: disable=redefined-builtin

        def plain(names):
            self.log(id, "children", names)
            return self.behave(behave)

        def with_event(names, event):
            self.log(id, "children_event", names, recorder.event(event))
            return self.behave(behave)

        self.client.ChildrenWatch(path, with_event if send_event else plain, send_event=send_event)

    def election(self, path, identifier=None):
        notes = []
        self.client.Election(path, identifier).run(lambda: notes.append("leader"))
        return notes

    def election_not_callable(self, path):
        return self.client.Election(path).run(5)

    def election_cancel(self, path):
        return self.client.Election(path).cancel()


def sequence(given):
    run = Sequence()
    steps = []
    for name, arguments in given["ops"]:
        answer = attempt(run.step, name, arguments)
        if run.called:
            answer["cb"], run.called = run.called, []
        steps.append(answer)
    return {"steps": steps, "tree": run.client.tree()}


OPS = {"mocked_zkclient.sequence": sequence}
