// SPDX-License-Identifier: BSD-3-Clause
// Numbers mortar points: entities in the order in which elements touch them, ghosts by asking their owners.
#include <algorithm>
#include <base/list_exchange.hpp>
#include <mortar/entity_table.hpp>
#include <mortar/layout.hpp>

namespace adaptive_heat {
namespace {

struct entity {
  half_point centre;
  std::uint8_t points;
  bool is_shared = false;
  std::int32_t owner;
  std::int32_t place = -1;
};

/// Where an owner has an entity.
struct answer {
  std::int64_t among_shared, among_all;
  auto operator<=>(const answer&) const = default;
};

/// What an element refers to: an entity by its number, or ~(number of a trace).
struct element_entities {
  std::array<std::int32_t, entities> of;
};

/// Traces while places are unknown: entities of 5 (3 vertices, 2 edges) or 25 positions along quarters of the element.
template <int N>
struct open_trace {
  std::array<std::int32_t, N> of;
};

int points_at(int a, int b) { return a % 2 == 0 && b % 2 == 0 ? 1 : a % 2 == 0 || b % 2 == 0 ? 3 : 9; }

}  // namespace

class layout_maker::work {
 public:
  explicit work(const nearfar::team& members) : team_(members) {}

  void make(const layout_request& request, mortar_layout& out) {
    ask_ = request;
    clear(out);
    refer();
    if (team_.size() > 1) share();
    number();
    if (team_.size() > 1) number_ghosts();
    finish();
    std::swap(out_, out);
  }

 private:
  void clear(mortar_layout& reused) {
    const auto clear_all = [](auto&... lists) { (lists.clear(), ...); };
    out_ = {};
    clear_all(reused.places, reused.edge_traces, reused.face_traces, reused.is_boundary, reused.surface,
              reused.ghost_index, reused.ghost_index_all);
    out_.places.swap(reused.places), out_.edge_traces.swap(reused.edge_traces);
    out_.face_traces.swap(reused.face_traces), out_.is_boundary.swap(reused.is_boundary);
    out_.surface.swap(reused.surface);
    clear_all(found_, refs_, traces_, edges_, faces_, ghosts_, asked_, asked_first_);
    table_.clear(9 * ask_.leaves.size() + 64);
    trace_table_.clear(64);
  }

  // ---- entities ----

  std::int32_t entity_at(const half_point& centre, int points) {
    const std::int32_t n = table_.number(entity_key(centre));
    if (n < static_cast<std::int32_t>(found_.size())) return n;
    found_.push_back({centre, static_cast<std::uint8_t>(points), false, owner_of(centre)});
    return n;
  }

  /// The owner's rank is never above this one: the first leaf along the curve that has the entity owns it.
  int owner_of(const half_point& centre) const {
    const std::uint64_t cell = owner_cell(centre);
    const auto first = ask_.first_key;
    if (cell >= first[static_cast<std::size_t>(team_.rank())]) return team_.rank();
    return static_cast<int>(std::upper_bound(first.begin(), first.end(), cell) - first.begin()) - 1;
  }

  void refer() {
    refs_.resize(ask_.leaves.size());
    for (std::size_t n = 0; n < refs_.size(); ++n) refer(ask_.leaves[n], ask_.shapes[n], refs_[n]);
  }

  void refer(const octant& leaf, const leaf_shape& shape, element_entities& refs) {
    for (int e = 0; e < entities; ++e) {
      const auto s = static_cast<std::size_t>(e);
      const half_point centre = point_in(leaf, entity_quarters[s]);
      const bool is_split = e >= first_face   ? (shape.split_faces >> (e - first_face) & 1) != 0
                            : e >= first_edge ? (shape.split_edges >> (e - first_edge) & 1) != 0
                                              : false;
      refs.of[s] = is_split ? ~trace_at(leaf, e, centre) : entity_at(centre, entity_points(e));
    }
  }

  std::int32_t trace_at(const octant& leaf, int e, const half_point& centre) {
    if (!ask_.has_own_traces) {
      const std::int32_t n = trace_table_.number(entity_key(centre));
      if (n < static_cast<std::int32_t>(traces_.size())) return n;
    }
    const bool is_face = e >= first_face;
    const auto list = is_face ? faces_.size() : edges_.size();
    traces_.push_back({is_face, static_cast<std::int32_t>(list)});
    if (is_face)
      faces_.push_back(face_at(leaf, e - first_face));
    else
      edges_.push_back(edge_at(leaf, e - first_edge));
    return static_cast<std::int32_t>(traces_.size()) - 1;
  }

