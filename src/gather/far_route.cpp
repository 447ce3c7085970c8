// SPDX-License-Identifier: BSD-3-Clause
// Shares as contiguous regions of two buffers.
#include "far_route.hpp"

namespace nearfar::gathering {

void far_route::make(const team& members, const std::string& method, const std::string& name) {
  out_area_.resize(as_size(out_entries_ * element_bytes_));
  in_area_.resize(as_size(in_entries_ * element_bytes_));
  exchange::pattern p;
  p.buffers = {{out_area_.data(), as_index(out_area_.size())}, {in_area_.data(), as_index(in_area_.size())}};
  const auto region = [&](const share& s) {
    return exchange::strided_box{s.first * element_bytes_, element_bytes_, {s.count}, {element_bytes_}};
  };
  for (const share& s : out_) p.sends.push_back({s.peer, 0, region(s)});
  for (const share& s : in_) p.receives.push_back({s.peer, 1, region(s)});
  engine_ = std::make_unique<exchange::exchange>(members, std::move(p),
                                                 exchange::exchange_options{.name = name, .method = method});
}

bool far_route::bind(int buffer, std::byte* area, std::byte* own) {
  if (engine_->rebind(buffer, area)) return true;
  engine_->rebind(buffer, own);
  return false;
}

}  // namespace nearfar::gathering
