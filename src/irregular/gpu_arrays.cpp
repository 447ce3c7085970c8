// SPDX-License-Identifier: BSD-3-Clause
// Which elements are copied between host and GPU, by kind of operation, and how.
#include "gpu_arrays.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <cstring>

#include "kernels.hpp"

namespace nearfar::irregular {
namespace {

std::byte* bytes_of(const irregular_array& a) { return static_cast<std::byte*>(a.data); }
index_t size_of(const irregular_array& a) { return as_index(a.element_bytes()); }

/// Of an operation on ghosts, or on x and values, or on values alone.
bool has_x(irregular_kind kind) { return kind != irregular_kind::assemble; }
bool has_values(irregular_kind kind) {
  return kind == irregular_kind::gather || kind == irregular_kind::scatter || kind == irregular_kind::assemble;
}

/// Own elements among these places, ascending and each once.
std::vector<std::int32_t> own_places(index_t owned, std::initializer_list<const std::vector<std::int32_t>*> lists) {
  std::vector<bool> is_there(as_size(owned));
  for (const auto* list : lists)
    for (const std::int32_t place : *list)
      if (place < owned) is_there[as_size(place)] = true;
  std::vector<std::int32_t> all;
  for (std::size_t place = 0; place < is_there.size(); ++place)
    if (is_there[place]) all.push_back(static_cast<std::int32_t>(place));
  return all;
}

void copy_bytes(std::byte* to, const std::byte* from, index_t bytes, device::direction where) {
  device::copy(to, from, {1, bytes, bytes, bytes}, where);
}

}  // namespace

gpu_arrays::own_list::own_list(std::vector<std::int32_t> all)
    : places(std::move(all)), elements(std::vector<index_t>(places.begin(), places.end())) {}

std::byte* gpu_arrays::pinned_memory::of(index_t wanted) {
  if (bytes < wanted) {
    pinned = {};
    memory = std::make_unique_for_overwrite<std::byte[]>(as_size(wanted)), bytes = wanted;
    pinned = device::pinned(memory.get(), wanted);
  }
  return memory.get();
}

bool gpu_arrays::has_some(const irregular_call& call) noexcept {
  return std::any_of(call.items.begin(), call.items.end(), [&](const irregular_item& i) {
    return (has_x(call.kind) && device::is_device_memory(i.x.data)) ||
           (has_values(call.kind) && device::is_device_memory(i.values.data));
  });
}

/// Own elements that other ranks have as ghosts.
gpu_arrays::own_list& gpu_arrays::wanted() {
  if (!wanted_) wanted_.emplace(own_places(owned(), {&lists_.to.wanted.places}));
  return *wanted_;
}

/// Those, and own elements that this rank refers to.
gpu_arrays::own_list& gpu_arrays::referred() {
  if (!referred_) referred_.emplace(own_places(owned(), {&lists_.to.wanted.places, &lists_.here.local}));
  return *referred_;
}

gpu_arrays::bus_transfer gpu_arrays::down_of_x(irregular_kind kind) {
  switch (kind) {
    case irregular_kind::gather_ghosts:
      return {&wanted(), false, false};
    case irregular_kind::scatter_ghosts:
    case irregular_kind::assemble_ghosts:
      return {&wanted(), true, false};
    default:
      return {&referred(), false, false};
  }
}

gpu_arrays::bus_transfer gpu_arrays::up_of_x(irregular_kind kind, const irregular_array& x) {
  switch (kind) {
    case irregular_kind::gather_ghosts:
      return {nullptr, true, false};
    case irregular_kind::scatter_ghosts:
      return {&wanted(), false, false};
    case irregular_kind::assemble_ghosts:
      return {&wanted(), true, false};
    case irregular_kind::gather:
      return {nullptr, x.is_writable && x.elements == lists_.map.total(), false};
    default:
      return {&referred(), false, false};
  }
}

irregular_call gpu_arrays::brought_down(const irregular_call& call) {
  count_ = pick_count_ = 0;
  for (std::size_t k = 0; k < call.items.size(); ++k) {
    items_[k] = call.items[k];
    if (has_x(call.kind) && device::is_device_memory(items_[k].x.data))
      items_[k].x = image_of(items_[k].x, true, call.kind);
    if (has_values(call.kind) && device::is_device_memory(items_[k].values.data))
      items_[k].values = image_of(items_[k].values, false, call.kind);
  }
  return {call.kind, {items_.data(), call.items.size()}, call.how};
}

/// An array that is given twice has one image.
irregular_array gpu_arrays::image_of(const irregular_array& a, bool is_x, irregular_kind kind) {
  irregular_array here = a;
  for (std::size_t n = 0; n < count_; ++n)
    if (images_[n].of.data == a.data) return here.data = images_[n].data, here;
  image& i = images_[count_++];
  i.of = a, i.up = {};
  const index_t right = is_x ? lists_.map.total() : as_index(lists_.here.local.size());
  const bool fits =
      a.components > 0 && a.elements >= 0 && size_of(a) > 0 && (a.elements == right || (is_x && a.elements == owned()));
  if (!is_x) {
    i.data = i.values.of(fits ? std::max<index_t>(a.elements * size_of(a), 1) : 1);
    const bool is_read = kind != irregular_kind::gather;
    if (fits && is_read) copy_bytes(i.data, bytes_of(a), a.elements * size_of(a), device::direction::to_host);
    i.up.is_whole = fits && kind != irregular_kind::scatter;
  } else if (fits) {
    place_x(i);
    down(i, down_of_x(kind));
    i.up = up_of_x(kind, a);
  } else {
    i.data = i.packed.of(1);
  }
  here.data = i.data;
  return here;
}

void gpu_arrays::place_x(image& i) {
  const index_t own_bytes = owned() * size_of(i.of), bytes = lists_.map.total() * size_of(i.of);
  if (i.buffer_bytes != bytes || i.ghosts_at != own_bytes || !i.buffer) {
    i.ghosts_pinned = {};
    i.buffer = std::make_unique_for_overwrite<std::byte[]>(as_size(std::max<index_t>(bytes, 1)));
    i.buffer_bytes = bytes, i.ghosts_at = own_bytes;
    i.ghosts_pinned = device::pinned(i.buffer.get() + own_bytes, bytes - own_bytes);
  }
  i.data = i.buffer.get();
}

void gpu_arrays::down(image& i, const bus_transfer& c) {
  const index_t size = size_of(i.of);
  if (c.has_ghosts)
    copy_bytes(i.data + owned() * size, bytes_of(i.of) + owned() * size, (i.of.elements - owned()) * size,
               device::direction::to_host);
  const std::vector<std::int32_t>& places = c.own->places;
  std::byte* const packed = i.packed.of(std::max<index_t>(as_index(places.size()) * size, 1));
  c.own->elements.start_pack(packed, bytes_of(i.of), size);
  c.own->elements.wait();
  for (std::size_t k = 0; k < places.size(); ++k)
    std::memcpy(i.data + places[k] * size, packed + as_index(k) * size, as_size(size));
}

device::packer& gpu_arrays::references() {
  if (!references_) {
    const std::vector<std::int32_t>& local = lists_.here.local;
    references_.emplace(std::vector<index_t>(local.begin(), local.end()));
  }
  return *references_;
}

bool gpu_arrays::can_pick_there(const irregular_call& call) {
  return call.kind == irregular_kind::gather &&
         std::all_of(call.items.begin(), call.items.end(),
                     [](const irregular_item& i) {
                       return device::is_device_memory(i.x.data) && device::is_device_memory(i.values.data);
                     }) &&
         references().has_kernels();
}

void gpu_arrays::bring_down_wanted(std::span<const irregular_item> items, std::span<moved_array> moved) {
  count_ = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const irregular_array& x = items[k].x;
    image& i = images_[count_++];
    i.of = x;
    i.up = up_of_x(irregular_kind::gather, x);
    place_x(i);
    down(i, {&wanted(), false, false});
    moved[k] = {i.data, owned(), i.data + owned() * size_of(x), size_of(x), x.components};
    picks_[k].x = &i, picks_[k].values = items[k].values;
  }
  pick_count_ = items.size();
}

