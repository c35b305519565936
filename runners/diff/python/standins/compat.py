"""Stand-in for tensorflow.python.util.compat."""


def as_bytes(bytes_or_text, encoding="utf-8"):
    """Text as bytes; bytes as they are."""
    return bytes_or_text.encode(encoding) if isinstance(bytes_or_text, str) else bytes(bytes_or_text)
