// SPDX-License-Identifier: BSD-3-Clause
// One engine per team, whatever front calls it; and the one-shot calls.
#include "team_engine.hpp"
#include "../plain_call.hpp"

#include <base/internals.hpp>
#include <base/log.hpp>
#include <nearfar/collective.hpp>
#include <topology/agree.hpp>
#include <topology/alive.hpp>
#include <topology/team_state.hpp>

#include "arguments.hpp"

namespace nearfar::collective {

team_engine& team_engine::made_for(const team& members) {
  bool compares = false;
  agree(members, [&] { compares = are_ranks_compared(); });
  // The engine belongs to the team, so it must not keep the team alive.
  team_state& s = state_of(members);
  const team guest = internals::without_ownership(members);
  auto made = std::make_unique<team_engine>();
  made->compares_ranks = compares;
  try {
    made->works = std::make_unique<engine>(guest);
  } catch (const resource_error& e) {
    if (members.is_root()) log::warning("collective calls go by plain MPI: ", e.what());
  }
  auto& kept = s.attachment<team_engine>([&] { return made.release(); });
  s.collective_engine = &kept;
  return kept;
}

void carry_out(const call& c, const team& members, team_engine& e) {
  const auto native = [&] {
    const int ranks = members.size();
    const bool fits = fits_int(c, members.rank(), ranks);
    if (!fits && !has_large_counts && (c.what == kind::gatherv || c.what == kind::scatterv))
      throw usage_error("counts and displs beyond 2^31 need a plan (collective_plan), where all ranks learn of them");
    return call_plainly(c, members, fits);
  };
  int code = MPI_SUCCESS;
  try {
    code = e.works ? e.works->run(c, native) : native();
  } catch (const usage_error& complaint) {
    throw usage_error(text(name_of(c.what), ": ", complaint.what()));
  }
  if (code != MPI_SUCCESS) check_mpi(code, name_of(c.what));
}

}  // namespace nearfar::collective

namespace nearfar {

MPI_Op any_reduce_op::to_mpi(reduce_op predefined) {
  switch (predefined) {
    case reduce_op::sum:
      return MPI_SUM;
    case reduce_op::product:
      return MPI_PROD;
    case reduce_op::min:
      return MPI_MIN;
    case reduce_op::max:
      return MPI_MAX;
    case reduce_op::logical_and:
      return MPI_LAND;
    case reduce_op::logical_or:
      return MPI_LOR;
    case reduce_op::logical_xor:
      return MPI_LXOR;
    case reduce_op::bit_and:
      return MPI_BAND;
    case reduce_op::bit_or:
      return MPI_BOR;
    case reduce_op::bit_xor:
      return MPI_BXOR;
    case reduce_op::replace:
      throw usage_error("the operation replace is one of scatters; no reduction has it");
  }
  return MPI_OP_NULL;
}

void run_collective(const team& members, const collective_call& c) {
  require_running_mpi();
  auto& e = collective::team_engine::of(members);
  if (!e.compares_ranks) return collective::carry_out(collective::to_internal(c, members), members, e);
  collective::call checked;
  agree(members, [&] { checked = collective::to_internal(c, members); });
  collective::compare_ranks(checked, members);
  collective::carry_out(checked, members, e);
}

std::string describe_collectives(const team& members) {
  auto& e = collective::team_engine::of(members);
  return e.works ? e.works->describe() : "plain MPI\n";
}

shared_memory::shared_memory(const team& members, index_t bytes) {
  near::arena& arena = near::arena::of(members);
  agree(members, [&] {
    if (bytes < 0) throw usage_error(text("an array of ", bytes, " B was asked for"));
    if (bytes == 0) return;
    const near::block memory = arena.allocate(bytes);
    memory_ = std::shared_ptr<void>(std::make_shared<near::block>(memory), memory.data());
  });
  auto& e = collective::team_engine::of(members);
  if (e.works && arena.is_shared()) e.works->expect_near_buffers();
}

}  // namespace nearfar
