"""The reference's FakeKazooClient, with a log of what is written (PROTOCOL.md section 3).

Use Client for one; take_writes() for the log since the last call; call(client,
name, arguments) for the steps that address the client itself, which are not logged.
"""
import contextlib
import itertools

from kazoo import exceptions
from kazoo.protocol.states import KazooState
from monolith.agent_service import mocked_zkclient

import values


class Refusing(mocked_zkclient.FakeKazooClient):
    """Calls fail when a step says so, as those of a client do whose connection is lost."""

    def __init__(self):
        super().__init__()
        self.refusals = []
        self.DataWatch = self.watching("data_watch", self.DataWatch)
        self.ChildrenWatch = self.watching("children_watch", self.ChildrenWatch)

    def fail(self, call, error, after=0, times=1):
        """The next times calls, after so many that do not, raise the error of kazoo."""
        self.refusals.append({"call": call, "error": error, "after": after, "times": times})

    def refuse(self, call):
        refusal = next((r for r in self.refusals if r["call"] == call), None)
        if refusal is None or not self.logging:
            return
        if refusal["after"] > 0:
            refusal["after"] -= 1
            return
        refusal["times"] -= 1
        if refusal["times"] == 0:
            self.refusals.remove(refusal)
        raise getattr(exceptions, refusal["error"])()

    def watching(self, call, watch):
        def watched(*args, **kwargs):
            self.refuse(call)
            return watch(*args, **kwargs)
        return watched

    def create(self, *args, **kwargs):
        self.refuse("create")
        return super().create(*args, **kwargs)

    def set(self, *args, **kwargs):
        self.refuse("set")
        return super().set(*args, **kwargs)

    def delete(self, *args, **kwargs):
        self.refuse("delete")
        return super().delete(*args, **kwargs)

    def ensure_path(self, *args, **kwargs):
        self.refuse("ensure_path")
        return super().ensure_path(*args, **kwargs)

    def get(self, *args, **kwargs):
        self.refuse("get")
        return super().get(*args, **kwargs)

    def exists(self, *args, **kwargs):
        self.refuse("exists")
        return super().exists(*args, **kwargs)

    def get_children(self, *args, **kwargs):
        self.refuse("get_children")
        return super().get_children(*args, **kwargs)


class Client(Refusing):
    """Logs calls that write before they are done."""

    def __init__(self):
        super().__init__()
        self.writes = []
        self.logging = True
        self.listeners = []

    def note(self, name, **arguments):
        if self.logging:
            shown = {k: v for k, v in arguments.items() if v is not None and v is not False}
            self.writes.append([name, values.Raw(values.encode(shown))])

    def create(self, path, value=b"", acl=None, ephemeral=False, makepath=False, include_data=False,
               sequence=False):
        self.note("create", path=path, value=value, ephemeral=ephemeral, makepath=makepath, sequence=sequence)
        return super().create(path, value, acl=acl, ephemeral=ephemeral, makepath=makepath,
                              include_data=include_data, sequence=sequence)

    def set(self, path, value):
        self.note("set", path=path, value=value)
        return super().set(path, value)

    def delete(self, path, recursive=True):
        self.note("delete", path=path, recursive=recursive)
        return super().delete(path, recursive)

    def ensure_path(self, path):
        self.note("ensure_path", path=path)
        return super().ensure_path(path)

    def add_listener(self, listener):
        self.listeners.append(listener)

    def tell(self, state):
        """Has the listeners hear of a state of the session."""
        for listener in self.listeners:
            listener(state)

    def restart(self):
        """Of the real client only, which backends calls after a loss. Here it is noted and does nothing."""
        self.note("restart")

    @property
    def state(self):
        """Of the real client only, which a mirror asks whose connection was closed."""
        return KazooState.CONNECTED if self._catalog is not None else KazooState.LOST

    @contextlib.contextmanager
    def unlogged(self):
        before, self.logging = self.logging, False
        try:
            yield
        finally:
            self.logging = before

    def take_writes(self, sort=("delete",)):
        """The log, which is then empty.

        Runs of the calls in sort, which the reference makes in the order of a set, are in order of path.
        """
        taken, self.writes = self.writes, []
        return in_runs(taken, sort)

    def drop_watches(self):
        """Forgets every watch, so that what is done later is not seen."""
        self._catalog._data_watches.clear()
        self._catalog._children_watches.clear()

        def visit(node):
            node._data_watch = node._children_watch = None
            for child in node.children.values():
                visit(child)

        visit(self._catalog.root)

    def tree(self):
        """[path, value, version, ephemeral] of every node below the root; None while not started."""
        if self._catalog is None:
            return None
        found = []

        def visit(node):
            for child in node.children.values():
                found.append([child.path, child.value, child._version, bool(child.ephemeral)])
                visit(child)

        visit(self._catalog.root)
        return found


def path_of(write):
    return write[1].json.get("path", "")


def in_runs(writes, names):
    """The writes, runs of one of the names in order of path."""
    result = []
    for name, run in itertools.groupby(writes, key=lambda w: w[0]):
        result.extend(sorted(run, key=path_of) if name in names else run)
    return result


def call(client, name, arguments):
    """A step on the client itself, its arguments by name or a list.

    It is not logged, nor is what callbacks write meanwhile.
    """
    with client.unlogged():
        method = getattr(client, name)
        result = method(*arguments) if isinstance(arguments, list) else method(**arguments)
    return result[0] if name == "get" else shown(result)


def shown(result):
    """A result with its ZnodeStat, if there is one, as an answer shows it."""
    if isinstance(result, tuple) and len(result) == 2:
        return [result[0], stat(result[1])]
    return result


def stat(znode):
    """The entries of a ZnodeStat that show."""
    return {k: getattr(znode, k) for k in ("version", "dataLength", "numChildren", "ephemeralOwner")}


def event(watched):
    """A WatchedEvent or None as an answer shows it."""
    return None if watched is None else {k: getattr(watched, k) for k in ("type", "state", "path")}
