// SPDX-License-Identifier: BSD-3-Clause
// Compression by writers, and decompression: lossless of bytes, or of numbers with a bound on the error.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <memory>
#include <nearfar/box.hpp>
#include <nearfar/output.hpp>
#include <span>
#include <string>
#include <vector>

namespace nearfar::output {

enum class codec_kind : int { none, zstd, blosc_lz4, blosc_zstd, zfp };

/// A codec and its setting, as plain values.
struct codec {
  codec_kind kind = codec_kind::none;
  int level = 0;
  double tolerance = 0;      ///< zfp: most that a value may be off
  bool is_relative = false;  ///< `tolerance` times the largest magnitude of the part that is compressed
  element_type type = element_type::float32;
};

/// "", "zstd", "zstd:9", "blosc", "blosc:zstd", "zfp:1e-3" (of the largest value), "zfp:abs=0.01".
/// @throws usage_error  unknown, not in this build, or not for elements of that type; names what is possible
codec codec_of(const std::string& name, element_type type);

/// Compresses parts of up to a given size, with memory that it takes once.
class compressor {
 public:
  /// @throws resource_error, usage_error  parts too large for the codec
  compressor(const codec& how, std::vector<index_t> extents, index_t element_bytes);
  ~compressor();
  compressor(compressor&&) noexcept;
  compressor& operator=(compressor&&) noexcept;
  /// The part's bytes, valid until the next call; what it lacks of the full extents counts as zeros. C order.
  /// @throws io_error  the library says no
  std::span<const std::byte> compress(const std::byte* data, const box& part);

 private:
  struct memory;
  const std::byte* padded(const std::byte* data, const box& part);
  codec how_;
  std::vector<index_t> extents_;
  index_t element_bytes_ = 4, bytes_ = 0;
  std::unique_ptr<memory> memory_;
};

/// The reverse. What it is given may be damaged: that is an error, or other elements, and nothing else.
class decompressor {
 public:
  /// Of parts that `compressor` made with these arguments. @throws resource_error
  decompressor(const codec& how, std::vector<index_t> extents, index_t element_bytes);
  ~decompressor();
  decompressor(decompressor&&) noexcept;
  decompressor& operator=(decompressor&&) noexcept;
  /// Bytes that a compressed part has at most.
  index_t most_bytes() const noexcept;
  /// Memory for a compressed part.
  std::byte* input() noexcept;
  /// The elements of the full extents, C order, of a part whose bytes are in input(); valid until the next call.
  /// @throws io_error  it is no such part
  const std::byte* decompress(index_t bytes);

 private:
  struct memory;
  codec how_;
  std::vector<index_t> extents_;
  index_t element_bytes_ = 4, bytes_ = 0;
  std::unique_ptr<memory> memory_;
};

/// The codecs of this build, for messages.
std::string names_of_codecs();

}  // namespace nearfar::output
