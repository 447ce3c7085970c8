# SPDX-License-Identifier: BSD-3-Clause
"""The words that options take in Fortran and Python: the enumerators of the C headers."""

import os

from fortran_text import wrapped, written_by


def words_of(enum):
    """The enumerators without what all of them begin with, by their numbers from 0 on; none of an enum with gaps."""
    names = [name for name, _, _ in enum.values]
    shared = os.path.commonprefix(names)
    shared = shared[: shared.rfind("_") + 1]
    numbers = [number for _, number, _ in enum.values]
    if shared == "NEARFAR_" or numbers[0] not in (0, 1) or numbers != list(range(numbers[0], numbers[-1] + 1)):
        return []
    return [""] * numbers[0] + [name.removeprefix(shared).lower() for name in names]


def words_for_fortran(enums):
    lines = [
        written_by("include/nearfar"),
        "! SPDX-License-Identifier: BSD-3-Clause",
        "! The words that options take, at the numbers that they have in C.",
        "module nearfar_words",
        "  implicit none (type, external)",
        "  public",
        "",
    ]
    for enum in enums:
        if found := words_of(enum):
            length = max(map(len, found))
            words = ", ".join(f"'{w}'" for w in found)
            name = enum.name.removeprefix("nearfar_") + "_words"
            lines += wrapped(
                f"  character({length}), parameter :: {name}(0:{len(found) - 1}) = [character({length}) :: {words}]"
            )
    return "\n".join([*lines, "end module nearfar_words", ""])


def words_for_python(enums):
    lines = [
        "# " + written_by("include/nearfar").removeprefix("! "),
        "# SPDX-License-Identifier: BSD-3-Clause",
        '"""The words that options take, at the numbers that they have in C."""',
        "",
    ]
    for enum in enums:
        if found := words_of(enum):
            name = enum.name.removeprefix("nearfar_").upper()
            one_line = f"{name} = (" + ", ".join(f'"{w}"' for w in found) + ")"
            lines += [one_line] if len(one_line) <= 120 else [f"{name} = (", *(f'    "{w}",' for w in found), ")"]
    return "\n".join([*lines, ""])
