// SPDX-License-Identifier: BSD-3-Clause
// gslib's calls: ids become references, flagged entries and those without an id are packed around an assemble.
#include <algorithm>
#include <array>
#include <cstring>
#include <gather/id_groups.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <topology/agree.hpp>

#include "gather_arrays.hpp"

using namespace nearfar::capi;
using nearfar::gather_array;
using nearfar::gather_plan;
using nearfar::text;

namespace {

/// One call, with its arrays as they are the caller's.
struct request {
  std::vector<void*> arrays;
  int components = 1;
  nearfar_type type{};
  nearfar_scatter_op op{};
  bool is_transposed = false;
};

gather_plan& plan_of(nearfar_gs_data* g) {
  require(g != nullptr, "the gslib handle is NULL: it was not created, or is freed already");
  require(g->value.has_value(), "the gslib handle was freed with its team");
  return *g->value;
}

std::span<int64_t> ids_of(int64_t* id, int64_t n) {
  require(n >= 0, text("the number of ids is ", n, "; it must not be negative"));
  require(id != nullptr || n == 0, "the list of ids is NULL");
  return {id, static_cast<std::size_t>(n)};
}

/// Which entries take part and which are flagged; empty where all take part and none is flagged.
std::vector<nearfar_gs_data::entry> entries_of(std::span<const int64_t> ids,
                                               const nearfar::gathering::id_groups& groups, bool is_unique) {
  std::vector<nearfar_gs_data::entry> all;
  bool is_plain = true;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    is_plain = is_plain && ids[i] != 0;
    if (ids[i] == 0) continue;
    const bool is_flagged = is_unique ? !groups.is_unique[all.size()] : ids[i] < 0;
    is_plain = is_plain && !is_flagged;
    all.push_back({static_cast<nearfar::index>(i), is_flagged});
  }
  if (is_plain) all.clear();
  return all;
}

/// Copies of the entries that take part, in which those that do not contribute have the identity.
class packed_values {
 public:
  packed_values(const nearfar_gs_data& g, const request& r, const nearfar::combiner& how, const gather_array& sample)
      : g_(g),
        r_(r),
        element_bytes_(sample.element_bytes()),
        data_(g.entries.size() * element_bytes_ * r.arrays.size()) {
    std::byte* to = data_.data();
    for (void* u : r.arrays)
      for (const auto& e : g.entries) {
        if (e.is_flagged && !r.is_transposed)
          how.fill(how.operand(), to, sample.components);
        else
          std::memcpy(to, place(u, e), element_bytes_);
        to += element_bytes_;
      }
  }
  std::byte* array(std::size_t k) { return data_.data() + k * g_.entries.size() * element_bytes_; }
  void unpack() const {
    const std::byte* from = data_.data();
    for (void* u : r_.arrays)
      for (const auto& e : g_.entries) {
        if (!e.is_flagged || !r_.is_transposed) std::memcpy(place(u, e), from, element_bytes_);
        from += element_bytes_;
      }
  }

 private:
  std::byte* place(void* u, const nearfar_gs_data::entry& e) const {
    return static_cast<std::byte*>(u) + static_cast<std::size_t>(e.at) * element_bytes_;
  }
  const nearfar_gs_data& g_;
  const request& r_;
  std::size_t element_bytes_;
  std::vector<std::byte> data_;
};

/// Nothing may be wrong once ranks have begun to talk.
void check(nearfar_gs_data* g, const request& r) {
  plan_of(g);
  require(r.components >= 1, text("an element has ", r.components, " components; it has 1 or more"));
  require(
      r.op >= NEARFAR_PLUS && r.op <= NEARFAR_MULTIPLY,
      text("operation ", static_cast<int>(r.op), " cannot be had here; there are plus, minimum, maximum, multiply"));
  for (const void* u : r.arrays) require(u != nullptr || g->n == 0, "an array is NULL");
}

void assemble(nearfar_gs_data* g, const request& r) {
  check(g, r);
  gather_plan& plan = plan_of(g);
  const nearfar_gather_call call{NEARFAR_ASSEMBLE, r.op, nullptr, 1, nullptr, nullptr};
  nearfar_gather_array described_values = described(r.arrays.front(), plan.references(), r.type, r.components);
  if (plan.references() == 0) described_values.data = nullptr;
  gather_array values = array_of(described_values, r.op == NEARFAR_PLUS, "u");
  const nearfar::combiner how = combiner_of_call(call, values);
  std::optional<packed_values> packed;
  if (!g->entries.empty()) packed.emplace(*g, r, how, values);
  std::array<gather_array, gather_plan::max_arrays> some;
  for (std::size_t first = 0; first < r.arrays.size(); first += some.size()) {
    const std::size_t count = std::min(some.size(), r.arrays.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      some[k] = values;
      some[k].data = packed ? packed->array(first + k) : r.arrays[first + k];
    }
    plan.assemble_of({some.data(), count}, how);
  }
  if (packed) packed->unpack();
}

