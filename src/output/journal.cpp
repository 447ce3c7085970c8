// SPDX-License-Identifier: BSD-3-Clause
// Reads journals up to the first step that is not whole.
#include "journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nearfar/error.hpp>

#include "crc32c.hpp"

namespace nearfar::output {

namespace {

std::uint32_t crc_of(const journal_record& r) noexcept {
  return crc32c(0, reinterpret_cast<const std::byte*>(&r) + 8, sizeof r - 8);
}

std::vector<journal_record> records_in(const std::string& path, bool must_exist) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    if (!must_exist && errno == ENOENT) return {};
    throw io_error(text(path, " cannot be read: ", std::strerror(errno)));
  }
  std::vector<journal_record> records;
  journal_record r;
  while (in.read(reinterpret_cast<char*>(&r), sizeof r)) records.push_back(r);
  return records;
}

}  // namespace

format_label label_of(const std::string& format) noexcept {
  format_label label{};
  std::copy_n(format.begin(), std::min(format.size(), label.size()), label.begin());
  return label;
}

void journal_record::seal() noexcept { own_crc = crc_of(*this); }

bool journal_record::is_sound() const noexcept {
  return magic == magic_value && own_crc == crc_of(*this) && writers > 0 && writer < writers;
}

void journal_contents::keep(index steps) {
  times.resize(as_size(steps)), ends.resize(as_size(steps));
  records.resize(as_size(end()) / sizeof(journal_record));
}

std::span<const journal_record> journal_contents::records_of(index step) const noexcept {
  const auto place = [&](index s) { return s < 0 ? 0 : as_size(ends[as_size(s)]) / sizeof(journal_record); };
  return std::span(records).subspan(place(step - 1), place(step) - place(step - 1));
}

journal_contents read_journal(const std::string& path, bool must_exist) {
  return whole_steps_of(records_in(path, must_exist));
}

journal_contents whole_steps_of(std::vector<journal_record> records) {
  journal_contents c;
  for (std::size_t at = 0; at < records.size();) {
    const journal_record& first = records[at];
    if (!first.is_sound() || at + first.writers > records.size()) break;
    if (c.steps() > 0 && first.signature != c.signature) break;
    bool is_whole = true;
    for (std::size_t w = 0; w < first.writers; ++w) {
      const journal_record& r = records[at + w];
      is_whole = is_whole && r.is_sound() && r.writer == w && r.writers == first.writers && r.step == c.steps() &&
                 r.signature == first.signature;
    }
    if (!is_whole) break;
    at += first.writers;
    c.signature = first.signature;
    c.times.push_back(first.time);
    c.ends.push_back(as_index(at * sizeof(journal_record)));
  }
  records.resize(as_size(c.end()) / sizeof(journal_record));
  c.records = std::move(records);
  return c;
}

}  // namespace nearfar::output