  open_trace<5> edge_at(const octant& leaf, int e) {
    open_trace<5> trace;
    std::array<int, 3> quarters = entity_quarters[static_cast<std::size_t>(first_edge + e)];
    for (int a = 0; a < 5; ++a) {
      quarters[static_cast<std::size_t>(edge_places[static_cast<std::size_t>(e)].axis)] = a;
      trace.of[static_cast<std::size_t>(a)] = entity_at(point_in(leaf, quarters), points_at(a, 0));
    }
    return trace;
  }

  open_trace<25> face_at(const octant& leaf, int f) {
    open_trace<25> trace;
    std::array<int, 3> quarters = entity_quarters[static_cast<std::size_t>(first_face + f)];
    for (int b = 0; b < 5; ++b)
      for (int a = 0; a < 5; ++a) {
        quarters[static_cast<std::size_t>(first_axis_of_face(f))] = a;
        quarters[static_cast<std::size_t>(second_axis_of_face(f))] = b;
        trace.of[static_cast<std::size_t>(5 * b + a)] = entity_at(point_in(leaf, quarters), points_at(a, b));
      }
    return trace;
  }

  // ---- what other ranks refer to ----

  /// Asks owners for entities by their keys; those that are asked for are shared.
  void share() {
    const int ranks = team_.size();
    rank_lists<std::uint64_t> keys(ranks);
    for (std::int32_t n = 0; n < table_.size(); ++n)
      if (is_ghost(n)) ghosts_.push_back(n);
    std::stable_sort(ghosts_.begin(), ghosts_.end(),
                     [&](std::int32_t a, std::int32_t b) { return found(a).owner < found(b).owner; });
    for (const std::int32_t n : ghosts_) {
      keys.records.push_back(entity_key(found(n).centre));
      ++keys.first[static_cast<std::size_t>(found(n).owner) + 1];
    }
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) keys.first[r + 1] += keys.first[r];
    const rank_lists<std::uint64_t> asked = exchange_lists(team_, keys);
    asked_first_ = asked.first;
    for (const std::uint64_t key : asked.records) {
      asked_.push_back(table_.find(key));
      found(asked_.back()).is_shared = true;
    }
  }

  void number() {
    std::int32_t place = 0;
    for (const bool shared : {false, true}) {
      for (std::int32_t n = 0; n < table_.size(); ++n) {
        entity& e = found(n);
        if (is_ghost(n) || e.is_shared != shared) continue;
        e.place = place;
        place += e.points;
        out_.own_vertices += e.points == 1 ? 1 : 0;
      }
      (shared ? out_.own_shared : out_.own_private) = place - (shared ? out_.own_private : 0);
    }
  }

  void number_ghosts() {
    const std::int64_t counts[2] = {out_.own_shared, out_.own()};
    std::int64_t start[2] = {0, 0};
    nearfar::exscan(team_, std::span<const std::int64_t>(counts), std::span<std::int64_t>(start), nearfar::op::sum);
    if (team_.is_root()) start[0] = start[1] = 0;
    rank_lists<answer> answers(team_.size());
    answers.first = asked_first_;
    for (const std::int32_t n : asked_)
      answers.records.push_back({start[0] + found(n).place - out_.own_private, start[1] + found(n).place});
    const rank_lists<answer> got = exchange_lists(team_, answers);
    // Answers come by owner in the order of the questions; ghosts lie in the order of their indices.
    std::vector<std::pair<answer, std::int32_t>> order;
    for (std::size_t k = 0; k < ghosts_.size(); ++k) order.emplace_back(got.records[k], ghosts_[k]);
    std::sort(order.begin(), order.end());
    index place = out_.own();
    for (const auto& [at, n] : order) {
      found(n).place = static_cast<std::int32_t>(place);
      for (int p = 0; p < found(n).points; ++p, ++place) {
        out_.ghost_index.push_back(at.among_shared + p);
        out_.ghost_index_all.push_back(at.among_all + p);
      }
    }
    out_.ghosts = place - out_.own();
  }

  // ---- the result ----

