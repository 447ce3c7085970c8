// SPDX-License-Identifier: BSD-3-Clause
// Names of codecs and their parameters.
#include "codecs/codec.hpp"

#include <charconv>
#include <cmath>

namespace nearfar::output {

namespace {

struct known_codec {
  const char *name, *package;
  bool is_here;
};

#ifdef NEARFAR_HAVE_ZSTD
constexpr bool has_zstd = true;
#else
constexpr bool has_zstd = false;
#endif
#ifdef NEARFAR_HAVE_BLOSC
constexpr bool has_blosc = true;
#else
constexpr bool has_blosc = false;
#endif
#ifdef NEARFAR_HAVE_ZFP
constexpr bool has_zfp = true;
#else
constexpr bool has_zfp = false;
#endif

constexpr known_codec known[] = {
    {"zstd", "libzstd-dev", has_zstd}, {"blosc", "libblosc-dev", has_blosc}, {"zfp", "libzfp-dev", has_zfp}};

template <class Number>
bool read(const std::string& from, Number& to) {
  const auto [end, problem] = std::from_chars(from.data(), from.data() + from.size(), to);
  return problem == std::errc() && end == from.data() + from.size();
}

codec zstd_of(const std::string& setting) {
  codec c{.kind = codec_kind::zstd, .level = 1};
  if (!setting.empty() && (!read(setting, c.level) || c.level < 1 || c.level > 19))
    throw usage_error(text("compression 'zstd:", setting, "': the level is 1 to 19, as in 'zstd:3'"));
  return c;
}

codec blosc_of(const std::string& setting) {
  if (setting.empty() || setting == "lz4") return {.kind = codec_kind::blosc_lz4, .level = 5};
  if (setting == "zstd") return {.kind = codec_kind::blosc_zstd, .level = 1};
  throw usage_error(text("compression 'blosc:", setting, "': 'blosc:lz4' and 'blosc:zstd' are possible"));
}

codec zfp_of(const std::string& setting, element_type type) {
  const std::string absolute = "abs=";
  codec c{.kind = codec_kind::zfp};
  c.is_relative = !setting.starts_with(absolute);
  const bool is_read = read(c.is_relative ? setting : setting.substr(absolute.size()), c.tolerance);
  if (!is_read || !std::isfinite(c.tolerance) || c.tolerance <= 0)
    throw usage_error(text("compression 'zfp:", setting,
                           "' needs how far a value may be off: 'zfp:1e-3' of the largest ",
                           "one, or 'zfp:abs=0.01' in the array's unit"));
  if (type != element_type::float32 && type != element_type::float64)
    throw usage_error("compression zfp is for float32 and float64; 'zstd' takes all types");
  return c;
}

}  // namespace

std::string names_of_codecs() {
  std::string names;
  for (const known_codec& k : known)
    if (k.is_here) names += text(names.empty() ? "" : ", ", k.name);
  return names.empty() ? "none" : names;
}

codec codec_of(const std::string& name, element_type type) {
  if (name.empty()) return {};
  const auto colon = name.find(':');
  const std::string kind = name.substr(0, colon), setting = colon == std::string::npos ? "" : name.substr(colon + 1);
  for (const known_codec& k : known) {
    if (kind != k.name) continue;
    if (!k.is_here)
      throw usage_error(text("compression '", name, "' is not in this build, which had no ", k.package,
                             " (Debian's name); there are: ", names_of_codecs()));
    codec c = kind == "zstd" ? zstd_of(setting) : kind == "blosc" ? blosc_of(setting) : zfp_of(setting, type);
    c.type = type;
    return c;
  }
  throw usage_error(text("there is no compression '", name, "'; there are: ", names_of_codecs(), ", as in 'zstd:3', ",
                         "'blosc:lz4', 'zfp:1e-3'"));
}

}  // namespace nearfar::output
