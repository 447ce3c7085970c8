// SPDX-License-Identifier: BSD-3-Clause
// The yardsticks: halo exchange as a careful MPI programmer writes it. Buffers, types and requests are made once (but
// for brams-alloc); all fields travel in one message per neighbour (but for mpi-per-field); messages are unpacked as
// they come.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "bench_halo_exchanger.hpp"

namespace bench {
namespace {

constexpr int tag = 71;

template <class T>
MPI_Datatype mpi_type() {
  return sizeof(T) == 4 ? MPI_FLOAT : MPI_DOUBLE;
}

// Runs of a few cache lines: inlined vector moves, the last of which may overlap the one before, beat a call of memcpy.
template <class T>
inline void copy_run(T* __restrict to, const T* __restrict from, index_t n) {
  constexpr index_t wide = 32, per_move = wide / static_cast<index_t>(sizeof(T)), long_run = 16 * per_move;
  if (n > long_run) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
  } else if (n < per_move) {
    for (index_t i = 0; i < n; ++i) to[i] = from[i];
  } else {
    for (index_t i = 0; i < n - per_move; i += per_move) std::memcpy(to + i, from + i, wide);
    std::memcpy(to + n - per_move, from + n - per_move, wide);
  }
}

template <class T>
T* pack(const block& b, const T* __restrict field, T* __restrict out) {
  for_rows(b, [&](index_t at, index_t n, index_t stride) {
    if (stride == 1)
      copy_run(out, field + at, n);
    else
      for (index_t i = 0; i < n; ++i) out[i] = field[at + i * stride];
    out += n;
  });
  return out;
}

template <class T>
const T* unpack(const block& b, const T* __restrict in, T* __restrict field) {
  for_rows(b, [&](index_t at, index_t n, index_t stride) {
    if (stride == 1)
      copy_run(field + at, in, n);
    else
      for (index_t i = 0; i < n; ++i) field[at + i * stride] = in[i];
    in += n;
  });
  return in;
}

// Within a rank, from edge to ghost of the same array: no buffer.
template <class T>
void copy_block(const block& from, const block& to, T* field) {
  for (index_t i = 0; i < from.counts[0]; ++i)
    for (index_t j = 0; j < from.counts[1]; ++j)
      for (index_t k = 0; k < from.counts[2]; ++k)
        copy_run(field + to.offset + i * to.strides[0] + j * to.strides[1] + k * to.strides[2],
                 field + from.offset + i * from.strides[0] + j * from.strides[1] + k * from.strides[2], from.run);
}

template <class T>
using buffer = std::unique_ptr<T, decltype(&std::free)>;

template <class T>
buffer<T> make_buffer(index_t elements) {
  const std::size_t bytes = (static_cast<std::size_t>(elements) * sizeof(T) + 63) / 64 * 64;
  return {static_cast<T*>(std::aligned_alloc(64, std::max<std::size_t>(bytes, 64))), &std::free};
}

int as_int(std::size_t n) { return static_cast<int>(n); }

// What all variants share: who the peers are, where the data lies, and the copies within this rank.
template <class T>
class mpi_base : public exchanger {
 protected:
  struct peer_link {
    int rank;
    const block_link* where;
    index_t send_elements, receive_elements;  // of all fields
    buffer<T> out, in;
  };

  mpi_base(MPI_Comm comm, const layout& memory, std::vector<T*> fields, bool has_buffers)
      : comm_(comm), memory_(memory), fields_(std::move(fields)) {
    int me = 0;
    MPI_Comm_rank(comm_, &me);
    const auto count = static_cast<index_t>(fields_.size());
    for (const auto& l : memory_.links) {
      if (l.peer == me) {
        self_ = &l;
        continue;
      }
      const index_t out = l.send_elements * count, in = l.receive_elements * count;
      peers_.push_back(
          {l.peer, &l, out, in, make_buffer<T>(has_buffers ? out : 0), make_buffer<T>(has_buffers ? in : 0)});
    }
    requests_.resize(2 * peers_.size(), MPI_REQUEST_NULL);
  }

