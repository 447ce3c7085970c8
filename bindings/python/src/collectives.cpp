// SPDX-License-Identifier: BSD-3-Clause
// Collective calls and plans, by the one call that bindings put together.
#include "bind.hpp"

namespace nearfar_python {

MPI_Datatype type_of(const std::string& kind) {
  static const std::pair<const char*, MPI_Datatype> known[] = {
      {"b1", MPI_C_BOOL},          {"i1", MPI_INT8_T},           {"i2", MPI_INT16_T},
      {"i4", MPI_INT32_T},         {"i8", MPI_INT64_T},          {"u1", MPI_UINT8_T},
      {"u2", MPI_UINT16_T},        {"u4", MPI_UINT32_T},         {"u8", MPI_UINT64_T},
      {"f4", MPI_FLOAT},           {"f8", MPI_DOUBLE},           {"f16", MPI_LONG_DOUBLE},
      {"c8", MPI_C_FLOAT_COMPLEX}, {"c16", MPI_C_DOUBLE_COMPLEX}};
  for (const auto& [name, type] : known)
    if (kind == name) return type;
  return MPI_BYTE;
}

MPI_Op op_of(const std::string& name) {
  static const std::pair<const char*, MPI_Op> known[] = {
      {"", MPI_OP_NULL},     {"sum", MPI_SUM},          {"product", MPI_PROD},   {"min", MPI_MIN},
      {"max", MPI_MAX},      {"logical_and", MPI_LAND}, {"logical_or", MPI_LOR}, {"logical_xor", MPI_LXOR},
      {"bit_and", MPI_BAND}, {"bit_or", MPI_BOR},       {"bit_xor", MPI_BXOR}};
  for (const auto& [known_name, op] : known)
    if (name == known_name) return op;
  throw failure{NEARFAR_USAGE_ERROR,
                "op is '" + name +
                    "'; it is sum, product, min, max, and, or, xor, bit_and, bit_or, bit_xor, or an mpi4py.MPI.Op"};
}

namespace {

using some_counts = std::optional<std::vector<std::int64_t>>;

/// Address, whether it is MPI_IN_PLACE instead, count (-1: an equal share of the capacity), capacity, types (one, or
/// one per rank), counts, displs.
using side = std::tuple<address, bool, std::int64_t, std::int64_t, std::vector<std::string>, some_counts, some_counts>;

/// A nearfar_call and what it refers to.
class held_call {
 public:
  held_call(int kind, int root, const std::string& op, std::optional<address> custom_op, const side& send,
            const side& receive)
      : value_{kind, root, custom_op ? mpi_handle<MPI_Op>(*custom_op) : op_of(op),
               side_of(send, send_types_, kind == alltoallw), side_of(receive, receive_types_, kind == alltoallw)} {}
  const nearfar_call* get() const { return &value_; }

 private:
  static constexpr int alltoallw = 14;  // of nearfar_call::kind

  static nearfar_side side_of(const side& from, std::vector<MPI_Datatype>& types, bool is_per_rank) {
    const auto& [data, in_place, count, capacity, kinds, counts, displs] = from;
    for (const std::string& kind : kinds) types.push_back(type_of(kind));
    nearfar_side to{};
    to.data = in_place ? MPI_IN_PLACE : object<void>(data);
    to.count = count;
    to.capacity = capacity;
    to.scale = 1;
    to.type = types.empty() ? MPI_BYTE : types.front();
    to.counts = data_or_null(counts);
    to.displs = data_or_null(displs);
    to.types = is_per_rank ? types.data() : nullptr;
    return to;
  }

  std::vector<MPI_Datatype> send_types_, receive_types_;
  nearfar_call value_;
};

}  // namespace

void define_collectives(nb::module_& m) {
  m.def(
      "run_call",
      [](address team, int kind, int root, const std::string& op, std::optional<address> custom_op, const side& send,
         const side& receive) {
        const held_call call(kind, root, op, custom_op, send, receive);
        nb::gil_scoped_release others_may_run;
        check(nearfar_run_call(object<nearfar_team>(team), call.get()));
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.def(
      "collective_create",
      [](address team, int kind, int root, const std::string& op, std::optional<address> custom_op, const side& send,
         const side& receive, const plan_options& common) {
        const held_call call(kind, root, op, custom_op, send, receive);
        const auto options = with_plan_options<nearfar_plan_options>(common);
        nearfar_collective_plan* plan = nullptr;
        nb::gil_scoped_release others_may_run;
        check(nearfar_collective_plan_create(object<nearfar_team>(team), call.get(), &options, &plan));
        return address_of(plan);
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  define_free(m, "collective_free", nearfar_collective_plan_free);
  define(m, "collective_start", nearfar_collective_plan_start);
  define_result(m, "collective_test", nearfar_collective_plan_test);
  define(m, "collective_finish", nearfar_collective_plan_finish);
  define(m, "collective_run", nearfar_collective_plan_run);
  define(m, "collective_method", nearfar_collective_plan_method);
  define(m, "collective_start_method", nearfar_collective_plan_start_method);
  define(m, "collective_describe", nearfar_collective_plan_describe);
  define(m, "collective_describe_json", nearfar_collective_plan_describe_json);
  define(m, "collective_tuned_seconds", nearfar_collective_plan_tuned_seconds);
  define(m, "collectives_describe", nearfar_collectives_describe);
}

}  // namespace nearfar_python
