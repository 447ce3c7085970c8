// SPDX-License-Identifier: BSD-3-Clause
// Writer of OTF2 archives: a location per rank, a system tree node per node, messages as events of one communicator.
#include <base/text.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <model/export.hpp>
#include <model/simulation.hpp>
#include <nearfar/error.hpp>
#include <vector>

#ifdef NEARFAR_HAVE_OTF2
#include <otf2/otf2.h>
#endif

namespace nearfar::model {

#ifdef NEARFAR_HAVE_OTF2

namespace {

std::uint64_t ns_of(double us) { return static_cast<std::uint64_t>(std::llround(1e3 * us)); }

/// Numbers of what definitions refer to.
constexpr OTF2_GroupRef locations_group = 0, ranks_group = 1;
constexpr OTF2_CommRef communicator = 0;
constexpr struct {
  const char* name;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
} regions[] = {{"compute and copy", OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER},
               {"send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
               {"receive", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
               {"barrier of the node", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI}};

/// The library prints what goes wrong; here it becomes an exception.
OTF2_ErrorCode keep_quiet(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*, va_list) {
  return code;
}

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

class archive {
 public:
  explicit archive(const std::string& folder) : folder_(folder) {
    constexpr std::uint64_t events_chunk = 1 << 20, definitions_chunk = 4 << 20;
    OTF2_Error_RegisterCallback(keep_quiet, nullptr);
    if (std::error_code none; std::filesystem::exists(folder, none))
      throw io_error(text("the trace ", folder, " is not written: a file or folder of that name is there"));
    all_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, events_chunk, definitions_chunk,
                             OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (all_ == nullptr) throw io_error(text("the trace ", folder, " cannot be written"));
    static const OTF2_FlushCallbacks flush{flush_always, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(all_, &flush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(all_));
  }
  ~archive() {
    if (all_ != nullptr) OTF2_Archive_Close(all_);
  }
  archive(const archive&) = delete;
  archive& operator=(const archive&) = delete;

  OTF2_Archive* get() const { return all_; }
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS)
      throw io_error(text("the trace ", folder_, " cannot be written: ", OTF2_Error_GetDescription(code)));
  }
  void close() { check(OTF2_Archive_Close(std::exchange(all_, nullptr))); }

 private:
  std::string folder_;
  OTF2_Archive* all_ = nullptr;
};

class trace {
 public:
  trace(const program& p, const machine& m, archive& to) : p_(p), to_(to), events_(p.ranks.size()) {
    for (std::size_t i = 0; i < p.ranks.size(); ++i) place_[p.ranks[i].rank] = i;
    simulated_us(p, m, 0, [&](const event& e) {
      events_[place_.at(e.rank)].push_back(e);
      end_us_ = std::max(end_us_, e.end_us);
    });
  }

  void write() {
    to_.check(OTF2_Archive_OpenEvtFiles(to_.get()));
    for (std::size_t i = 0; i < events_.size(); ++i) write_events(i);
    to_.check(OTF2_Archive_CloseEvtFiles(to_.get()));
    to_.check(OTF2_Archive_OpenDefFiles(to_.get()));
    for (std::size_t i = 0; i < events_.size(); ++i)
      to_.check(OTF2_Archive_CloseDefWriter(to_.get(), OTF2_Archive_GetDefWriter(to_.get(), i)));
    to_.check(OTF2_Archive_CloseDefFiles(to_.get()));
    write_definitions();
  }

 private:
  void write_events(std::size_t i) {
    OTF2_EvtWriter* w = OTF2_Archive_GetEvtWriter(to_.get(), i);
    for (const event& e : events_[i]) {
      const operation& o = *e.what;
      const auto region = static_cast<OTF2_RegionRef>(o.what), tag = static_cast<std::uint32_t>(o.by);
      const auto bytes = static_cast<std::uint64_t>(o.bytes);
      const auto peer = place_.find(o.peer);  // ranks that are left out have no place
      to_.check(OTF2_EvtWriter_Enter(w, nullptr, ns_of(e.begin_us), region));
      if (o.what == action::send && peer != place_.end())
        to_.check(OTF2_EvtWriter_MpiSend(w, nullptr, ns_of(e.begin_us), static_cast<std::uint32_t>(peer->second),
                                         communicator, tag, bytes));
      if (o.what == action::receive && peer != place_.end())
        to_.check(OTF2_EvtWriter_MpiRecv(w, nullptr, ns_of(e.end_us), static_cast<std::uint32_t>(peer->second),
                                         communicator, tag, bytes));
      to_.check(OTF2_EvtWriter_Leave(w, nullptr, ns_of(e.end_us), region));
    }
    std::uint64_t count = 0;
    to_.check(OTF2_EvtWriter_GetNumberOfEvents(w, &count));
    counts_.push_back(count);
    to_.check(OTF2_Archive_CloseEvtWriter(to_.get(), w));
  }

  OTF2_StringRef words(const std::string& what) {
    to_.check(OTF2_GlobalDefWriter_WriteString(global_, strings_, what.c_str()));
    return strings_++;
  }

  void write_definitions() {
    constexpr std::uint64_t ticks_per_s = 1000000000;
    global_ = OTF2_Archive_GetGlobalDefWriter(to_.get());
    to_.check(OTF2_GlobalDefWriter_WriteClockProperties(global_, ticks_per_s, 0, ns_of(end_us_) + 1,
                                                        OTF2_UNDEFINED_TIMESTAMP));
    const OTF2_StringRef nothing = words("");
    for (OTF2_RegionRef i = 0; i < std::size(regions); ++i) {
      const OTF2_StringRef name = words(regions[i].name);
      to_.check(OTF2_GlobalDefWriter_WriteRegion(global_, i, name, name, nothing, regions[i].role, regions[i].paradigm,
                                                 OTF2_REGION_FLAG_NONE, nothing, 0, 0));
    }
    write_places();
    write_communicator();
  }

  void write_places() {
    const OTF2_StringRef node_class = words("node");
    std::map<int, OTF2_SystemTreeNodeRef> nodes;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const int rank = p_.ranks[i].rank, node = p_.shape.node_of(rank);
      const auto [found, is_new] = nodes.emplace(node, static_cast<OTF2_SystemTreeNodeRef>(nodes.size()));
      if (is_new)
        to_.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, found->second, words(text("node ", node)),
                                                           node_class, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
      const auto group = static_cast<OTF2_LocationGroupRef>(i);
      const OTF2_StringRef name = words(text("rank ", rank));
      to_.check(OTF2_GlobalDefWriter_WriteLocationGroup(global_, group, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                        found->second, OTF2_UNDEFINED_LOCATION_GROUP));
      to_.check(OTF2_GlobalDefWriter_WriteLocation(global_, i, name, OTF2_LOCATION_TYPE_CPU_THREAD, counts_[i], group));
    }
  }

  void write_communicator() {
    std::vector<std::uint64_t> all(events_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const auto size = static_cast<std::uint32_t>(all.size());
    to_.check(OTF2_GlobalDefWriter_WriteGroup(global_, locations_group, words("locations"),
                                              OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                              size, all.data()));
    to_.check(OTF2_GlobalDefWriter_WriteGroup(global_, ranks_group, words("ranks"), OTF2_GROUP_TYPE_COMM_GROUP,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, size, all.data()));
    to_.check(OTF2_GlobalDefWriter_WriteComm(global_, communicator, words("all ranks"), ranks_group,
                                             OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }

  const program& p_;
  archive& to_;
  std::map<int, std::size_t> place_;  // of a rank among those of the program
  std::vector<std::vector<event>> events_;
  std::vector<std::uint64_t> counts_;
  double end_us_ = 0;
  OTF2_GlobalDefWriter* global_ = nullptr;
  OTF2_StringRef strings_ = 0;
};

}  // namespace

void write_otf2(const program& p, const machine& m, const std::string& folder) {
  archive to(folder);
  trace(p, m, to).write();
  to.close();
}

#else

void write_otf2(const program&, const machine&, const std::string& folder) {
  throw usage_error(text("the trace ", folder,
                         " cannot be written: this command was built without OTF2 (Debian: ", "libotf2-trace-dev)"));
}

#endif

}  // namespace nearfar::model