void gpu_arrays::start_pick(pick_there& p) {
  const irregular_array& x = p.x->of;
  const index_t size = size_of(x), bytes = ghosts() * size;
  const std::byte* rest = bytes_of(x) + owned() * size;
  if (x.elements == owned()) {
    if (p.ghosts_bytes < bytes) p.ghosts = {}, p.ghosts = device::memory(bytes), p.ghosts_bytes = bytes;
    copy_bytes(p.ghosts.data(), p.x->data + owned() * size, bytes, device::direction::to_device);
    rest = p.ghosts.data();
  }
  references().start_pick(bytes_of(p.values), bytes_of(x), rest, owned(), size);
}

void gpu_arrays::bring_up() {
  for (std::size_t n = 0; n < count_; ++n) up(images_[n]);
  for (std::size_t n = 0; n < count_; ++n)
    if (images_[n].up.own) images_[n].up.own->elements.wait();
  for (std::size_t k = 0; k < pick_count_; ++k) start_pick(picks_[k]);
  if (pick_count_ > 0) references().wait();
  count_ = pick_count_ = 0;
}

void gpu_arrays::up(image& i) {
  const index_t size = size_of(i.of);
  if (i.up.is_whole) copy_bytes(bytes_of(i.of), i.data, i.of.elements * size, device::direction::to_device);
  if (i.up.has_ghosts)
    copy_bytes(bytes_of(i.of) + owned() * size, i.data + owned() * size, ghosts() * size, device::direction::to_device);
  if (!i.up.own) return;
  const std::vector<std::int32_t>& places = i.up.own->places;
  pick(i.packed.memory.get(), i.data, places.data(), as_index(places.size()), size);
  i.up.own->elements.start_unpack(bytes_of(i.of), i.packed.memory.get(), size);
}

std::string gpu_arrays::describe() const {
  std::string all;
  for (const auto* list : {&wanted_, &referred_})
    if (*list)
      all += text("  arrays in GPU memory: ", (*list)->places.size(), " own elements, ",
                  list == &wanted_ ? "which others have as ghosts" : "all that are referred to", ", packed by ",
                  (*list)->elements.has_kernels() ? "kernels" : "copies of rows (no kernels)",
                  ", cross for operations on ", list == &wanted_ ? "ghosts" : "references", "\n");
  return all;
}

}  // namespace nearfar::irregular
