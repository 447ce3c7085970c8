// SPDX-License-Identifier: BSD-3-Clause
// PETSc as a peer: star forests (PetscSF) of several types, and VecScatter.
#include <petscsf.h>
#include <petscvec.h>

#include <stdexcept>

#include "bench_irregular_method.hpp"

namespace bench {
namespace {

void need(PetscErrorCode code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string("PETSc: ") + what + " failed");
}

/// PETSc while the program runs; started by the first who asks.
class petsc_runtime {
 public:
  static void start() { static const petsc_runtime once; }

 private:
  petsc_runtime() {
    need(PetscOptionsSetValue(nullptr, "-no_signal_handler", nullptr), "setting options");
    need(PetscInitializeNoArguments(), "starting");
  }
};

struct sf_kind {
  std::string name;
  PetscSFType type;
};

/// One leaf for every id; roots are the own elements.
PetscSF make_forest(const irregular_site& here, std::vector<PetscSFNode> leaves, const sf_kind& kind) {
  PetscSF made;
  need(PetscSFCreate(here.comm, &made), "PetscSFCreate");
  need(PetscSFSetType(made, kind.type), "PetscSFSetType");
  if (std::string(kind.type) == PETSCSFWINDOW && here.is_one_node) {
    need(PetscSFWindowSetFlavorType(made, PETSCSF_WINDOW_FLAVOR_SHARED), "PetscSFWindowSetFlavorType");
    need(PetscSFWindowSetSyncType(made, PETSCSF_WINDOW_SYNC_FENCE), "PetscSFWindowSetSyncType");
  }
  need(PetscSFSetGraph(made, here.mine.owned(), static_cast<PetscInt>(leaves.size()), nullptr, PETSC_OWN_POINTER,
                       leaves.data(), PETSC_COPY_VALUES),
       "PetscSFSetGraph");
  need(PetscSFSetUp(made), "PetscSFSetUp");
  return made;
}

void free_forest(void* forest) {
  auto sf = static_cast<PetscSF>(forest);
  PetscSFDestroy(&sf);
}

/// Owner and place there of each id: blocks as in share.
std::vector<PetscSFNode> nodes_of(const share& mine, const std::vector<id_type>& ids) {
  std::vector<PetscSFNode> nodes;
  for (const id_type id : ids) {
    id_type owner = id * mine.ranks / mine.size;
    while (mine.size * (owner + 1) / mine.ranks <= id) ++owner;
    while (mine.size * owner / mine.ranks > id) --owner;
    nodes.push_back({static_cast<PetscInt>(owner), static_cast<PetscInt>(id - mine.size * owner / mine.ranks)});
  }
  return nodes;
}

class forest_method : public method {
 public:
  forest_method(irregular_arrays arrays, PetscSF forest, act what) : method(arrays), forest_(forest) {
    is_gather_ = what == act::ghost_gather || what == act::full_gather;
    leaves_ = what == act::ghost_gather || what == act::ghost_scatter ? arrays.ghosts : arrays.refs;
  }
  ~forest_method() override { PetscSFDestroy(&forest_); }
  void operate() override {
    if (is_gather_) {
      PetscSFBcastBegin(forest_, MPI_DOUBLE, arrays_.owned, leaves_, MPI_REPLACE);
      PetscSFBcastEnd(forest_, MPI_DOUBLE, arrays_.owned, leaves_, MPI_REPLACE);
    } else {
      PetscSFReduceBegin(forest_, MPI_DOUBLE, leaves_, arrays_.owned, MPI_SUM);
      PetscSFReduceEnd(forest_, MPI_DOUBLE, leaves_, arrays_.owned, MPI_SUM);
    }
  }

