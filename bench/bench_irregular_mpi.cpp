// SPDX-License-Identifier: BSD-3-Clause
// Ghost exchange and full gathers by hand: packed messages, persistent requests, neighbourhood collectives, put and
// get.
#include <algorithm>

#include "bench_irregular_method.hpp"

namespace bench {
namespace {

constexpr int tag = 7;

/// Moves ghosts: forward from the owners, backward into them. Elements of one peer are consecutive in every buffer.
class transport {
 public:
  transport(const irregular_site& here, irregular_arrays arrays) : comm_(here.comm), mine_(here.mine), arrays_(arrays) {
    std::size_t shared = 0;
    for (const auto& reader : mine_.readers) {
      starts_.push_back(shared);
      shared += reader.elements.size();
    }
    buffer_.resize(shared);
  }
  virtual ~transport() = default;
  virtual void forward() = 0;
  virtual void backward() = 0;

 protected:
  void pack(std::size_t reader, double* to) const {
    const auto& elements = mine_.readers[reader].elements;
    const double* from = arrays_.owned;
    for (std::size_t i = 0; i < elements.size(); ++i) to[i] = from[elements[i]];
  }
  void add(std::size_t reader, const double* from) const {
    const auto& elements = mine_.readers[reader].elements;
    double* to = arrays_.owned;
    for (std::size_t i = 0; i < elements.size(); ++i) to[elements[i]] += from[i];
  }
  void add_all() const {
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) add(r, part_of(r));
  }
  double* part_of(std::size_t reader) const { return const_cast<double*>(buffer_.data()) + starts_[reader]; }
  double* ghosts_of(const share::peer& owner) const { return arrays_.ghosts + owner.elements.front(); }
  static int count(const share::peer& p) { return static_cast<int>(p.elements.size()); }

  MPI_Comm comm_;
  const share& mine_;
  irregular_arrays arrays_;
  std::vector<double> buffer_;  ///< what readers get or send back
  std::vector<std::size_t> starts_;
};

class isend_transport : public transport {
 public:
  using transport::transport;

  void forward() override {
    requests_.clear();
    for (const auto& owner : mine_.owners)
      MPI_Irecv(ghosts_of(owner), count(owner), MPI_DOUBLE, owner.rank, tag, comm_, &next());
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) {
      const auto& reader = mine_.readers[r];
      pack(r, part_of(r));
      MPI_Isend(part_of(r), count(reader), MPI_DOUBLE, reader.rank, tag, comm_, &next());
    }
    wait();
  }

  void backward() override {
    requests_.clear();
    for (std::size_t r = 0; r < mine_.readers.size(); ++r)
      MPI_Irecv(part_of(r), count(mine_.readers[r]), MPI_DOUBLE, mine_.readers[r].rank, tag, comm_, &next());
    for (const auto& owner : mine_.owners)
      MPI_Isend(ghosts_of(owner), count(owner), MPI_DOUBLE, owner.rank, tag, comm_, &next());
    wait();
    add_all();
  }

 private:
  MPI_Request& next() { return requests_.emplace_back(MPI_REQUEST_NULL); }
  void wait() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }
  // A deque would do; reserved, so that addresses stay.
  std::vector<MPI_Request> requests_ = [this] {
    std::vector<MPI_Request> none;
    none.reserve(mine_.readers.size() + mine_.owners.size());
    return none;
  }();
};

class persistent_transport : public transport {
 public:
  persistent_transport(const irregular_site& here, irregular_arrays arrays) : transport(here, arrays) {
    for (const auto& owner : mine_.owners) {
      MPI_Recv_init(ghosts_of(owner), count(owner), MPI_DOUBLE, owner.rank, tag, comm_, &add_to(forward_));
      MPI_Send_init(ghosts_of(owner), count(owner), MPI_DOUBLE, owner.rank, tag, comm_, &add_to(backward_));
    }
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) {
      const auto& reader = mine_.readers[r];
      MPI_Send_init(part_of(r), count(reader), MPI_DOUBLE, reader.rank, tag, comm_, &add_to(forward_));
      MPI_Recv_init(part_of(r), count(reader), MPI_DOUBLE, reader.rank, tag, comm_, &add_to(backward_));
    }
  }
  ~persistent_transport() override {
    for (auto* all : {&forward_, &backward_})
      for (auto& r : *all) MPI_Request_free(&r);
  }

  void forward() override {
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) pack(r, part_of(r));
    run(forward_);
  }
  void backward() override {
    run(backward_);
    add_all();
  }

 private:
  static MPI_Request& add_to(std::vector<MPI_Request>& all) { return all.emplace_back(MPI_REQUEST_NULL); }
  static void run(std::vector<MPI_Request>& all) {
    MPI_Startall(static_cast<int>(all.size()), all.data());
    MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
  }
  std::vector<MPI_Request> forward_, backward_;
};

