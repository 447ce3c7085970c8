// SPDX-License-Identifier: BSD-3-Clause
// Parts of two areas as contiguous regions of two buffers.
#include "far_route.hpp"

namespace nearfar::irregular {

void far_route::make(const team& members, const std::string& method, const std::string& name, std::byte* out,
                     std::byte* in) {
  exchange::pattern p;
  p.buffers = {{out, out_bytes()}, {in, in_bytes()}};
  const auto region = [&](const part& s) {
    return exchange::strided_box{s.at, element_bytes_, {s.what.count}, {element_bytes_}};
  };
  for (const part& s : out_) p.sends.push_back({s.what.peer, 0, region(s)});
  for (const part& s : in_) p.receives.push_back({s.what.peer, 1, region(s)});
  exchange::exchange_options options{.name = name, .method = method};
  options.is_agreed = true;  // by the requests that the plan was made from
  engine_ = std::make_unique<exchange::exchange>(members, std::move(p), std::move(options));
}

}  // namespace nearfar::irregular
