// SPDX-License-Identifier: BSD-3-Clause
// Calls of the libraries that compress, in both directions.
#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "box_copy.hpp"
#include "codecs/codec.hpp"
#include "layout.hpp"
#include "page_memory.hpp"

#ifdef NEARFAR_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef NEARFAR_HAVE_BLOSC
#include <blosc.h>
#endif
#ifdef NEARFAR_HAVE_ZFP
#include <zfp.h>
#endif

namespace nearfar::output {

namespace {

pages memory_of(std::size_t bytes) {
  pages p = new_pages(bytes);
  if (p == nullptr)
    throw resource_error(text("no ", readable_bytes(as_index(bytes)), " of memory to compress output in"));
  return p;
}

[[maybe_unused]] bool is_blosc(const codec& c) {
  return c.kind == codec_kind::blosc_lz4 || c.kind == codec_kind::blosc_zstd;
}

#ifdef NEARFAR_HAVE_ZFP
struct zfp_closed {
  void operator()(zfp_field* f) const noexcept { zfp_field_free(f); }
  void operator()(zfp_stream* s) const noexcept { zfp_stream_close(s); }
  void operator()(bitstream* s) const noexcept { stream_close(s); }
};
using zfp_field_owner = std::unique_ptr<zfp_field, zfp_closed>;
using zfp_stream_owner = std::unique_ptr<zfp_stream, zfp_closed>;

/// zfp has its first extent fastest.
zfp_field_owner field_of(const std::vector<index_t>& extents, element_type type, const std::byte* data) {
  auto* values = const_cast<std::byte*>(data);  // zfp only reads them
  const zfp_type kind = type == element_type::float64 ? zfp_type_double : zfp_type_float;
  const auto n = [&](std::size_t d) { return as_size(extents[extents.size() - 1 - d]); };
  switch (extents.size()) {
    case 1:
      return zfp_field_owner(zfp_field_1d(values, kind, n(0)));
    case 2:
      return zfp_field_owner(zfp_field_2d(values, kind, n(0), n(1)));
    case 3:
      return zfp_field_owner(zfp_field_3d(values, kind, n(0), n(1), n(2)));
    default:
      return zfp_field_owner(zfp_field_4d(values, kind, n(0), n(1), n(2), n(3)));
  }
}

/// In several independent maxima, since one would wait for itself at each element.
template <class T>
double largest(const std::byte* data, index_t count) {
  const T* values = reinterpret_cast<const T*>(data);
  constexpr index_t simd_lanes = 64 / static_cast<index_t>(sizeof(T));
  std::array<T, simd_lanes> most{};
  const auto take = [](T& m, T v) { m = std::abs(v) > m ? std::abs(v) : m; };
  const index_t whole = count / simd_lanes * simd_lanes;
  for (index_t i = 0; i < whole; i += simd_lanes)
    for (index_t l = 0; l < simd_lanes; ++l) take(most[as_size(l)], values[i + l]);
  for (index_t i = whole; i < count; ++i) take(most[0], values[i]);
  return static_cast<double>(*std::max_element(most.begin(), most.end()));
}

double tolerance_for(const codec& c, const std::byte* data, index_t count) {
  if (!c.is_relative) return c.tolerance;
  const double most = c.type == element_type::float64 ? largest<double>(data, count) : largest<float>(data, count);
  return most > 0 && std::isfinite(most) ? c.tolerance * most : c.tolerance;
}

/// A second one compresses 1.3 times as fast on two cores; more would take them from who computes.
unsigned zfp_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 2U); }

std::size_t zfp_bound(const codec& c, const std::vector<index_t>& extents) {
  const zfp_stream_owner s(zfp_stream_open(nullptr));
  zfp_stream_set_accuracy(s.get(), 0);  // the finest there is
  return zfp_stream_maximum_size(s.get(), field_of(extents, c.type, nullptr).get());
}