  void pack_for(const peer_link& p, T* out) const {
    for (const T* f : fields_)
      for (const auto& b : p.where->sends) out = pack(b, f, out);
  }
  void unpack_from(const peer_link& p, const T* in) const {
    for (T* f : fields_)
      for (const auto& b : p.where->receives) in = unpack(b, in, f);
  }
  void copy_self() const {
    if (!self_) return;
    for (T* f : fields_)
      for (std::size_t i = 0; i < self_->sends.size(); ++i) copy_block(self_->sends[i], self_->receives[i], f);
  }
  // Receives are the first requests, sends the others.
  void unpack_as_they_come() {
    const int n = as_int(peers_.size());
    for (int done = 0; done < n; ++done) {
      int which = 0;
      MPI_Waitany(n, requests_.data(), &which, MPI_STATUS_IGNORE);
      const auto& p = peers_[static_cast<std::size_t>(which)];
      unpack_from(p, p.in.get());
    }
    MPI_Waitall(n, requests_.data() + n, MPI_STATUSES_IGNORE);
  }

  MPI_Comm comm_;
  const layout& memory_;
  std::vector<T*> fields_;
  const block_link* self_ = nullptr;
  std::vector<peer_link> peers_;
  std::vector<MPI_Request> requests_;
};

template <class T>
class packed_isend : public mpi_base<T> {
 public:
  packed_isend(MPI_Comm comm, const layout& memory, const std::vector<T*>& fields)
      : mpi_base<T>(comm, memory, fields, true) {}

