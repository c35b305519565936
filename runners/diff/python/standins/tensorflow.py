"""Stand-in for TensorFlow: file access, and nothing else.

What is missing through GFile is NotFoundError; every other failure is Python's
own OSError (PROTOCOL.md section 3). Listings are plain names, sorted.
"""
import collections
import os
import shutil
import types

from google.protobuf import text_format

from standins import unused


class NotFoundError(Exception):
    """tf.errors.NotFoundError."""


class AbortedError(Exception):
    """tf.errors.AbortedError."""


errors = types.SimpleNamespace(NotFoundError=NotFoundError, AbortedError=AbortedError)

FileStatistics = collections.namedtuple("FileStatistics", ["length"])


def GFile(name, mode="r"):  # pylint: disable=invalid-name
    """Opens a file."""
    try:
        return open(name, mode)
    except FileNotFoundError as e:
        raise NotFoundError(str(e)) from e


def listdir(path):
    return sorted(os.listdir(path))


def walk(top):
    for directory, directories, files in os.walk(top):
        directories.sort()
        yield directory, directories, sorted(files)


def stat(path):
    return FileStatistics(length=os.stat(path).st_size)


def makedirs(path):
    os.makedirs(path, exist_ok=True)


def copy(src, dst, overwrite=False):
    if not overwrite and os.path.exists(dst):
        raise FileExistsError(dst)
    try:
        shutil.copyfile(src, dst)
    except FileNotFoundError as e:
        raise NotFoundError(str(e)) from e


def rename(src, dst, overwrite=False):
    if not overwrite and os.path.exists(dst):
        raise FileExistsError(dst)
    os.rename(src, dst)


io = types.SimpleNamespace(
    gfile=types.SimpleNamespace(GFile=GFile, exists=os.path.exists, isdir=os.path.isdir, listdir=listdir, walk=walk,
                                stat=stat, makedirs=makedirs, mkdir=os.mkdir, rmtree=shutil.rmtree, copy=copy,
                                rename=rename))


def get_checkpoint_state(checkpoint_dir, latest_filename="checkpoint"):
    """The CheckpointState of a directory, its paths made absolute; None when there is none that can be read."""
    # pylint: disable-next=import-outside-toplevel
    from tensorflow.python.training.checkpoint_state_pb2 import CheckpointState
    name = os.path.join(checkpoint_dir, latest_filename)
    if not os.path.exists(name):
        return None
    state = CheckpointState()
    try:
        with GFile(name) as f:
            text_format.Merge(f.read(), state)
    except text_format.ParseError:
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")
    if not os.path.isabs(state.model_checkpoint_path):
        state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
    for i, path in enumerate(state.all_model_checkpoint_paths):
        if not os.path.isabs(path):
            state.all_model_checkpoint_paths[i] = os.path.join(checkpoint_dir, path)
    return state


class _Train(unused.Any):
    get_checkpoint_state = staticmethod(get_checkpoint_state)


train = _Train()


def __getattr__(name):
    # Names that only unused parts of the reference mention.
    if name.startswith("__"):
        raise AttributeError(name)
    return unused.Any