std::size_t zfp_into(const codec& c, const std::vector<index_t>& extents, const std::byte* data, index_t count,
                     std::byte* to, std::size_t capacity) {
  const auto field = field_of(extents, c.type, data);
  const std::unique_ptr<bitstream, zfp_closed> bits(stream_open(to, capacity));
  const zfp_stream_owner s(zfp_stream_open(bits.get()));
  zfp_stream_set_accuracy(s.get(), tolerance_for(c, data, count));
  zfp_stream_rewind(s.get());
  // The same bits; a library without threads says no and stays with one.
  if (zfp_stream_set_execution(s.get(), zfp_exec_omp) != 0) zfp_stream_set_omp_threads(s.get(), zfp_threads());
  if (zfp_write_header(s.get(), field.get(), ZFP_HEADER_FULL) == 0) return 0;
  return zfp_compress(s.get(), field.get());
}

/// The library reads on behind `size` where a damaged stream leads it, but no farther than the longest stream of these
/// extents, `capacity`.
bool zfp_out_of(const codec& c, const std::vector<index_t>& extents, std::byte* from, std::size_t size,
                std::size_t capacity, std::byte* to) {
  const auto expected = field_of(extents, c.type, to);
  const zfp_field_owner field(zfp_field_alloc());
  const std::unique_ptr<bitstream, zfp_closed> bits(stream_open(from, capacity));
  const zfp_stream_owner s(zfp_stream_open(bits.get()));
  zfp_stream_rewind(s.get());
  if (zfp_read_header(s.get(), field.get(), ZFP_HEADER_FULL) == 0) return false;
  if (zfp_field_metadata(field.get()) != zfp_field_metadata(expected.get())) return false;
  if (zfp_stream_compression_mode(s.get()) != zfp_mode_fixed_accuracy) return false;
  const std::size_t used = zfp_decompress(s.get(), expected.get());
  return used != 0 && used <= size;
}
#endif

std::size_t bound([[maybe_unused]] const codec& c, [[maybe_unused]] const std::vector<index_t>& extents,
                  std::size_t bytes) {
#ifdef NEARFAR_HAVE_ZSTD
  if (c.kind == codec_kind::zstd) return ZSTD_compressBound(bytes);
#endif
#ifdef NEARFAR_HAVE_BLOSC
  if (is_blosc(c) && bytes > BLOSC_MAX_BUFFERSIZE)
    throw usage_error(text("compression blosc takes parts of up to ", readable_bytes(BLOSC_MAX_BUFFERSIZE),
                           ", and one has ", readable_bytes(as_index(bytes)),
                           "; more writers_per_node make them smaller"));
  if (is_blosc(c)) return bytes + BLOSC_MAX_OVERHEAD;
#endif
#ifdef NEARFAR_HAVE_ZFP
  if (c.kind == codec_kind::zfp) return zfp_bound(c, extents);
#endif
  return bytes;
}

}  // namespace

struct compressor::memory {
  pages to, padded;
  std::size_t capacity = 0;
#ifdef NEARFAR_HAVE_ZSTD
  struct freed {
    void operator()(ZSTD_CCtx* c) const noexcept { ZSTD_freeCCtx(c); }
  };
  std::unique_ptr<ZSTD_CCtx, freed> zstd{ZSTD_createCCtx()};
#endif
};

compressor::compressor(const codec& how, std::vector<index_t> extents, index_t element_bytes)
    : how_(how), extents_(std::move(extents)), element_bytes_(element_bytes), memory_(std::make_unique<memory>()) {
  bytes_ = element_bytes_;
  for (const index_t e : extents_) bytes_ *= e;
  memory_->capacity = bound(how_, extents_, as_size(bytes_));
  memory_->to = memory_of(memory_->capacity);
}

compressor::~compressor() = default;
compressor::compressor(compressor&&) noexcept = default;
compressor& compressor::operator=(compressor&&) noexcept = default;

