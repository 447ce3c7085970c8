// SPDX-License-Identifier: BSD-3-Clause
// Ranks agree when the file is laid out and when all has been written; in between they are on their own.
#include <common/agreement.hpp>
#include <cstdio>
#include <cstring>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <output/shared_file.hpp>

namespace adaptive_heat {
namespace {

template <class T>
void share_list(const nearfar::team& members, std::vector<T>& list) {
  auto size = static_cast<std::int64_t>(list.size());
  nearfar::bcast(members, size, 0);
  list.resize(static_cast<std::size_t>(size));
  nearfar::bcast(members, std::span<T>(list), 0);
}

}  // namespace

shared_file::shared_file(const nearfar::team& members, std::string path, const file_layout& layout)
    : team_(members), path_(std::move(path)), partial_(path_ + ".partial") {
  try {
    apps::agree_after(team_, [&] {
      if (team_.is_root()) offsets_ = lay_out(partial_, layout);
    });
    share_list(team_, offsets_);
    apps::agree_after(team_, [&] { file_ = apps::own_file::to_write(partial_); });
  } catch (...) {
    remove_partial();
    throw;
  }
}

shared_file::~shared_file() { remove_partial(); }

void shared_file::remove_partial() const noexcept {
  if (!is_committed_ && team_.is_root()) std::remove(partial_.c_str());
}

void shared_file::write_bytes(std::int64_t at, std::span<const std::byte> bytes) {
  if (!complaint_.empty()) return;
  try {
    file_.write(at, bytes);
  } catch (const nearfar::io_error& e) {
    complaint_ = e.what();
  }
}

void shared_file::commit(durability wanted) {
  apps::agree_after(team_, [&] {
    if (!complaint_.empty()) throw nearfar::io_error(complaint_);
    if (wanted == durability::synced) file_.sync();
    file_.close();
  });
  apps::agree_after(team_, [&] {
    if (team_.is_root()) apps::rename_file(partial_, path_);
  });
  is_committed_ = true;
}

shared_input::shared_input(const nearfar::team& members, std::string path, const file_wishes& wishes) {
  apps::agree_after(members, [&] {
    if (members.is_root()) found_ = look_into(path, wishes);
  });
  share_list(members, found_.offsets);
  share_list(members, found_.counts);
  found_.attributes.resize(wishes.attributes.size());
  for (auto& values : found_.attributes) share_list(members, values);
  apps::agree_after(members, [&] { file_ = apps::own_file::to_read(path); });
}

}  // namespace adaptive_heat
