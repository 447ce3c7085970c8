// SPDX-License-Identifier: BSD-3-Clause
// Calls every blocking collective again and again on several communicators, and compares with results worked out by
// hand.
//
//   every_call [ROUNDS]
#include <functional>
#include <numeric>

#include "checks.hpp"

namespace {

using numbers = std::vector<double>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The sum of element(r, i) over ranks first … last.
numbers sum_of(int first, int last, int count, int call, int offset = 0) {
  numbers sum(at(count));
  for (int i = 0; i < count; ++i)
    for (int r = first; r <= last; ++r) sum[at(i)] += element(r, offset + i, call);
  return sum;
}

// 0 elements, one, a few, many: what algorithms tell apart.
int count_of(int call) {
  constexpr int counts[] = {1, 0, 3, 13, 14, 100, 1000, 5000, 40000};
  return counts[at(call) % (sizeof counts / sizeof *counts)];
}

void check_bcast(const communicator& c, int call) {
  const int n = count_of(call), root = call % c.size;
  numbers data = c.rank == root ? contribution(c, n, call) : numbers(at(n), -1);
  MPI_Bcast(data.data(), n, MPI_DOUBLE, root, c.comm);
  const communicator as_root = [&] {
    communicator r = c;
    r.rank = root;
    return r;
  }();
  same(data, contribution(as_root, n, call), c, "bcast");
}

// A vector type on the root, plain numbers elsewhere: the same signature, which is all that MPI asks for.
void check_bcast_of_columns(const communicator& c, int call) {
  const int n = 5 + call % 3, root = call % c.size;
  MPI_Datatype column;
  MPI_Type_vector(n, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  numbers data(at(3 * n), -1);
  if (c.rank == root) {
    for (int i = 0; i < n; ++i) data[at(3 * i)] = element(root, i, call);
    MPI_Bcast(data.data(), 1, column, root, c.comm);
  } else {
    MPI_Bcast(data.data(), n, MPI_DOUBLE, root, c.comm);
  }
  for (int i = 0; i < n; ++i)
    require(data[at(c.rank == root ? 3 * i : i)] == element(root, i, call), "bcast of a column");
  MPI_Type_free(&column);
}

// Types that hold addresses, at MPI_BOTTOM: two pieces, far from each other.
void check_bcast_of_addresses(const communicator& c, int call) {
  const int n = 5 + call % 3, root = call % c.size;
  numbers first(at(n), -1), second(at(n), -1);
  if (c.rank == root)
    for (int i = 0; i < n; ++i) first[at(i)] = element(root, i, call), second[at(i)] = element(root, n + i, call);
  const int lengths[] = {n, n};
  MPI_Aint places[2];
  MPI_Get_address(first.data(), &places[0]);
  MPI_Get_address(second.data(), &places[1]);
  MPI_Datatype both;
  MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &both);
  MPI_Type_commit(&both);
  MPI_Bcast(MPI_BOTTOM, 1, both, root, c.comm);
  for (int i = 0; i < n; ++i)
    require(first[at(i)] == element(root, i, call) && second[at(i)] == element(root, n + i, call),
            "bcast of addresses");
  MPI_Type_free(&both);
}

void check_reduce(const communicator& c, int call) {
  const int n = count_of(call), root = call % c.size;
  const numbers in = contribution(c, n, call);
  numbers out(at(n), -1);
  MPI_Reduce(in.data(), c.rank == root ? out.data() : nullptr, n, MPI_DOUBLE, MPI_SUM, root, c.comm);
  if (c.rank == root) same(out, sum_of(0, c.size - 1, n, call), c, "reduce");
  if (root != 0 && n >= 1000) return;  // in place, MPICH 4.0.2 crashes by itself
  numbers both = in;
  if (c.rank == root)
    MPI_Reduce(MPI_IN_PLACE, both.data(), n, MPI_DOUBLE, MPI_SUM, root, c.comm);
  else
    MPI_Reduce(both.data(), nullptr, n, MPI_DOUBLE, MPI_SUM, root, c.comm);
  if (c.rank == root) same(both, sum_of(0, c.size - 1, n, call), c, "reduce in place");
}

void check_allreduce(const communicator& c, int call) {
  const int n = count_of(call);
  numbers in = contribution(c, n, call), out(at(n), -1);
  MPI_Allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, c.comm);
  same(out, sum_of(0, c.size - 1, n, call), c, "allreduce");
  MPI_Allreduce(MPI_IN_PLACE, in.data(), n, MPI_DOUBLE, MPI_SUM, c.comm);
  same(in, sum_of(0, c.size - 1, n, call), c, "allreduce in place");
}

