// SPDX-License-Identifier: BSD-3-Clause
// Rows out of files of whole arrays; out of compressed parts what they share with the box.
#include "box_reader.hpp"

#include <algorithm>
#include <cstring>

#include "box_copy.hpp"

namespace nearfar::output {

namespace {

/// Calls visit(chunk) for the chunks of an array that have a part in a box.
template <class Visit>
void for_each_chunk(const array_shape& shape, const std::array<index_t, max_dimensions>& chunk, const box& wanted,
                    Visit visit) {
  const std::size_t dimensions = shape.extents.size();
  box at{wanted.dimensions, {}, {}};
  const auto place = [&](std::size_t d, index_t lower) {
    at.lower.at(d) = lower, at.upper.at(d) = std::min(lower + chunk.at(d), shape.extents[d]);
  };
  for (std::size_t d = 0; d < dimensions; ++d) place(d, wanted.lower.at(d) / chunk.at(d) * chunk.at(d));
  for (bool is_more = true; is_more;) {
    visit(at);
    is_more = false;
    for (std::size_t d = dimensions; d-- > 0 && !is_more;) {
      is_more = at.lower.at(d) + chunk.at(d) < wanted.upper.at(d);
      place(d, is_more ? at.lower.at(d) + chunk.at(d) : wanted.lower.at(d) / chunk.at(d) * chunk.at(d));
    }
  }
}

/// Between two boxes that lie in C order in memory, what they share.
void copy_shared(const box& from_box, const std::array<index_t, max_dimensions>& from_extents, const std::byte* from,
                 const box& to_box, std::byte* to, index_t element_bytes) {
  const box both = intersection(from_box, to_box);
  const int dimensions = both.dimensions;
  strided_box s{dimensions, element_bytes, extents_of(both), packed_strides(from_extents, dimensions, element_bytes),
                packed_strides(extents_of(to_box), dimensions, element_bytes)};
  for (std::size_t d = 0; d < as_size(dimensions); ++d) {
    from += (both.lower.at(d) - from_box.lower.at(d)) * s.from_strides.at(d);
    to += (both.lower.at(d) - to_box.lower.at(d)) * s.to_strides.at(d);
  }
  copy_box(s, to, from, near::stores::ordinary);
}

}  // namespace

void box_reader::read(index_t step, const std::vector<box_place>& boxes, std::byte* to,
                      const std::atomic<bool>* is_called_off) {
  step_input in(*plan_, step, is_called_off);
  for (const box_place& b : boxes) {
    if (b.where.is_empty()) continue;
    std::byte* const first = to + b.offset;
    const brick whole{.array = b.array, .where = b.where};
    if (plan_->is_compressed(whole))
      read_chunks(in, b, first);
    else
      in.read_box(whole, 0, plan_->layout.bytes_of(whole), [first](const std::byte* from, index_t bytes, index_t at) {
        std::memcpy(first + at, from, as_size(bytes));
      });
  }
}

void box_reader::read_chunks(step_input& in, const box_place& wanted, std::byte* to) {
  const auto a = as_size(wanted.array);
  for_each_chunk(plan_->layout.arrays[a], plan_->files.places[a].chunk, wanted.where,
                 [&](const box& chunk) { read_chunk(in, {.array = wanted.array, .where = chunk}, wanted, to); });
}

void box_reader::read_chunk(step_input& in, const brick& chunk, const box_place& wanted, std::byte* to) {
  const auto a = as_size(wanted.array);
  decompressor& how = decompressor_for(wanted.array);
  const index_t bytes = in.bytes_of_chunk(chunk);
  const auto refuse = [&](const std::string& why) {
    throw io_error(text(in.path_of(chunk), " cannot be read: ", why));
  };
  if (bytes > how.most_bytes()) refuse("it is longer than any compressed part of its array");
  in.read_chunk(chunk, [&](const std::byte* from, index_t count, index_t at) {
    if (at + count <= how.most_bytes()) std::memcpy(how.input() + at, from, as_size(count));
  });
  const std::byte* elements = nullptr;
  try {
    elements = how.decompress(bytes);
  } catch (const io_error& e) {
    refuse(e.what());
  }
  copy_shared(chunk.where, plan_->files.places[a].chunk, elements, wanted.where, to,
              plan_->layout.arrays[a].element_bytes);
}

decompressor& box_reader::decompressor_for(int array) {
  const auto a = as_size(array);
  const auto found = decompressors_.find(array);
  if (found != decompressors_.end()) return found->second;
  const array_shape& shape = plan_->layout.arrays[a];
  const auto& chunk = plan_->files.places[a].chunk;
  const std::vector<index_t> extents(chunk.begin(), chunk.begin() + as_index(shape.extents.size()));
  return decompressors_.emplace(array, decompressor((*codecs_)[a], extents, shape.element_bytes)).first->second;
}

}  // namespace nearfar::output
