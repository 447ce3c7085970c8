// SPDX-License-Identifier: BSD-3-Clause
// Generates the patterns and the truth about them, serially and simply.
#include "bench_irregular_workload.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace bench {
namespace {

using place = std::array<int, 3>;

constexpr int cell = 16;  // lattice units along a root element
constexpr int points = 5;
// Points of a small and of a large element along an edge. Those inside coincide never: a hanging edge has points of its
// own.
constexpr std::array<int, points> small_points{0, 2, 4, 6, 8}, large_points{0, 5, 7, 11, 16};

int morton(const place& at) {
  int code = 0;
  for (int bit = 0; bit < 8; ++bit)
    for (int d = 0; d < 3; ++d) code |= ((at[static_cast<std::size_t>(d)] >> bit) & 1) << (3 * bit + d);
  return code;
}

std::vector<place> cube_in_morton_order(int side) {
  std::vector<place> all;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z) all.push_back({x, y, z});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return morton(a) < morton(b); });
  return all;
}

// Numbers the points of elements as they are met.
class mesh {
 public:
  explicit mesh(int roots)
      : roots_(roots), side_(static_cast<std::size_t>(cell * roots + 1)), ids_(side_ * side_ * side_, -1) {
    for (const auto& root : cube_in_morton_order(roots_)) {
      const place corner{cell * root[0], cell * root[1], cell * root[2]};
      if (!is_cut(root)) {
        element(corner, large_points, root);
        continue;
      }
      for (const auto& part : cube_in_morton_order(2))
        element({corner[0] + cell / 2 * part[0], corner[1] + cell / 2 * part[1], corner[2] + cell / 2 * part[2]},
                small_points, root);
    }
  }

  id_type size() const { return size_; }
  const std::vector<id_type>& references() const { return references_; }

 private:
  using ruler = std::array<int, points>;

  bool is_cut(const place& root) const {
    double square = 0;
    for (const int at : root) {
      if (at < 0 || at >= roots_) return false;
      const double from_centre = at + 0.5 - roots_ / 2.0;
      square += from_centre * from_centre;
    }
    return square <= 0.16 * roots_ * roots_;
  }

  void touch(const place& at) {
    const auto x = static_cast<std::size_t>(at[0]), y = static_cast<std::size_t>(at[1]),
               z = static_cast<std::size_t>(at[2]);
    int& id = ids_[(x * side_ + y) * side_ + z];
    if (id < 0) id = size_++;
    references_.push_back(id);
  }

  void element(const place& corner, const ruler& along, const place& root) {
    for (std::size_t d = 0; d < 3; ++d)
      for (const int side : {0, 1}) face(corner, along, root, d, side);
    for (std::size_t d = 0; d < 3; ++d) edges(corner, along, d);
    for (const int x : {0, 1})
      for (const int y : {0, 1})
        for (const int z : {0, 1})
          touch({corner[0] + x * along[4], corner[1] + y * along[4], corner[2] + z * along[4]});
  }

  void face(const place& corner, const ruler& along, const place& root, std::size_t d, int side) {
    place at = corner, beyond = root;
    at[d] += side * along[4];
    beyond[d] += side == 1 ? 1 : -1;
    if (along[4] != cell || !is_cut(beyond)) return square(at, along, d);
    for (const int a : {0, 1})
      for (const int b : {0, 1}) {
        place part = at;
        part[(d + 1) % 3] += a * cell / 2;
        part[(d + 2) % 3] += b * cell / 2;
        square(part, small_points, d);
      }
  }

  void square(const place& corner, const ruler& along, std::size_t across) {
    for (const int a : along)
      for (const int b : along) {
        place at = corner;
        at[(across + 1) % 3] += a;
        at[(across + 2) % 3] += b;
        touch(at);
      }
  }

  void edges(const place& corner, const ruler& along, std::size_t d) {
    for (const int a : {0, 1})
      for (const int b : {0, 1})
        for (const int c : along) {
          place at = corner;
          at[d] += c;
          at[(d + 1) % 3] += a * along[4];
          at[(d + 2) % 3] += b * along[4];
          touch(at);
        }
  }

  int roots_, size_ = 0;
  std::size_t side_;
  std::vector<int> ids_;
  std::vector<id_type> references_;
};

