# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions, one for each class of errors of the library."""


class NearfarError(RuntimeError):
    """Anything that a call of the library could not do; its text names the value and what is allowed."""


class UsageError(NearfarError, ValueError):
    """Asked for something that cannot be. Calls that make something raise it on every rank."""


class ResourceError(NearfarError):
    """Memory or other resources do not suffice."""


class TransportError(NearfarError):
    """MPI or a peer failed."""


class IoError(NearfarError, OSError):
    """Reading or writing a file failed."""
