// SPDX-License-Identifier: BSD-3-Clause
// The C interface to distributions; a rule's functions of the program become an object.
#include <memory>
#include <topology/agree.hpp>

#include "handles.hpp"

using namespace nearfar::capi;
using nearfar::distribution;
using nearfar::text;

namespace {

/// The functions of a C program behind the interface of a rule.
class c_rule : public nearfar::distribution_rule {
 public:
  explicit c_rule(const nearfar_distribution_rule& from) : from_(from) {}
  ~c_rule() override {
    if (from_.release) from_.release(from_.context);
  }
  c_rule(const c_rule&) = delete;
  c_rule& operator=(const c_rule&) = delete;
  nearfar::index_t elements() const override { return from_.elements; }
  nearfar::index_t owned_by(int) const override { return from_.own_elements; }
  void locate(std::span<const nearfar::index_t> indices, std::span<int> owners,
              std::span<nearfar::index_t> offsets) const override {
    settle(from_.locate(from_.context, std::ssize(indices), indices.data(), owners.data(), offsets.data()), "locate");
  }
  void globals(int rank, std::span<const nearfar::index_t> offsets,
               std::span<nearfar::index_t> indices) const override {
    settle(from_.globals(from_.context, rank, std::ssize(offsets), offsets.data(), indices.data()), "globals");
  }

 private:
  static void settle(int result, const char* function) {
    require(result == 0, text("distribution: ", function, " of the rule failed with ", result));
  }
  nearfar_distribution_rule from_;
};

std::span<const int64_t> list(const int64_t* entries, int64_t count, const char* name) {
  require(count >= 0, text("the number of ", name, " is ", count, "; it must not be negative"));
  require(entries != nullptr || count == 0, text("the list of ", name, " is NULL"));
  return {entries, static_cast<std::size_t>(count)};
}

template <class T>
std::span<T> result_list(T* entries, int64_t count, const char* name) {
  require(entries != nullptr || count == 0, text("the array for ", name, " is NULL"));
  return {entries, static_cast<std::size_t>(count)};
}

template <class Read, class Make>
nearfar_status create(nearfar_team* team, nearfar_distribution** handle, const Read& read, const Make& make) {
  return making(handle, [&] {
    make_over(team, handle, "distribution", read,
              [&](nearfar_distribution& made) { made.value.emplace(make(team->value)); });
  });
}

void read_nothing() {}

}  // namespace

extern "C" {

nearfar_status nearfar_distribution_block(nearfar_team* team, int64_t elements, nearfar_distribution** handle) {
  return create(team, handle, read_nothing, [&](const nearfar::team& t) { return distribution::block(t, elements); });
}

nearfar_status nearfar_distribution_block_sizes(nearfar_team* team, int64_t own, nearfar_distribution** handle) {
  return create(team, handle, read_nothing, [&](const nearfar::team& t) { return distribution::block_sizes(t, own); });
}

nearfar_status nearfar_distribution_cyclic(nearfar_team* team, int64_t elements, nearfar_distribution** handle) {
  return create(team, handle, read_nothing, [&](const nearfar::team& t) { return distribution::cyclic(t, elements); });
}

nearfar_status nearfar_distribution_block_cyclic(nearfar_team* team, int64_t elements, int64_t block_elements,
                                                 nearfar_distribution** handle) {
  return create(team, handle, read_nothing,
                [&](const nearfar::team& t) { return distribution::block_cyclic(t, elements, block_elements); });
}

nearfar_status nearfar_distribution_two_block(nearfar_team* team, int64_t elements, int64_t first_elements,
                                              nearfar_distribution** handle) {
  return create(team, handle, read_nothing,
                [&](const nearfar::team& t) { return distribution::two_block(t, elements, first_elements); });
}

nearfar_status nearfar_distribution_reversed_two_block(nearfar_team* team, int64_t elements, int64_t first_elements,
                                                       nearfar_distribution** handle) {
  return create(team, handle, read_nothing,
                [&](const nearfar::team& t) { return distribution::reversed_two_block(t, elements, first_elements); });
}

nearfar_status nearfar_distribution_from_owned(nearfar_team* team, int64_t count, const int64_t* owned,
                                               nearfar_distribution** handle) {
  return create(
      team, handle, [&] { list(owned, count, "own elements"); },
      [&](const nearfar::team& t) { return distribution::from_owned(t, list(owned, count, "own elements")); });
}

nearfar_status nearfar_distribution_from_rule(nearfar_team* team, const nearfar_distribution_rule* rule,
                                              nearfar_distribution** handle) {
  return create(
      team, handle,
      [&] {
        require(rule != nullptr, "the rule is NULL");
        require(rule->locate != nullptr && rule->globals != nullptr, "a function of the rule is NULL");
      },
      [&](const nearfar::team& t) { return distribution::from_rule(t, std::make_shared<c_rule>(*rule)); });
}

int64_t nearfar_distribution_elements(const nearfar_distribution* handle) {
  return guarded_value<int64_t>(-1, [&] { return value_of(handle).elements(); });
}

int64_t nearfar_distribution_owned(const nearfar_distribution* handle) {
  return guarded_value<int64_t>(-1, [&] { return value_of(handle).owned(); });
}

nearfar_status nearfar_distribution_locate(const nearfar_distribution* handle, int64_t count, const int64_t* indices,
                                           int* owners, int64_t* offsets) {
  return guarded([&] {
    const distribution& d = value_of(handle);
    const auto check = [&] {
      list(indices, count, "indices"), result_list(owners, count, "owners"), result_list(offsets, count, "offsets");
    };
    if (d.is_locating_collective())
      nearfar::agree(d.team(), check);
    else
      check();
    d.locate(list(indices, count, "indices"), result_list(owners, count, "owners"),
             result_list(offsets, count, "offsets"));
  });
}

nearfar_status nearfar_distribution_globals(const nearfar_distribution* handle, int64_t count, const int64_t* offsets,
                                            int64_t* indices) {
  return guarded(
      [&] { value_of(handle).globals(list(offsets, count, "offsets"), result_list(indices, count, "indices")); });
}

nearfar_status nearfar_distribution_check(const nearfar_distribution* handle, int64_t sample) {
  return guarded([&] { value_of(handle).check_round_trip(sample); });
}

}  // extern "C"
