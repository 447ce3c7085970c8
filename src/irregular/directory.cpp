// SPDX-License-Identifier: BSD-3-Clause
// Entries are sent to the rank with that part of the directory; look-ups send it questions and get answers.
#include "directory.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <cstring>
#include <map>
#include <nearfar/error.hpp>
#include <nearfar/sparse_exchange.hpp>
#include <topology/agree.hpp>

#include "put_off.hpp"

namespace nearfar::irregular {

namespace {

using message = sparse_exchange::message;

constexpr const char* words = "distribution by lists";

struct place {
  std::int32_t owner = -1;
  std::int32_t unused = 0;
  std::int64_t offset = 0;
};

/// Positions in a list, sorted by the rank that keeps the entry.
std::map<int, std::vector<std::size_t>> by_keeper(const even_blocks& parts, std::span<const index_t> indices) {
  std::map<int, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < indices.size(); ++i) groups[parts.owner(indices[i])].push_back(i);
  return groups;
}

class directory : public distribution_state {
 public:
  directory(const team& t, index_t n, std::span<const index_t> own) : distribution_state(t, n), parts_{n, t.size()} {
    owned = as_index(own.size());
    enter_all(own);
  }

  void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const override {
    std::map<int, std::vector<std::size_t>> groups;
    const auto write = [&](std::size_t i, const place& p) { owners[i] = p.owner, offsets[i] = p.offset; };
    sparse_exchange talk(members, words);
    agree(members, [&] {
      groups = by_keeper(parts_, indices);
      for (const auto& [keeper, positions] : groups) {
        if (keeper == members.rank()) {
          for (const std::size_t i : positions) write(i, entry(indices[i]));
          continue;
        }
        std::vector<index_t> asked;
        for (const std::size_t i : positions) asked.push_back(indices[i]);
        put_list(talk, keeper, asked);
      }
    });
    const std::span<const message> questions = delivered(talk);
    agree(members, [&] {
      for (const message& question : questions) put_list(talk, question.peer, answer(question));
    });
    for (const message& a : delivered(talk)) {
      const auto places = a.as<place>();
      const auto& positions = groups.at(a.peer);
      for (std::size_t k = 0; k < positions.size(); ++k) write(positions[k], places[k]);
    }
  }

  void globals(int, std::span<const index_t> offsets, std::span<index_t> indices) const override {
    for (std::size_t i = 0; i < offsets.size(); ++i) indices[i] = own_[as_size(offsets[i])];
  }
  bool is_collective() const noexcept override { return true; }
  std::string name() const override { return "by lists"; }

 private:
  place& entry(index_t g) { return entries_[as_size(g - parts_.first(members.rank()))]; }
  const place& entry(index_t g) const { return entries_[as_size(g - parts_.first(members.rank()))]; }

  void enter(index_t g, int owner, index_t offset) {
    place& p = entry(g);
    if (p.owner >= 0)
      throw usage_error(text("distribution: element ", g, " is owned by rank ", p.owner, " and by rank ", owner,
                             "; each of 0 … ", elements - 1, " has one owner"));
    p = {owner, 0, offset};
  }

  void enter_all(std::span<const index_t> own) {
    std::map<int, std::vector<std::size_t>> groups;
    sparse_exchange talk(members, words);
    agree(members, [&] {
      own_.assign(own.begin(), own.end());
      entries_.resize(as_size(parts_.size(members.rank())));
      for (const index_t g : own_)
        if (g < 0 || g >= elements)
          throw usage_error(text("distribution: rank ", members.rank(), " owns element ", g, "; the lists have ",
                                 elements, " elements together, which must be 0 … ", elements - 1, ", each once"));
      groups = by_keeper(parts_, own_);
      for (const auto& [keeper, positions] : groups) {
        if (keeper == members.rank()) continue;
        for (const std::size_t i : positions) talk.put(keeper, fact{own_[i], as_index(i)});
      }
    });
    const auto in = delivered(talk);
    agree(members, [&] {
      if (const auto mine = groups.find(members.rank()); mine != groups.end())
        for (const std::size_t i : mine->second) enter(own_[i], members.rank(), as_index(i));
      for (const message& m : in)
        for (const fact& f : m.as<fact>()) enter(f.index, m.peer, f.offset);
    });
  }

  struct fact {
    index_t index, offset;
  };

  /// A rank without memory for what it is sent receives it all the same, and all ranks fail then.
  std::span<const message> delivered(sparse_exchange& talk) const {
    std::span<const message> in;
    put_off_failure lack;
    lack.during([&] { in = talk.deliver(); });
    agree(members, [&] { lack.raise(); });
    return in;
  }

  template <class T>
  static void put_list(sparse_exchange& talk, int peer, const std::vector<T>& list) {
    std::memcpy(talk.append(peer, list.size() * sizeof(T)).data(), list.data(), list.size() * sizeof(T));
  }

  std::vector<place> answer(const message& question) const {
    std::vector<place> places;
    for (const index_t g : question.as<index_t>()) places.push_back(entry(g));
    return places;
  }

  std::vector<index_t> own_;
  even_blocks parts_;
  std::vector<place> entries_;  ///< of this rank's part of the directory
};

}  // namespace

std::shared_ptr<const distribution_state> make_directory(const team& t, index_t elements,
                                                         std::span<const index_t> owned) {
  return std::make_shared<directory>(t, elements, owned);
}

}  // namespace nearfar::irregular
