// SPDX-License-Identifier: BSD-3-Clause
// MPI_Ineighbor_alltoallw with datatypes: MPI packs, and may send from and receive into the regions in place.
// Layouts that an MPI packs wrongly are packed here.
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
  datatype& operator=(datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
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

/// All pieces of a flow, by their addresses less `base`.
datatype type_of(const std::vector<piece>& pieces, MPI_Aint base = 0) {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;
  for (const piece& p : pieces) {
    if (p.bytes == 0) continue;
    types.push_back(nested(p.where));
    places.push_back(address_of(p.where.first) - base);
  }
  const std::vector<int> ones(types.size(), 1);
  MPI_Datatype all;
  check_mpi(MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &all),
            "MPI_Type_create_struct");
  for (MPI_Datatype& t : types) MPI_Type_free(&t);
  check_mpi(MPI_Type_commit(&all), "MPI_Type_commit");
  return datatype(all);
}

datatype contiguous_type(std::byte* at, index_t bytes) {
  walk whole;
  whole.first = at;
  whole.run_bytes = bytes;
  return type_of({piece{bytes, whole}});
}

/// Whether the MPI's packing of the flow's type gives its bytes in their order. From the first piece on: MPICH does not
/// pack what lies at absolute addresses.
bool is_packed_right(const flow& f) {
  const auto any = std::find_if(f.pieces.begin(), f.pieces.end(), [](const piece& p) { return p.bytes > 0; });
  if (any == f.pieces.end()) return true;
  const datatype type = type_of(f.pieces, address_of(any->where.first));
  int bytes = 0, used = 0;
  check_mpi(MPI_Pack_size(1, type.get(), MPI_COMM_SELF, &bytes), "MPI_Pack_size");
  std::vector<std::byte> by_mpi(as_size(std::max<index_t>(bytes, f.bytes))), by_us(as_size(f.bytes));
  check_mpi(
      MPI_Pack(any->where.first, 1, type.get(), by_mpi.data(), static_cast<int>(by_mpi.size()), &used, MPI_COMM_SELF),
      "MPI_Pack");
  f.pack_into(by_us.data());
  return std::equal(by_us.begin(), by_us.end(), by_mpi.begin());
}

/// Peers of either direction. One-sided neighbourhoods are avoided: MPICH 4.0 completes their requests before the data
/// is there.
std::vector<int> ranks_of(const std::vector<flow*>& a, const std::vector<flow*>& b) {
  std::set<int> ranks;
  for (const auto* list : {&a, &b})
    for (const flow* f : *list) ranks.insert(f->peer);
  return {ranks.begin(), ranks.end()};
}

/// Open MPI 4.1 takes other bytes, some beyond the region, for elements of one byte that run backwards.
bool runs_backwards(const flow& f) {
  return std::any_of(f.pieces.begin(), f.pieces.end(), [](const piece& p) {
    const walk& w = p.where;
    return std::any_of(w.steps.begin(), w.steps.begin() + w.loops, [](index_t s) { return s < 0; });
  });
}

/// A flow as MPI is told of it: where it lies, or by a buffer of ours where MPI would not get that right.
class described {
 public:
  explicit described(const flow& f) : flow_(f), type_(MPI_DATATYPE_NULL) {
    if (!runs_backwards(f) && is_packed_right(f)) {
      type_ = type_of(f.pieces);
      return;
    }
    buffer_.resize(as_size(f.bytes));
    type_ = contiguous_type(buffer_.data(), f.bytes);
  }
  const flow& of() const noexcept { return flow_; }
  MPI_Datatype type() const noexcept { return type_.get(); }
  void pack() {
    if (!buffer_.empty()) flow_.pack_into(buffer_.data());
  }
  void deliver() {
    if (!buffer_.empty()) flow_.unpack_from(buffer_.data());
  }

 private:
  const flow& flow_;
  datatype type_;
  std::vector<std::byte> buffer_;
};

/// The arguments of one direction: a count and a type per neighbour. Arrays of length zero still need an address: there
/// is one entry more.
struct side {
  std::vector<described> flows;
  std::vector<MPI_Datatype> types;
  std::vector<int> counts;
  std::vector<MPI_Aint> nowhere;

  side(const std::vector<flow*>& all, const std::vector<int>& neighbours)
      : types(neighbours.size() + 1, MPI_BYTE), counts(types.size(), 0), nowhere(types.size(), 0) {
    flows.reserve(all.size());
    for (flow* f : all) {
      const auto i =
          static_cast<std::size_t>(std::find(neighbours.begin(), neighbours.end(), f->peer) - neighbours.begin());
      types[i] = flows.emplace_back(*f).type();
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

  void rebind() override {
    out_.emplace(sends_, neighbours_);
    in_.emplace(receives_, neighbours_);
  }

  void start(std::uint64_t) override {
    for (described& d : out_->flows) d.pack();
    is_delivered_ = false;
    check_mpi(
        MPI_Ineighbor_alltoallw(MPI_BOTTOM, out_->counts.data(), out_->nowhere.data(), out_->types.data(), MPI_BOTTOM,
                                in_->counts.data(), in_->nowhere.data(), in_->types.data(), graph_->comm(), &request_),
        "MPI_Ineighbor_alltoallw");
  }

  bool asks_mpi() const noexcept override { return true; }
  bool poll() override {
    int flag = 0;
    check_mpi(MPI_Test(&request_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    if (flag == 0) return false;
    if (!std::exchange(is_delivered_, true))
      for (described& d : in_->flows) d.deliver();
    return true;
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
  bool is_delivered_ = true;
};

}  // namespace

std::unique_ptr<transport> make_neighbor(context& c, peers which, const std::string&) {
  return std::make_unique<neighborhood>(c, which);
}

}  // namespace nearfar::exchange