class neighbor_transport : public transport {
 public:
  neighbor_transport(const irregular_site& here, irregular_arrays arrays) : transport(here, arrays) {
    const auto owners = ranks_of(mine_.owners), readers = ranks_of(mine_.readers);
    forward_ = graph(owners, readers);
    backward_ = graph(readers, owners);
    for (const auto& owner : mine_.owners) {
      ghost_counts_.push_back(count(owner));
      ghost_starts_.push_back(owner.elements.front());
    }
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) {
      counts_.push_back(count(mine_.readers[r]));
      int_starts_.push_back(static_cast<int>(starts_[r]));
    }
  }
  ~neighbor_transport() override {
    MPI_Comm_free(&forward_);
    MPI_Comm_free(&backward_);
  }

  void forward() override {
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) pack(r, part_of(r));
    MPI_Neighbor_alltoallv(buffer_.data(), counts_.data(), int_starts_.data(), MPI_DOUBLE, arrays_.ghosts,
                           ghost_counts_.data(), ghost_starts_.data(), MPI_DOUBLE, forward_);
  }
  void backward() override {
    MPI_Neighbor_alltoallv(arrays_.ghosts, ghost_counts_.data(), ghost_starts_.data(), MPI_DOUBLE, buffer_.data(),
                           counts_.data(), int_starts_.data(), MPI_DOUBLE, backward_);
    add_all();
  }

 private:
  static std::vector<int> ranks_of(const std::vector<share::peer>& peers) {
    std::vector<int> ranks;
    for (const auto& p : peers) ranks.push_back(p.rank);
    return ranks;
  }
  MPI_Comm graph(const std::vector<int>& from, const std::vector<int>& to) const {
    MPI_Comm made;
    MPI_Dist_graph_create_adjacent(comm_, static_cast<int>(from.size()), from.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(to.size()), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
    return made;
  }
  MPI_Comm forward_, backward_;
  std::vector<int> counts_, int_starts_, ghost_counts_, ghost_starts_;
};

/// Two halves of a window, used in turn, so that one barrier per exchange is enough: who writes into a half again has
/// passed the barrier of the exchange between, which its reader entered when it was done with that half.
class window_transport : public transport {
 public:
  window_transport(const irregular_site& here, irregular_arrays arrays) : transport(here, arrays) {
    const std::size_t half = std::max({buffer_.size(), mine_.ghosts.size(), std::size_t{1}});
    long long longest = static_cast<long long>(half);
    MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_LONG_LONG, MPI_MAX, comm_);
    half_ = static_cast<std::size_t>(longest);
    learn_places();
    MPI_Errhandler before;
    MPI_Comm_get_errhandler(comm_, &before);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    int is_made = MPI_Win_allocate(static_cast<MPI_Aint>(2 * half_ * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                                   comm_, &base_, &window_) == MPI_SUCCESS;
    MPI_Comm_set_errhandler(comm_, before);
    MPI_Errhandler_free(&before);
    MPI_Allreduce(MPI_IN_PLACE, &is_made, 1, MPI_INT, MPI_MIN, comm_);
    is_usable_ = is_made != 0;
    if (is_usable_) MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~window_transport() override {
    if (!is_usable_) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  bool is_usable() const { return is_usable_; }

 protected:
  double* half() const { return base_ + (is_odd_ ? half_ : 0); }
  MPI_Aint there(int place) const {
    return static_cast<MPI_Aint>((is_odd_ ? half_ : 0) + static_cast<std::size_t>(place));
  }
  void turn() { is_odd_ = !is_odd_; }
  void meet() const {
    MPI_Win_sync(window_);
    MPI_Barrier(comm_);
    MPI_Win_sync(window_);
  }
  void put(const double* from, const share::peer& to, int place) const {
    MPI_Put(from, count(to), MPI_DOUBLE, to.rank, there(place), count(to), MPI_DOUBLE, window_);
  }
  void get(double* to, const share::peer& from, int place) const {
    MPI_Get(to, count(from), MPI_DOUBLE, from.rank, there(place), count(from), MPI_DOUBLE, window_);
  }

  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<int> place_at_owner_;   ///< where this rank's part is among what each owner's readers have
  std::vector<int> place_at_reader_;  ///< where this rank's elements are among each reader's ghosts

 private:
  // Each tells its peers where their part lies in its own buffers.
  void learn_places() {
    place_at_owner_.resize(mine_.owners.size());
    place_at_reader_.resize(mine_.readers.size());
    std::vector<int> ghost_places, buffer_places;
    for (const auto& owner : mine_.owners) ghost_places.push_back(owner.elements.front());
    for (const std::size_t start : starts_) buffer_places.push_back(static_cast<int>(start));
    std::vector<MPI_Request> all;
    all.reserve(2 * (ghost_places.size() + buffer_places.size()));
    for (std::size_t i = 0; i < mine_.owners.size(); ++i) {
      const int owner = mine_.owners[i].rank;
      MPI_Isend(&ghost_places[i], 1, MPI_INT, owner, tag, comm_, &all.emplace_back());
      MPI_Irecv(&place_at_owner_[i], 1, MPI_INT, owner, tag + 1, comm_, &all.emplace_back());
    }
    for (std::size_t i = 0; i < mine_.readers.size(); ++i) {
      const int reader = mine_.readers[i].rank;
      MPI_Isend(&buffer_places[i], 1, MPI_INT, reader, tag + 1, comm_, &all.emplace_back());
      MPI_Irecv(&place_at_reader_[i], 1, MPI_INT, reader, tag, comm_, &all.emplace_back());
    }
    MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
  }

  double* base_ = nullptr;
  std::size_t half_ = 0;
  bool is_odd_ = false, is_usable_ = false;
};

/// The one who has the data puts all that a peer needs in one piece, then a barrier; the peer takes it out of its
/// window.
class put_transport : public window_transport {
 public:
  using window_transport::window_transport;
  void forward() override {
    turn();
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) {
      pack(r, part_of(r));
      put(part_of(r), mine_.readers[r], place_at_reader_[r]);
    }
    MPI_Win_flush_all(window_);
    meet();
    std::copy_n(half(), mine_.ghosts.size(), arrays_.ghosts);
  }
  void backward() override {
    turn();
    for (std::size_t i = 0; i < mine_.owners.size(); ++i)
      put(ghosts_of(mine_.owners[i]), mine_.owners[i], place_at_owner_[i]);
    MPI_Win_flush_all(window_);
    meet();
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) add(r, half() + starts_[r]);
  }
};

