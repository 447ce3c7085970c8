// SPDX-License-Identifier: BSD-3-Clause
// gslib as a peer: one array of own elements and ghosts (or references), which are "flagged", so that they only receive
// or only add.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "bench_irregular_method.hpp"

// Its header wants <mpi.h> in C clothes, and its short names would meet others: nothing else may be included below.
extern "C" {
#include <gslib/gslib.h>
}

namespace bench {
namespace {

class gs_communicator {
 public:
  explicit gs_communicator(MPI_Comm from) { comm_init(&comm_, from); }
  ~gs_communicator() { comm_free(&comm_); }
  gs_communicator(const gs_communicator&) = delete;
  gs_communicator& operator=(const gs_communicator&) = delete;
  const comm* get() const { return &comm_; }

 private:
  comm comm_;
};

/// While it lives, what goes to stdout is lost: "auto" says its times there, whatever it is told.
class silence {
 public:
  silence() {
    std::fflush(stdout);
    kept_ = dup(STDOUT_FILENO);
    const int sink = open("/dev/null", O_WRONLY);
    dup2(sink, STDOUT_FILENO);
    close(sink);
  }
  ~silence() {
    std::fflush(stdout);
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;

 private:
  int kept_;
};

class gs_handle {
 public:
  gs_handle(const std::vector<slong>& ids, const gs_communicator& comm, gs_method method) {
    const silence during;
    data_ = gs_setup(ids.data(), static_cast<uint>(ids.size()), comm.get(), 0, method, 0);
  }
  ~gs_handle() { gs_free(data_); }
  gs_handle(const gs_handle&) = delete;
  gs_handle& operator=(const gs_handle&) = delete;
  gs_data* get() const { return data_; }

 private:
  gs_data* data_;
};

/// Own elements, then `others` flagged; numbers start from 1.
std::vector<slong> flagged(const share& mine, const std::vector<id_type>& others) {
  std::vector<slong> ids;
  for (id_type id = mine.begin; id < mine.end; ++id) ids.push_back(id + 1);
  for (const id_type id : others) ids.push_back(-(id + 1));
  return ids;
}

class gslib_method : public method {
 public:
  gslib_method(irregular_arrays arrays, const std::vector<slong>& ids, const std::shared_ptr<gs_communicator>& comm,
               gs_method method, bool is_gather)
      : method(arrays), comm_(comm), handle_(ids, *comm, method), is_gather_(is_gather) {
    buffer_init(&buffer_, 1024);
  }
  ~gslib_method() override { buffer_free(&buffer_); }
  void operate() override { gs(arrays_.owned, gs_double, gs_add, is_gather_ ? 0 : 1, handle_.get(), &buffer_); }

 private:
  std::shared_ptr<gs_communicator> comm_;
  gs_handle handle_;
  bool is_gather_;
  buffer buffer_;
};

}  // namespace

std::vector<irregular_method_maker> gslib_methods(const irregular_site& here) {
  const auto comm = std::make_shared<gs_communicator>(here.comm);
  std::vector<irregular_method_maker> all;
  const auto add = [&](const std::string& name, gs_method method) {
    all.push_back({"peer-gslib-" + name, [here, comm, method](act what) -> irregular_method_ptr {
                     const bool is_ghosts = what == act::ghost_gather || what == act::ghost_scatter;
                     const auto ids = flagged(here.mine, is_ghosts ? here.mine.ghosts : here.mine.references);
                     if (what == act::plan)
                       return std::make_unique<plan_method>(
                           [ids, comm, method] { return std::make_shared<gs_handle>(ids, *comm, method); });
                     const auto arrays = is_ghosts ? here.memory.with_ghosts() : here.memory.with_refs();
                     return std::make_unique<gslib_method>(arrays, ids, comm, method,
                                                           what == act::ghost_gather || what == act::full_gather);
                   }});
  };
  add("auto", gs_auto);
  add("pairwise", gs_pairwise);
  add("crystal", gs_crystal_router);
  add("allreduce", gs_all_reduce);
  return all;
}

}  // namespace bench
