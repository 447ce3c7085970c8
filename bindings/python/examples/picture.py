# SPDX-License-Identifier: BSD-3-Clause
"""What the examples share: `--picture FILE`, and the whole array on the root to draw."""

import sys

import numpy as np

import nearfar as nf


def wanted():
    """The file that `--picture` names, which goes from the arguments; None without it."""
    if "--picture" not in sys.argv:
        return None
    at = sys.argv.index("--picture")
    file = sys.argv[at + 1]
    del sys.argv[at : at + 2]
    return file


def whole(team, extents, own, part):
    """The array of all ranks' parts on the root, each at its box own = (lower, upper); None elsewhere. Collective."""
    everything = np.zeros(extents)
    everything[tuple(slice(low, high) for low, high in zip(*own, strict=True))] = part
    return nf.reduce(team, everything)


def draw(file, array, title):
    """Writes a picture of a two-dimensional array, by matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 4), layout="constrained")
    figure.colorbar(axes.imshow(array, origin="lower"))
    axes.set_title(title)
    figure.savefig(file)
    print(f"picture: {file}")
