"""nested_tensors.py (PROTOCOL.md section 25)."""
import re

import tensorflow as tf
from monolith.native_training import nested_tensors

from values import attempt

NAME = re.compile(r"([TR])\d+")


class World:
    """The values of a case by their names: a name is always the same value."""

    def __init__(self):
        self.made, self.names = {}, {}

    def value(self, v):
        if isinstance(v, list):
            return [self.value(x) for x in v]
        if isinstance(v, dict):
            if list(v) == ["(tuple)"]:
                return tuple(self.value(x) for x in v["(tuple)"])
            return {k: self.value(x) for k, x in v.items()}
        if not isinstance(v, str) or not (NAME.fullmatch(v) or v in ("RR", "F")):
            return v
        if v not in self.made:
            self.made[v] = self.make(v)
        return self.made[v]

    def make(self, name):
        if name == "F":
            return 1.5
        if name == "RR":
            return tf.ragged.constant([[[1]], [[2, 3], []]])
        if name.startswith("T"):
            return self.note(tf.constant(0), name)
        ragged = tf.ragged.constant([[1], [2, 3]])
        self.note(ragged.values, name + ".values")
        self.note(ragged.row_splits, name + ".row_splits")
        return ragged

    def note(self, tensor, name):
        self.names[id(tensor)] = name
        return tensor

    def shown(self, v):
        if isinstance(v, tf.RaggedTensor):
            return {"ragged": [self.shown(v.values), self.shown(v.row_splits)]}
        if isinstance(v, tf.Tensor):
            return {"tensor": self.names[id(v)]}
        if isinstance(v, (list, tuple)):
            return type(v)(self.shown(x) for x in v)
        if isinstance(v, dict):
            return {k: self.shown(x) for k, x in v.items()}
        return v


def nested(given):
    with tf.Graph().as_default():
        world = World()
        made = nested_tensors.NestedTensors(world.value(given["nested"]))
        flat = made.get_tensors()
        new = [world.note(tf.constant([0, 1], dtype=tf.int64), f"new{i}") for i in range(len(flat))]
        kept = new[:len(new) - given["drop"]] if given["drop"] else new
        return {"flat": [world.names[id(t)] for t in flat],
                "rebuilt": attempt(lambda: world.shown(made.get_nested_result(kept)))}


OPS = {"nested_tensors.NestedTensors": nested}