// Joins strings of digits: associative, and 12 is not 21.
void join_digits(void* in, void* out, int* n, MPI_Datatype*) {
  const auto* left = static_cast<const long*>(in);
  auto* right = static_cast<long*>(out);
  for (int i = 0; i < 2 * *n; i += 2) {
    right[i] += left[i] * right[i + 1];
    right[i + 1] *= left[i + 1];
  }
}

void check_own_operation(const communicator& c, int call) {
  MPI_Op join;
  MPI_Op_create(join_digits, 0, &join);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_LONG, &pair);
  MPI_Type_commit(&pair);
  const int n = 1 + call % 40;
  std::vector<long> in(at(2 * n)), out(at(2 * n));
  for (int i = 0; i < n; ++i) in[at(2 * i)] = (c.rank + i) % 10, in[at(2 * i + 1)] = 10;
  MPI_Allreduce(in.data(), out.data(), n, pair, join, c.comm);
  for (int i = 0; i < n; ++i) {
    long wanted = 0;
    for (int r = 0; r < c.size; ++r) wanted = 10 * wanted + (r + i) % 10;
    require(out[at(2 * i)] == wanted, "allreduce by an operation that does not commute");
  }
  MPI_Type_free(&pair);
  MPI_Op_free(&join);
}

void check_places(const communicator& c, int call) {
  struct value_and_place {
    double value;
    int place;
  } mine{element(c.rank, 0, call), c.rank}, found{};
  MPI_Allreduce(&mine, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, c.comm);
  value_and_place wanted{-1, -1};
  for (int r = 0; r < c.size; ++r)
    if (element(r, 0, call) > wanted.value) wanted = {element(r, 0, call), r};
  require(found.value == wanted.value && found.place == wanted.place, "maxloc");
}

void check_scans(const communicator& c, int call) {
  const int n = count_of(call);
  const numbers in = contribution(c, n, call);
  numbers out(at(n), -1);
  MPI_Scan(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, c.comm);
  same(out, sum_of(0, c.rank, n, call), c, "scan");
  MPI_Exscan(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, c.comm);
  if (c.rank > 0) same(out, sum_of(0, c.rank - 1, n, call), c, "exscan");
}

void check_reduce_scatter(const communicator& c, int call) {
  const int n = count_of(call);
  numbers in = contribution(c, n * c.size, call), out(at(n), -1);
  MPI_Reduce_scatter_block(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, c.comm);
  same(out, sum_of(0, c.size - 1, n, call, c.rank * n), c, "reduce_scatter_block");
  std::vector<int> counts(at(c.size));
  for (int r = 0; r < c.size; ++r) counts[at(r)] = (r + call) % 4;
  const int before = std::accumulate(counts.begin(), counts.begin() + c.rank, 0);
  in = contribution(c, std::accumulate(counts.begin(), counts.end(), 0), call);
  numbers part(at(counts[at(c.rank)] + 1), -1);
  MPI_Reduce_scatter(in.data(), part.data(), counts.data(), MPI_DOUBLE, MPI_SUM, c.comm);
  same(part, sum_of(0, c.size - 1, counts[at(c.rank)], call, before), c, "reduce_scatter");
}