id_type block_begin(id_type size, int rank, int ranks) { return size * rank / ranks; }

// Different remote elements of a rank, ascending.
std::vector<id_type> ghosts_of(const pattern& all, int rank) {
  const int ranks = static_cast<int>(all.references.size());
  const id_type begin = block_begin(all.size, rank, ranks), end = block_begin(all.size, rank + 1, ranks);
  std::vector<id_type> ids = all.references[static_cast<std::size_t>(rank)];
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  ids.erase(std::remove_if(ids.begin(), ids.end(), [=](id_type id) { return id >= begin && id < end; }), ids.end());
  return ids;
}

}  // namespace

pattern mesh_pattern(int roots, int ranks) {
  const mesh all(roots);
  pattern made{all.size(), {}};
  const auto& refs = all.references();
  const auto total = static_cast<id_type>(refs.size());
  for (int r = 0; r < ranks; ++r)
    made.references.emplace_back(refs.begin() + block_begin(total, r, ranks),
                                 refs.begin() + block_begin(total, r + 1, ranks));
  return made;
}

pattern random_pattern(int ranks) {
  constexpr std::size_t size = 60000, different = 30000, times = 6;
  pattern made{size, {}};
  std::mt19937 random(20240607);
  std::vector<id_type> ids(size);
  for (int r = 0; r < ranks; ++r) {
    std::iota(ids.begin(), ids.end(), id_type{0});
    std::shuffle(ids.begin(), ids.end(), random);
    std::vector<id_type> refs;
    for (std::size_t t = 0; t < times; ++t) refs.insert(refs.end(), ids.begin(), ids.begin() + different);
    std::shuffle(refs.begin(), refs.end(), random);
    made.references.push_back(std::move(refs));
  }
  return made;
}

share::share(const pattern& all, int me)
    : rank(me),
      ranks(static_cast<int>(all.references.size())),
      size(all.size),
      begin(block_begin(size, rank, ranks)),
      end(block_begin(size, rank + 1, ranks)),
      references(all.references[static_cast<std::size_t>(me)]),
      ghosts(ghosts_of(all, me)),
      uses(static_cast<std::size_t>(owned())),
      weights(uses.size()) {
  for (const id_type id : references) {
    const bool is_own = id >= begin && id < end;
    const auto ghost = std::lower_bound(ghosts.begin(), ghosts.end(), id) - ghosts.begin();
    local.push_back(static_cast<int>(is_own ? id - begin : owned() + ghost));
  }
  std::vector<shared_element> seen(uses.size());
  id_type place = 0;
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) first_reference = place;
    for (const id_type id : all.references[static_cast<std::size_t>(r)]) {
      if (id >= begin && id < end) {
        ++uses[static_cast<std::size_t>(id - begin)];
        weights[static_cast<std::size_t>(id - begin)] += ref_weight(place);
      }
      ++place;
    }
    if (r == rank) continue;
    peer reader{r, {}}, owner{r, {}};
    for (const id_type id : ghosts_of(all, r)) {
      if (id < begin || id >= end) continue;
      const auto at = static_cast<std::size_t>(id - begin);
      reader.elements.push_back(static_cast<int>(at));
      seen[at] = {static_cast<int>(at), seen[at].readers + 1, seen[at].sum_of_ranks + r};
    }
    for (std::size_t g = 0; g < ghosts.size(); ++g)
      if (ghosts[g] >= block_begin(size, r, ranks) && ghosts[g] < block_begin(size, r + 1, ranks))
        owner.elements.push_back(static_cast<int>(g));
    if (!reader.elements.empty()) readers.push_back(std::move(reader));
    if (!owner.elements.empty()) owners.push_back(std::move(owner));
  }
  std::copy_if(seen.begin(), seen.end(), std::back_inserter(shared), [](const auto& s) { return s.readers > 0; });
}

std::string describe(const pattern& all) {
  std::string text = std::to_string(all.size) + " elements; references (ghosts) of the ranks:";
  for (std::size_t r = 0; r < all.references.size(); ++r)
    text += " " + std::to_string(all.references[r].size()) + " (" +
            std::to_string(ghosts_of(all, static_cast<int>(r)).size()) + ")";
  return text;
}

}  // namespace bench
