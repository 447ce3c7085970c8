// SPDX-License-Identifier: BSD-3-Clause
// MPI_Ineighbor_alltoallw with datatypes: MPI packs, and may send from and receive into the regions in place.
#include "neighbor.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <far/graph.hpp>
#include <far/message_type.hpp>
#include <optional>
#include <set>
#include <topology/agree.hpp>
#include <utility>

namespace nearfar::exchange {

namespace {

/// A committed datatype, freed with the object. Movable.
class datatype {
 public:
  explicit datatype(MPI_Datatype type) : type_(type) {}
  datatype(datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  datatype& operator=(datatype&&) = delete;
  ~datatype() {
    if (type_ != MPI_DATATYPE_NULL && is_mpi_usable()) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_;
};

MPI_Aint address_of(const std::byte* at) {
  MPI_Aint address = 0;
  check_mpi(MPI_Get_address(at, &address), "MPI_Get_address");
  return address;
}

MPI_Datatype nested(const walk& w) {
  const far::message_type run(w.run_bytes);
  MPI_Datatype type;
  check_mpi(MPI_Type_contiguous(run.count(), run.type(), &type), "MPI_Type_contiguous");
  for (int i = w.loops; i-- > 0;) {
    MPI_Datatype outer;
    const auto l = static_cast<std::size_t>(i);
    check_mpi(MPI_Type_create_hvector(checked_int(w.counts[l], "a region's extent"), 1,
                                      static_cast<MPI_Aint>(w.steps[l]), type, &outer),
              "MPI_Type_create_hvector");
    MPI_Type_free(&type);
    type = outer;
  }
  return type;
}

MPI_Datatype listed(const index_list& list) {
  std::vector<MPI_Aint> places;
  for (const index i : list.indices) places.push_back(static_cast<MPI_Aint>(i * list.element_bytes));
  MPI_Datatype type;
  check_mpi(MPI_Type_create_hindexed_block(checked_int(list.elements(), "an index list's length"),
                                           checked_int(list.element_bytes, "an element's size"), places.data(),
                                           MPI_BYTE, &type),
            "MPI_Type_create_hindexed_block");
  return type;
}

/// All pieces of a flow by their absolute addresses.
datatype type_of(const std::vector<piece>& pieces) {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;
  for (const piece& p : pieces) {
    if (p.bytes == 0) continue;
    if (const auto* w = std::get_if<walk>(&p.where)) {
      types.push_back(nested(*w));
      places.push_back(address_of(w->first));
    } else {
      types.push_back(listed(*std::get<1>(p.where).second));
      places.push_back(address_of(std::get<1>(p.where).first));
    }
  }
  const std::vector<int> ones(types.size(), 1);
  MPI_Datatype all;
  check_mpi(MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &all),
            "MPI_Type_create_struct");
  for (MPI_Datatype& t : types) MPI_Type_free(&t);
  check_mpi(MPI_Type_commit(&all), "MPI_Type_commit");
  return datatype(all);
}

datatype target_type(flow& f) {
  if (!f.keeps_delivery) return type_of(f.pieces);
  walk kept;
  kept.first = f.delivered.data();
  kept.run_bytes = f.bytes;
  return type_of({piece{f.bytes, kept}});
}

/// Peers of either direction. One-sided neighbourhoods are avoided: MPICH 4.0 completes their requests before the data is there.
std::vector<int> ranks_of(const std::vector<flow*>& a, const std::vector<flow*>& b) {
  std::set<int> ranks;
  for (const auto* list : {&a, &b})
    for (const flow* f : *list) ranks.insert(f->peer);
  return {ranks.begin(), ranks.end()};
}

/// The arguments of one direction: a count and a type per neighbour. Arrays of length zero still need an address: there is one entry more.
struct side {
  std::vector<datatype> owned;
  std::vector<MPI_Datatype> types;
  std::vector<int> counts;
  std::vector<MPI_Aint> nowhere;

  template <class TypeOf>
  side(const std::vector<flow*>& flows, const std::vector<int>& neighbours, TypeOf of)
      : types(neighbours.size() + 1, MPI_BYTE), counts(types.size(), 0), nowhere(types.size(), 0) {
    for (flow* f : flows) {
      const auto i =
          static_cast<std::size_t>(std::find(neighbours.begin(), neighbours.end(), f->peer) - neighbours.begin());
      owned.push_back(of(*f));
      types[i] = owned.back().get();
      counts[i] = 1;
    }
  }
};

class neighborhood : public transport {
 public:
  neighborhood(context& c, peers which)
      : sends_(select(c.sends, which)),
        receives_(select(c.receives, which)),
        neighbours_(ranks_of(receives_, sends_)),
        graph_(far::borrow_graph(c.members, neighbours_, neighbours_)) {
    agree(c.members, [this] { rebind(); });
  }

  bool rebind() override {
    out_.emplace(sends_, neighbours_, [](flow& f) { return type_of(f.pieces); });
    in_.emplace(receives_, neighbours_, target_type);
    return true;
  }

  void start(std::uint64_t) override {
    check_mpi(
        MPI_Ineighbor_alltoallw(MPI_BOTTOM, out_->counts.data(), out_->nowhere.data(), out_->types.data(), MPI_BOTTOM,
                                in_->counts.data(), in_->nowhere.data(), in_->types.data(), graph_->comm(), &request_),
        "MPI_Ineighbor_alltoallw");
  }

  bool asks_mpi() const noexcept override { return true; }
  bool poll() override {
    int flag = 0;
    check_mpi(MPI_Test(&request_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  }

  std::string waiting_for() const override {
    std::string s;
    for (const flow* f : receives_) s += text(s.empty() ? "one of the neighbours: " : ", ", "rank ", f->peer);
    return s;
  }

 private:
  std::vector<flow*> sends_, receives_;
  std::vector<int> neighbours_;
  far::lease_pool<far::graph>::lease graph_;
  std::optional<side> out_, in_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

std::unique_ptr<transport> make_neighbor(context& c, peers which, const std::string&) {
  return std::make_unique<neighborhood>(c, which);
}

}  // namespace nearfar::exchange
