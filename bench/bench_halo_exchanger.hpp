// SPDX-License-Identifier: BSD-3-Clause
// The methods of exchanging a halo that the bench compares: those of a careful MPI programmer, and the library's.
#pragma once

#include <functional>
#include <nearfar/nearfar.hpp>
#include <string>
#include <vector>

#include "bench_halo_tile.hpp"
#include "harness/measure.hpp"

namespace bench {

class exchanger {
 public:
  virtual ~exchanger() = default;
  virtual void exchange() = 0;  ///< fills the ghosts of all fields
  virtual std::string choice() const { return ""; }
};

using exchanger_ptr = std::unique_ptr<exchanger>;

/// The names of the MPI variants, in the order of tables. "mpi-…" are yardsticks; brams-alloc is how the BRAMS model
/// does it.
const std::vector<std::string>& mpi_variants();

/// @throws std::invalid_argument  for a name that is not in mpi_variants()
template <class T>
exchanger_ptr make_mpi_exchanger(const std::string& variant, MPI_Comm comm, const layout& memory,
                                 const std::vector<T*>& fields);

/// One contender's exchanger, and which memory it works on.
struct nearfar_choice {
  std::string name;     ///< as in tables: nearfar, nearfar-own, nearfar:METHOD, nearfar:METHOD-own
  std::string method;   ///< pinned; empty: tuned
  bool is_own = false;  ///< the caller's own memory
};

/// The tuned plan and every method of the library that can serve this team's peers, in both kinds of memory.
std::vector<nearfar_choice> nearfar_choices(const nearfar::team& members);

nearfar::grid make_nearfar_grid(const nearfar::team& members, const halo_case& c, const geometry& where);

/// Fields in Nearfar's memory.
template <class T>
class near_arrays {
 public:
  near_arrays(const nearfar::grid& cells, const halo_case& c);
  std::vector<nearfar::field<T>> handles;
  std::vector<T*> fields;
  std::vector<index_t> strides;  ///< in elements
};

nearfar::ghosts ghosts_of(const halo_case& c);

/// A plan over fields in Nearfar's memory, or over the caller's arrays.
exchanger_ptr make_nearfar_exchanger(const halo_case& c, std::vector<nearfar::halo_part> parts,
                                     const std::string& method, double tune_s);

template <class T>
std::vector<nearfar::halo_part> near_parts(const near_arrays<T>& arrays) {
  std::vector<nearfar::halo_part> parts;
  for (const auto& f : arrays.handles) parts.emplace_back(f);
  return parts;
}

template <class T>
std::vector<nearfar::halo_part> own_parts(const nearfar::grid& cells, const halo_case& c, const geometry& where,
                                          const std::vector<T*>& fields) {
  std::vector<nearfar::halo_part> parts;
  for (T* f : fields) parts.emplace_back(cells, nearfar::array_view<T>{f, where.with_ghosts, {}}, ghosts_of(c));
  return parts;
}

}  // namespace bench
