# SPDX-License-Identifier: BSD-3-Clause
"""Streams in the format adios2: PATH.bp, read by ADIOS2's own package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._array import Array, Frames
from ._hdf5 import word_of
from ._journal import StreamError


def _opened(path: Path) -> Any:
    try:
        import adios2  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as missing:
        raise StreamError(f"{path} is read with adios2, which is not installed: pip install adios2") from missing
    if not path.exists():
        raise StreamError(f"{path} is missing")
    # For random access: of a writer that was killed nobody knows the end of the stream.
    return adios2.FileReader(str(path))


class Adios2Files:
    """PATH.bp with all steps; arrays are the variables with an attribute NAME/dimensions.

    Parameters
    ----------
    path
        Of the stream.
    steps
        In the journal: of one that was killed the file may have one more.
    """

    def __init__(self, path: Path, steps: int) -> None:
        self._path = path.with_name(path.name + ".bp")
        self.arrays: dict[str, Array] = {}
        with _opened(self._path) as file:
            variables, attributes = file.available_variables(), file.available_attributes()
            for name in sorted(variables):
                if f"{name}/dimensions" in attributes:
                    own = [key for key in attributes if key.startswith(f"{name}/")]
                    words = {key.removeprefix(f"{name}/"): word_of(file.read_attribute(key)) for key in own}
                    self.arrays[name] = self._array(name, variables[name], words, steps)

    def _array(self, name: str, variable: dict[str, str], words: dict[str, str], steps: int) -> Array:
        axes = words.pop("dimensions").split()
        words |= {f"label{len(axes) - d}": axis for d, axis in enumerate(axes)}
        extents = tuple(int(n) for n in variable["Shape"].replace(" ", "").split(","))
        is_constant = steps > 1 and int(variable["AvailableStepsCount"]) == 1
        return Array(name, self._path, _dtype_of(variable["Type"]), extents, words, is_constant)

    def frame(self, array: Array, step: int) -> NDArray[np.generic]:
        """A copy of a step."""
        with _opened(self._path) as file:
            found: NDArray[np.generic] = np.asarray(file.read(array.name, step_selection=[step, 1]))
        return found.reshape(array.extents)

    def frames(self, array: Array, steps: int) -> Frames:
        """All steps."""
        return Frames(array, steps, lambda step: self.frame(array, step))


def _dtype_of(words: str) -> np.dtype[np.generic]:
    known = {"float": "f4", "double": "f8", "float complex": "c8", "double complex": "c16"}
    return np.dtype(known[words] if words in known else words.removesuffix("_t"))
