"""The patterns of datasets.py (PROTOCOL.md section 25)."""
import datetime
import types

import tensorflow as tf
from absl import flags
from monolith.native_training.data import datasets

import shown
import surroundings
from values import attempt

FLAGS = flags.FLAGS


class Files:
    """Finds what a case says that there is."""

    def __init__(self, existing):
        self.existing, self.globbed = existing, []

    def glob(self, pattern):
        self.globbed.append(pattern)
        if self.existing == "error":
            raise tf.errors.PermissionDeniedError(None, None, "denied")
        return [pattern] if self.existing == "all" or pattern in self.existing else []


class Said:
    """The log of the module, from the first line about a pattern to the last."""

    def __init__(self, log):
        self.log, self.on = log, False

    def info(self, text, *args):
        self.on = self.on or text.startswith("The original string is")
        if self.on:
            self.log.info(text, *args)
        self.on = self.on and not text.startswith("all_input_files")

    def warning(self, text, *args):
        if self.on:
            self.log.warning(text, *args)

    def error(self, text, *args):
        if self.on:
            self.log.error(text, *args)


def patterns(given):
    if not FLAGS.is_parsed():
        FLAGS(["testee"])
    shown.set_verbosity()
    files, made = Files(given["existing"]), []
    real = datasets.tf, datasets.DistributedFilePBDataset, datasets.FilePBDataset, datasets.logging
    datasets.logging = Said(real[-1])
    datasets.tf = types.SimpleNamespace(io=types.SimpleNamespace(gfile=files))
    datasets.DistributedFilePBDataset = lambda patterns, **kwargs: made.append(list(patterns))
    datasets.FilePBDataset = lambda *args, **kwargs: made.append(None)
    FLAGS.dataset_input_patterns = given["pattern"]

    def make():
        datasets.PBDataset()
        return made[0]

    try:
        return {"patterns": attempt(make), "globbed": files.globbed}
    finally:
        datasets.tf, datasets.DistributedFilePBDataset, datasets.FilePBDataset, datasets.logging = real
        FLAGS.dataset_input_patterns = FLAGS["dataset_input_patterns"].default


class Today(datetime.datetime):
    """The day of a case."""

    @classmethod
    def today(cls):
        return cls.utcfromtimestamp(surroundings.START_TIME)


def gen_patterns(given):
    params = given["flags"]
    real = datasets.datetime, datasets._get_params
    datasets.datetime, datasets._get_params = Today, lambda name, default=None: params.get(name)
    try:
        return datasets.PBDataset.gen_patterns(**given["arguments"])
    finally:
        datasets.datetime, datasets._get_params = real


OPS = {"datasets.PBDataset.patterns": patterns, "datasets.PBDataset.gen_patterns": gen_patterns}
