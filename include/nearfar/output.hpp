// SPDX-License-Identifier: BSD-3-Clause
// Output of time steps that hides behind computing: a stream of steps, each of them whole on disk or absent.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/box.hpp>
#include <nearfar/element_type.hpp>
#include <nearfar/team.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nearfar {

struct output_state;          // internal: output/stream_state.hpp
struct output_writers_state;  // internal: output/output_writers.hpp

/// What an array is of a grid, in formats that know grids (vtkhdf).
enum class output_part {
  point_data,    ///< values at points, which are the elements of images
  cell_data,     ///< values of cells; images have one cell less than points in each dimension
  field_data,    ///< values of the whole: one dimension
  points,        ///< of an unstructured grid: float32 or float64, {points, 3}
  connectivity,  ///< int64: the points of the cells, one cell after the other, by numbers from 0 on within each rank
  offsets,  ///< int64: where each cell begins in the rank's connectivity, and where the last one ends; a rank without
            ///< cells has none
  types     ///< int8: VTK's numbers of the kinds of cells
};

/// One of the arrays that each step of a stream consists of.
struct output_array {
  std::string name{};              ///< letters, digits, `_` and `-`: part of the file's name
  std::vector<index_t> extents{};  ///< of the global array, slowest first; 1 to 4
  box own{};                       ///< of this rank, may be empty; the boxes of all ranks cover the array exactly once
  element_type type = element_type::float32;  ///< of its elements: int8 to complex128
  ghosts padding = 0;                         ///< around the own box in the arrays that are given to put()
  /// {"units", "m/s"}; words that are a number, or numbers with commas between them, are written as such (not of units,
  /// title and the like), _FillValue as one of the array's type. Into the text header of rsf as they are: {"d1",
  /// "12.5"}.
  std::vector<std::pair<std::string, std::string>> attributes{};
  std::vector<std::string> dimensions{};  ///< their names, slowest first; none: …, z, y, x
  std::string compression{};              ///< as in output_options, where it is to be another
  /// The first extent is another one in each step: begin_step() says how many rows this rank has of it, which lie
  /// behind those of the ranks before. `own` is from 0 to the most that this rank may have; extents[0] counts for
  /// nothing. For hdf5 and vtkhdf with a file per step.
  bool is_varying = false;
  /// The same in all steps, as heights and masks are: written with the stream's first step only, later ones need not
  /// put it (and what they put counts for nothing). Has no dimension of time. For files of all steps: rsf, zarr, and
  /// netcdf and hdf5 with expected_steps.
  bool is_constant = false;
  output_part part = output_part::point_data;  ///< what vtkhdf takes it for; other formats do not look at it
};

/// Where the elements of a dimension are. The axis "time" has no values here: begin_step() gives them. One value of a
/// name that no dimension has makes a scalar: a height for all, or what attributes are to be of, such as a projection.
struct output_axis {
  std::string name{};                                             ///< of a dimension
  std::vector<double> values{};                                   ///< one per element
  std::vector<std::pair<std::string, std::string>> attributes{};  ///< of the axis: {"units", "degrees_north"}
};

/// Names of the formats of this build, and a line about each.
NEARFAR_API std::vector<std::pair<std::string, std::string>> output_formats();

/// Who writes. With all of them the same bytes are written.
enum class output_policy {
  automatic,    ///< what takes the least time per step among the first steps of the program; the number of writers is
                ///< tried as well
  synchronous,  ///< the first rank of the node writes in end_step(), while the others wait
  thread,       ///< a thread of that rank; it makes no MPI calls (MPI_THREAD_FUNNELED suffices)
  writer        ///< a rank that does nothing else: see output_writers
};

/// What end_step() promises once the step has been written.
enum class output_durability {
  step,  ///< survives the end of the machine, too: fdatasync before each step's record in the journal, and of the
         ///< record behind it
  none   ///< survives the end of the program, killed or not; flush() and close() synchronise
};

/// What a stream does with what is at its path already.
enum class output_opening {
  create,  ///< replaces the stream that is there; refused where files of others are in the way
  /// Goes on after the journal's last step and cuts off a torn one behind it. A step of it that is missing or too short
  /// (`verify` goes on before it), another layout, and other attributes or axes are refused.
  append,
  /// Checkpoints: replaces that one of two streams, P-a and P-b, which is not the newest whole one; readers of P take
  /// the newest.
  take_turns
};
/// Where the ranks that write are.
enum class output_placement {
  near,  ///< the last rank of each node that has ranks to spare; takes steps from near memory
  far    ///< the last ranks of the team, on nodes of their own as a rule; get steps by messages
};

