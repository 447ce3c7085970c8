// SPDX-License-Identifier: BSD-3-Clause
// Finds files by their names, and asks the lists of the stream whether they are its own.
#include "leftovers.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <set>

#include "files.hpp"
#include "formats/format.hpp"
#include "missing_files.hpp"

namespace nearfar::output {

namespace {

namespace fs = std::filesystem;

constexpr index_t most_ahead = 1024 + 2;  // steps that writers have begun beyond the journal at most: the deepest ring

std::string normal(const std::string& path) { return fs::path(path).lexically_normal().string(); }

/// `name` up to the ending of files that replace_file() makes for a moment; "": it has none.
std::string finished_name(const std::string& name) {
  const auto at = name.rfind(".new.");
  if (at == std::string::npos || name.find_first_not_of("0123456789", at + 5) != std::string::npos) return "";
  return name.substr(0, at);
}

/// A file itself, or all files in a folder.
std::vector<fs::path> files_in(const fs::path& p) {
  if (!fs::is_directory(p)) return {p};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(p))
    if (!entry.is_directory()) files.push_back(entry.path());
  return files;
}

/// Files and folders beside the stream that a stream of this format calls so.
std::vector<fs::path> named_alike(const std::string& path, const std::string& format) {
  const output::format* made_by = find_format(format);
  const fs::path stem(path), folder = stem.parent_path();
  const std::string begin = stem.filename().string() + ".";
  std::vector<fs::path> found;
  if (made_by == nullptr || !fs::is_directory(folder.empty() ? "." : folder)) return found;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin) && made_by->has_made(name.substr(begin.size() - 1)))
      found.push_back((folder / name).lexically_normal());
  }
  std::sort(found.begin(), found.end());  // so that messages are the same each time
  return found;
}

/// Folders without files, the innermost first; those in `kept` stay.
void remove_empty_folders(const fs::path& p, const std::set<fs::path>& kept) {
  if (!fs::is_directory(p)) return;
  std::vector<fs::path> folders{p};
  for (const auto& entry : fs::recursive_directory_iterator(p))
    if (entry.is_directory()) folders.push_back(entry.path());
  for (auto f = folders.rbegin(); f != folders.rend(); ++f)
    if (!kept.contains(f->lexically_normal()) && fs::is_empty(*f)) fs::remove(*f);
}

/// Files that a plan writes for all steps or in place of earlier ones, and the folders that its files are in.
std::set<fs::path> paths_of(const writer_plan& plan) {
  std::set<fs::path> kept;
  const auto keep = [&](const std::string& file, bool is_file) {
    const fs::path p = fs::path(file).lexically_normal();
    if (is_file) kept.insert(p);
    kept.insert(p.parent_path());
  };
  for (const stream_file& f : plan.files.files) keep(f.path(0), !f.is_per_step);
  for (const header_file& h : plan.files.headers) keep(h.path, true);
  return kept;
}

/// Whether a file that no record speaks of may be one that a killed program had just given its name.
bool looks_whole(const stream_file& f, index_t step) {
  const std::string path = f.path(step);
  const index_t size = size_of(path);
  if (f.bytes > 0 ? size != f.bytes : size < 1) return false;
  const bool is_hdf5 = f.after == ".nc" || f.after == ".h5" || f.after == ".vtkhdf";
  char mark[8] = {};
  std::ifstream(path, std::ios::binary).read(mark, sizeof mark);
  return !is_hdf5 || std::memcmp(mark, "\x89HDF\r\n\x1a\n", sizeof mark) == 0;
}

/// What ADIOS2 makes in a folder of its own.
bool is_of_library(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "profiling.json" || name.starts_with("data.") || name.starts_with("md.") || name.starts_with("mmd.");
}

/// Whether one of these headers has the name; of numbered ones with a number behind it.
bool has_header(const std::vector<header_file>& headers, const std::string& name) {
  return std::any_of(headers.begin(), headers.end(), [&](const header_file& h) {
    const std::string path = normal(h.path);
    if (h.kind != header_kind::zarr_times) return path == name;
    return name.size() > path.size() && name.starts_with(path) &&
           name.find_first_not_of("0123456789", path.size()) == std::string::npos;
  });
}

template <class Do>
void with_errors_of_files(Do what) {
  try {
    what();
  } catch (const fs::filesystem_error& e) {
    refuse_file(e.path1().string(), "looked at or removed", e.code().value());
  }
}

}  // namespace

