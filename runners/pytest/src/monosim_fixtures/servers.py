"""Servers of monosim, each a process that ends with its `with` block."""

import json
import os
import pathlib
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

_POLL_S = 0.01
_END_S = 10  # to end in order, before it is killed
_TAIL_LINES = 15


class MonosimError(Exception):
    """What keeps a server from serving, with what it logged."""


def program():
    """Returns the path of monosim: what MONOSIM names, else the one on PATH."""
    named = os.environ.get("MONOSIM")
    path = shutil.which(named or "monosim")
    if path is None and named:
        raise MonosimError(f"MONOSIM: found no program {named}, want the path of monosim")
    if path is None:
        raise MonosimError("found no monosim on PATH, want it there, or its path in the variable MONOSIM")
    return path


class Server:
    """A process of monosim, with its output in files of a folder.

    admin is the address of its interface for live faults: ask(path, field=value) posts to it,
    and ask("") lists what there is. token_file has the token that requests to it carry."""

    def __init__(self, folder, args, timeout, flag="--admin-token-file"):
        self.admin = ""
        self._folder = pathlib.Path(folder)
        self.token_file = self._folder / "admin.token"
        self._args = [*map(str, args), f"{flag}={self.token_file}"]
        self._until, self._timeout = time.monotonic() + timeout, timeout
        self._command = [program(), *self._args]
        with open(self._folder / "stdout", "wb") as out, open(self._folder / "stderr", "wb") as err:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log(self):
        """Returns what the server has logged so far."""
        return (self._folder / "stderr").read_text(errors="replace")

    def ask(self, path, **fields):
        """Returns what the interface for live faults answers to a GET, or to a POST of fields."""
        body = json.dumps(fields).encode() if fields else None
        name, _, token = self.token_file.read_text().strip().partition(": ")
        request = urllib.request.Request(f"{self.admin}/{path.lstrip('/')}", body, {"Content-Type": "application/json", name: token})
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                text = answer.read()
        except urllib.error.HTTPError as e:
            raise MonosimError(f"{self.admin}/{path}: {e.code} {e.read().decode(errors='replace')}") from None
        return json.loads(text) if text else None

    def _await(self, what, ready):
        """Returns what ready() returns once that is true."""
        while True:
            found = ready()
            if found:
                return found
            code = self._process.poll()
            if code is not None:
                raise MonosimError(self._failure(f"ended with exit code {code}, want it to serve"))
            if time.monotonic() > self._until:
                self.__exit__()
                raise MonosimError(self._failure(f"waited {self._timeout:g}s, want {what}"))
            time.sleep(_POLL_S)

    def _failure(self, why):
        lines = self.log().splitlines()[-_TAIL_LINES:] or ["(nothing)"]
        return "\n  ".join([f"monosim {' '.join(self._args)}: {why}; it logged", *lines])

    def _lines(self, n):
        """Returns a function that returns the first n lines of output once they are there."""
        def lines():
            whole = (self._folder / "stdout").read_text().splitlines(keepends=True)[:n]
            return [s.rstrip() for s in whole] if len(whole) == n and whole[-1].endswith("\n") else None
        return lines


class ZooKeeper(Server):
    """A ZooKeeper server. hosts is its address, as KazooClient(hosts=...) takes it."""

    def __init__(self, folder, timeout=30.0, args=()):
        super().__init__(folder, ["zookeeper", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", *args], timeout)
        self.hosts, admin = self._await("its address", self._lines(2))
        self.admin = _bare(admin.split()[-1])


class ModelServer(Server):
    """A TensorFlow Serving of some models, names and base paths, that has loaded all of them.

    grpc is an address, as grpc.insecure_channel(...) takes it, and rest an URL."""

    def __init__(self, folder, models, timeout=30.0, args=()):
        if not models:
            raise MonosimError("model_server: found no models, want some: monosim_models in the settings of pytest, or a fixture of that name")
        for name, path in models.items():
            if "://" not in str(path) and not os.path.isdir(path):
                raise MonosimError(f"model_server: model {name}: found no directory {path}, want one of versions, as {path}/1/saved_model.pb")
        folder = pathlib.Path(folder)
        config, ports = folder / "models.conf", folder / "ports.json"
        config.write_text("model_config_list {\n%s}\n" % "".join(map(_config, models, models.values())))
        super().__init__(folder, [
            "tfserving", f"--model_config_file={config}", "--port=8500", "--rest_api_port=8501", "--monosim_any_port",
            "--monosim_admin=127.0.0.1:0", f"--monosim_ports_file={ports}", *args], timeout, "--monosim_admin_token_file")
        self._await(f"{', '.join(models)} to be loaded", ports.exists)
        found = json.loads(ports.read_text())
        self.grpc, self.rest = f"127.0.0.1:{found['grpc']}", f"http://127.0.0.1:{found['rest']}"
        self.admin = f"http://127.0.0.1:{found['admin']}"


def _bare(url):
    """An address without the token in it."""
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port}"


def _config(name, path):
    path = str(path) if "://" in str(path) else os.path.abspath(path)
    return f"  config {{ name: {json.dumps(name)} base_path: {json.dumps(path)} model_platform: \"tensorflow\" }}\n"


class Cluster(Server):
    """A cluster of agents and model servers with a ZooKeeper, of a description.

    zookeeper is an address. pods is a list with a dict for each: name, agent (an address),
    and model_servers, with grpc and rest."""

    def __init__(self, folder, description, timeout=60.0, args=()):
        if not os.path.isfile(description):
            raise MonosimError(f"cluster: found no file {description}, want a description: monosim serve --example > {description}")
        super().__init__(folder, ["serve", description, "--json", "--admin", "127.0.0.1:0", *args], timeout)
        found = json.loads(self._await("every pod to serve", self._lines(1))[0])
        self.admin, self.zookeeper, self.pods = _bare(found["admin"]), found["zookeeper"], found["pods"]
