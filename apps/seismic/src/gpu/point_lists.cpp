// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <gpu/point_lists.hpp>
#include <map>

namespace seismic::gpu {

namespace {

constexpr std::size_t batch = 256;  // samples of each receiver

template <class T>
array uploaded(const std::vector<T>& values) {
  return {values.data(), values.size() * sizeof(T)};
}

/// Of own point (0, 0, 0).
long long place_in(const tile_waves& w, index_t k, index_t j, index_t i) {
  const nearfar::box& own = w.tiles.own();
  return (k - own.lower[0]) * w.shape.plane() + (j - own.lower[1]) * w.shape.row() + i - own.lower[2];
}

}  // namespace

source_lists::source_lists(const tile_waves& waves, const std::vector<driven_point>& all, bool is_physical) {
  std::vector<std::size_t> numbers;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (all[n].is_physical == is_physical && !intersection(all[n].where.support(), waves.tiles.own()).is_empty())
      numbers.push_back(n);
  for (std::size_t first = 0; first < numbers.size(); first += most_amplitudes) {
    chunk c;
    c.fields = is_physical && waves.options.system == system_kind::self_adjoint ? 1 : waves.fields();
    const std::size_t end = std::min<std::size_t>(first + most_amplitudes, numbers.size());
    std::map<long long, std::vector<std::pair<int, double>>> by_place;
    for (std::size_t n = first; n < end; ++n) {
      c.numbers.push_back(numbers[n]);
      for_each_weight(all[numbers[n]].where, waves.tiles.own(), [&](index_t k, index_t j, index_t i, double w) {
        const long long at = place_in(waves, k, j, i);
        const double factor = is_physical ? static_cast<double>(waves.vp2()[at]) / waves.cell_volume() : 1;
        by_place[at].emplace_back(static_cast<int>(n - first), w * factor);
      });
    }
    std::vector<long long> places;
    std::vector<int> starts{0}, sources;
    std::vector<double> weights;
    for (const auto& [at, from] : by_place) {
      places.push_back(at);
      for (const auto& [source, weight] : from) sources.push_back(source), weights.push_back(weight);
      starts.push_back(static_cast<int>(sources.size()));
    }
    c.cells = static_cast<int>(places.size());
    c.places = uploaded(places), c.starts = uploaded(starts), c.sources = uploaded(sources);
    c.weights = uploaded(weights);
    chunks_.push_back(std::move(c));
  }
}

void source_lists::drive(device& on, const stream& in, std::array<float*, 2> fields,
                         std::span<const double> amplitudes) const {
  for (const chunk& c : chunks_) {
    inject_arguments a;
    a.fields[0] = fields[0], a.fields[1] = fields[1], a.field_count = c.fields, a.cells = c.cells;
    a.places = c.places.data<const long long>(), a.starts = c.starts.data<const int>();
    a.sources = c.sources.data<const int>(), a.weights = c.weights.data<const double>();
    bool acts = false;
    for (std::size_t n = 0; n < c.numbers.size(); ++n) {
      a.amplitudes[n] = amplitudes[c.numbers[n]];
      acts = acts || a.amplitudes[n] != 0;
    }
    if (acts) on.launch(inject_launch(a), &a, in);
  }
}

receiver_list::receiver_list(const tile_waves& waves, const std::vector<point_weights>& all)
    : count_(static_cast<int>(all.size())), recorded_(all.size()) {
  static_assert(receiver_cells::most >= 2 * most_half_width);
  std::vector<receiver_cells> cells;
  for (const point_weights& p : all) {
    receiver_cells r;
    r.place = place_in(waves, p.first[0], p.first[1], p.first[2]);
    for (std::size_t d = 0; d < 3; ++d) {
      r.counts[d] = p.counts[d];
      std::copy(p.along[d].begin(), p.along[d].end(), r.along[d]);
    }
    cells.push_back(r);
  }
  receivers_ = uploaded(cells);
  samples_ = array(batch * all.size() * sizeof(float));
}

void receiver_list::record(device& on, const stream& in, const tile_shape& shape, const float* field) {
  if (count_ == 0) return;
  if (waiting_ == batch) fetch(in);
  gather_arguments a;
  a.shape = shape, a.field = field, a.receivers = receivers_.data<const receiver_cells>(), a.count = count_;
  a.samples = samples_.data<float>() + waiting_ * static_cast<std::size_t>(count_);
  on.launch(gather_launch(a), &a, in);
  ++waiting_;
}

void receiver_list::fetch(const stream& in) {
  const auto count = static_cast<std::size_t>(count_);
  std::vector<float> samples(waiting_ * count);
  if (!samples.empty()) copy_to_host(samples.data(), samples_.at(), samples.size() * sizeof(float), in);
  in.wait();
  for (std::size_t s = 0; s < waiting_; ++s)
    for (std::size_t r = 0; r < count; ++r) recorded_[r].push_back(samples[s * count + r]);
  waiting_ = 0;
}

std::vector<std::vector<float>>& receiver_list::recorded(const stream& in) {
  if (waiting_ > 0) fetch(in);
  return recorded_;
}

}  // namespace seismic::gpu
