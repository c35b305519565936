"""What the reference imports and this machine need not have.

tensorflow.py has file access only; unused.py is for packages of which nothing is
used; psutil.py answers the memory of the case's host.
"""
