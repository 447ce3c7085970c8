// SPDX-License-Identifier: BSD-3-Clause
// The C interface to halo plans: gathered part by part, made at commit.
#include <algorithm>
#include <base/axis_names.hpp>
#include <memory>
#include <span>
#include <topology/agree.hpp>

#include "handles.hpp"

using namespace nearfar::capi;
using nearfar::index_t;
using nearfar::text;

namespace {

void set_options(const nearfar_halo_options& options, nearfar::halo_options& to) {
  read_plan_options(options, to);
  require(options.stencil == NEARFAR_STENCIL_STAR || options.stencil == NEARFAR_STENCIL_BOX,
          text("unknown stencil ", static_cast<int>(options.stencil)));
  if (options.stencil == NEARFAR_STENCIL_STAR) to.stencil = nearfar::stencil::star;
}

/// A mistake in what comes before commit(), the first call that all ranks make together, is kept for that.
template <class Step>
void keep_complaint(nearfar_halo_plan* halo, const Step& step, const std::string& where = "") {
  try {
    step();
  } catch (const nearfar::error& e) {
    if (halo->complaint.empty()) halo->complaint = where + nearfar::message_of(e);
  }
}

void require_open(const nearfar_halo_plan* halo) {
  require(halo != nullptr, "the halo plan is NULL: call nearfar_halo_plan_begin first");
  require(halo->owner != nullptr, "the halo plan was freed with its team");
  require(!halo->value, text("halo plan '", halo->options.name, "' is committed: no part can be added"));
}

template <class Add>
nearfar_status add(nearfar_halo_plan* halo, const Add& part) {
  return guarded([&] {
    require_open(halo);
    keep_complaint(halo, part, text("part ", nearfar::place_number(std::ssize(halo->parts)), ": "));
  });
}

/// Collective over the team.
void make_value(nearfar_halo_plan& halo) {
  const std::string title = text("halo plan '", halo.options.name, "'");
  std::int64_t is_without_parts[] = {halo.parts.empty() ? 1 : 0};
  nearfar::agree(
      halo.owner->value, [&] { require(halo.complaint.empty(), text(title, ": ", halo.complaint)); }, is_without_parts);
  require(is_without_parts[0] == 0, text(title, " has no parts on some rank; it needs at least one"));
  halo.value.emplace(halo.parts, halo.options);
}

nearfar::array_layout layout_of(const nearfar_array& array, int dimensions) {
  require(array.extents != nullptr, "the array's extents are NULL");
  nearfar::array_layout memory;
  memory.data = array.data;
  memory.element_bytes = array.element_bytes;
  index_t next = static_cast<index_t>(array.element_bytes);
  for (int d = dimensions - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    memory.extents[at] = array.extents[d];
    memory.strides_bytes[at] = array.strides_bytes ? array.strides_bytes[d] : next;
    next *= array.extents[d];
  }
  return memory;
}

}  // namespace

extern "C" {

nearfar_status nearfar_halo_plan_begin(nearfar_team* team, const nearfar_halo_options* options,
                                       nearfar_halo_plan** halo) {
  if (halo) *halo = nullptr;
  return guarded([&] {
    value_of(team);
    require_result(halo, "halo");
    auto handle = std::make_unique<nearfar_halo_plan>();
    keep_complaint(handle.get(), [&] { set_options(read_options(options), handle->options); });
    give(team, std::move(handle), halo);
  });
}

nearfar_status nearfar_halo_plan_add_field(nearfar_halo_plan* halo, const nearfar_field* field, const int (*fill)[2]) {
  return add(halo, [&] {
    const nearfar::field_base& f = value_of(field);
    halo->parts.emplace_back(f, fill ? ghosts_of(fill, f.grid().dimensions()) : f.widths());
  });
}

nearfar_status nearfar_halo_plan_add_array(nearfar_halo_plan* halo, const nearfar_grid* grid,
                                           const nearfar_array* array, const int (*ghosts)[2], const int (*fill)[2]) {
  return add(halo, [&] {
    const nearfar::grid& cells = value_of(grid);
    require(array != nullptr, "the array is NULL");
    require(ghosts != nullptr, "the array's ghost widths are NULL");
    const auto has = ghosts_of(ghosts, cells.dimensions());
    const auto memory = layout_of(*array, cells.dimensions());
    halo->parts.emplace_back(cells, memory, has, fill ? ghosts_of(fill, cells.dimensions()) : has);
  });
}

nearfar_status nearfar_halo_plan_refuse(nearfar_halo_plan* halo, const char* complaint) {
  return add(halo, [&] { throw nearfar::usage_error(complaint ? complaint : "refused"); });
}

nearfar_status nearfar_halo_plan_name_type(nearfar_halo_plan* halo, const char* type_name) {
  return add(halo, [&] {
    require(type_name != nullptr, "the type's name is NULL");
    halo->type_name += text(halo->parts_named++ == 0 ? "" : ", ", type_name);
  });
}

nearfar_status nearfar_halo_plan_commit(nearfar_halo_plan* halo) {
  return guarded([&] {
    require_open(halo);
    if (halo->parts_named > 0 && halo->parts_named == halo->parts.size()) halo->options.type_name = halo->type_name;
    make_value(*halo);
  });
}

nearfar_status nearfar_halo_plan_create(int count, nearfar_field* const* fields, const nearfar_halo_options* options,
                                        nearfar_halo_plan** halo) {
  return making(halo, [&] {
    require(count >= 1 && fields != nullptr, text("a halo plan needs at least one field, not ", fields ? count : 0));
    const std::span<nearfar_field* const> all(fields, static_cast<std::size_t>(count));
    const auto known = std::find_if(all.begin(), all.end(), [](auto* f) { return f != nullptr && f->value; });
    if (known == all.end()) value_of(all.front());
    std::vector<nearfar::halo_part> parts;
    nearfar::halo_options wanted;
    make_over((*known)->owner, halo, "halo",
              [&] {
                set_options(read_options(options), wanted);
                for (const nearfar_field* f : all) parts.emplace_back(value_of(f), value_of(f).widths());
              },
              [&](nearfar_halo_plan& made) {
                made.parts = std::move(parts), made.options = std::move(wanted);
                made.value.emplace(made.parts, made.options);
              });
  });
}

nearfar_status nearfar_halo_plan_start(nearfar_halo_plan* halo) {
  return guarded([&] { value_of(halo).start(); });
}

nearfar_status nearfar_halo_plan_start_on(nearfar_halo_plan* halo, int count, void* const* data) {
  return guarded([&] {
    require(count >= 0 && (data != nullptr || count == 0), text("the list of ", count, " arrays is NULL"));
    value_of(halo).start({data, static_cast<std::size_t>(count)});
  });
}

nearfar_status nearfar_halo_plan_run_on(nearfar_halo_plan* halo, int count, void* const* data) {
  const nearfar_status started = nearfar_halo_plan_start_on(halo, count, data);
  return started == NEARFAR_OK ? nearfar_halo_plan_finish(halo) : started;
}

nearfar_status nearfar_halo_plan_run(nearfar_halo_plan* halo) {
  return guarded([&] { value_of(halo).run(); });
}

}  // extern "C"
