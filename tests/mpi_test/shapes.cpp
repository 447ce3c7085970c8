// SPDX-License-Identifier: BSD-3-Clause
// Which ranks a shape has, and how the others sleep meanwhile.
#include "shapes.h"
#include "shapes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

namespace nearfar::test {
namespace {

constexpr unsigned nap_us = 1000;
// How the launchers of Open MPI, MPICH and others tell a rank how many there are on its node.
constexpr const char* names_of_local_size[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"};

std::map<std::string, shapes>& declared() {
  static std::map<std::string, shapes> by_file;
  return by_file;
}

bool has(const std::vector<int>& list, int value) { return std::find(list.begin(), list.end(), value) != list.end(); }

// A variable of the environment for as long as this lives.
class variable {
 public:
  variable(const char* name, int value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, was_set_ = true;
    value > 0 ? ::setenv(name, std::to_string(value).c_str(), 1) : ::unsetenv(name);
  }
  ~variable() { was_set_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool was_set_ = false;
};

shape pretend(int ranks, int node_size) {
  shape s{"np" + std::to_string(ranks), {}, node_size, ranks};
  if (node_size == 1) s.name += ".far";
  if (node_size > 1) s.name += ".node" + std::to_string(node_size);
  for (int r = 0; r < ranks; ++r) s.members.push_back(r);
  return s;
}

std::vector<shape> only_those_named(std::vector<shape> all) {
  const char* wanted = std::getenv("NEARFAR_TEST_SHAPES");
  if (wanted == nullptr || *wanted == '\0') return all;
  std::vector<std::string> names;
  std::istringstream list(wanted);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  std::erase_if(all, [&](const shape& s) { return std::find(names.begin(), names.end(), s.name) == names.end(); });
  return all;
}

}  // namespace

shapes_of_file::shapes_of_file(const char* file, shapes asked) { declared()[file] = std::move(asked); }

const shapes& shapes_of(const std::string& file) {
  static const shapes all_there_are;
  const auto at = declared().find(file);
  return at == declared().end() ? all_there_are : at->second;
}

bool shape::is_asked_by(const shapes& asked) const {
  if (name.find('+') != std::string::npos) return asked.on_cluster;
  return has(asked.ranks, static_cast<int>(members.size())) && has(asked.node_sizes, node_size);
}

launch::launch() {
  MPI_Comm_dup(MPI_COMM_WORLD, &all_);
  MPI_Comm_rank(all_, &rank_);
  MPI_Comm_size(all_, &size_);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  int lowest = rank_;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node);
  MPI_Comm_free(&node);
  node_of_.resize(static_cast<std::size_t>(size_));
  MPI_Allgather(&lowest, 1, MPI_INT, node_of_.data(), 1, MPI_INT, all_);
}

launch::~launch() { MPI_Comm_free(&all_); }

std::vector<shape> launch::on_this_machine() const {
  std::vector<shape> all;
  for (const int ranks : {1, 2, 3, 4, 6})
    for (const int node_size : {0, 1, 2, 3})
      if (ranks <= size_ && (node_size == 0 || node_size < ranks)) all.push_back(pretend(ranks, node_size));
  return all;
}

std::vector<shape> launch::on_two_nodes() const {
  std::vector<int> first, second;
  for (int r = 0; r < size_; ++r) (node_of_[static_cast<std::size_t>(r)] == 0 ? first : second).push_back(r);
  std::vector<shape> all;
  for (const auto& [here, there] : {std::pair{1, 1}, {2, 2}, {3, 1}}) {
    if (static_cast<int>(first.size()) < here || static_cast<int>(second.size()) < there) continue;
    shape s{std::to_string(here) + "+" + std::to_string(there), {first.begin(), first.begin() + here}, 0, here};
    s.members.insert(s.members.end(), second.begin(), second.begin() + there);
    if (node_of_[static_cast<std::size_t>(rank_)] != 0) s.launched_here = there;
    all.push_back(std::move(s));
  }
  return all;
}

std::vector<shape> launch::all_shapes() const {
  const bool is_one_node = std::all_of(node_of_.begin(), node_of_.end(), [](int node) { return node == 0; });
  return only_those_named(is_one_node ? on_this_machine() : on_two_nodes());
}

/// One shape from its first member's start to the last one's end.
class shape_in_progress {
 public:
  shape_in_progress(const launch& ranks, const shape& one) : ranks_(ranks) {
    const bool is_member = has(one.members, ranks.rank());
    MPI_Comm_split(ranks.all_, is_member ? 0 : MPI_UNDEFINED, ranks.rank(), &members_);
    if (!is_member) return;
    set("NEARFAR_NODE_SIZE", one.node_size);
    for (const char* name : names_of_local_size)
      if (std::getenv(name)) set(name, one.launched_here);
  }

  MPI_Comm members() const { return members_; }  ///< MPI_COMM_NULL on ranks that have no part in it

  /// Collective over the launch. -> the number of ranks that are not `ok`
  int end(bool ok) {
    if (members_ != MPI_COMM_NULL) MPI_Comm_free(&members_);
    environment_.clear();
    sleep_until_all_are_here(ranks_.all_);
    int failed = ok ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, ranks_.all_);
    return failed;
  }

 private:
  void set(const char* name, int value) { environment_.push_back(std::make_unique<variable>(name, value)); }

  const launch& ranks_;
  MPI_Comm members_ = MPI_COMM_NULL;
  std::vector<std::unique_ptr<variable>> environment_;
};

int launch::in(const shape& one, const std::function<bool(MPI_Comm)>& body) const {
  shape_in_progress now(*this, one);
  return now.end(now.members() == MPI_COMM_NULL || body(now.members()));
}

void sleep_until_all_are_here(MPI_Comm comm) {
  MPI_Request all_here = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &all_here);
  for (int are_here = 0; !are_here;) {
    MPI_Test(&all_here, &are_here, MPI_STATUS_IGNORE);
    if (!are_here) ::usleep(nap_us);
  }
}

namespace {

// What a loop over shapes knows between two calls of nearfar_test_next_shape().
struct walk {
  launch ranks;
  std::vector<shape> left = ranks.all_shapes();
  std::optional<shape_in_progress> now;
  walk() {
    if (std::getenv("NEARFAR_TEST_SHAPES") == nullptr)
      std::erase_if(left, [](const shape& s) { return !s.is_asked_by(shapes{}); });
    std::reverse(left.begin(), left.end());
  }
};

}  // namespace
}  // namespace nearfar::test

extern "C" int nearfar_test_next_shape(MPI_Comm* members) {
  using nearfar::test::walk;
  static std::unique_ptr<walk> in_progress;
  static int shapes_begun = 0;
  if (!in_progress) in_progress = std::make_unique<walk>();
  walk& w = *in_progress;
  for (;;) {
    if (w.now) w.now->end(true);
    w.now.reset();
    if (w.left.empty()) break;
    w.now.emplace(w.ranks, w.left.back());
    w.left.pop_back();
    ++shapes_begun;
    if ((*members = w.now->members()) != MPI_COMM_NULL) return 1;
  }
  if (w.ranks.rank() == 0) std::printf("%d shapes have been run\n", shapes_begun);
  in_progress.reset();
  shapes_begun = 0;
  return 0;
}

extern "C" int nearfar_test_next_shape_fint(MPI_Fint* members) {
  MPI_Comm comm = MPI_COMM_NULL;
  const int is_there = nearfar_test_next_shape(&comm);
  *members = MPI_Comm_c2f(comm);
  return is_there;
}
