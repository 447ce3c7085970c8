// SPDX-License-Identifier: BSD-3-Clause
// Where the bytes of a stream's steps go: the decisions of a format as plain values, so that writers need no format's
// library.
#pragma once

#include <array>
#include <base/bytes.hpp>
#include <base/numbers.hpp>
#include <nearfar/box.hpp>
#include <string>
#include <vector>

namespace nearfar::output {

/// How formats lay out files. 0: as version 0.1 did; 1: arrays in HDF5 files begin at multiples of 64 bytes, and levels
/// have numbers. A stream keeps the layout that it began with.
inline constexpr int newest_layout = 1;

/// Bytes that stand in a file besides the data of arrays.
struct fixed_piece {
  index_t offset = 0;
  std::vector<std::byte> bytes;
};

/// Eight bytes of a file.
struct number_in_file {
  index_t at = 0, value = 0;
};

/// Where a file of HDF5's says how many steps an array has.
struct step_count {
  index_t count_at = 0;  ///< byte where the number of steps stands
  index_t place_at = 0;  ///< the same of the place of the data: of no step it is nowhere, or HDF5 2 takes it for damage
  index_t place = 0;

  /// What stands there, in the order in which it is written when steps are added.
  std::array<number_in_file, 2> of(index_t steps) const {
    return {{{place_at, steps > 0 ? place : -1}, {count_at, steps}}};
  }
};

/// A file of a stream: one for all steps, or one for each of them, which has its name only when it is whole.
struct stream_file {
  std::string before, after;      ///< the path; of a file per step with the step's number in between
  int digits = 0;                 ///< that the number has at least
  bool is_per_step = false;       ///< written as PATH.part, then renamed
  bool is_of_one_writer = false;  ///< per step: no two writers write into it
  index_t bytes = 0;              ///< size where it is known; 0: it grows with its steps
  index_t time_at = -1;           ///< byte where the time of step 0 stands, a double; later ones behind it; -1: nowhere
  std::vector<fixed_piece> pieces{};  ///< besides data, time and counts
  std::vector<step_count> counts{};   ///< of one file for all steps: the arrays', and the times' behind them

  std::string path(index_t step) const;
  std::string part(index_t step) const { return path(step) + ".part"; }
};

/// Where an array's frames lie in one of the files.
struct array_place {
  int file = 0;                                 ///< of compressed parts the first; one for each follows, C order
  index_t offset = 0;                           ///< first byte of step 0
  index_t stride = 0;                           ///< bytes from step to step; 0 in files per step
  std::array<index_t, max_dimensions> chunk{};  ///< extents of a compressed part; zeros: it is not compressed
};

/// Small files that say what the others hold; each replaced as a whole after steps.
enum class header_kind : int {
  fixed,            ///< never changes
  rsf,              ///< text, the steps as the slowest axis
  zarr,             ///< JSON of an array or of a group with its arrays: the steps are the first extent of shapes
  zarr_times,       ///< the times of the steps, in chunks
  series_of_files,  ///< JSON of ParaView: names and times of the steps' files
  index_of_grids,   ///< VTKHDF, made by HDF5, and so by the root alone, when the stream is flushed or closed
};
struct header_file {
  header_kind kind = header_kind::fixed;
  std::string path, constants;
  int axis = 0;  ///< rsf: number of the axis of the steps
};

struct file_plan {
  std::vector<stream_file> files;
  std::vector<header_file> headers;
  std::vector<array_place> places;  ///< per array
  index_t most_steps = 0;           ///< that there is room for; 0: no limit
  int layout = newest_layout;
  std::string adios2{};  ///< for adios2_file, which then writes all data; else empty

  void put(byte_writer& to) const;
  static file_plan get(byte_reader& from);
};

/// Rewrites the headers for steps with these times. @throws io_error
void write_headers(const std::vector<header_file>& headers, const std::vector<double>& times, bool with_fixed,
                   bool is_synced);

/// Whether a header that is there says the same besides the steps; of kinds that say nothing else always. @throws
/// io_error
bool is_same_header(const header_file& h);

/// The same for the headers that write_headers() leaves out since they need a format's library. On the root only, main
/// thread.
void write_indexes(const std::vector<header_file>& headers, const std::vector<double>& times, bool is_synced);
#ifdef NEARFAR_HAVE_HDF5
void write_index_of_grids(const header_file& h, const std::vector<double>& times, bool is_synced);
#endif

/// Strings among values.
void put_string(byte_writer& to, const std::string& s);
std::string get_string(byte_reader& from);

}  // namespace nearfar::output
