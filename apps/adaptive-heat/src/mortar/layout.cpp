// SPDX-License-Identifier: BSD-3-Clause
// Numbers mortar points: entities in the order in which elements touch them, ghosts by asking their owners.
#include <algorithm>
#include <base/mpi_check.hpp>
#include <base/resize_anew.hpp>
#include <mesh/receive_codes.hpp>
#include <mortar/element_references.hpp>
#include <mortar/layout.hpp>
#include <nearfar/collective.hpp>

namespace adaptive_heat {
namespace {

constexpr int question_tag = 0, answer_tag = 1;

/// Where an owner has an entity: its rank, and its place in the owner's vectors; and which of the messages' words has
/// its other copies.
struct answer {
  int owner;
  std::int32_t place, entity;
  std::size_t word;
  auto operator<=>(const answer&) const = default;
};

/// The first word of an answer has the place and how many copies others have, whose numbers follow.
constexpr std::uint64_t answer_word(std::int32_t place, std::size_t others) {
  return static_cast<std::uint64_t>(others) << 32 | static_cast<std::uint32_t>(place);
}
constexpr std::int32_t place_in(std::uint64_t word) { return static_cast<std::int32_t>(word & 0xffffffffU); }
constexpr std::size_t others_in(std::uint64_t word) { return static_cast<std::size_t>(word >> 32); }

/// A mortar point of a trace: which of its entities it belongs to, and which of their points it is.
struct trace_point {
  std::uint8_t entity, inner;
};

/// Where the point p along a split line is: in which quarter, and which of the points of an edge there.
std::pair<int, int> quarter_of(const point_counts& counts, int p) {
  return p % counts.order == 0 ? std::pair{2 * (p / counts.order), 0}
                               : std::pair{2 * (p / counts.order) + 1, p % counts.order - 1};
}

trace_point trace_point_of(int entity, int inner) {
  return {static_cast<std::uint8_t>(entity), static_cast<std::uint8_t>(inner)};
}

std::vector<trace_point> edge_points(const point_counts& counts) {
  std::vector<trace_point> table;
  for (int p = 0; p < counts.line(); ++p) {
    const auto [quarter, inner] = quarter_of(counts, p);
    table.push_back(trace_point_of(quarter, inner));
  }
  return table;
}
std::vector<trace_point> face_points(const point_counts& counts) {
  std::vector<trace_point> table;
  for (int q = 0; q < counts.line(); ++q)
    for (int p = 0; p < counts.line(); ++p) {
      const auto [a, inner_a] = quarter_of(counts, p);
      const auto [b, inner_b] = quarter_of(counts, q);
      const int inner = a % 2 == 0 ? inner_b : b % 2 == 0 ? inner_a : counts.inner() * inner_b + inner_a;
      table.push_back(trace_point_of(5 * b + a, inner));
    }
  return table;
}

}  // namespace

class layout_maker::work {
 public:
  explicit work(const nearfar::team& members) : team_(members), comm_(members) {}

  void make(const layout_request& request, mortar_layout& out) {
    ask_ = request;
    out.counts = {ask_.order};
    if (out.counts != counts_ || edge_points_.empty()) {
      counts_ = out.counts;
      edge_points_ = edge_points(counts_), face_points_ = face_points(counts_);
    }
    refs_.renew(ask_.leaves, ask_.shapes, ask_.has_own_traces, out.places);
    clear(out);
    if (team_.size() > 1) share();
    number(out);
    tell_counts(out);
    out.sharers.clear();
    if (team_.size() > 1) {
      answer_questions(out);
      number_ghosts(out);
    }
    place_traces(out);
    finish_elements(out);
  }

 private:
  /// Memory of the result is used again.
  void clear(mortar_layout& out) {
    const auto clear_all = [](auto&... lists) { (lists.clear(), ...); };
    clear_all(out.is_boundary, out.surface, out.ghost_index, out.ghost_index_all, out.entity_dimensions,
              out.shared_sizes, out.own_sizes, out.copy_sizes);
    out.largest = 0;
    out.own_private = out.own_shared = out.ghosts = out.own_vertices = 0;
    out.private_entities = 0;
    clear_all(ghosts_, keys_, asked_keys_, asked_, asked_first_, asker_base_, shared_, edge_order_, face_order_,
              unfinished_);
    place_.assign(static_cast<std::size_t>(refs_.entities_end()), is_unknown);
    edge_place_.assign(static_cast<std::size_t>(refs_.edges_end()), is_unknown);
    face_place_.assign(static_cast<std::size_t>(refs_.faces_end()), is_unknown);
  }

