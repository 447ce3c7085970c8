# SPDX-License-Identifier: BSD-3-Clause
"""Writes the types of the compiled module's functions, for mypy and editors:  stubs.py MODULE MPI STUB

MODULE is _core.FAMILY.so, MPI the library that it takes its functions from, STUB the file _core.pyi. Where the module
cannot be loaded while it is built, the stub says that nothing is known of it.
"""

import ctypes
import importlib.machinery
import importlib.util
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

HEAD = """# SPDX-License-Identifier: BSD-3-Clause
# Made by bindings/python/stubs.py.
# mypy: disable-error-code="type-arg"
"""
UNKNOWN = """from typing import Any

def __getattr__(name: str) -> Any: ...
"""


def loaded(path, mpi):
    """The compiled module, whose package is not there yet."""
    ctypes.CDLL(mpi, mode=ctypes.RTLD_GLOBAL)
    name = "nearfar._core"
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path, loader=loader))
    loader.exec_module(module)
    return module


def main():
    path, mpi, stub = sys.argv[1:]
    try:
        module = loaded(path, mpi)
        generator = StubGen(module)
        generator.put(module)
        text = generator.get()
    except (ImportError, OSError) as e:
        print(f"warning: no types of the Python module's functions, it cannot be loaded: {e}", file=sys.stderr)
        text = UNKNOWN
    Path(stub).write_text(HEAD + text)


if __name__ == "__main__":
    main()
