"""The fixtures. Settings of pytest say what they serve:

    [pytest]
    monosim_models =
        ranker = models/ranker
    monosim_cluster = cluster.yaml
    monosim_timeout = 30

A conftest.py may say it in fixtures of these names, too: monosim_models, monosim_cluster and
monosim_timeout, each of the scope session."""

import pytest

from .servers import Cluster, ModelServer, MonosimError, ZooKeeper


def pytest_addoption(parser):
    parser.addini("monosim_models", "models of the fixture model_server, a line each: name = base path", "linelist")
    parser.addini("monosim_cluster", "description for the fixture cluster", default="cluster.yaml")
    parser.addini("monosim_timeout", "seconds within which a server has to serve", default="30")


@pytest.fixture(scope="session")
def monosim_models(pytestconfig):
    """Names and base paths of the models of model_server."""
    models = {}
    for line in pytestconfig.getini("monosim_models"):
        name, equals, path = (part.strip() for part in line.partition("="))
        if not (name and equals and path):
            raise pytest.UsageError(f"monosim_models: found {line!r}, want a model and its base path, as ranker = models/ranker")
        models[name] = path if "://" in path else pytestconfig.rootpath / path
    return models


@pytest.fixture(scope="session")
def monosim_cluster(pytestconfig):
    """The path of the description of cluster."""
    return pytestconfig.rootpath / pytestconfig.getini("monosim_cluster")


@pytest.fixture(scope="session")
def monosim_timeout(pytestconfig):
    """Seconds within which a server has to serve."""
    text = pytestconfig.getini("monosim_timeout")
    try:
        return float(text)
    except ValueError:
        raise pytest.UsageError(f"monosim_timeout: found {text!r}, want seconds, as 30") from None


@pytest.fixture(scope="session")
def zookeeper(tmp_path_factory, monosim_timeout):
    """A ZooKeeper: KazooClient(hosts=zookeeper.hosts)."""
    yield from _serve(ZooKeeper, tmp_path_factory.mktemp("zookeeper"), timeout=monosim_timeout)


@pytest.fixture(scope="session")
def model_server(tmp_path_factory, monosim_models, monosim_timeout):
    """A TensorFlow Serving: grpc.insecure_channel(model_server.grpc), model_server.rest."""
    yield from _serve(ModelServer, tmp_path_factory.mktemp("tfserving"), monosim_models, timeout=monosim_timeout)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory, monosim_cluster, monosim_timeout):
    """A cluster: cluster.zookeeper, cluster.pods[0]["agent"], cluster.ask("pods/kill", pod="shard0-replica1")."""
    yield from _serve(Cluster, tmp_path_factory.mktemp("cluster"), monosim_cluster, timeout=monosim_timeout)


def _serve(kind, *args, **options):
    """Yields a server. One that does not serve fails the test with its words alone."""
    server, words = None, ""
    try:
        server = kind(*args, **options)
    except MonosimError as e:
        words = str(e)
    if server is None:
        pytest.fail(words, pytrace=False)  # out of the except, which would be shown, too
    with server:
        yield server
