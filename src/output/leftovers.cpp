// SPDX-License-Identifier: BSD-3-Clause
// Finds files by their names: each format knows how it calls its own.
#include "leftovers.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "files.hpp"
#include "formats/format.hpp"
#include "parts.hpp"

namespace nearfar::output {

namespace {

namespace fs = std::filesystem;

/// `name` up to the ending of files that replace_file() and hdf5_maker make for a moment; "": it has none.
std::string finished_name(const std::string& name) {
  const auto at = name.rfind(".new.");
  if (at == std::string::npos || name.find_first_not_of("0123456789", at + 5) != std::string::npos) return "";
  return name.substr(0, at);
}

/// Calls visit(path, what follows the stream's path in its name) for files and folders beside the stream that begin like it.
template <class Visit>
void for_each_beside(const std::string& path, Visit visit) {
  const fs::path stem(path), folder = stem.parent_path();
  const std::string begin = stem.filename().string() + ".";
  std::vector<fs::path> found;  // what is removed while a folder is read may upset the reading
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder))
    if (entry.path().filename().string().starts_with(begin)) found.push_back(entry.path());
  for (const fs::path& p : found) visit(p, p.filename().string().substr(begin.size() - 1));
}

/// A file itself, or all files in a folder.
std::vector<fs::path> files_in(const fs::path& p) {
  if (!fs::is_directory(p)) return {p};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(p))
    if (!entry.is_directory()) files.push_back(entry.path());
  return files;
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
std::set<fs::path> paths_of(const agent_plan& plan) {
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

template <class Do>
void with_errors_of_files(Do what) {
  try {
    what();
  } catch (const fs::filesystem_error& e) {
    refuse_file(e.path1().string(), "removed", e.code().value());
  }
}

}  // namespace

std::string format_at(const std::string& path, const journal_contents& whole) {
  if (whole.steps() > 0) {
    const format_label& label = whole.records.front().format;
    return {label.begin(), std::find(label.begin(), label.end(), '\0')};
  }
  return format_of_parts(path);
}

index remove_stream(const std::string& path, const std::string& format, const agent_plan& plan) {
  const output::format* made_by = find_format(format);
  if (made_by == nullptr) return 0;
  const std::set<fs::path> kept = paths_of(plan);
  index removed = 0;
  with_errors_of_files([&] {
    for_each_beside(path, [&](const fs::path& p, const std::string& behind) {
      // A library that goes on with its own file replaces it itself.
      const bool is_its_own = !plan.files.adios2.empty() && fs::is_directory(p);
      if (!made_by->has_made(behind) || is_its_own) return;
      for (const fs::path& file : files_in(p))
        if (!kept.contains(file.lexically_normal())) removed += fs::remove(file) ? 1 : 0;
      remove_empty_folders(p, kept);
    });
  });
  return removed;
}

void remove_unfinished(const std::string& path, const std::string& format) {
  const output::format& made_by = format_of(format);
  with_errors_of_files([&] {
    for_each_beside(path, [&](const fs::path& p, const std::string& behind) {
      const std::string name = finished_name(behind);
      if (name == ".parts.json" || made_by.has_made(name)) fs::remove(p);
      if (!made_by.has_made(behind) || !fs::is_directory(p)) return;
      for (const fs::path& file : files_in(p))
        if (!finished_name(file.filename().string()).empty()) fs::remove(file);
    });
  });
}

}  // namespace nearfar::output