  // ---- what other ranks refer to ----

  /// The owner's rank is never above this one: the first leaf along the curve that has the entity owns it.
  int owner_of(std::int32_t n) const {
    const std::uint64_t cell = owner_cell(centre_of(refs_.key(n)));
    const auto first = ask_.first_key;
    if (cell >= first[static_cast<std::size_t>(team_.rank())]) return team_.rank();
    return static_cast<int>(std::upper_bound(first.begin(), first.end(), cell) - first.begin()) - 1;
  }

  /// Keys grow with each coordinate: what touches an element has its owner at or after the cell before the element's
  /// first corner.
  void find_ghosts() {
    const auto before = [](std::uint32_t c) { return c == 0 ? 0 : c - 1; };
    const std::uint64_t first = ask_.first_key[static_cast<std::size_t>(team_.rank())];
    for (std::size_t n = 0; n < ask_.leaves.size(); ++n) {
      const octant& o = ask_.leaves[n];
      if (octant{before(o.x), before(o.y), before(o.z), max_level}.key() >= first) continue;
      const element_numbers& refs = refs_.of_elements()[n];
      for (std::size_t e = 0; e < entities; ++e) {
        if (refs[e] >= 0)
          check_owner(refs[e]);
        else if (e < first_face)
          for (const std::int32_t entity : refs_.edge(~refs[e])) check_owner(entity);
        else
          for (const std::int32_t entity : refs_.face(~refs[e])) check_owner(entity);
      }
    }
  }
  void check_owner(std::int32_t n) {
    if (place(n) != is_unknown) return;
    const int owner = owner_of(n);
    const bool is_own = owner == team_.rank();
    if (!is_own) ghosts_.push_back({owner, n});
    place_of(n) = is_own ? is_private : is_ghost;
  }

  /// Asks owners for entities by their keys; those that are asked for are shared. The last word of a question says how
  /// many points the ghosts of lower owners have.
  void share() {
    find_ghosts();
    std::stable_sort(ghosts_.begin(), ghosts_.end(), [](const ghost& a, const ghost& b) { return a.owner < b.owner; });
    ask_owners();
    asked_first_.assign(1, 0);
    for (const int partner : ask_.partners) {
      receive_codes(comm_, partner, question_tag, asked_keys_);
      asker_base_.push_back(static_cast<std::int64_t>(asked_keys_.back()));
      asked_keys_.pop_back();
      asked_first_.push_back(asked_keys_.size());
    }
    for (const std::uint64_t key : asked_keys_) {
      asked_.push_back(refs_.find(key));
      place_of(asked_.back()) = is_shared;
    }
    finish_sends();
  }

  void ask_owners() {
    keys_.reserve(ghosts_.size() + ask_.partners.size());  // what is sent must not move
    start_sends(ask_.partners.size());
    std::size_t at = 0;
    std::uint64_t points = 0;
    for (const int partner : ask_.partners) {
      const std::size_t first = keys_.size();
      const std::uint64_t before = points;
      for (const std::size_t end = end_of_owner(at, partner); at < end; ++at) {
        keys_.push_back(refs_.key(ghosts_[at].entity));
        points += static_cast<std::uint64_t>(this->points(ghosts_[at].entity));
      }
      keys_.push_back(before);
      send(keys_.data() + first, keys_.size() - first, MPI_UINT64_T, partner, question_tag);
    }
  }

  /// One past the ghosts of that owner, which begin at `first` if there are any.
  std::size_t end_of_owner(std::size_t first, int owner) const {
    while (first < ghosts_.size() && ghosts_[first].owner == owner) ++first;
    return first;
  }

