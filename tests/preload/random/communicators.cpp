// SPDX-License-Identifier: BSD-3-Clause
// Makes communicators in every way, gives them attributes and error handlers, and frees them.
#include <algorithm>

#include "world.hpp"

namespace random_program {

namespace {

constexpr std::size_t most_comms = 14;

int callbacks = 0;  // that the MPI has made
int attribute = MPI_KEYVAL_INVALID;

int copy_attribute(MPI_Comm, int, void*, void* value, void* copy, int* is_copied) {
  ++callbacks;
  *static_cast<void**>(copy) = value;
  *is_copied = 1;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm, int, void*, void*) {
  ++callbacks;
  return MPI_SUCCESS;
}

void note_error(MPI_Comm*, int*, ...) { ++callbacks; }

bool is_member(const communicator& c, int rank) {
  return std::find(c.members.begin(), c.members.end(), rank) != c.members.end();
}

communicator& add(world& w, std::vector<int> members, MPI_Comm handle) {
  communicator& made = w.comms.emplace_back();
  made.members = std::move(members);
  made.handle = handle;
  int size = 0, rank = 0;
  if (handle != MPI_COMM_NULL) {
    MPI_Comm_size(handle, &size);
    MPI_Comm_rank(handle, &rank);
  }
  w.seen.add(size);
  w.seen.mark("made communicator", rank);
  return made;
}

/// Splits the members into groups, and each into a communicator of its own.
void split(world& w, communicator& of) {
  const int groups = 1 + w.shared.below(3);
  std::vector<std::vector<int>> members(static_cast<std::size_t>(groups));
  int colour = MPI_UNDEFINED, key = w.own().below(100);
  for (const int rank : of.members) {
    const int chosen = w.shared.below(groups + 1);  // one of them gets none
    if (chosen < groups) members[static_cast<std::size_t>(chosen)].push_back(rank);
    if (rank == w.rank && chosen < groups) colour = chosen;
  }
  MPI_Comm handle = MPI_COMM_NULL;
  if (of.handle != MPI_COMM_NULL) MPI_Comm_split(of.handle, colour, key, &handle);
  for (int i = 0; i < groups; ++i)
    if (!members[static_cast<std::size_t>(i)].empty())
      add(w, members[static_cast<std::size_t>(i)], i == colour ? handle : MPI_COMM_NULL);
}

/// Calls while a communicator is in the making, some of which may get an engine.
void call_meanwhile(MPI_Comm comm) {
  for (int i = 0; i < 3; ++i) {
    int one = 1, all = 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
  }
}

void duplicate(world& w, communicator& of, int how) {
  MPI_Comm handle = MPI_COMM_NULL;
  if (of.handle != MPI_COMM_NULL) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (how == 0) MPI_Comm_dup(of.handle, &handle);
    if (how == 1) MPI_Comm_dup_with_info(of.handle, MPI_INFO_NULL, &handle);
    if (how == 2) MPI_Comm_idup(of.handle, &handle, &request);
    if (how == 2) call_meanwhile(of.handle);
    if (how == 3) MPI_Comm_split_type(of.handle, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &handle);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const auto others = of.others;
  add(w, of.members, handle).others = others;
}

/// A part of the members, by groups, with or without the others' knowing.
void create(world& w, communicator& of, bool is_by_group) {
  std::vector<int> members;
  MPI_Group wanted;
  const int first = w.shared.below(of.size()), count = 1 + w.shared.below(of.size() - first);
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Group world_group;
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  for (int i = first; i < first + count; ++i) members.push_back(of.members[static_cast<std::size_t>(i)]);
  if (w.shared.one_in(2)) std::reverse(members.begin(), members.end());
  MPI_Group_incl(world_group, count, members.data(), &wanted);
  const int tag = w.step;
  if (of.handle != MPI_COMM_NULL) {
    if (!is_by_group)
      MPI_Comm_create(of.handle, wanted, &handle);
    else if (is_member({MPI_COMM_NULL, members, {}, true, 0}, w.rank))
      MPI_Comm_create_group(of.handle, wanted, tag, &handle);
  }
  MPI_Group_free(&wanted);
  MPI_Group_free(&world_group);
  add(w, members, handle);
}

void make_grid(world& w, communicator& of) {
  int sizes[2] = {0, 0}, periods[2] = {w.shared.below(2), w.shared.below(2)};
  MPI_Dims_create(of.size(), 2, sizes);
  const bool has_rows = w.shared.one_in(2);
  MPI_Comm grid = MPI_COMM_NULL, line = MPI_COMM_NULL;
  const int kept[2] = {0, 1};
  if (of.handle != MPI_COMM_NULL) {
    MPI_Cart_create(of.handle, 2, sizes, periods, 0, &grid);
    if (has_rows) MPI_Cart_sub(grid, kept, &line);
  }
  add(w, of.members, grid);
  if (!has_rows) return;
  // Which ranks share a line only members know, so that it is used at once.
  int mine = w.rank, sum = 0, code = MPI_SUCCESS;
  for (int i = 0; i < 5 && line != MPI_COMM_NULL; ++i) code = MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, line);
  w.seen.add(sum);
  if (line != MPI_COMM_NULL) MPI_Comm_free(&line);
  w.seen.mark("line of a grid", code);
}

void make_intercommunicator(world& w, communicator& of) {
  if (of.size() < 2) return;
  const auto half = of.members.begin() + 1 + w.shared.below(of.size() - 1);
  const std::vector<int> first(of.members.begin(), half), second(half, of.members.end());
  const bool is_merged = w.shared.one_in(2);
  const int tag = w.step;
  MPI_Comm handle = MPI_COMM_NULL, merged = MPI_COMM_NULL;
  if (of.handle != MPI_COMM_NULL) {
    const bool is_second = std::find(second.begin(), second.end(), w.rank) != second.end();
    int leaders[2] = {first[0], second[0]}, places[2];
    MPI_Group all, within;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(of.handle, &within);
    MPI_Group_translate_ranks(all, 2, leaders, within, places);
    MPI_Group_free(&all);
    MPI_Group_free(&within);
    MPI_Comm local;
    // Keys make the leaders the first of their groups.
    const auto& group = is_second ? second : first;
    const auto place = std::find(group.begin(), group.end(), w.rank) - group.begin();
    MPI_Comm_split(of.handle, is_second ? 1 : 0, static_cast<int>(place), &local);
    MPI_Intercomm_create(local, 0, of.handle, places[is_second ? 0 : 1], tag, &handle);
    MPI_Comm_free(&local);
    if (is_merged) MPI_Intercomm_merge(handle, is_second ? 1 : 0, &merged);
  }
  const auto members = of.members;
  add(w, members, handle).others = second;
  if (is_merged) add(w, members, merged);
}

}  // namespace

