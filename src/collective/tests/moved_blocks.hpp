// SPDX-License-Identifier: BSD-3-Clause
// Tests of data movement: buffers whose every word is known in advance, in several memory layouts.
#pragma once

#include <base/numbers.hpp>
#include <collective/call.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace nearfar::collective::test {

using word = std::int32_t;
inline constexpr word untouched = -7;

/// Word i of what `from` sends to `to`.
inline word word_of(unsigned seed, int from, int to, index_t i) {
  const auto mixed = (seed * 2654435761U) ^ (static_cast<unsigned>(from * 64 + to) * 40503U);
  return static_cast<word>((mixed + static_cast<unsigned>(i) * 2246822519U) >> 2);
}

/// How the words of a block lie in memory. One signature, five types.
enum class layout { plain, pairs, apart, swapped, bytes };

class word_type {
 public:
  explicit word_type(layout how) : how_(how) {
    MPI_Datatype swapped = MPI_DATATYPE_NULL;
    const int lengths[] = {1, 1}, places[] = {1, 0};
    switch (how) {
      case layout::plain:
        type_ = MPI_INT32_T;
        return;
      case layout::bytes:
        type_ = MPI_BYTE;
        return;
      case layout::pairs:
        MPI_Type_contiguous(2, MPI_INT32_T, &type_);
        break;
      case layout::apart:
        MPI_Type_create_resized(MPI_INT32_T, 0, 8, &type_);
        break;
      case layout::swapped:  // size and extent are equal, the order is not
        MPI_Type_indexed(2, lengths, places, MPI_INT32_T, &swapped);
        MPI_Type_dup(swapped, &type_);
        MPI_Type_free(&swapped);
        break;
    }
    MPI_Type_commit(&type_);
  }
  ~word_type() {
    if (how_ != layout::plain && how_ != layout::bytes) MPI_Type_free(&type_);
  }
  word_type(const word_type&) = delete;
  word_type& operator=(const word_type&) = delete;

  MPI_Datatype get() const { return type_; }
  /// Elements of the type in an even number of words.
  index_t elements(index_t words) const {
    if (how_ == layout::bytes) return 4 * words;
    return how_ == layout::pairs || how_ == layout::swapped ? words / 2 : words;
  }
  /// Where a word lies, in words.
  index_t place(index_t i) const {
    if (how_ == layout::apart) return 2 * i;
    return how_ == layout::swapped ? (i ^ 1) : i;
  }
  index_t capacity(index_t words) const { return how_ == layout::apart ? 2 * words : words; }

 private:
  layout how_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// One side of a call: blocks of words, in a row or, with `random`, in any order and with room between them.
class word_blocks {
 public:
  word_blocks(layout how, const std::vector<index_t>& lengths, std::mt19937_64* random, word* memory = nullptr)
      : type_(how), lengths_(lengths), starts_(lengths.size()) {
    std::vector<std::size_t> order(lengths.size());
    for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
    if (random != nullptr) std::shuffle(order.begin(), order.end(), *random);
    index_t words = 0;
    for (const std::size_t r : order) {
      starts_[r] = words;
      words += lengths[r] + (random != nullptr ? static_cast<index_t>((*random)() % 3) * 2 : 0);
    }
    words_ = type_.capacity(words);
    heap_.resize(memory == nullptr ? as_size(words_ + 1) : 0);
    data_ = memory == nullptr ? heap_.data() : memory;
    std::fill(data_, data_ + words_, untouched);
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      counts_.push_back(static_cast<int>(type_.elements(lengths[r])));
      places_.push_back(static_cast<int>(type_.elements(starts_[r])));
      byte_places_.push_back(static_cast<int>(4 * type_.capacity(starts_[r])));
      types_.push_back(type_.get());
    }
    wide_counts_.assign(counts_.begin(), counts_.end());
    wide_places_.assign(places_.begin(), places_.end());
  }

  template <class Value>
  void fill(int block, Value value) {
    fill_in(data_, block, value);
  }
  template <class Value>
  void expect(int block, Value value) {
    if (expected_.empty()) expected_.assign(data_, data_ + words_);
    fill_in(expected_.data(), block, value);
  }
  bool is_as_expected() const { return expected_.empty() || std::equal(expected_.begin(), expected_.end(), data_); }

  /// As an argument; `is_wide`: with 64-bit lists.
  side as_side(kind what, bool is_wide) const {
    side s;
    s.data = data_;
    s.type = type_.get();
    s.count = counts_.empty() ? 0 : counts_[0];
    if (has_equal_blocks(what)) return s;
    s.counts = is_wide ? number_list(wide_counts_.data()) : number_list(counts_.data());
    s.displs = is_wide ? number_list(wide_places_.data()) : number_list(places_.data());
    if (what == kind::alltoallw) {
      s.types = types_.data();
      s.displs = number_list(byte_places_.data());
    }
    return s;
  }

 private:
  template <class Value>
  void fill_in(word* to, int block, Value value) const {
    word* start = to + type_.capacity(starts_[as_size(block)]);
    for (index_t i = 0; i < lengths_[as_size(block)]; ++i) start[type_.place(i)] = value(i);
  }

  word_type type_;
  std::vector<index_t> lengths_, starts_;
  std::vector<int> counts_, places_, byte_places_;
  std::vector<MPI_Count> wide_counts_, wide_places_;
  std::vector<MPI_Datatype> types_;
  index_t words_ = 0;
  std::vector<word> heap_, expected_;
  word* data_ = nullptr;
};

}  // namespace nearfar::collective::test