request many(void* const* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose) {
  require(k >= 1, text("got ", k, " arrays; there is 1 or more"));
  require(u != nullptr, "the list of arrays is NULL");
  return {{u, u + k}, 1, type, op, transpose != 0};
}

/// What waits for nearfar_gs_wait().
struct waiting_list {
  std::mutex mutex;
  std::map<int, std::pair<nearfar_gs_data*, request>> calls;
  int next = 0;
};
waiting_list& waiting() {
  static waiting_list list;
  return list;
}

void put_off(nearfar_gs_data* g, request r, int* handle) {
  require_result(handle, "handle");
  check(g, r);
  waiting_list& list = waiting();
  const std::lock_guard lock(list.mutex);
  *handle = list.next++;
  list.calls.emplace(*handle, std::pair(g, std::move(r)));
}

std::pair<nearfar_gs_data*, request> taken(int handle) {
  waiting_list& list = waiting();
  const std::lock_guard lock(list.mutex);
  const auto found = list.calls.find(handle);
  require(found != list.calls.end(), text("there is no call with handle ", handle, " to wait for"));
  auto call = std::move(found->second);
  list.calls.erase(found);
  return call;
}

}  // namespace

extern "C" {

nearfar_status nearfar_gs_setup(nearfar_team* team, const int64_t* id, int64_t n, int unique, const char* method,
                                nearfar_gs_data** g) {
  if (g) *g = nullptr;
  return guarded([&] {
    const nearfar::team& members = value_of(team);
    auto* const mutable_id = const_cast<int64_t*>(id);
    nearfar::agree(members, [&] { require_result(g, "g"), ids_of(mutable_id, n); });
    const std::span<const int64_t> ids = ids_of(mutable_id, n);
    const auto groups = nearfar::gathering::group_ids(members, ids);
    auto handle = std::make_unique<nearfar_gs_data>();
    nearfar::gather_options options{.name = "gslib"};
    if (method) options.method = method;
    handle->value.emplace(nearfar::distribution::block_sizes(members, groups.own_elements), groups.elements, options);
    handle->entries = entries_of(ids, groups, unique != 0);
    handle->n = n;
    handle->owner = team;
    team->gslibs.push_back(handle.get());
    *g = handle.release();
  });
}

nearfar_status nearfar_gs_free(nearfar_gs_data** g) {
  if (g == nullptr || *g == nullptr) return NEARFAR_OK;
  release(*g);
  *g = nullptr;
  return NEARFAR_OK;
}

nearfar_status nearfar_gs_unique(nearfar_team* team, int64_t* id, int64_t n) {
  return guarded([&] {
    const nearfar::team& members = value_of(team);
    nearfar::agree(members, [&] { ids_of(id, n); });
    const auto groups = nearfar::gathering::group_ids(members, ids_of(id, n));
    auto is_one = groups.is_unique.begin();
    for (int64_t& i : ids_of(id, n))
      if (i != 0 && !*is_one++ && i > 0) i = -i;
  });
}

nearfar_status nearfar_gs(void* u, nearfar_type type, nearfar_scatter_op op, int transpose, nearfar_gs_data* g) {
  return nearfar_gs_vec(u, 1, type, op, transpose, g);
}

nearfar_status nearfar_gs_vec(void* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                              nearfar_gs_data* g) {
  return guarded([&] { assemble(g, {{u}, k, type, op, transpose != 0}); });
}

nearfar_status nearfar_gs_many(void* const* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                               nearfar_gs_data* g) {
  return guarded([&] { assemble(g, many(u, k, type, op, transpose)); });
}

nearfar_status nearfar_igs(void* u, nearfar_type type, nearfar_scatter_op op, int transpose, nearfar_gs_data* g,
                           int* handle) {
  return nearfar_igs_vec(u, 1, type, op, transpose, g, handle);
}

nearfar_status nearfar_igs_vec(void* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                               nearfar_gs_data* g, int* handle) {
  return guarded([&] { put_off(g, {{u}, k, type, op, transpose != 0}, handle); });
}

nearfar_status nearfar_igs_many(void* const* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                                nearfar_gs_data* g, int* handle) {
  return guarded([&] { put_off(g, many(u, k, type, op, transpose), handle); });
}

nearfar_status nearfar_gs_wait(int handle) {
  return guarded([&] {
    const auto [g, r] = taken(handle);
    assemble(g, r);
  });
}

const char* nearfar_gs_describe(nearfar_gs_data* g) {
  return guarded_value<const char*>(nullptr, [&] {
    g->text = plan_of(g).describe();
    return g->text.c_str();
  });
}

}  // extern "C"