  void start_sends(std::size_t most) {
    requests_.clear();
    requests_.reserve(most);
  }
  void send(const void* data, std::size_t count, MPI_Datatype type, int to, int tag) {
    check_mpi(MPI_Isend(data, static_cast<int>(count), type, to, tag, comm_, &requests_.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Isend");
  }
  void finish_sends() { wait_for(requests_); }

  /// One pass over the elements gives private points their places, and elements those of all their entities if these
  /// are private; it finds what is in use of all else, in the order in which elements refer to it: what split edges and
  /// faces lie on behind those.
  void number(mortar_layout& out) {
    const auto& refs = refs_.of_elements();
    resize_anew(out.places, refs.size());
    next_ = 0;
    for (std::size_t n = 0; n < refs.size(); ++n) {
      const bool is_at_surface = is_on_surface(ask_.leaves[n]);
      std::int32_t lowest = 0;
      for (std::size_t e = 0; e < entities; ++e) {
        const std::int32_t ref = refs[n][e];
        const std::int32_t at = ref >= 0 ? meet(ref, is_at_surface, out) : meet_trace(~ref, e, is_at_surface, out);
        out.places[n][e] = at;
        lowest = std::min(lowest, at);
      }
      if (lowest < 0) unfinished_.push_back(n);
    }
    refs_.drop_unused(place_, edge_place_, face_place_, is_unknown);
    out.own_private = next_;
    out.private_entities = out.entity_dimensions.size();
    for (const std::int32_t n : shared_) give(n, true, out);
    out.own_shared = next_ - out.own_private;
  }

  /// The place of an entity, or what stands for it.
  std::int32_t meet(std::int32_t n, bool may_be_on_surface, mortar_layout& out) {
    std::int32_t& at = place_of(n);
    if (at == is_unknown || at == is_private) {
      give(n, may_be_on_surface, out);
    } else if (at == is_shared) {
      shared_.push_back(n);
      at = is_met;
    }
    return at;
  }
  std::int32_t meet_trace(std::int32_t trace, std::size_t e, bool may_be_on_surface, mortar_layout& out) {
    const bool is_face = e >= first_face;
    std::int32_t& at = (is_face ? face_place_ : edge_place_)[static_cast<std::size_t>(trace)];
    if (at != is_unknown) return at;
    at = is_met;
    (is_face ? face_order_ : edge_order_).push_back(trace);
    const auto meet_all = [&](const auto& all) {
      for (const std::int32_t n : all) meet(n, may_be_on_surface, out);
    };
    is_face ? meet_all(refs_.face(trace)) : meet_all(refs_.edge(trace));
    return at;
  }

  void give(std::int32_t n, bool may_be_on_surface, mortar_layout& out) {
    const int dimension = refs_.dimension(n);
    place_of(n) = next_;
    out.own_vertices += dimension == 0 ? 1 : 0;
    out.entity_dimensions.push_back(static_cast<std::uint8_t>(dimension));
    if (may_be_on_surface) note_surface(n, out);
    next_ += counts_.of_dimension(dimension);
  }

  /// If an entity with a place is on the surface.
  void note_surface(std::int32_t n, mortar_layout& out) const {
    if (!is_on_surface(centre_of(refs_.key(n)))) return;
    for (int p = 0; p < points(n); ++p) out.surface.push_back(place(n) + p);
  }

  void answer_questions(mortar_layout& out) {
    copies_before_.assign(1, 0);
    for (const std::int64_t copies : out.copy_sizes) copies_before_.push_back(copies_before_.back() + copies);
    find_copies(out);
    askers_.add_all(out.sharers);
    answers_.clear();
    answers_first_.clear();
    for (std::size_t i = 0; i < ask_.partners.size(); ++i) {
      answers_first_.push_back(answers_.size());
      for (std::size_t k = asked_first_[i]; k < asked_first_[i + 1]; ++k) {
        answers_.push_back(answer_word(place(asked_[k]), askers_.others_of(k)));
        askers_.add_others_of(k, answers_);
      }
    }
    answers_first_.push_back(answers_.size());
    start_sends(ask_.partners.size());
    for (std::size_t i = 0; i < ask_.partners.size(); ++i)
      if (const std::size_t first = answers_first_[i]; first != answers_first_[i + 1])
        send(answers_.data() + first, answers_first_[i + 1] - first, MPI_UINT64_T, ask_.partners[i], answer_tag);
  }

  void find_copies(const mortar_layout& out) {
    std::vector<asked_entity> asked;
    asked.reserve(asked_.size());
    for (const std::int32_t n : asked_)
      asked.push_back({place(n) - static_cast<std::int32_t>(out.own_private), points(n)});
    std::vector<std::int64_t> next;
    for (std::size_t i = 0; i < ask_.partners.size(); ++i) {
      const auto asker = static_cast<std::size_t>(ask_.partners[i]);
      next.push_back(copies_before_[asker] + out.shared_sizes[asker] + asker_base_[i]);
    }
    askers_.find(asked, asked_first_, next, out.own_shared);
  }

  void number_ghosts(mortar_layout& out) {
    std::vector<answer> order = receive_answers();
    finish_sends();
    std::sort(order.begin(), order.end());
    std::vector<std::int64_t> shared_before{0}, own_before{0};  // points of the ranks before, and whether shared or not
    for (std::size_t r = 0; r < out.own_sizes.size(); ++r) {
      shared_before.push_back(shared_before.back() + out.shared_sizes[r]);
      own_before.push_back(own_before.back() + out.own_sizes[r]);
    }
    index_t next = out.own();
    for (const answer& a : order) {
      const auto owner = static_cast<std::size_t>(a.owner);
      const index_t among_all = own_before[owner] + a.place;
      const index_t at_owner = a.place - (out.own_sizes[owner] - out.shared_sizes[owner]);
      const int points = this->points(a.entity);
      place_of(a.entity) = static_cast<std::int32_t>(next);
      note_surface(a.entity, out);
      out.entity_dimensions.push_back(static_cast<std::uint8_t>(refs_.dimension(a.entity)));
      for (int p = 0; p < points; ++p, ++next) {
        out.ghost_index.push_back(shared_before[owner] + at_owner + p);
        out.ghost_index_all.push_back(among_all + p);
      }
      out.sharers.others.push_back(copies_before_[owner] + at_owner);  // the lowest rank of all
      const auto others = answered_.begin() + static_cast<std::ptrdiff_t>(a.word) + 1;
      out.sharers.others.insert(out.sharers.others.end(), others,
                                others + static_cast<std::ptrdiff_t>(others_in(answered_[a.word])));
      out.sharers.close();
    }
    out.ghosts = next - out.own();
  }

  /// In the order of the ghosts.
  std::vector<answer> receive_answers() {
    answered_.clear();
    for (std::size_t at = 0; at < ghosts_.size(); at = end_of_owner(at, ghosts_[at].owner))
      receive_codes(comm_, ghosts_[at].owner, answer_tag, answered_);
    std::vector<answer> all;
    all.reserve(ghosts_.size());
    std::size_t word = 0;
    for (const ghost& g : ghosts_) {
      all.push_back({g.owner, place_in(answered_[word]), g.entity, word});
      word += 1 + others_in(answered_[word]);
    }
    return all;
  }

  void tell_counts(mortar_layout& out) {
    index_t ghosts = 0;
    for (const ghost& g : ghosts_) ghosts += points(g.entity);
    constexpr std::size_t numbers = 4;
    const std::int64_t mine[numbers] = {out.own_shared, out.own(), out.own_shared + ghosts, size_at_most(out, ghosts)};
    std::vector<std::int64_t> all(numbers * static_cast<std::size_t>(team_.size()));
    nearfar::allgather(team_, std::span<const std::int64_t>(mine), std::span<std::int64_t>(all));
    for (std::size_t at = 0; at < all.size(); at += numbers) {
      out.shared_sizes.push_back(all[at]), out.own_sizes.push_back(all[at + 1]);
      out.copy_sizes.push_back(all[at + 2]);
      out.largest = std::max(out.largest, all[at + 3]);
    }
  }

  /// Before ghosts and traces have places.
  index_t size_at_most(const mortar_layout& out, index_t ghosts) const {
    const auto of_traces = [&](const auto& order, int dimension) {
      return counts_.of_dimension(dimension) * static_cast<index_t>(order.size());
    };
    return out.own() + ghosts + 8 + counts_.of_dimension(2) + of_traces(edge_order_, 1) + of_traces(face_order_, 2);
  }

  // ---- the result ----

  /// Shared traces first, of edges and of faces.
  void place_traces(mortar_layout& out) {
    out.traces_begin = (out.total() + 7) / 8 * 8;
    const auto place_all = [&](const auto& order, const auto& entities_of, const auto& points, auto& noted,
                               trace_list& traces, index_t& shared_traces) {
      for (const bool shared : {true, false}) {
        for (const std::int32_t n : order)
          if (has_others(out, entities_of(n)) == shared)
            noted[static_cast<std::size_t>(n)] = add(entities_of(n), points, traces);
        if (shared) shared_traces = static_cast<index_t>(traces.size());
      }
    };
    const auto edge = [this](std::int32_t n) -> const edge_entities& { return refs_.edge(n); };
    const auto face = [this](std::int32_t n) -> const face_entities& { return refs_.face(n); };
    out.edge_traces.start(out.traces_begin, counts_.of_dimension(1), counts_.line());
    place_all(edge_order_, edge, edge_points_, edge_place_, out.edge_traces, out.shared_edge_traces);
    out.face_traces.start(out.edge_traces.end(), counts_.of_dimension(2), counts_.grid());
    place_all(face_order_, face, face_points_, face_place_, out.face_traces, out.shared_face_traces);
    out.size = out.face_traces.end() + counts_.of_dimension(2);
  }

  /// Returns the place.
  template <class Entities>
  std::int32_t add(const Entities& of, const std::vector<trace_point>& points, trace_list& traces) const {
    const std::int32_t at = traces.end();
    std::int32_t* to = traces.add().data();
    for (const trace_point& p : points) *to++ = place(of[p.entity]) + p.inner;
    return at;
  }

  /// Private points come first in mortar vectors.
  template <class Entities>
  bool has_others(const mortar_layout& out, const Entities& of) const {
    return out.own_private != out.total() &&
           std::any_of(of.begin(), of.end(), [&](std::int32_t n) { return place(n) >= out.own_private; });
  }

  /// Places of those that refer to more than private points.
  void finish_elements(mortar_layout& out) const {
    out.is_boundary.assign(out.places.size(), 0);
    const auto own_private = static_cast<std::int32_t>(out.own_private), total = static_cast<std::int32_t>(out.total());
    const std::int32_t shared_edges_end = out.edge_traces.place(static_cast<std::size_t>(out.shared_edge_traces)),
                       shared_faces_end = out.face_traces.place(static_cast<std::size_t>(out.shared_face_traces));
    for (const std::size_t n : unfinished_) {
      bool has_others = false;
      for (std::size_t e = 0; e < entities; ++e) {
        const std::int32_t ref = refs_.of_elements()[n][e];
        std::int32_t& at = out.places[n][e];
        if (ref >= 0) {
          at = place(ref);
          has_others |= at >= own_private && at < total;
        } else if (e < first_face) {
          at = edge_place_[static_cast<std::size_t>(~ref)];
          has_others |= at < shared_edges_end;
        } else {
          at = face_place_[static_cast<std::size_t>(~ref)];
          has_others |= at < shared_faces_end;
        }
      }
      out.is_boundary[n] = has_others ? 1 : 0;
    }
  }

  int points(std::int32_t n) const { return counts_.of_dimension(refs_.dimension(n)); }
  std::int32_t place(std::int32_t n) const { return place_[static_cast<std::size_t>(n)]; }
  std::int32_t& place_of(std::int32_t n) { return place_[static_cast<std::size_t>(n)]; }

  struct ghost {
    int owner;
    std::int32_t entity;
  };
  // What stands for the place of an entity before it has one.
  static constexpr std::int32_t is_unknown = -1, is_private = -2, is_shared = -3, is_ghost = -4, is_met = -5;

  nearfar::team team_;
  own_comm comm_;
  layout_request ask_;
  point_counts counts_;
  std::vector<trace_point> edge_points_, face_points_;  ///< of any trace
  element_references refs_;
  std::vector<std::int32_t> place_, edge_place_, face_place_;  ///< in mortar vectors
  std::vector<ghost> ghosts_;                                  ///< by owner
  std::vector<std::int32_t> edge_order_, face_order_;          ///< traces as elements refer to them
  std::int32_t next_ = 0;                                      ///< place
  std::vector<std::size_t> unfinished_;                        ///< elements that refer to more than private points
  std::vector<std::int32_t> asked_, shared_;                   ///< entities: by the rank that asks, and as they lie
  std::vector<std::size_t> asked_first_;                       ///< of those, by partner
  std::vector<std::int64_t> asker_base_;     ///< points of the ghosts that a partner has of lower owners
  std::vector<std::int64_t> copies_before_;  ///< of lower ranks, by rank
  asker_copies askers_;
  codes keys_, asked_keys_;
  codes answers_, answered_;                ///< given and got
  std::vector<std::size_t> answers_first_;  ///< by partner
  std::vector<MPI_Request> requests_;
};

layout_maker::layout_maker(const nearfar::team& members) : work_(std::make_unique<work>(members)) {}
layout_maker::~layout_maker() = default;
void layout_maker::make(const layout_request& request, mortar_layout& out) { work_->make(request, out); }

}  // namespace adaptive_heat
