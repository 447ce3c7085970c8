// SPDX-License-Identifier: BSD-3-Clause
// nearfar doctor: looks at what commonly goes wrong, one finding per line, and says what to do.
#include <nearfar/built_with.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <base/env.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <near/arena.hpp>
#include <near/process_reads.hpp>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <nlohmann/json.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <tune/wisdom.hpp>

#include "arguments.hpp"

extern char** environ;

namespace nearfar::command {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* doctor_usage =
    "usage: nearfar doctor [--json]\n"
    "       mpirun -n N nearfar doctor [--json]      also what ranks can only find out together\n"
    "Ends with 1 if something is wrong.\n";

enum class level { fine, hint, wrong };

struct finding {
  level how;
  std::string what, words, advice;
};

class findings {
 public:
  void add(level how, const char* what, std::string words, std::string advice = "") {
    all_.push_back({how, what, std::move(words), std::move(advice)});
  }
  bool is_any_wrong() const {
    return std::any_of(all_.begin(), all_.end(), [](const finding& f) { return f.how == level::wrong; });
  }
  void print(bool is_json) const {
    json list = json::array();
    constexpr const char* names[] = {"ok", "hint", "WRONG"};
    for (const finding& f : all_) {
      const char* name = names[static_cast<int>(f.how)];
      list.push_back({{"level", name}, {"what", f.what}, {"found", f.words}, {"advice", f.advice}});
      if (is_json) continue;
      std::printf("%-6s%-16s%s\n", name, f.what.c_str(), f.words.c_str());
      if (!f.advice.empty()) std::printf("%-22s-> %s\n", "", f.advice.c_str());
    }
    if (is_json) std::printf("%s\n", list.dump(2).c_str());
  }