void make_communicator(world& w) {
  const int how = w.shared.below(9);
  communicator& of = how < 4 ? w.any_comm() : w.any_intra();
  if (w.comms.size() >= most_comms) return;
  if (of.is_inter() && how == 3) return;
  switch (how) {
    case 0:
    case 1:
    case 2:
    case 3:
      return duplicate(w, of, how);
    case 4:
      return split(w, of);
    case 5:
      return create(w, of, false);
    case 6:
      return create(w, of, true);
    case 7:
      return make_grid(w, of);
    default:
      return make_intercommunicator(w, of);
  }
}

namespace {

void free_one(world& w, std::list<communicator>::iterator it, bool is_disconnected) {
  wait_for_all(w, &*it);
  int code = MPI_SUCCESS;
  if (it->handle != MPI_COMM_NULL)
    code = is_disconnected ? MPI_Comm_disconnect(&it->handle) : MPI_Comm_free(&it->handle);
  w.seen.add(callbacks);
  w.seen.mark("freed communicator", code);
  w.comms.erase(it);
}

}  // namespace

void free_communicator(world& w) {
  auto it = w.comms.begin();
  std::advance(it, w.shared.below(static_cast<int>(w.comms.size())));
  const bool is_disconnected = w.shared.one_in(4);
  if (it->is_mine) free_one(w, it, is_disconnected);
}

void use_attributes(world& w) {
  communicator& on = w.any_comm();
  const int what = w.shared.below(5);
  if (on.handle == MPI_COMM_NULL) return;
  int& key = attribute;
  if (key == MPI_KEYVAL_INVALID) MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  void* value = nullptr;
  int is_there = 0, length = 0;
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  MPI_Errhandler handler = MPI_ERRORS_RETURN;
  if (what == 0) MPI_Comm_set_attr(on.handle, key, &key);
  if (what == 1 && MPI_Comm_get_attr(on.handle, key, &value, &is_there) == MPI_SUCCESS && is_there != 0)
    MPI_Comm_delete_attr(on.handle, key);
  if (what == 2) MPI_Comm_set_name(on.handle, "named");
  if (what == 3) {
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(on.handle, handler);
    MPI_Errhandler_free(&handler);
  }
  if (what == 4) MPI_Comm_set_errhandler(on.handle, MPI_ERRORS_RETURN);
  MPI_Comm_get_name(on.handle, name, &length);
  w.seen.add(name, static_cast<std::size_t>(length));
  w.seen.add(callbacks);
  w.seen.mark("attributes", is_there);
}

namespace {

void restore(MPI_Comm comm, const char* name) {
  void* value = nullptr;
  int is_there = 0;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_name(comm, name);
  if (attribute == MPI_KEYVAL_INVALID) return;
  MPI_Comm_get_attr(comm, attribute, static_cast<void*>(&value), &is_there);
  if (is_there != 0) MPI_Comm_delete_attr(comm, attribute);
}

}  // namespace

// Nothing that a later seed could notice stays: where a run breaks off, the next begins with a seed in its middle.
void free_everything(world& w) {
  wait_for_all(w);
  for (auto it = w.comms.begin(); it != w.comms.end();) {
    const auto next = std::next(it);
    if (it->is_mine) free_one(w, it, false);
    it = next;
  }
  restore(MPI_COMM_WORLD, "MPI_COMM_WORLD");
  restore(MPI_COMM_SELF, "MPI_COMM_SELF");
  callbacks = 0;
}

}  // namespace random_program
