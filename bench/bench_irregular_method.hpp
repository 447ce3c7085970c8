// SPDX-License-Identifier: BSD-3-Clause
// The methods of gathering and adding that the bench compares: those of a careful MPI programmer, of peers, and the
// library's.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <nearfar/mpi.hpp>
#include <string>
#include <vector>

#include "bench_irregular_workload.hpp"
#include "harness/measure.hpp"
#include "harness/options.hpp"

namespace bench {

enum class act {
  ghost_gather,   ///< ghosts = the owners' elements
  ghost_scatter,  ///< the owners' elements += ghosts
  full_gather,    ///< out[k] = x[references[k]]
  full_scatter,   ///< x[references[k]] += in[k]
  plan,           ///< making what the others need, from the references on
};

/// Where a method's data lies. `refs` has an element for each reference: out or in.
struct irregular_arrays {
  double *owned = nullptr, *ghosts = nullptr, *refs = nullptr;
};

/// Memory of the caller: own | ghosts in one piece, and own | refs in another; whole pages.
class caller_memory {
 public:
  explicit caller_memory(const share& s)
      : owned_(static_cast<std::size_t>(s.owned())),
        ghosts_(allocate(owned_ + s.ghosts.size())),
        refs_(allocate(owned_ + s.references.size())) {}
  irregular_arrays with_ghosts() const { return {ghosts_.get(), ghosts_.get() + owned_, refs_.get() + owned_}; }
  irregular_arrays with_refs() const { return {refs_.get(), nullptr, refs_.get() + owned_}; }

 private:
  using memory = std::unique_ptr<double, decltype(&std::free)>;
  static memory allocate(std::size_t length);  // zeroed

  std::size_t owned_;
  memory ghosts_, refs_;
};

/// Carries out one act on its arrays, again and again.
class method {
 public:
  explicit method(irregular_arrays arrays = {}) : arrays_(arrays) {}
  virtual ~method() = default;
  virtual void operate() = 0;
  virtual std::string choice() const { return ""; }
  const irregular_arrays& arrays() const { return arrays_; }

 protected:
  irregular_arrays arrays_;
};

using irregular_method_ptr = std::unique_ptr<method>;

/// What every maker of methods needs.
struct irregular_site {
  MPI_Comm comm;
  const options& how;
  const share& mine;
  caller_memory& memory;
  bool is_one_node;
};

/// A name and how to make the method; null where it cannot serve (the same verdict on every rank).
struct irregular_method_maker {
  std::string name;
  std::function<irregular_method_ptr(act)> make;
  bool is_tuned = false;
};

std::vector<irregular_method_maker> mpi_methods(const irregular_site& here);
std::vector<irregular_method_maker> gslib_methods(const irregular_site& here);
std::vector<irregular_method_maker> petsc_methods(const irregular_site& here);

/// Makes a plan and frees it.
class plan_method : public method {
 public:
  explicit plan_method(std::function<std::shared_ptr<void>()> make) : make_(std::move(make)) {}
  void operate() override { make_(); }
  std::shared_ptr<void> make() const { return make_(); }

 private:
  std::function<std::shared_ptr<void>()> make_;
};

}  // namespace bench
