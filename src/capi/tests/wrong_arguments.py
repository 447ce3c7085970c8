# SPDX-License-Identifier: BSD-3-Clause
"""Writes calls with wrong arguments from the C headers, so that tests have those of new functions by themselves:

    wrong_arguments.py null HEADER… > null_calls.inc            every function, all of its arguments zero
    wrong_arguments.py one_rank HEADER… > one_rank_calls.inc    every collective maker, each argument wrong in turn

What is right is a variable of wrong_on_one_rank_test.c, named as the parameter, or as GOOD says. A parameter that it
does not know fails to compile there: a new maker asks for its arguments.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
from c_headers import Function, declarations  # noqa: E402

ENDS_THE_JOB = {"nearfar_abort", "nearfar_end_job"}
# What makes an object over the ranks of a team: the result is the last argument, a pointer to a pointer.
LOCAL_MAKERS = r".*_(free|find_field|find_array|plan_begin|physical_array|spectral_array)|nearfar_(free|exact_.*)"
# As the first argument: without it nobody knows the ranks.
OBJECTS = "team grid field distribution fft_layout irregular_plan".split()

# (function, parameter): the right value, where it is not a variable of that name.
GOOD = [
    (r".*team_create", "comm", "everyone"),
    (r".*team_create_fint", "comm", "MPI_Comm_c2f(everyone)"),
    (r".*output_writers_create", "all", "team"),
    (r".*irregular_plan_create.*", "count", "reference_count"),
    (r".*irregular_plan_create_i32", "indices", "indices_i32"),
    (r".*from_owned", "count", "owned_count"),
    (r".*output_create", "count", "1"),
    (r".*(halo_plan|transpose_array)_create", "count", "2"),
    (r".*transpose_array_create", "fields", "1"),
    (r".*irregular_plan_allocate", "plan", "irregular_plan"),
    (r".*(irregular_plan_allocate|field_create)", "type", "NEARFAR_ELEMENT_FLOAT64"),
    (r".*from_boxes", "own", "&own"),
    (r".*collective_plan_alltoallw", r"(send|receive)_displs", "byte_displs"),
    (r".*transpose_plan_create", "in", "in_list[0]"),
    (r".*transpose_plan_create", "out", "out_list[0]"),
    (r".*transpose_plan_create", r"(in|out)_elements", "64 * MOST"),
    (r".*transpose_plan_create_each", "(in|out)", r"\1_list"),
    (r".*transpose_plan_create_each", r"(in|out)_elements", "lengths"),
    (r".*fft_plan_create", "(physical|spectral)", r"\1_list[0]"),
    (r".*fft_plan_create", r"(physical|spectral)_elements", "64 * MOST"),
    (r".*fft_plan_create_each", "(physical|spectral)", r"\1_list"),
    (r".*fft_plan_create_each", r"(physical|spectral)_elements", "lengths"),
]
# The wrong value, where it is not NULL, -5, or options of another size. None: it may be so, or it is wrong on this rank
# alone, since it is what knows the ranks.
WRONG = [
    (r".*team_create.*", "comm", None),
    (r".*", "op", "MPI_OP_NULL"),
    (r".*collective_plan.*", r"(send_|receive_)?type", "MPI_DATATYPE_NULL"),
    (r".*", "(type|precision)", "(nearfar_element_type)99"),
    (r".*plan_create", r"(physical|spectral|in|out)_elements", "1"),
    (r".*halo_plan_create", "count", None),
    (r".*halo_plan_create", "fields", "broken_fields"),
    (r".*transpose_array_create", "sides", None),
    (r".*", "element_bytes", "0"),
    (r".*grid_from_tiles", "periodic", None),
    (r".*pencil", "process_grid", None),
    (r".*_exscan", "out", None),  # nothing is defined on rank 0
]

FORTRAN_NULLS = (("comm", "Comm", "COMM"), ("type", "Type", "DATATYPE"), ("op", "Op", "OP"))


def chosen(table, function, parameter, otherwise):
    for name, pattern, value in table:
        if re.fullmatch(name, function) and (match := re.fullmatch(pattern, parameter)):
            return match.expand(value) if value is not None else None
    return otherwise


def null_call(function):
    def zero(v):
        if v.stars or v.is_pairs or v.lengths or v.is_function:
            return "NULL"
        if v.base == "MPI_Fint":
            return {c: f"NUMBER(MPI_{o}_c2f(MPI_{n}_NULL))" for c, o, n in FORTRAN_NULLS}[v.name]
        if v.base.startswith("MPI_"):
            return {"MPI_Comm": "MPI_COMM_NULL", "MPI_Datatype": "MPI_DATATYPE_NULL", "MPI_Op": "MPI_OP_NULL"}[v.base]
        return f"({v.base})0"

    call = f"{function.name}({', '.join(zero(v) for v in function.parameters)})"
    result = function.result
    if result.base == "nearfar_status" and not result.stars:
        return f'  SAYS_SO("{function.name}", {call});'
    return f'  RETURNS("{function.name}", {call});'


def is_maker(function):
    result = function.parameters[-1] if function.parameters else None
    return (
        function.result.base == "nearfar_status"
        and result is not None
        and result.stars == 2
        and not result.is_const
        and re.search(r"_(create|plan|blocks|slab|pencil|from_|distribution|allocate)|nearfar_allocate", function.name)
        and not re.search(r"_(start|run)_on", function.name)
        and not re.fullmatch(LOCAL_MAKERS, function.name)
    )


def one_rank_calls(function):
    *given, result = function.parameters
    good, wrong = [], []
    for v in given:
        if v.base.endswith("_options"):
            good.append(f"&good_{v.base}")
            wrong.append(f"(const {v.base}*)&odd_size")
            continue
        good.append(chosen(GOOD, function.name, v.name, v.name))
        knows_ranks = v is given[0] and v.base.removeprefix("nearfar_") in OBJECTS
        bad = "NULL" if v.stars or v.is_pairs else "-5"
        wrong.append(None if knows_ranks else chosen(WRONG, function.name, v.name, bad))
    kind = "void" if result.base == "void" else result.base
    free = "nearfar_free(team, &made)" if kind == "void" else f"{kind}_free(&made)"
    yield f"static void {function.name}_wrong(void) {{"
    yield f"  {kind}* made = NULL;"
    call = f"{function.name}({', '.join([*good, '&made'])})"
    yield f'  RIGHT("{function.name}", {call}, {free});'
    for i, v in enumerate(given):
        if wrong[i] is None:
            continue
        arguments = [*good, "&made"]
        arguments[i] = f"is_guilty ? {wrong[i]} : {good[i]}"
        yield f'  WRONG_HERE("{function.name}", "{v.name}", {function.name}({", ".join(arguments)}), made);'
    arguments = [*good, "is_guilty ? NULL : &made"]
    yield f'  WRONG_HERE("{function.name}", "{result.name}", {function.name}({", ".join(arguments)}), made);'
    yield f'  RIGHT("{function.name}", {call}, {free});'
    yield "}"


def main():
    kind, *headers = sys.argv[1:]
    found = [d for h in headers for d in declarations(Path(h), True) if isinstance(d, Function)]
    if kind == "null":
        print("static void call_all(void) {")
        print("\n".join(null_call(f) for f in found if f.name not in ENDS_THE_JOB))
        print("}")
        return
    makers = [f for f in found if is_maker(f)]
    for f in makers:
        print("\n".join(one_rank_calls(f)))
    print("static void (*const all_makers[])(void) = {")
    print(",\n".join(f"    {f.name}_wrong" for f in makers))
    print("};")


if __name__ == "__main__":
    main()
