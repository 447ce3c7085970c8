// SPDX-License-Identifier: BSD-3-Clause
// One reduction where all is well; the words travel only if something is not.
#include <cerrno>
#include <common/agreement.hpp>
#include <common/own_file.hpp>
#include <cstring>
#include <fstream>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <new>
#include <sstream>

namespace apps {
namespace {

void share_from(const nearfar::team& members, std::string& text, int root) {
  auto length = static_cast<std::int64_t>(text.size());
  nearfar::bcast(members, length, root);
  text.resize(static_cast<std::size_t>(length));
  nearfar::bcast(members, std::span<char>(text), root);
}

}  // namespace

std::string first_complaint(const nearfar::team& members, const std::string& complaint) {
  const int guilty =
      nearfar::allreduce(members, complaint.empty() ? members.size() : members.rank(), nearfar::reduce_op::min);
  if (guilty == members.size()) return {};
  std::string words = complaint;
  share_from(members, words, guilty);
  return words;
}

void agree_after(const nearfar::team& members, const std::function<void()>& act) {
  // The words travel with a letter in front: which class of error they are.
  std::string complaint;
  const auto complain = [&](char kind, const std::exception& e) {
    complaint = kind + std::string(*e.what() != 0 ? e.what() : "an error without words");
  };
  try {
    act();
  } catch (const nearfar::usage_error& e) {
    complain('u', e);
  } catch (const nearfar::resource_error& e) {
    complain('r', e);
  } catch (const std::bad_alloc& e) {
    complain('r', e);
  } catch (const std::exception& e) {
    complain('i', e);
  }
  const std::string words = first_complaint(members, complaint);
  if (words.empty()) return;
  if (words[0] == 'u') throw nearfar::usage_error(words.substr(1));
  if (words[0] == 'r') throw nearfar::resource_error(words.substr(1));
  throw nearfar::io_error(words.substr(1));
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

void check_all_writable(const nearfar::team& members, const std::vector<std::string>& paths) {
  agree_after(members, [&] {
    for (const std::string& path : paths)
      if (members.is_root() && !path.empty()) check_writable(path);
  });
}

}  // namespace apps