  void exchange() override {
    auto& requests = this->requests_;
    const std::size_t n = this->peers_.size();
    for (std::size_t i = 0; i < n; ++i) {
      auto& p = this->peers_[i];
      MPI_Irecv(p.in.get(), as_int(static_cast<std::size_t>(p.receive_elements)), mpi_type<T>(), p.rank, tag,
                this->comm_, &requests[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      auto& p = this->peers_[i];
      this->pack_for(p, p.out.get());
      MPI_Isend(p.out.get(), as_int(static_cast<std::size_t>(p.send_elements)), mpi_type<T>(), p.rank, tag, this->comm_,
                &requests[n + i]);
    }
    this->copy_self();
    this->unpack_as_they_come();
  }
};

template <class T>
class packed_persistent : public mpi_base<T> {
 public:
  packed_persistent(MPI_Comm comm, const layout& memory, const std::vector<T*>& fields)
      : mpi_base<T>(comm, memory, fields, true) {
    const std::size_t n = this->peers_.size();
    for (std::size_t i = 0; i < n; ++i) {
      auto& p = this->peers_[i];
      MPI_Recv_init(p.in.get(), as_int(static_cast<std::size_t>(p.receive_elements)), mpi_type<T>(), p.rank, tag,
                    this->comm_, &this->requests_[i]);
      MPI_Send_init(p.out.get(), as_int(static_cast<std::size_t>(p.send_elements)), mpi_type<T>(), p.rank, tag,
                    this->comm_, &this->requests_[n + i]);
    }
  }
  ~packed_persistent() override {
    for (auto& r : this->requests_) MPI_Request_free(&r);
  }

  void exchange() override {
    const std::size_t n = this->peers_.size();
    if (n > 0) MPI_Startall(as_int(n), this->requests_.data());
    for (std::size_t i = 0; i < n; ++i) {
      this->pack_for(this->peers_[i], this->peers_[i].out.get());
      MPI_Start(&this->requests_[n + i]);
    }
    this->copy_self();
    this->unpack_as_they_come();
  }
};

// Buffers from malloc at every exchange, as BRAMS and many older programs have them.
template <class T>
class allocating_isend : public mpi_base<T> {
 public:
  allocating_isend(MPI_Comm comm, const layout& memory, const std::vector<T*>& fields)
      : mpi_base<T>(comm, memory, fields, false) {}

  void exchange() override {
    auto& requests = this->requests_;
    const std::size_t n = this->peers_.size();
    for (std::size_t i = 0; i < n; ++i) {
      auto& p = this->peers_[i];
      p.in.reset(static_cast<T*>(std::malloc(static_cast<std::size_t>(p.receive_elements) * sizeof(T))));
      MPI_Irecv(p.in.get(), as_int(static_cast<std::size_t>(p.receive_elements)), mpi_type<T>(), p.rank, tag,
                this->comm_, &requests[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      auto& p = this->peers_[i];
      p.out.reset(static_cast<T*>(std::malloc(static_cast<std::size_t>(p.send_elements) * sizeof(T))));
      this->pack_for(p, p.out.get());
      MPI_Isend(p.out.get(), as_int(static_cast<std::size_t>(p.send_elements)), mpi_type<T>(), p.rank, tag, this->comm_,
                &requests[n + i]);
    }
    this->copy_self();
    this->unpack_as_they_come();
    for (auto& p : this->peers_) p.in.reset(), p.out.reset();
  }
};

// One message per field and neighbour, all of them posted at once.
template <class T>
class per_field_isend : public mpi_base<T> {
 public:
  per_field_isend(MPI_Comm comm, const layout& memory, const std::vector<T*>& fields)
      : mpi_base<T>(comm, memory, fields, true) {
    this->requests_.assign(2 * this->peers_.size() * fields.size(), MPI_REQUEST_NULL);
  }

  void exchange() override {
    const std::size_t count = this->fields_.size(), n = this->peers_.size() * count;
    auto& requests = this->requests_;
    for (std::size_t i = 0; i < n; ++i) {
      auto& p = this->peers_[i / count];
      const auto elements = p.where->receive_elements;
      MPI_Irecv(p.in.get() + static_cast<index_t>(i % count) * elements, as_int(static_cast<std::size_t>(elements)),
                mpi_type<T>(), p.rank, tag + as_int(i % count), this->comm_, &requests[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      auto& p = this->peers_[i / count];
      const auto elements = p.where->send_elements;
      T* const begin = p.out.get() + static_cast<index_t>(i % count) * elements;
      T* out = begin;
      for (const auto& b : p.where->sends) out = pack(b, this->fields_[i % count], out);
      MPI_Isend(begin, as_int(static_cast<std::size_t>(elements)), mpi_type<T>(), p.rank, tag + as_int(i % count),
                this->comm_, &requests[n + i]);
    }
    this->copy_self();
    for (std::size_t done = 0; done < n; ++done) {
      int which = 0;
      MPI_Waitany(as_int(n), requests.data(), &which, MPI_STATUS_IGNORE);
      const auto i = static_cast<std::size_t>(which);
      auto& p = this->peers_[i / count];
      const T* in = p.in.get() + static_cast<index_t>(i % count) * p.where->receive_elements;
      for (const auto& b : p.where->receives) in = unpack(b, in, this->fields_[i % count]);
    }
    MPI_Waitall(as_int(n), requests.data() + n, MPI_STATUSES_IGNORE);
  }
};

/// A derived type for blocks of all fields at absolute addresses; owns it.
template <class T>
class address_type {
 public:
  address_type(const std::vector<block>& blocks, const std::vector<T*>& fields) {
    std::vector<MPI_Datatype> parts;
    std::vector<MPI_Aint> addresses;
    for (T* f : fields)
      for (const auto& b : blocks) {
        parts.push_back(nested_vector(b));
        addresses.emplace_back();
        MPI_Get_address(f + b.offset, &addresses.back());
      }
    const std::vector<int> ones(parts.size(), 1);
    MPI_Type_create_struct(as_int(parts.size()), ones.data(), addresses.data(), parts.data(), &type_);
    MPI_Type_commit(&type_);
    for (auto& p : parts) MPI_Type_free(&p);
  }
  address_type(address_type&& other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
  ~address_type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  static MPI_Datatype nested_vector(const block& b) {
    MPI_Datatype type;
    MPI_Type_contiguous(as_int(static_cast<std::size_t>(b.run)), mpi_type<T>(), &type);
    for (int level = 2; level >= 0; --level) {
      if (b.counts[level] == 1) continue;
      MPI_Datatype outer;
      MPI_Type_create_hvector(as_int(static_cast<std::size_t>(b.counts[level])), 1,
                              static_cast<MPI_Aint>(b.strides[level] * static_cast<index_t>(sizeof(T))), type, &outer);
      MPI_Type_free(&type);
      type = outer;
    }
    return type;
  }
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

template <class T>
class datatype_isend : public mpi_base<T> {
 public:
  datatype_isend(MPI_Comm comm, const layout& memory, const std::vector<T*>& fields)
      : mpi_base<T>(comm, memory, fields, false) {
    for (const auto& p : this->peers_) {
      out_.emplace_back(p.where->sends, fields);
      in_.emplace_back(p.where->receives, fields);
    }
  }

  void exchange() override {
    auto& requests = this->requests_;
    const std::size_t n = this->peers_.size();
    for (std::size_t i = 0; i < n; ++i)
      MPI_Irecv(MPI_BOTTOM, 1, in_[i].get(), this->peers_[i].rank, tag, this->comm_, &requests[i]);
    for (std::size_t i = 0; i < n; ++i)
      MPI_Isend(MPI_BOTTOM, 1, out_[i].get(), this->peers_[i].rank, tag, this->comm_, &requests[n + i]);
    this->copy_self();
    MPI_Waitall(as_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

 protected:
  std::vector<address_type<T>> out_, in_;
};

/// The peers as a graph communicator; owns it.
class graph_comm {
 public:
  graph_comm(MPI_Comm comm, const std::vector<int>& peers) {
    const int n = as_int(peers.size());
    MPI_Dist_graph_create_adjacent(comm, n, peers.data(), MPI_UNWEIGHTED, n, peers.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph_);
  }
  graph_comm(const graph_comm&) = delete;
  graph_comm& operator=(const graph_comm&) = delete;
  ~graph_comm() { MPI_Comm_free(&graph_); }
  MPI_Comm get() const { return graph_; }

 private:
  MPI_Comm graph_ = MPI_COMM_NULL;
};

template <class Peers>
std::vector<int> ranks_of(const Peers& peers) {
  std::vector<int> ranks;
  for (const auto& p : peers) ranks.push_back(p.rank);
  return ranks;
}

template <class T>
class neighbor_types : public datatype_isend<T> {
 public:
  neighbor_types(MPI_Comm comm, const layout& memory, const std::vector<T*>& fields)
      : datatype_isend<T>(comm, memory, fields), graph_(comm, ranks_of(this->peers_)) {
    for (const auto& t : this->out_) out_types_.push_back(t.get());
    for (const auto& t : this->in_) in_types_.push_back(t.get());
    ones_.assign(this->peers_.size(), 1);
    zeros_.assign(this->peers_.size(), 0);
  }

  void exchange() override {
    MPI_Request request;
    MPI_Ineighbor_alltoallw(MPI_BOTTOM, ones_.data(), zeros_.data(), out_types_.data(), MPI_BOTTOM, ones_.data(),
                            zeros_.data(), in_types_.data(), graph_.get(), &request);
    this->copy_self();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

 protected:
  graph_comm graph_;
  std::vector<MPI_Datatype> out_types_, in_types_;
  std::vector<int> ones_;
  std::vector<MPI_Aint> zeros_;
};

// The blocking form is another code path in both MPIs, and mostly the faster one.
template <class T>
class neighbor_types_blocking : public neighbor_types<T> {
 public:
  using neighbor_types<T>::neighbor_types;
  void exchange() override {
    MPI_Neighbor_alltoallw(MPI_BOTTOM, this->ones_.data(), this->zeros_.data(), this->out_types_.data(), MPI_BOTTOM,
                           this->ones_.data(), this->zeros_.data(), this->in_types_.data(), this->graph_.get());
    this->copy_self();
  }
};

template <class T>
class neighbor_packed : public mpi_base<T> {
 public:
  neighbor_packed(MPI_Comm comm, const layout& memory, const std::vector<T*>& fields)
      : mpi_base<T>(comm, memory, fields, false),
        graph_(comm, ranks_of(this->peers_)),
        out_(nullptr, &std::free),
        in_(nullptr, &std::free) {
    int out = 0, in = 0;
    for (const auto& p : this->peers_) {
      out_counts_.push_back(static_cast<int>(p.send_elements));
      in_counts_.push_back(static_cast<int>(p.receive_elements));
      out_offsets_.push_back(std::exchange(out, out + out_counts_.back()));
      in_offsets_.push_back(std::exchange(in, in + in_counts_.back()));
    }
    out_ = make_buffer<T>(out);
    in_ = make_buffer<T>(in);
  }

  void exchange() override {
    for (std::size_t i = 0; i < this->peers_.size(); ++i) this->pack_for(this->peers_[i], out_.get() + out_offsets_[i]);
    MPI_Neighbor_alltoallv(out_.get(), out_counts_.data(), out_offsets_.data(), mpi_type<T>(), in_.get(),
                           in_counts_.data(), in_offsets_.data(), mpi_type<T>(), graph_.get());
    this->copy_self();
    for (std::size_t i = 0; i < this->peers_.size(); ++i)
      this->unpack_from(this->peers_[i], in_.get() + in_offsets_[i]);
  }

 private:
  graph_comm graph_;
  buffer<T> out_, in_;
  std::vector<int> out_counts_, in_counts_, out_offsets_, in_offsets_;
};

}  // namespace

const std::vector<std::string>& mpi_variants() {
  static const std::vector<std::string> names{"mpi-isend",     "mpi-persistent",      "mpi-datatype",  "mpi-neighbor",
                                              "mpi-ineighbor", "mpi-neighbor-packed", "mpi-per-field", "brams-alloc"};
  return names;
}

template <class T>
exchanger_ptr make_mpi_exchanger(const std::string& variant, MPI_Comm comm, const layout& memory,
                                 const std::vector<T*>& fields) {
  if (variant == "mpi-isend") return std::make_unique<packed_isend<T>>(comm, memory, fields);
  if (variant == "mpi-persistent") return std::make_unique<packed_persistent<T>>(comm, memory, fields);
  if (variant == "mpi-datatype") return std::make_unique<datatype_isend<T>>(comm, memory, fields);
  if (variant == "mpi-neighbor") return std::make_unique<neighbor_types_blocking<T>>(comm, memory, fields);
  if (variant == "mpi-ineighbor") return std::make_unique<neighbor_types<T>>(comm, memory, fields);
  if (variant == "mpi-neighbor-packed") return std::make_unique<neighbor_packed<T>>(comm, memory, fields);
  if (variant == "mpi-per-field") return std::make_unique<per_field_isend<T>>(comm, memory, fields);
  if (variant == "brams-alloc") return std::make_unique<allocating_isend<T>>(comm, memory, fields);
  throw std::invalid_argument("no MPI variant is called " + variant);
}

template exchanger_ptr make_mpi_exchanger<float>(const std::string&, MPI_Comm, const layout&,
                                                 const std::vector<float*>&);
template exchanger_ptr make_mpi_exchanger<double>(const std::string&, MPI_Comm, const layout&,
                                                  const std::vector<double*>&);

}  // namespace bench
