// SPDX-License-Identifier: BSD-3-Clause
// Names and numbers of plans, and the messages that compare them.
#include <base/internals.hpp>
#include <topology/plan_identity.hpp>

#include <algorithm>
#include <base/log.hpp>
#include <base/numbers.hpp>
#include <base/text.hpp>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <topology/team_state.hpp>

namespace nearfar {

/// Members by number; the first is compared unless it was started before there was a second.
struct plan_family {
  std::int64_t members = 0;
  int tag = 0;
  bool is_first_started = false, is_first_compared = false;
};

namespace {

struct families {
  std::map<std::uint64_t, plan_family> all;
};

thread_local const char* caller_file = nullptr;
thread_local unsigned caller_line = 0;

std::string place_of(const std::source_location& where) {
  const char* file = where.file_name();
  unsigned line = where.line();
  if (caller_file != nullptr) file = caller_file, line = caller_line;
  if (std::strstr(file, "/include/c++/") != nullptr) return "";  // made by std::make_unique or the like
  constexpr std::string_view in_capi = "/src/capi/";             // made by another language
  const char* capi = std::strstr(file, in_capi.data());
  if (capi != nullptr && std::strchr(capi + in_capi.size(), '/') == nullptr) return "";
  const char* slash = std::strrchr(file, '/');
  return text(" (", slash != nullptr ? slash + 1 : file, ":", line, ")");
}

/// Of elements: no rank's hash, so that the lowest one is that of a rank that knows them.
constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();

std::array<char, 120> fixed(const std::string& words) {
  std::array<char, 120> chars{};
  words.copy(chars.data(), chars.size() - 1);
  return chars;
}

}  // namespace

void set_caller_place(const char* file, unsigned line) noexcept { caller_file = file, caller_line = line; }

plan_identity::plan_identity(const team& members, const char* front, const std::string& name,
                             const std::string& elements, const std::source_location& where)
    : members_(members),
      words_(text(front, " \"", name, "\"", elements.empty() ? "" : " of ", elements, place_of(where))),
      key_(hash64().add(front).add(name).value()) {
  const team_state& s = state_of(members);
  const std::int64_t mine = static_cast<std::int64_t>(key_ >> 1);
  const std::int64_t kind = elements.empty() ? unknown : static_cast<std::int64_t>(hash64().add(elements).value() >> 2);
  std::array<std::int64_t, 4> lowest{mine, -mine, kind, kind == unknown ? unknown : -kind};
  take_lowest(s, lowest);
  const bool is_one_order = lowest[0] == -lowest[1];
  if (is_one_order && (lowest[2] == unknown || lowest[2] == -lowest[3])) return;
  const message own{is_one_order ? kind : mine, fixed(words_)};
  std::vector<message> all(as_size(s.size));
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, s.comm); });
  const auto first = std::find_if(all.begin(), all.end(), [](const message& m) { return m.number != unknown; });
  const auto other = std::find_if(first, all.end(),
                                  [&](const message& m) { return m.number != unknown && m.number != first->number; });
  throw usage_error(text("plans are made in another order", is_one_order ? ", or of other elements," : "",
                         " on some ranks: rank ", first - all.begin(), " makes ", first->words.data(), " where rank ",
                         other - all.begin(), " makes ", other->words.data(),
                         "; ranks of a team make their plans in one order, with the same names"));
}

plan_identity::~plan_identity() {
  if (!mail_ || !is_mpi_usable()) return;
  try {
    compare();
  } catch (const std::exception& e) {
    log::warning(e.what());
  }
}

void plan_identity::join(std::uint64_t shape, std::vector<int> peers) {
  team_state& s = state_of(members_);
  const std::uint64_t kind = hash64().add(static_cast<index_t>(key_)).add(static_cast<index_t>(shape)).value();
  plan_family& f = s.attachment<families>([] { return new families; }).all[kind];
  family_ = &f, number_ = ++f.members;
  if (number_ == 2) {
    f.is_first_compared = everywhere(s, !f.is_first_started);
    f.tag = s.next_tags();
  }
  std::erase(peers, s.rank);
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  peers_ = std::move(peers);
}

std::vector<int> plan_identity::neighbours(const team& members) {
  const int rank = members.rank(), size = members.size();
  return {(rank + 1) % size, (rank + size - 1) % size};
}

void plan_identity::tell() {
  is_new_ = false;
  if (family_ == nullptr) return;
  if (number_ == 1) family_->is_first_started = true;
  if (number_ == 1 && !family_->is_first_compared) return;
  mail_ = std::make_unique<mail>();
  mail& all = *mail_;
  all.mine = {number_, fixed(words_)};
  all.theirs.resize(peers_.size());
  all.requests.assign(2 * peers_.size(), MPI_REQUEST_NULL);
  const MPI_Comm comm = state_of(members_).comm;
  constexpr int bytes = sizeof(message);
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    check_mpi(MPI_Irecv(&all.theirs[i], bytes, MPI_BYTE, peers_[i], family_->tag, comm, &all.requests[i]), "MPI_Irecv");
    check_mpi(MPI_Isend(&all.mine, bytes, MPI_BYTE, peers_[i], family_->tag, comm, &all.requests[peers_.size() + i]),
              "MPI_Isend");
  }
}

/// Each request that is over is null from then on, so that the others tell who is late.
bool plan_identity::has_heard() {
  bool is_over = true;
  for (MPI_Request& r : mail_->requests) {
    int is_done = 0;
    check_mpi(MPI_Test(&r, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    is_over = is_over && is_done != 0;
  }
  return is_over;
}

std::string plan_identity::late_ranks() const {
  std::string ranks;
  int count = 0;
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (mail_->requests[i] == MPI_REQUEST_NULL && mail_->requests[peers_.size() + i] == MPI_REQUEST_NULL) continue;
    ranks += text(count++ == 0 ? "" : ", ", peers_[i]);
  }
  return text(count == 1 ? "rank " : "ranks ", ranks, " to start it");
}

void plan_identity::compare() {
  std::unique_ptr<mail> all;
  try {
    wait_for_others(
        state_of(members_), [this] { return has_heard(); }, words_, [this] { return late_ranks(); });
    all = std::move(mail_);
  } catch (...) {
    (void)mail_.release();  // NOLINT: the MPI may still write to them
    throw;
  }
  const auto other =
      std::find_if(all->theirs.begin(), all->theirs.end(), [&](const message& m) { return m.number != number_; });
  if (other == all->theirs.end()) return;
  throw usage_error(text("plans are started in another order on some ranks: rank ", members_.rank(), " has started ",
                         words_, ", number ", number_, " of its kind, and rank ",
                         peers_[as_size(other - all->theirs.begin())], " ", other->words.data(), ", number ",
                         other->number,
                         "; plans that look alike are started first in one order on all ranks, or have "
                         "names"));
}

}  // namespace nearfar
