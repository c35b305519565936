"""Stand-in for psutil: the memory of the case's host (PROTOCOL.md section 3)."""
import collections

import surroundings

Memory = collections.namedtuple("Memory", ["total", "available"])


def virtual_memory():
    available = surroundings.host["mem_available"]
    return Memory(total=2 * available, available=available)