const std::byte* compressor::padded(const std::byte* data, const box& part) {
  if (part.cells() * element_bytes_ == bytes_) return data;
  if (!memory_->padded) memory_->padded = memory_of(as_size(bytes_));
  std::fill_n(memory_->padded.get(), bytes_, std::byte{0});
  strided_box s{part.dimensions, element_bytes_, {}, {}, {}};
  index_t from = element_bytes_, to = element_bytes_;
  for (int d = part.dimensions - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    s.extents[i] = part.extent(d), s.from_strides[i] = from, s.to_strides[i] = to;
    from *= part.extent(d), to *= extents_[i];
  }
  copy_box(s, memory_->padded.get(), data);
  return memory_->padded.get();
}

std::span<const std::byte> compressor::compress(const std::byte* data, const box& part) {
  [[maybe_unused]] const std::byte* from = padded(data, part);
  [[maybe_unused]] std::byte* to = memory_->to.get();
  [[maybe_unused]] const std::size_t bytes = as_size(bytes_), capacity = memory_->capacity;
  std::size_t size = 0;
#ifdef NEARFAR_HAVE_ZSTD
  if (how_.kind == codec_kind::zstd) {
    size = ZSTD_compressCCtx(memory_->zstd.get(), to, capacity, from, bytes, how_.level);
    if (ZSTD_isError(size) != 0) throw io_error(text("zstd: ", ZSTD_getErrorName(size)));
  }
#endif
#ifdef NEARFAR_HAVE_BLOSC
  if (is_blosc(how_)) {
    const char* inner = how_.kind == codec_kind::blosc_lz4 ? "lz4" : "zstd";
    const int n =
        blosc_compress_ctx(how_.level, BLOSC_SHUFFLE, as_size(element_bytes_), bytes, from, to, capacity, inner, 0, 1);
    size = static_cast<std::size_t>(std::max(0, n));
  }
#endif
#ifdef NEARFAR_HAVE_ZFP
  if (how_.kind == codec_kind::zfp) size = zfp_into(how_, extents_, from, bytes_ / element_bytes_, to, capacity);
#endif
  if (size == 0) throw io_error("a part of a step cannot be compressed");
  return {to, size};
}

struct decompressor::memory {
  pages from, to;
  std::size_t capacity = 0;
};

decompressor::decompressor(const codec& how, std::vector<index_t> extents, index_t element_bytes)
    : how_(how), extents_(std::move(extents)), element_bytes_(element_bytes), memory_(std::make_unique<memory>()) {
  bytes_ = element_bytes_;
  for (const index_t e : extents_) bytes_ *= e;
  memory_->capacity = bound(how_, extents_, as_size(bytes_));
  memory_->from = memory_of(memory_->capacity);
  memory_->to = memory_of(as_size(bytes_));
}

decompressor::~decompressor() = default;
decompressor::decompressor(decompressor&&) noexcept = default;
decompressor& decompressor::operator=(decompressor&&) noexcept = default;

index_t decompressor::most_bytes() const noexcept { return as_index(memory_->capacity); }
std::byte* decompressor::input() noexcept { return memory_->from.get(); }

const std::byte* decompressor::decompress(index_t bytes) {
  [[maybe_unused]] std::byte *from = input(), *to = memory_->to.get();
  [[maybe_unused]] const std::size_t size = as_size(bytes), wanted = as_size(bytes_);
  bool is_good = false;
#ifdef NEARFAR_HAVE_ZSTD
  if (how_.kind == codec_kind::zstd) is_good = ZSTD_decompress(to, wanted, from, size) == wanted;
#endif
#ifdef NEARFAR_HAVE_BLOSC
  if (is_blosc(how_)) {
    std::size_t inside = 0;
    is_good = blosc_cbuffer_validate(from, size, &inside) == 0 && inside == wanted &&
              blosc_decompress_ctx(from, to, wanted, 1) == static_cast<int>(wanted);
  }
#endif
#ifdef NEARFAR_HAVE_ZFP
  if (how_.kind == codec_kind::zfp) {
    std::fill(from + size, from + memory_->capacity, std::byte{0});
    is_good = zfp_out_of(how_, extents_, from, size, memory_->capacity, to);
  }
#endif
  if (!is_good) throw io_error("it is not what compressing a part of an array makes");
  return to;
}

}  // namespace nearfar::output
