"""The fixtures drive real processes of monosim; those that go wrong run in a pytest of their own."""

import json
import socket
import urllib.error
import urllib.request

import pytest

from monosim_fixtures import MonosimError, ZooKeeper, servers

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A folder with models ranker and filter."""
    folder = tmp_path_factory.mktemp("models")
    for name, version in [("ranker", "1"), ("ranker", "3"), ("filter", "7")]:
        (folder / name / version).mkdir(parents=True)
        (folder / name / version / "saved_model.pb").write_text('{"signatures": {}}')
    return folder


@pytest.fixture(scope="session")
def monosim_models(models):
    return {"ranker": models / "ranker", "filter": models / "filter"}


@pytest.fixture(scope="session")
def monosim_cluster(tmp_path_factory):
    path = tmp_path_factory.mktemp("description") / "cluster.yaml"
    path.write_text("replicas: 2\nrestart_after: 1s\n")
    return path


def say(address, word):
    """Sends a four-letter word to a ZooKeeper."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as s:
        s.sendall(word)
        return s.makefile("rb").read()


def test_zookeeper_answers(zookeeper):
    assert say(zookeeper.hosts, b"ruok") == b"imok"
    assert zookeeper.ask("sessions") is not None
    with pytest.raises(MonosimError, match="404|no such"):
        zookeeper.ask("nothing/here")


def test_model_server_has_loaded_its_models(model_server):
    for name, version in [("ranker", "3"), ("filter", "7")]:
        with urllib.request.urlopen(f"{model_server.rest}/v1/models/{name}", timeout=20) as answer:
            states = {s["version"]: s["state"] for s in json.load(answer)["model_version_status"]}
        assert states == {version: "AVAILABLE"}
    with socket.create_connection(model_server.grpc.split(":"), timeout=20):
        pass
    assert "Successfully loaded servable version {name: ranker version: 3}" in model_server.log()


def test_cluster_serves(cluster):
    assert [pod["name"] for pod in cluster.pods] == ["shard0-replica0", "shard0-replica1"]
    assert say(cluster.zookeeper, b"ruok") == b"imok"
    cluster.ask("pods/kill", pod="shard0-replica1")


def test_a_token_is_wanted(zookeeper):
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(zookeeper.admin + "/sessions", timeout=20)
    assert zookeeper.token_file.stat().st_mode & 0o777 == 0o600


def test_a_server_ends_with_its_block(tmp_path):
    with ZooKeeper(tmp_path, args=["--tick", "500ms"]) as server:
        assert say(server.hosts, b"ruok") == b"imok"
    with pytest.raises(OSError):
        say(server.hosts, b"ruok")


def fails(pytester, *want):
    """Runs a test of model_server in a pytest of its own, which has to fail with these lines."""
    pytester.makepyfile("def test(model_server): pass")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{line}*" for line in want])
    result.stdout.no_fnmatch_line("*plugin.py*")
    result.stdout.no_fnmatch_line("*During handling*")


def test_time_out_has_the_log(pytester):
    pytester.mkdir("empty")
    pytester.makeini("[pytest]\nmonosim_models = ranker = empty\nmonosim_timeout = 0.5")
    fails(pytester, "waited 0.5s, want ranker to be loaded; it logged", "No versions of servable ranker found under base path")


def test_end_of_the_server_has_the_log(tmp_path):
    with pytest.raises(MonosimError, match="ended with exit code 2, want it to serve; it logged\n  monosim: unknown flag: --nope"):
        ZooKeeper(tmp_path, args=["--nope"])


def test_models_that_are_missing_are_named(pytester):
    pytester.makeini("[pytest]\nmonosim_models = ranker = nowhere")
    fails(pytester, "model ranker: found no directory */nowhere, want one of versions")


def test_no_models_are_told(pytester):
    fails(pytester, "model_server: found no models, want some")


def test_settings_that_make_no_sense_are_told(pytester):
    pytester.makeini("[pytest]\nmonosim_models = ranker")
    pytester.makepyfile("def test(model_server): pass")
    pytester.runpytest_subprocess().stdout.fnmatch_lines(["*monosim_models: found 'ranker', want a model and its base path*"])


@pytest.mark.parametrize("named", ["/nowhere/monosim", ""])
def test_no_program_is_told(monkeypatch, tmp_path, named):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MONOSIM", named)
    with pytest.raises(MonosimError, match="MONOSIM"):
        servers.program()


def test_no_description_is_told(tmp_path):
    with pytest.raises(MonosimError, match="found no file .*cluster.yaml, want a description: monosim serve --example"):
        servers.Cluster(tmp_path, tmp_path / "cluster.yaml")