  void finish() {
    std::vector<std::int32_t> place(traces_.size());
    std::vector<std::uint8_t> is_shared(traces_.size());
    for (std::size_t n = 0; n < traces_.size(); ++n) is_shared[n] = has_shared(traces_[n]);
    index at = (out_.total() + 7) / 8 * 8;
    out_.traces_begin = at;
    for (const bool is_face : {false, true})
      for (const int shared : {1, 0}) {
        for (std::size_t n = 0; n < traces_.size(); ++n)
          if (traces_[n].is_face == is_face && is_shared[n] == shared) {
            place[n] = static_cast<std::int32_t>(at);
            at += is_face ? 9 : 3;
            add(traces_[n], place[n]);
          }
        if (shared != 0)
          (is_face ? out_.shared_face_traces : out_.shared_edge_traces) =
              static_cast<index>(is_face ? out_.face_traces.size() : out_.edge_traces.size());
      }
    out_.size = at + 9;
    set_places(place, is_shared);
    for (const entity& e : found_)
      if (is_on_surface(e.centre))
        for (int p = 0; p < e.points; ++p) out_.surface.push_back(e.place + p);
  }

  void set_places(const std::vector<std::int32_t>& trace_place, const std::vector<std::uint8_t>& trace_shared) {
    out_.places.resize(refs_.size());
    out_.is_boundary.resize(refs_.size());
    for (std::size_t n = 0; n < refs_.size(); ++n)
      for (std::size_t e = 0; e < entities; ++e) {
        const std::int32_t ref = refs_[n].of[e];
        out_.places[n][e] = ref < 0 ? trace_place[static_cast<std::size_t>(~ref)] : found(ref).place;
        if (ref < 0 ? trace_shared[static_cast<std::size_t>(~ref)] != 0 : is_with_others(ref)) out_.is_boundary[n] = 1;
      }
  }

  struct trace_name {
    bool is_face;
    std::int32_t in_list;
  };

  template <int N>
  bool has_shared(const open_trace<N>& trace) const {
    return std::any_of(trace.of.begin(), trace.of.end(), [&](std::int32_t n) { return is_with_others(n); });
  }
  bool has_shared(const trace_name& t) const {
    const auto n = static_cast<std::size_t>(t.in_list);
    return t.is_face ? has_shared(faces_[n]) : has_shared(edges_[n]);
  }

  void add(const trace_name& t, std::int32_t place) {
    const auto n = static_cast<std::size_t>(t.in_list);
    if (t.is_face)
      out_.face_traces.push_back({place, face_points(faces_[n])});
    else
      out_.edge_traces.push_back({place, edge_points(edges_[n])});
  }

  std::array<std::int32_t, 9> edge_points(const open_trace<5>& trace) const {
    std::array<std::int32_t, 9> points{};
    for (std::size_t p = 0; p < 9; ++p) {
      const auto [quarter, inner] = quarter_of(p);
      points[p] = found(trace.of[quarter]).place + static_cast<std::int32_t>(inner);
    }
    return points;
  }

  std::array<std::int32_t, 81> face_points(const open_trace<25>& trace) const {
    std::array<std::int32_t, 81> points{};
    for (std::size_t q = 0; q < 9; ++q)
      for (std::size_t p = 0; p < 9; ++p) {
        const auto [a, inner_a] = quarter_of(p);
        const auto [b, inner_b] = quarter_of(q);
        const std::size_t inner = a % 2 == 0 ? inner_b : b % 2 == 0 ? inner_a : 3 * inner_b + inner_a;
        points[9 * q + p] = found(trace.of[5 * b + a]).place + static_cast<std::int32_t>(inner);
      }
    return points;
  }

  /// Which quarter the point p of 9 along a line belongs to, and which of the three points of an edge it is there.
  static std::pair<std::size_t, std::size_t> quarter_of(std::size_t p) {
    return p % 4 == 0 ? std::pair{p / 2, std::size_t{0}} : std::pair{2 * (p / 4) + 1, p % 4 - 1};
  }

  bool is_ghost(std::int32_t n) const { return found(n).owner != team_.rank(); }
  bool is_with_others(std::int32_t n) const { return found(n).is_shared || is_ghost(n); }
  entity& found(std::int32_t n) { return found_[static_cast<std::size_t>(n)]; }
  const entity& found(std::int32_t n) const { return found_[static_cast<std::size_t>(n)]; }

  nearfar::team team_;
  layout_request ask_;
  entity_table table_, trace_table_;
  std::vector<entity> found_;
  std::vector<element_entities> refs_;
  std::vector<trace_name> traces_;
  std::vector<open_trace<5>> edges_;
  std::vector<open_trace<25>> faces_;
  std::vector<std::int32_t> ghosts_, asked_;  ///< entities, by owner and by rank that asks
  std::vector<std::int64_t> asked_first_;
  mortar_layout out_;
};

layout_maker::layout_maker(const nearfar::team& members) : work_(std::make_unique<work>(members)) {}
layout_maker::~layout_maker() = default;
void layout_maker::make(const layout_request& request, mortar_layout& out) { work_->make(request, out); }

}  // namespace adaptive_heat