numbers all_contributions(const communicator& c, int n, int call) {
  numbers all;
  for (int r = 0; r < c.size; ++r)
    for (int i = 0; i < n; ++i) all.push_back(element(r, i, call));
  return all;
}

void check_gather(const communicator& c, int call) {
  const int n = count_of(call), root = call % c.size;
  const numbers in = contribution(c, n, call), wanted = all_contributions(c, n, call);
  numbers out(c.rank == root ? at(n * c.size) : 0, -1);
  MPI_Gather(in.data(), n, MPI_DOUBLE, out.data(), n, MPI_DOUBLE, root, c.comm);
  if (c.rank == root) same(out, wanted, c, "gather");
  if (c.rank == root) {
    std::fill(out.begin(), out.end(), -1);
    std::copy(in.begin(), in.end(), out.begin() + root * n);
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out.data(), n, MPI_DOUBLE, root, c.comm);
    same(out, wanted, c, "gather in place");
  } else {
    MPI_Gather(in.data(), n, MPI_DOUBLE, nullptr, 0, MPI_DATATYPE_NULL, root, c.comm);
  }
}

void check_scatter(const communicator& c, int call) {
  const int n = count_of(call), root = call % c.size;
  numbers all = c.rank == root ? all_contributions(c, n, call) : numbers(), out(at(n), -1);
  MPI_Scatter(all.data(), n, MPI_DOUBLE, out.data(), n, MPI_DOUBLE, root, c.comm);
  same(out, contribution(c, n, call), c, "scatter");
  if (c.rank == root)
    MPI_Scatter(all.data(), n, MPI_DOUBLE, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, c.comm);
  else
    MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, out.data(), n, MPI_DOUBLE, root, c.comm);
  same(out, contribution(c, n, call), c, "scatter in place");
}

void check_allgather(const communicator& c, int call) {
  const int n = count_of(call);
  const numbers in = contribution(c, n, call), wanted = all_contributions(c, n, call);
  numbers out(at(n * c.size), -1);
  MPI_Allgather(in.data(), n, MPI_DOUBLE, out.data(), n, MPI_DOUBLE, c.comm);
  same(out, wanted, c, "allgather");
  std::fill(out.begin(), out.end(), -1);
  std::copy(in.begin(), in.end(), out.begin() + c.rank * n);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out.data(), n, MPI_DOUBLE, c.comm);
  same(out, wanted, c, "allgather in place");
}

// Blocks of different lengths, one of them empty, with a gap between them.
struct ragged {
  std::vector<int> counts, places;
  int total = 0;
  ragged(const communicator& c, int call) {
    for (int r = 0; r < c.size; ++r) {
      counts.push_back((r + call) % 3 * (call % 5 == 0 ? 500 : 1));
      places.push_back(total);
      total += counts.back() + 1;
    }
  }
};

void check_ragged(const communicator& c, int call) {
  const ragged shape(c, call);
  const int mine = shape.counts[at(c.rank)], root = call % c.size;
  const numbers in = contribution(c, mine, call);
  numbers wanted(at(shape.total), -1);
  for (int r = 0; r < c.size; ++r)
    for (int i = 0; i < shape.counts[at(r)]; ++i) wanted[at(shape.places[at(r)] + i)] = element(r, i, call);
  numbers out(at(shape.total), -1);
  MPI_Allgatherv(in.data(), mine, MPI_DOUBLE, out.data(), shape.counts.data(), shape.places.data(), MPI_DOUBLE, c.comm);
  same(out, wanted, c, "allgatherv");
  std::fill(out.begin(), out.end(), -1);
  const bool is_root = c.rank == root;
  MPI_Gatherv(in.data(), mine, MPI_DOUBLE, is_root ? out.data() : nullptr, is_root ? shape.counts.data() : nullptr,
              is_root ? shape.places.data() : nullptr, MPI_DOUBLE, root, c.comm);
  if (is_root) same(out, wanted, c, "gatherv");
  numbers back(at(mine), -1);
  MPI_Scatterv(is_root ? wanted.data() : nullptr, is_root ? shape.counts.data() : nullptr,
               is_root ? shape.places.data() : nullptr, MPI_DOUBLE, back.data(), mine, MPI_DOUBLE, root, c.comm);
  same(back, in, c, "scatterv");
}