index_t step_of(const stream_file& f, const fs::path& file) {
  const fs::path before(f.before);
  std::string name = file.filename().string();
  const std::string begin = before.filename().string(), part = ".part";
  if (name.ends_with(part)) name.resize(name.size() - part.size());
  if (file.parent_path().lexically_normal() != before.parent_path().lexically_normal()) return -1;
  if (name.size() <= begin.size() + f.after.size() || !name.starts_with(begin) || !name.ends_with(f.after)) return -1;
  const char *first = name.data() + begin.size(), *last = name.data() + name.size() - f.after.size();
  index_t step = 0;
  const auto [end, problem] = std::from_chars(first, last, step);
  return problem != std::errc() || end != last || *first == '-' || last - first < f.digits ? -1 : step;
}

own_files::own_files(const std::string& path, const writer_plan& plan, const journal_contents& told) {
  if (!fs::exists(journal_path(path))) return;
  if (told.steps() > 0) {
    const format_label& label = told.records.front().format;
    format_ = {label.begin(), std::find(label.begin(), label.end(), '\0')};
  }
  const bool is_same = told.steps() > 0 && told.signature == plan.signature;
  if (is_same) {
    for (const stream_file& f : plan.files.files) add(f, told.steps());
    headers_ = plan.files.headers;
    if (!plan.files.adios2.empty()) folder_ = normal(path + ".bp");
  }
  try {
    const auto noted = read_parts(path);
    if (!noted) return;
    if (format_.empty()) format_ = noted->format;
    for (const stream_file& f : noted->plan.files.files) add(f, told.steps());
    headers_.insert(headers_.end(), noted->headers.begin(), noted->headers.end());
    if (!noted->folder.empty()) folder_ = normal(noted->folder);
  } catch (const io_error&) {
    if (!is_same) throw;
  }
}

void own_files::add(const stream_file& f, index_t steps) {
  of_steps s{f, steps, steps + most_ahead};
  s.file.before = normal(f.before);
  while (f.is_per_step && (looks_whole(f, s.named) || fs::exists(f.part(s.named)))) ++s.named;
  files_.push_back(std::move(s));
}

bool own_files::has(const fs::path& file) const {
  if (!folder_.empty() && file.parent_path() == fs::path(folder_)) return is_of_library(file);
  const std::string name = file.string(), finished = finished_name(name);
  if (has_header(headers_, name) || (!finished.empty() && has_header(headers_, finished))) return true;
  return std::any_of(files_.begin(), files_.end(), [&](const of_steps& s) {
    if (!s.file.is_per_step) return s.file.path(0) == name;
    const index_t step = step_of(s.file, file);
    return step >= 0 && step < (file.extension() == ".part" ? s.begun : s.named);
  });
}

void refuse_others(const std::string& path, const std::string& format, const writer_plan& plan, const own_files& own,
                   bool is_new) {
  const auto is_of_step = [&](const fs::path& file) {
    return std::any_of(plan.files.files.begin(), plan.files.files.end(),
                       [&](const stream_file& f) { return f.is_per_step && step_of(f, file) >= 0; });
  };
  with_errors_of_files([&] {
    for (const fs::path& p : named_alike(path, format))
      for (const fs::path& file : files_in(p))
        if (!own.has(file) && (is_new || is_of_step(file)))
          throw io_error(text(file.string(), " is in the way of the stream ", path,
                              ", which has not written it: ", journal_path(path),
                              " does not list it, so it is neither removed nor overwritten; move "
                              "it, or take another path"));
  });
}

index_t remove_stream(const std::string& path, const writer_plan& plan, const own_files& own) {
  const std::set<fs::path> kept = paths_of(plan);
  index_t removed = 0;
  with_errors_of_files([&] {
    for (const fs::path& p : named_alike(path, own.format())) {
      // A library that goes on with its own file replaces it itself.
      if (!plan.files.adios2.empty() && fs::is_directory(p)) continue;
      auto files = files_in(p);
      // The last steps first: what is left when this is killed are steps without a gap.
      const auto is_later = [](const fs::path& a, const fs::path& b) {
        const std::string &x = a.native(), &y = b.native();
        return x.size() != y.size() ? x.size() > y.size() : x > y;
      };
      std::sort(files.begin(), files.end(), is_later);
      for (const fs::path& file : files)
        if (own.has(file) && !kept.contains(file.lexically_normal())) removed += fs::remove(file) ? 1 : 0;
      remove_empty_folders(p, kept);
    }
  });
  return removed;
}

void remove_unfinished(const std::string& path, const writer_plan& plan) {
  std::vector<header_file> finished = plan.files.headers;
  finished.push_back({header_kind::fixed, parts_path(path), ""});
  std::set<fs::path> folders, unfinished;
  for (const header_file& h : finished) folders.insert(fs::path(normal(h.path)).parent_path());
  with_errors_of_files([&] {
    for (const fs::path& folder : folders)
      for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder))
        if (const fs::path p = folder / entry.path().filename(); has_header(finished, finished_name(p.string())))
          unfinished.insert(p);
    for (const fs::path& p : unfinished) fs::remove(p);
  });
}

}  // namespace nearfar::output
