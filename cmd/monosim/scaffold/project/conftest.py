"""What the fixtures of monosim-fixtures serve in the tests of this folder.

The package is runners/pytest of monosim: `make pytest-wheel` there builds its wheel. It has the
fixtures zookeeper, model_server, and cluster, which serves cluster.yaml."""

import pathlib

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def monosim_models():
    """Models of model_server: names, and folders with a folder for each version."""
    return {"ranker": HERE / "models" / "ranker"}