 private:
  std::vector<finding> all_;
};

std::string first_word_of(const char* file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

/// The same verdict on every rank: they load the same libraries.
bool look_at_mpi(findings& f) {
  const std::string here = mpi_library();
  try {
    require_own_mpi();
    f.add(level::fine, "MPI", here.substr(0, here.find('\n')));
    return true;
  } catch (const error& e) {
    f.add(level::wrong, "MPI", e.what(),
          "put the folder of the MPI that Nearfar was built with first in LD_LIBRARY_PATH");
    return false;
  }
}

void look_at_shared_memory(findings& f) {
  constexpr std::int64_t scarce_bytes = std::int64_t{256} << 20;
  struct statvfs s {};
  if (statvfs("/dev/shm", &s) != 0) {
    f.add(
        level::hint, "/dev/shm", text("is missing: ", std::strerror(errno)),
        "memory files are used instead (NEARFAR_SHM=memfd); the MPI itself may need it: mount -t tmpfs tmpfs /dev/shm");
    return;
  }
  const auto free = static_cast<std::int64_t>(s.f_bavail) * static_cast<std::int64_t>(s.f_frsize);
  const std::string words =
      text(readable_bytes(free), " free of ",
           readable_bytes(static_cast<std::int64_t>(s.f_blocks) * static_cast<std::int64_t>(s.f_frsize)));
  if (free >= scarce_bytes) return f.add(level::fine, "/dev/shm", words);
  f.add(free == 0 ? level::wrong : level::hint, "/dev/shm", words,
        "remove what dead jobs have left there, start the container with --shm-size=2g, or set NEARFAR_SHM=memfd");
}

void look_at_ptrace(findings& f) {
  const std::string scope = first_word_of("/proc/sys/kernel/yama/ptrace_scope");
  if (scope.empty() || scope == "0") return f.add(level::fine, "ptrace scope", scope.empty() ? "no Yama" : "0");
  f.add(level::hint, "ptrace scope", scope,
        "processes cannot read each other's ordinary memory (methods near-cma); near memory is not affected; "
        "sysctl kernel.yama.ptrace_scope=0 allows it");
}

void look_at_huge_pages(findings& f) {
  std::ifstream in("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::string all;
  if (!std::getline(in, all)) return f.add(level::hint, "huge pages", "the kernel has none for shared memory");
  const bool is_never = all.find("[never]") != std::string::npos || all.find("[deny]") != std::string::npos;
  f.add(is_never ? level::hint : level::fine, "huge pages", all,
        is_never ? "large near fields are made of 4-kB pages; echo advise > "
                   "/sys/kernel/mm/transparent_hugepage/shmem_enabled lets programs ask for larger ones"
                 : "");
}

void look_at_wisdom(findings& f) {
  namespace fs = std::filesystem;
  const std::string path = tune::wisdom_path();
  if (path.empty()) return f.add(level::hint, "wisdom", "off", "every run tunes anew; set NEARFAR_WISDOM=FILE");
  std::error_code fault;
  if (!fs::exists(path, fault)) {
    fs::path folder = fs::path(path).parent_path();
    while (!folder.empty() && !fs::exists(folder, fault)) folder = folder.parent_path();
    if (access(folder.empty() ? "." : folder.c_str(), W_OK) == 0)
      return f.add(level::fine, "wisdom", path + ": none yet");
    return f.add(level::wrong, "wisdom", path + " cannot be made", "set NEARFAR_WISDOM to a file that can be written");
  }
  if (access(path.c_str(), R_OK | W_OK) != 0)
    return f.add(level::wrong, "wisdom", text(path, ": ", std::strerror(errno)),
                 "make it readable and writable, or set NEARFAR_WISDOM to another file");
  std::ifstream in(path);
  std::size_t good = 0, bad = 0;
  for (std::string line; std::getline(in, line);) ++(json::accept(line) ? good : bad);
  f.add(bad > 0 ? level::hint : level::fine, "wisdom",
        text(path, ": ", good, " records, ", bad, " that cannot be read"),
        bad > 0 ? "records that cannot be read are passed over; delete the file to be rid of them" : "");
}

/// A variable, and who reads it as the library does; throws where it cannot be.
struct variable {
  const char* name;
  std::function<void()> read;
};

std::function<void()> one_of(const char* name, std::vector<std::string> words) {
  return [name, words = std::move(words)] {
    const std::string value = env::string_or(name, words.front());
    std::string all;
    for (const std::string& w : words) all += text(all.empty() ? "" : ", ", w);
    if (std::find(words.begin(), words.end(), value) == words.end())
      throw usage_error(text(name, " is '", value, "'; it can be ", all));
  };
}
std::function<void()> whole_number(const char* name, std::int64_t lowest, std::int64_t highest) {
  return [=] { env::integer_or(name, lowest, lowest, highest); };
}

std::vector<variable> variables() {
  constexpr std::int64_t many = 1'000'000'000;
  const auto anything = [] {};
  return {
      {"NEARFAR_METHOD",
       [] {
         for (const std::string& front : fronts()) tune::pinned_methods(front);
       }},
      {"NEARFAR_BUDGET", [] { tune::budget_s(0); }},
      {"NEARFAR_NODE_SIZE", whole_number("NEARFAR_NODE_SIZE", 0, INT32_MAX)},
      {"NEARFAR_CACHE_BYTES", whole_number("NEARFAR_CACHE_BYTES", 0, INT64_MAX)},
      {"NEARFAR_CHECK", one_of("NEARFAR_CHECK", {"local", "off", "collective", "paranoid"})},
      {"NEARFAR_SHM", one_of("NEARFAR_SHM", {"auto", "devshm", "memfd", "off"})},
      {"NEARFAR_LINES", one_of("NEARFAR_LINES", {"auto", "words", "wide"})},
      {"NEARFAR_FOURIER_SIMD", one_of("NEARFAR_FOURIER_SIMD", {"avx512", "avx2", "plain"})},
      {"NEARFAR_WATCHDOG", [] { env::limit_s("NEARFAR_WATCHDOG"); }},
      {"NEARFAR_SPINS", whole_number("NEARFAR_SPINS", 0, many)},
      {"NEARFAR_TUNE_AFTER", whole_number("NEARFAR_TUNE_AFTER", -1, many)},
      {"NEARFAR_TUNE_AGAIN", whole_number("NEARFAR_TUNE_AGAIN", 0, 1)},
      {"NEARFAR_REPRODUCIBLE", anything},
      {"NEARFAR_NAP_US", anything},
      {"NEARFAR_LOG", anything},
      {"NEARFAR_WISDOM", anything},
      {"NEARFAR_FFT_ENGINES", anything},
      {"NEARFAR_ADIOS2", anything},
      {"NEARFAR_REPORT", anything},
      {"NEARFAR_CLUSTER", anything},
  };
}

void look_at_variables(findings& f) {
  const auto known = variables();
  for (const variable& v : known) {
    try {
      v.read();
    } catch (const error& e) {
      f.add(level::wrong, "environment", e.what(), text("unset ", v.name, " or give it another value"));
    }
  }
  int set = 0;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    if (name.rfind("NEARFAR_", 0) != 0) continue;
    ++set;
    const bool is_known = name.rfind("NEARFAR_PRELOAD", 0) == 0 ||
                          std::any_of(known.begin(), known.end(), [&](const variable& v) { return name == v.name; });
    if (!is_known)
      f.add(level::hint, "environment", name + " means nothing to the library", "look for a slip of the pen");
  }
  f.add(level::fine, "environment", text(set, " variables of Nearfar are set"));
}

// ---- what only ranks together find out ----

std::string cores_of(const cpu_set_t& set) { return text(CPU_COUNT(&set), " of ", sysconf(_SC_NPROCESSORS_ONLN)); }

bool can_read_neighbour(const team& t) {
  const team_state& s = state_of(t);
  constexpr std::uint64_t magic = 0x6e656172;
  const std::uint64_t own = magic + static_cast<std::uint64_t>(s.near_rank);
  return near::can_read_process(s, (s.near_rank + 1) % s.near_size, &own, magic);
}

void look_at_ranks(findings& f, const team& t) {
  const team_state& s = state_of(t);
  f.add(level::fine, "team", text("ranks: ", t.size(), ", nodes: ", t.nodes()));
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  const bool is_bound = CPU_COUNT(&mine) < sysconf(_SC_NPROCESSORS_ONLN);
  const bool is_short = !everywhere(s, !s.is_short_of_cores), bound_anywhere = !everywhere(s, !is_bound);
  if (is_short)
    f.add(level::wrong, "binding",
          text(s.ranks_here, " ranks share ", s.hardware_threads, " hardware threads of rank 0"),
          "ranks wait for each other's time slices: start fewer, or bind one to each core (mpirun --bind-to core)");
  else if (!bound_anywhere)
    f.add(level::hint, "binding", text("rank 0 may run on ", cores_of(mine), " hardware threads"),
          "ranks that wander lose their caches: mpirun --bind-to core (Open MPI), -bind-to core (MPICH)");
  else
    f.add(level::fine, "binding", text("rank 0 may run on ", cores_of(mine), " hardware threads"));
  if (s.largest_node == 1)
    return f.add(level::hint, "near memory", "no node has two ranks", "there is nothing to share");
  const bool is_shared = everywhere(s, s.near_size == 1 || near::arena::of(t).is_shared());
  if (is_shared) f.add(level::fine, "near memory", "near ranks map each other's memory");
  if (!is_shared)
    f.add(level::wrong, "near memory", "near ranks cannot map each other's memory, and exchange messages",
          "ranks of one node must see each other's /proc and be of one user: one container per node, not per rank");
  const bool can_read = everywhere(s, s.near_size == 1 || can_read_neighbour(t));
  f.add(can_read ? level::fine : level::hint, "process reads",
        can_read ? "process_vm_readv works" : "process_vm_readv is refused",
        can_read ? "" : "methods near-cma are left out; see ptrace scope");
}

}  // namespace

int run_doctor(const std::vector<std::string>& words) {
  const arguments a(words, {});
  if (a.has("help")) return std::printf("%s", doctor_usage) < 0;
  findings f;
  const bool is_mpi_right = look_at_mpi(f);
  look_at_shared_memory(f);
  look_at_ptrace(f);
  look_at_huge_pages(f);
  look_at_wisdom(f);
  look_at_variables(f);
  if (!is_launched() || !is_mpi_right) {
    f.print(a.is_json());
    return f.is_any_wrong() ? 1 : 0;
  }
  int argc = 0;
  char** argv = nullptr;
  const runtime mpi(argc, argv);
  const team t = mpi.world();
  look_at_ranks(f, t);
  const bool is_all_fine = everywhere(state_of(t), !f.is_any_wrong());
  if (!is_all_fine && !f.is_any_wrong())
    f.add(level::wrong, "other nodes", "a rank elsewhere finds something wrong",
          "run nearfar doctor on each node alone");
  if (t.is_root()) f.print(a.is_json());
  return is_all_fine ? 0 : 1;
}

}  // namespace nearfar::command
