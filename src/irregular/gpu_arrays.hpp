// SPDX-License-Identifier: BSD-3-Clause
// Arrays of one operation in GPU memory: copies, in host memory, of the elements that the operation reads or writes.
#pragma once

#include <array>
#include <device/device.hpp>
#include <device/packer.hpp>
#include <memory>
#include <nearfar/irregular_plan.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "executor.hpp"

namespace nearfar::irregular {

class gpu_arrays {
 public:
  /// `lists` live as long as this, or until forget_lists().
  explicit gpu_arrays(const plan_lists& lists) : lists_(lists) {}
  /// The lists have changed: no operation is in flight.
  void forget_lists() { wanted_.reset(), referred_.reset(), references_.reset(); }

  /// Whether an array of the call is in GPU memory. Local.
  static bool has_some(const irregular_call& call) noexcept;

  /// The call on images, which hold what it reads. Arrays that do not fit the plan get images that do not either: the
  /// operation refuses them.
  /// Local. @throws resource_error  no memory, or what CUDA says
  irregular_call brought_down(const irregular_call& call);
  /// Whether a gather reads and writes the GPU's memory only, and its kernels can pick there. What it takes of an x by
  /// itself then are elements that others want, and what it gets are ghosts: `moved` says where both lie. @throws as
  /// above
  bool can_pick_there(const irregular_call& call);
  void bring_down_wanted(std::span<const irregular_item> items, std::span<moved_array> moved);
  /// After the operation: what it wrote, to the arrays of the last call. @throws resource_error  what CUDA says
  void bring_up();

  std::string describe() const;  ///< empty before the first call with such arrays

 private:
  /// Own elements by their places, on the GPU and here.
  struct own_list {
    std::vector<std::int32_t> places;
    device::packer elements;
    explicit own_list(std::vector<std::int32_t> all);
  };
  /// Memory of the host that grows, and that the GPU reads and writes directly.
  struct pinned_memory {
    std::unique_ptr<std::byte[]> memory;
    index_t bytes = 0;
    device::pinned pinned;
    std::byte* of(index_t wanted);
  };
  /// Which elements of an array cross.
  struct bus_transfer {
    own_list* own = nullptr;  ///< null: none
    bool has_ghosts = false, is_whole = false;
  };
  struct image {
    irregular_array of;
    bus_transfer up;
    /// An array x has room for all its elements, of which only those that cross are ever touched, or become pages;
    /// ghosts, values and what is packed lie in pinned memory, so that they cross at once.
    std::unique_ptr<std::byte[]> buffer;
    index_t buffer_bytes = 0, ghosts_at = 0;
    device::pinned ghosts_pinned;
    pinned_memory values, packed;
    std::byte* data = nullptr;
  };

  /// A gather that picks on the GPU.
  struct pick_there {
    image* x = nullptr;
    irregular_array values;
    device::memory ghosts;  ///< of an x without
    index_t ghosts_bytes = 0;
  };

  own_list& wanted();
  own_list& referred();
  device::packer& references();
  bus_transfer down_of_x(irregular_kind kind);
  bus_transfer up_of_x(irregular_kind kind, const irregular_array& x);
  irregular_array image_of(const irregular_array& a, bool is_x, irregular_kind kind);
  void place_x(image& i);
  void down(image& i, const bus_transfer& c);
  void up(image& i);
  void start_pick(pick_there& p);
  index_t ghosts() const noexcept { return lists_.map.ghosts(); }
  index_t owned() const noexcept { return lists_.here.owned; }

  const plan_lists& lists_;
  std::optional<own_list> wanted_, referred_;
  std::array<image, 2 * irregular_plan::max_arrays> images_;
  std::size_t count_ = 0;
  std::array<irregular_item, irregular_plan::max_arrays> items_;
  std::optional<device::packer> references_;
  std::array<pick_there, irregular_plan::max_arrays> picks_;
  std::size_t pick_count_ = 0;
};

}  // namespace nearfar::irregular