/// The one who has the data packs it into its own window, then a barrier; who needs it gets it in one piece.
class get_transport : public window_transport {
 public:
  using window_transport::window_transport;
  void forward() override {
    turn();
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) pack(r, half() + starts_[r]);
    meet();
    for (std::size_t i = 0; i < mine_.owners.size(); ++i)
      get(ghosts_of(mine_.owners[i]), mine_.owners[i], place_at_owner_[i]);
    MPI_Win_flush_all(window_);
  }
  void backward() override {
    turn();
    std::copy_n(arrays_.ghosts, mine_.ghosts.size(), half());
    meet();
    for (std::size_t r = 0; r < mine_.readers.size(); ++r) get(part_of(r), mine_.readers[r], place_at_reader_[r]);
    MPI_Win_flush_all(window_);
    add_all();
  }
};

/// Ghosts by a transport, references by a loop over own | ghosts.
class mpi_method : public method {
 public:
  mpi_method(const share& mine, irregular_arrays arrays, act what, std::unique_ptr<transport> ghosts)
      : method(arrays), mine_(mine), what_(what), ghosts_(std::move(ghosts)) {}

  void operate() override {
    switch (what_) {
      case act::ghost_gather:
        return ghosts_->forward();
      case act::ghost_scatter:
        return ghosts_->backward();
      case act::full_gather:
        return gather();
      default:
        return scatter();
    }
  }

 private:
  void gather() {
    ghosts_->forward();
    const std::size_t n = mine_.local.size();
    const int* __restrict at = mine_.local.data();
    const double* __restrict from = arrays_.owned;
    double* __restrict to = arrays_.refs;
    for (std::size_t k = 0; k < n; ++k) to[k] = from[at[k]];
  }
  void scatter() {
    std::fill_n(arrays_.ghosts, mine_.ghosts.size(), 0.0);
    const std::size_t n = mine_.local.size();
    const int* at = mine_.local.data();
    for (std::size_t k = 0; k < n; ++k) arrays_.owned[at[k]] += arrays_.refs[k];
    ghosts_->backward();
  }

  const share& mine_;
  act what_;
  std::unique_ptr<transport> ghosts_;
};

template <class Transport>
irregular_method_maker maker(const irregular_site& here, const std::string& name) {
  return {name, [here](act what) -> irregular_method_ptr {
            if (what == act::plan) return nullptr;
            const auto arrays = here.memory.with_ghosts();
            auto made = std::make_unique<Transport>(here, arrays);
            if constexpr (std::is_base_of_v<window_transport, Transport>)
              if (!made->is_usable()) return nullptr;
            return std::make_unique<mpi_method>(here.mine, arrays, what, std::move(made));
          }};
}

}  // namespace

std::vector<irregular_method_maker> mpi_methods(const irregular_site& here) {
  return {maker<isend_transport>(here, "mpi-isend"), maker<persistent_transport>(here, "mpi-persistent"),
          maker<neighbor_transport>(here, "mpi-neighbor"), maker<put_transport>(here, "mpi-put"),
          maker<get_transport>(here, "mpi-get")};
}

}  // namespace bench
