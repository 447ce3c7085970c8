// SPDX-License-Identifier: BSD-3-Clause
// Errors in C: exceptions become a status and a message, kept per thread.
#include <algorithm>
#include <base/text.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <topology/plan_identity.hpp>
#include <topology/team_state.hpp>

#include "handles.hpp"

namespace nearfar::capi {
namespace {

// Of a thread that has seen an error. Not in the thread's own storage, which is short for a library that is loaded
// while the program runs, as Python's modules are.
thread_local std::unique_ptr<const std::string> kept;

constexpr char no_memory[] = "out of memory for the message of an error\0out of memory for the message of an error";
thread_local const char* last_message = "\0";

}  // namespace

std::string for_both(std::string_view marked) {
  return from_zero(marked) + '\0' + in_names(axis_names::from_one_fastest_first, marked);
}

nearfar_status remember(status code, std::string_view message) noexcept {
  try {
    kept = std::make_unique<const std::string>(for_both(message));
    last_message = kept->c_str();
  } catch (const std::bad_alloc&) {
    last_message = no_memory;
  }
  return static_cast<nearfar_status>(code);
}

nearfar_status remember_current_exception() noexcept {
  try {
    throw;
  } catch (const error& e) {
    return remember(e.code(), message_of(e));
  } catch (const std::bad_alloc&) {
    return remember(status::resource, "out of memory");
  } catch (const std::exception& e) {
    return remember(status::resource, e.what());
  } catch (...) {
    return remember(status::resource, "unknown error");
  }
}

void check_option_size(const void* options, std::size_t size, std::size_t known) {
  require(size >= sizeof(std::size_t),
          text("the size of the options is ", size, " bytes; initialise them with NEARFAR_OPTIONS"));
  const auto* bytes = static_cast<const char*>(options);
  require(size <= known || std::all_of(bytes + known, bytes + size, [](char c) { return c == 0; }),
          text("the options of ", size, " bytes say more than this version of the library understands, which is ",
               known, " bytes"));
}

std::vector<std::string> words_of(const char* list) {
  std::vector<std::string> words;
  text_reader in(list);
  for (std::string word; std::getline(in, word, ',');)
    if (!word.empty()) words.push_back(word);
  return words;
}

void require(bool ok, const std::string& message) {
  if (!ok) throw usage_error(message);
}

bool is_on(nearfar_switch given, bool by_default) {
  require(given >= NEARFAR_SWITCH_OFF && given <= NEARFAR_SWITCH_ON,
          text("a switch of the options is ", static_cast<int>(given), "; it is -1 (off), 0 (default) or 1 (on)"));
  return given == NEARFAR_SWITCH_DEFAULT ? by_default : given == NEARFAR_SWITCH_ON;
}

void require_result(const void* where, const char* name) {
  if (where == nullptr) throw usage_error(text("the argument for the result, '", name, "', is NULL"));
}

}  // namespace nearfar::capi

namespace {

struct method_table {
  std::vector<nearfar::method_info> all;
  std::vector<nearfar_method_info> rows;  ///< whose strings are those of `all`
};

const char* name_of(nearfar_status status) {
  switch (status) {
    case NEARFAR_OK:
      return "no error";
    case NEARFAR_USAGE_ERROR:
      return "usage error";
    case NEARFAR_RESOURCE_ERROR:
      return "resource error";
    case NEARFAR_TRANSPORT_ERROR:
      return "transport error";
    case NEARFAR_IO_ERROR:
      return "i/o error";
  }
  return "unknown status";
}

// The rank in MPI_COMM_WORLD, or -1 outside of MPI's life.
int world_rank() {
  int rank = -1;
  if (nearfar::is_mpi_usable()) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

using namespace nearfar::capi;

extern "C" {

const nearfar_method_info* nearfar_methods(const char* front, int* count) {
  return guarded_value<const nearfar_method_info*>(nullptr, [&] {
    require(front != nullptr, "the front is NULL; it is halo, transpose, fft, gather or collective.KIND");
    static std::mutex mutex;
    static std::map<std::string, method_table> tables;
    const std::lock_guard lock(mutex);
    method_table& t = tables[front];
    if (t.rows.empty()) {
      t.all = nearfar::methods(front);
      for (const auto& m : t.all)
        t.rows.push_back({m.name.c_str(), m.description.c_str(), m.near, m.far, m.is_candidate});
    }
    if (count) *count = static_cast<int>(t.rows.size());
    return t.rows.data();
  });
}

void nearfar_set_place(const char* file, int line) {
  nearfar::set_caller_place(file, line > 0 ? static_cast<unsigned>(line) : 0);
}

const char* nearfar_last_error(void) { return nearfar::capi::last_message; }

const char* nearfar_from_one(const char* text) { return text == nullptr ? "" : text + std::strlen(text) + 1; }

void nearfar_abort(const char* file, int line, const char* call, nearfar_status status) {
  const int rank = world_rank();
  std::fprintf(stderr, "nearfar: rank %d: %s:%d: %s: %s: %s\n", rank, file, line, call, name_of(status),
               nearfar_last_error());
  nearfar::end_job(static_cast<int>(status));
}

void nearfar_end_job(int code) { nearfar::end_job(code); }

}  // extern "C"