// What rank `from` sends to rank `to`.
double parcel(int from, int to, int i, int call) { return element(from * 37 + to, i, call); }

void check_alltoall(const communicator& c, int call) {
  const int n = count_of(call) % 6000;
  numbers in, wanted, out(at(n * c.size), -1);
  for (int r = 0; r < c.size; ++r)
    for (int i = 0; i < n; ++i) in.push_back(parcel(c.rank, r, i, call)), wanted.push_back(parcel(r, c.rank, i, call));
  MPI_Alltoall(in.data(), n, MPI_DOUBLE, out.data(), n, MPI_DOUBLE, c.comm);
  same(out, wanted, c, "alltoall");
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), n, MPI_DOUBLE, c.comm);
  same(in, wanted, c, "alltoall in place");
}

int parcels(int from, int to, int call) { return (from + 2 * to + call) % 4; }

void check_alltoallv(const communicator& c, int call) {
  numbers in, wanted;
  std::vector<int> in_counts, in_places, out_counts, out_places;
  for (int r = 0; r < c.size; ++r) {
    in_places.push_back(static_cast<int>(in.size())), in_counts.push_back(parcels(c.rank, r, call));
    for (int i = 0; i < in_counts.back(); ++i) in.push_back(parcel(c.rank, r, i, call));
    out_places.push_back(static_cast<int>(wanted.size())), out_counts.push_back(parcels(r, c.rank, call));
    for (int i = 0; i < out_counts.back(); ++i) wanted.push_back(parcel(r, c.rank, i, call));
  }
  numbers out(wanted.size(), -1);
  MPI_Alltoallv(in.data(), in_counts.data(), in_places.data(), MPI_DOUBLE, out.data(), out_counts.data(),
                out_places.data(), MPI_DOUBLE, c.comm);
  same(out, wanted, c, "alltoallv");
  for (auto* places : {&in_places, &out_places})
    for (int& p : *places) p *= static_cast<int>(sizeof(double));
  const std::vector<MPI_Datatype> types(at(c.size), MPI_DOUBLE);
  std::fill(out.begin(), out.end(), -1);
  MPI_Alltoallw(in.data(), in_counts.data(), in_places.data(), types.data(), out.data(), out_counts.data(),
                out_places.data(), types.data(), c.comm);
  same(out, wanted, c, "alltoallw");
}

const std::vector<std::function<void(const communicator&, int)>> checks{
    check_bcast,
    check_bcast_of_columns,
    check_bcast_of_addresses,
    check_reduce,
    check_allreduce,
    check_own_operation,
    check_places,
    check_scans,
    check_reduce_scatter,
    check_gather,
    check_scatter,
    check_allgather,
    check_ragged,
    check_alltoall,
    check_alltoallv,
    [](const communicator& c, int) { MPI_Barrier(c.comm); },
};

void check_all(const communicator& c, int rounds) {
  for (int call = 0; call < rounds; ++call)
    for (const auto& check : checks) check(c, call);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  const communicator world(MPI_COMM_WORLD, "the world");
  check_all(world, rounds);
  MPI_Comm reversed, part;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world.rank, &reversed);
  check_all(communicator(reversed, "the world backwards"), rounds);
  MPI_Comm_split(MPI_COMM_WORLD, world.rank % 2, world.rank, &part);
  check_all(communicator(part, "every second rank"), rounds);
  check_all(communicator(MPI_COMM_SELF, "itself"), rounds);
  MPI_Comm_free(&part);
  check_all(world, 3);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  if (world.rank == 0) std::puts("every call is right");
}