/// Who of a team writes; the same on all ranks.
struct output_writers_options {
  output_placement placement = output_placement::near;  ///< where the writers are
  int ranks_to_spare = 2;  ///< near: ranks that a node must have for its last one to become a writer
  int far_writers = 1;     ///< far: how many; rings of all nodes are dealt out to them in turn
};

/// Ranks that write, and the team of those that compute. Collective over `all`. Writers call serve(), the others make
/// streams over computing() with output_options::writers.
///
/// Messages to far writers are moved on by the stream's calls and all other waits of the library; where
/// MPI_THREAD_MULTIPLE was granted, by a thread. Near ranks need no MPI for their writer.
class NEARFAR_API output_writers {
 public:
  explicit output_writers(const team& all, int ranks_to_spare = 2);  ///< near writers
  /// Near or far writers, as the options say. @throws usage_error  on every rank: no rank is left to compute, or none
  /// to write.
  output_writers(const team& all, const output_writers_options& options);
  ~output_writers();  ///< of the last computing rank of a node: lets serve() return
  output_writers(output_writers&&) noexcept;
  output_writers& operator=(output_writers&&) noexcept;

  bool is_writer() const noexcept;  ///< whether this rank calls serve() instead of computing
  int count() const noexcept;       ///< in `all`
  /// The ranks that compute. @throws usage_error  on a writer
  const team& computing() const;
  /// Writes, asleep while there is nothing to do, until the computing ranks (near: of the node) have destroyed their
  /// writers object and their streams, or died. A near writer makes no MPI calls. Errors go to the ranks whose stream
  /// it is.
  /// @throws usage_error on a rank that computes
  void serve();

 private:
  friend struct internals;
  std::shared_ptr<output_writers_state> state_;
};

/// How a stream is written; the same on all ranks.
struct output_options {
  std::string format = "rsf";                                     ///< one of output_formats()
  std::vector<std::pair<std::string, std::string>> attributes{};  ///< of all: {"Conventions", "CF-1.8"}
  std::vector<output_axis> axes{};                                ///< positions along dimensions, and scalars
  /// Of all arrays, by who writes: "zstd", "zstd:9", "blosc" ("blosc:zstd"), each lossless, or "zfp:1e-3", off by up to
  /// that fraction of the largest value that the writer has of the array in the step ("zfp:abs=0.01": by up to that).
  /// "": none.
  std::string compression{};
  /// Who writes; tried and decided in the first steps where it is automatic.
  output_policy policy = output_policy::automatic;
  int depth = 2;           ///< frames of the ring; besides, one step may be in its file and not yet in the journal
  index_t most_bytes = 0;  ///< of all frames of a ring; lessens the depth; 0: no limit
  /// Rings, each with its own thread or place at the writer. 0: 1; with `automatic` and arrays that neither vary nor
  /// are compressed, the number of 1, 2, 4, 8 that takes the least time, as far as a node has ranks.
  int writers_per_node = 0;
  output_durability durability = output_durability::step;  ///< what is safe when end_step() has been written
  output_opening opening = output_opening::create;         ///< what becomes of what is there
  /// append: steps of this time or later are forgotten, as when a program begins again from an earlier state; absent:
  /// none.
  std::optional<double> append_before = std::nullopt;
  /// take_turns: a stream (P-a) that the program goes on from: not replaced, though it be the older one.
  std::string kept{};
  /// append: data is read and compared with the journal's sums (verify_output); steps from the first damaged one on are
  /// forgotten.
  bool verify = false;
  /// Room for so many is reserved at once, so that a full disk is an error here; netcdf and hdf5 then have one file,
  /// for no more steps.
  index_t expected_steps = 0;
  /// Frames are locked in memory from the start, for a program whose GPU copies into slot(). put() from GPU memory does
  /// so by itself.
  bool is_pinned = false;
  bool direct = true;               ///< past the page cache where the file system can and parts are in one piece
  bool checksum = true;             ///< CRC-32C of the data in the journal
  double throttle_bytes_per_s = 0;  ///< for tests and measurements: a slower disk; 0: none
  double linger_s = 10;             ///< that a destructor without close() waits for what is under way
  const output_writers* writers = nullptr;  ///< whose computing() is the team; needed for output_policy::writer
};

/// Where this rank's box lies in the frame of the step that is under way.
struct output_slot {
  void* data = nullptr;                                 ///< the first element of the box; null for an empty box
  std::array<index_t, max_dimensions> strides_bytes{};  ///< distance between neighbours along each dimension
};

