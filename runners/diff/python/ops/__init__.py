"""The operations of PROTOCOL.md, a module for each of the reference's.

Each module has OPS: the operations by name, functions from what `in` decodes to
to what `out` encodes from. To add one write a function and name it there.
"""
