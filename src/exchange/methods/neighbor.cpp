// SPDX-License-Identifier: BSD-3-Clause
// MPI_Ineighbor_alltoallw with datatypes: MPI packs, and may send from and receive into the regions in place.
#include "neighbor.hpp"

#include <base/text.hpp>
#include <far/graph.hpp>
#include <far/message_type.hpp>
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
    check_mpi(MPI_Type_create_hvector(checked_int(w.counts[l], "a region's extent"), 1, static_cast<MPI_Aint>(w.steps[l]), type, &outer),
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
                                           checked_int(list.element_bytes, "an element's size"), places.data(), MPI_BYTE, &type),
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
  check_mpi(MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &all), "MPI_Type_create_struct");
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

std::vector<int> ranks_of(const std::vector<flow*>& flows) {
  std::vector<int> ranks;
  for (const flow* f : flows) ranks.push_back(f->peer);
  return ranks;
}

class neighborhood : public transport {
 public:
  neighborhood(context& c, peers which) : receives_(select(c.receives, which)) {
    const auto sends = select(c.sends, which);
    graph_ = far::borrow_graph(c.members, ranks_of(receives_), ranks_of(sends));
    for (flow* f : sends) owned_.push_back(type_of(f->pieces)), send_types_.push_back(owned_.back().get());
    for (flow* f : receives_) owned_.push_back(target_type(*f)), receive_types_.push_back(owned_.back().get());
    ones_.assign(owned_.size() + 1, 1);
    nowhere_.assign(owned_.size() + 1, 0);
    // Arrays of length zero still need an address.
    send_types_.push_back(MPI_BYTE), receive_types_.push_back(MPI_BYTE);
  }

  void start(std::uint64_t) override {
    check_mpi(MPI_Ineighbor_alltoallw(MPI_BOTTOM, ones_.data(), nowhere_.data(), send_types_.data(), MPI_BOTTOM, ones_.data(),
                                      nowhere_.data(), receive_types_.data(), graph_->comm(), &request_),
              "MPI_Ineighbor_alltoallw");
  }

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
  std::vector<flow*> receives_;
  far::lease_pool<far::graph>::lease graph_;
  std::vector<datatype> owned_;
  std::vector<MPI_Datatype> send_types_, receive_types_;
  std::vector<int> ones_;
  std::vector<MPI_Aint> nowhere_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

std::unique_ptr<transport> make_neighbor(context& c, peers which) { return std::make_unique<neighborhood>(c, which); }

}  // namespace nearfar::exchange