 private:
  PetscSF forest_;
  bool is_gather_;
  double* leaves_;
};

irregular_method_maker forest_maker(const irregular_site& here, const sf_kind& kind) {
  return {"peer-petscsf-" + kind.name, [here, kind](act what) -> irregular_method_ptr {
            if (std::string(kind.type) == PETSCSFWINDOW && !here.is_one_node) return nullptr;
            const bool is_ghosts = what == act::ghost_gather || what == act::ghost_scatter;
            const auto nodes = nodes_of(here.mine, is_ghosts ? here.mine.ghosts : here.mine.references);
            if (what == act::plan)
              return std::make_unique<plan_method>(
                  [here, kind, nodes] { return std::shared_ptr<void>(make_forest(here, nodes, kind), free_forest); });
            return std::make_unique<forest_method>(here.memory.with_ghosts(), make_forest(here, nodes, kind), what);
          }};
}

/// A vector distributed like the elements, a serial one with an entry per id, and the scatter between them.
struct vec_scatter {
  vec_scatter(const irregular_site& here, const std::vector<PetscInt>& ids, double* owned, double* out) {
    const auto n = static_cast<PetscInt>(ids.size());
    need(VecCreateMPIWithArray(here.comm, 1, here.mine.owned(), static_cast<PetscInt>(here.mine.size), owned, &x),
         "VecCreateMPIWithArray");
    need(VecCreateSeqWithArray(MPI_COMM_SELF, 1, n, out, &y), "VecCreateSeqWithArray");
    IS from;
    need(ISCreateGeneral(MPI_COMM_SELF, n, ids.data(), PETSC_USE_POINTER, &from), "ISCreateGeneral");
    need(VecScatterCreate(x, from, y, nullptr, &scatter), "VecScatterCreate");
    ISDestroy(&from);
  }
  ~vec_scatter() {
    VecScatterDestroy(&scatter);
    VecDestroy(&y);
    VecDestroy(&x);
  }
  vec_scatter(const vec_scatter&) = delete;
  vec_scatter& operator=(const vec_scatter&) = delete;
  Vec x = nullptr, y = nullptr;
  VecScatter scatter = nullptr;
};

class vec_method : public method {
 public:
  vec_method(irregular_arrays arrays, std::unique_ptr<vec_scatter> made, bool is_gather)
      : method(arrays), made_(std::move(made)), is_gather_(is_gather) {}
  void operate() override {
    const InsertMode mode = is_gather_ ? INSERT_VALUES : ADD_VALUES;
    const ScatterMode direction = is_gather_ ? SCATTER_FORWARD : SCATTER_REVERSE;
    const Vec from = is_gather_ ? made_->x : made_->y, to = is_gather_ ? made_->y : made_->x;
    VecScatterBegin(made_->scatter, from, to, mode, direction);
    VecScatterEnd(made_->scatter, from, to, mode, direction);
  }

 private:
  std::unique_ptr<vec_scatter> made_;
  bool is_gather_;
};

irregular_method_maker vec_maker(const irregular_site& here) {
  return {"peer-vecscatter", [here](act what) -> irregular_method_ptr {
            const bool is_ghosts = what == act::ghost_gather || what == act::ghost_scatter;
            const auto& wanted = is_ghosts ? here.mine.ghosts : here.mine.references;
            const std::vector<PetscInt> ids(wanted.begin(), wanted.end());
            const auto arrays = here.memory.with_ghosts();
            double* out = is_ghosts ? arrays.ghosts : arrays.refs;
            if (what == act::plan)
              return std::make_unique<plan_method>(
                  [here, ids, arrays, out] { return std::make_shared<vec_scatter>(here, ids, arrays.owned, out); });
            return std::make_unique<vec_method>(arrays, std::make_unique<vec_scatter>(here, ids, arrays.owned, out),
                                                what == act::ghost_gather || what == act::full_gather);
          }};
}

}  // namespace

std::vector<irregular_method_maker> petsc_methods(const irregular_site& here) {
  petsc_runtime::start();
  return {forest_maker(here, {"basic", PETSCSFBASIC}), forest_maker(here, {"neighbor", PETSCSFNEIGHBOR}),
          forest_maker(here, {"window", PETSCSFWINDOW}), vec_maker(here)};
}

}  // namespace bench
