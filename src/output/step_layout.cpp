// SPDX-License-Identifier: BSD-3-Clause
// Tables of frames: bytes in front, how many, and behind them what byte_writer made.
#include "step_layout.hpp"

#include <cstring>
#include <nearfar/error.hpp>

namespace nearfar::output {

namespace {

struct rows {
  index_t from = 0, to = 0;
};

}  // namespace

void step_layout::put_table(const frame_layout& of, std::byte* frame) const {
  byte_writer to;
  to.put(file_bytes), to.put_list(begins);
  for (const brick& b : bricks) to.put(rows{b.where.lower[0], b.where.upper[0]});
  to.put(pieces.size());
  for (const fixed_piece& p : pieces) to.put(p.offset), to.put_list(p.bytes);
  const std::vector<std::byte> bytes = to.take();
  const auto count = as_index(bytes.size());
  if (count + as_index(sizeof count) > of.table_bytes)
    throw resource_error(text("the description of a step's file has ", count, " bytes; there is room for ",
                              of.table_bytes - as_index(sizeof count)));
  std::memcpy(frame, &count, sizeof count);
  std::memcpy(frame + sizeof count, bytes.data(), bytes.size());
}

step_layout step_layout::from_table(const frame_layout& of, const std::byte* frame) {
  index_t count = 0;
  std::memcpy(&count, frame, sizeof count);
  const std::byte* begin = frame + sizeof count;
  const std::vector<std::byte> bytes(begin, begin + count);
  byte_reader from(bytes);
  step_layout l;
  l.file_bytes = from.get<index_t>(), l.begins = from.get_list<index_t>();
  l.bricks = of.bricks;
  for (brick& b : l.bricks) {
    const auto r = from.get<rows>();
    b.where.lower[0] = r.from, b.where.upper[0] = r.to;
  }
  l.pieces.resize(from.get<std::size_t>());
  for (fixed_piece& p : l.pieces) p.offset = from.get<index_t>(), p.bytes = from.get_list<std::byte>();
  return l;
}

index_t step_layout::table_bytes(const std::vector<fixed_piece>& pieces, index_t arrays, index_t bricks) noexcept {
  index_t bytes = 64 + arrays * as_index(sizeof(index_t)) + bricks * as_index(sizeof(rows));
  for (const fixed_piece& p : pieces) bytes += as_index(p.bytes.size()) + 32;
  return bytes;
}

}  // namespace nearfar::output
