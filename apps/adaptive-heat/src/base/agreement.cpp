// SPDX-License-Identifier: BSD-3-Clause
// One reduction where all is well; the words travel only if something is not.
#include <base/agreement.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <sstream>

namespace adaptive_heat {
namespace {

void share_from(const nearfar::team& members, std::string& text, int root) {
  auto length = static_cast<std::int64_t>(text.size());
  nearfar::bcast(members, length, root);
  text.resize(static_cast<std::size_t>(length));
  nearfar::bcast(members, std::span<char>(text), root);
}

}  // namespace

std::string first_complaint(const nearfar::team& members, const std::string& complaint) {
  const int guilty = nearfar::allreduce(members, complaint.empty() ? members.size() : members.rank(), nearfar::op::min);
  if (guilty == members.size()) return {};
  std::string words = complaint;
  share_from(members, words, guilty);
  return words;
}

void agree_on(const nearfar::team& members, const std::string& complaint) {
  if (const std::string words = first_complaint(members, complaint); !words.empty()) throw nearfar::io_error(words);
}

void agree_after(const nearfar::team& members, const std::function<void()>& act) {
  std::string complaint;
  try {
    act();
  } catch (const std::exception& e) {
    complaint = e.what();
    if (complaint.empty()) complaint = "an error without words";
  }
  agree_on(members, complaint);
}

void share(const nearfar::team& members, std::string& text) { share_from(members, text, 0); }

std::string shared_text(const nearfar::team& members, const std::string& path) {
  std::string text;
  agree_after(members, [&] {
    if (!members.is_root()) return;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream all;
    if (file) all << file.rdbuf();
    if (errno != 0) throw nearfar::io_error(path + " cannot be read: " + std::strerror(errno));
    text = all.str();
  });
  share(members, text);
  return text;
}

}  // namespace adaptive_heat