/// A stream of time steps on disk.
///
/// For a path P and an array A the format says what there is (docs/output.md). With rsf P.A.raw holds the frames
/// of A back to back and nothing else, each the global array with the last dimension fastest (numpy.memmap reads it),
/// and P.A.rsf is a text header for it (Madagascar), rewritten as a whole when steps are added. P.journal has a record
/// of 64 bytes per step and writer. Only steps that the journal has are valid.
///
///     begin_step(time), put() or slot() for every array, end_step(); again; close()
///
/// Errors of the writers are thrown by the next begin_step(), flush() or close(), on all ranks of the team at the same
/// call, with the step and the file; earlier steps stay readable. Near ranks fill one ring in near memory; the cost of
/// a step is one copy of the data by put(), none by slot().
/// @source ours; the blocking and non-blocking writer rank of Machado, Lorenzon and Navaux is what it is measured
///         against
class NEARFAR_API output_stream {
 public:
  /// Collective over the team. @throws usage_error arrays, boxes or options that cannot be, on every rank
  /// @throws io_error files that cannot be made, hold other arrays or are being written by another program, or a full
  ///         disk
  /// @throws resource_error no memory for one frame, or `most_bytes` is less than that
  output_stream(const nearfar::team& members, std::string path, std::vector<output_array> arrays,
                output_options options = {});
  /// Never throws, calls no MPI (but for a far writer, point to point): what is whole is written, for up to `linger_s`;
  /// an error is a line in the log.
  ~output_stream();
  output_stream(output_stream&&) noexcept;
  output_stream& operator=(output_stream&&) noexcept;

  /// Waits until a frame is free; returns the number of the step, from 0. Collective.
  /// @throws io_error  a step before could not be written
  /// @throws usage_error  the file has no room for more steps
  /// @cost   one allreduce of an int
  index_t begin_step(double time);
  /// Of a stream with varying arrays: this rank's rows of each of them, in their order. @throws usage_error more rows
  /// than were agreed, fewer than 0, or a grid that cannot be, on every rank; no step has begun then
  /// @cost in addition an allgather of the rows, and a message of the root's, some kB, which says how the step's file
  ///         is laid out
  index_t begin_step(double time, const std::vector<index_t>& rows);
  /// Copies the own box out of an array with `padding` around it, C order; `data` is the first element, padding
  /// included. The caller may overwrite the array when it returns. It may be in GPU memory (CUDA): frames are pinned at
  /// the first such call. Local.
  void put(const std::string& name, const void* data);
  /// The same from an array of any strides; `data` is the first element of the own box.
  void put(const std::string& name, const void* data, const std::array<index_t, max_dimensions>& strides_bytes);
  /// The memory that the step is written from: fill it instead of calling put(). Valid until end_step(). An array's
  /// part of a frame begins at a multiple of 64 bytes, other ranks' boxes in it are aligned for the type. Local.
  output_slot slot(const std::string& name);
  /// Hands the step over. Local, but for output_policy::synchronous, which waits until it is written.
  /// @throws usage_error  an array was neither put nor asked for; the step is still under way
  void end_step();
  void flush();  ///< returns when all steps are durable. Collective. @throws io_error
  void close();  ///< flush, and the end of the stream; a second call does nothing. Collective. @throws io_error

  const nearfar::team& team() const;       ///< whose ranks write steps
  index_t steps() const noexcept;          ///< that end_step() accepted, those found by append included
  index_t written_steps() const noexcept;  ///< of these in the journal as far as this rank's writer is concerned; local
  std::string describe() const;  ///< policy and why, depth, bytes, waiting and copying per step, throughput; local

 private:
  std::unique_ptr<output_state> state_;
};

/// A step that a journal says is whole.
struct output_step {
  index_t step = 0;  ///< its number, from 0
  double time = 0;   ///< as begin_step() was given
};

/// What comparing a step with its sums says.
enum class output_soundness {
  sound,    ///< all bytes have the sums that they had when they were written
  damaged,  ///< they have others, or are not there
  unknown  ///< no sums were made, or arrays vary, or the stream was written before P.parts.json was: nothing to compare
           ///< with
};
/// What reading a step's data has shown.
struct output_report {
  index_t step = 0;                                    ///< its number, from 0
  double time = 0;                                     ///< as begin_step() was given
  output_soundness state = output_soundness::unknown;  ///< the verdict
  std::string reason{};                                ///< why it is not sound: the writer or the file; empty if it is
};

/// Reads all data of the steps that the journal says are whole, of any format, and compares them with the journal's
/// sums. Changes nothing. Local. @throws io_error there is no journal, or what says which writer wrote what
/// (P.parts.json) cannot be understood; data that cannot be read are damaged steps, not errors
NEARFAR_API std::vector<output_report> verify_output(const std::string& path);

/// The steps that the journal of the stream at `path` says are whole, in order; also of one that was killed. Changes
/// nothing. Local.
/// @throws io_error there is no journal that can be read
NEARFAR_API std::vector<output_step> output_steps_at(const std::string& path);

}  // namespace nearfar
