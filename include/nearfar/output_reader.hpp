// SPDX-License-Identifier: BSD-3-Clause
// Steps of an output stream, read back onto any decomposition, ahead of the program and compared with their sums.
#pragma once

#include <nearfar/output.hpp>

namespace nearfar {

struct reader_state;  // internal: output/reader_state.hpp

/// What this rank wants of an array in each step.
struct output_selection {
  std::string name{};  ///< one of output_reader::arrays()
  box wanted{};  ///< global indices, slowest first; any box inside the array, also one that other ranks want too; may
                 ///< be empty
  ghosts padding = 0;  ///< around the box in the arrays that are given to get()
};

/// How far ahead a reader reads, and what it may take; may differ between ranks, but for `checksum`.
struct output_reader_options {
  /// After step s the program will ask for s + stride, s + 2 stride and so on: 1 forwards, -1 backwards; not 0.
  index_t stride = 1;
  bool reads_ahead = true;  ///< false: each step is read when it is asked for
  int depth = 2;            ///< steps that are in memory at most, the one that the program has among them
  index_t most_bytes = 0;   ///< of all these steps on this rank; lessens the depth; 0: no limit
  bool checksum = true;     ///< all bytes of a step are compared with the journal's sums before it is handed out
};

/// Reads the steps that an output_stream has written, in whatever decomposition, by whatever number of ranks, also of a
/// program that was killed: those that the journal says are whole.
///
///     output_reader in(team, "run/wave", {.stride = -1});     // imaging: backwards
///     in.select({{.name = "p", .wanted = my_box, .padding = 4}});
///     for (index_t s = in.steps().size() - 1; s >= 0; --s) {
///       const double time = in.begin_step(s);  // waits until the step is here
///       in.get("p", field);                    // or slot(): the buffer itself
///       in.end_step();                         // the buffer is free for a step to come
///     }
///
/// Of all formats but adios2, of arrays that do not vary; elements are as the writing machine had them, which must have
/// the byte order of this one. A thread reads, which makes no MPI calls (MPI_THREAD_FUNNELED suffices); it reads ahead
/// into at most `depth` buffers while the program computes. A step that was not foreseen is read at once.
///
/// Each rank reads its own boxes. With `checksum` it also sums its share of the bytes of the whole step, so that each
/// byte is summed once over all ranks; these come out of the page cache as a rule where boxes and shares meet. A step
/// whose sums differ, or whose files are missing or too short, is an io_error of begin_step() on all ranks that names
/// step and file; others can still be read. Streams that were written without sums are read without.
///
/// All calls are of one thread. The files are not changed. What a stream that is still open writes after the
/// constructor is not seen.
/// @source ours
class NEARFAR_API output_reader {
 public:
  /// Collective over the team; the root alone reads the journal and P.parts.json. No memory for data is taken yet.
  /// Where there is no stream at the path, but streams that take turns (output_opening::take_turns), the newest is
  /// read.
  /// @throws io_error     no journal, or descriptions that cannot be understood, on every rank
  /// @throws usage_error  options that cannot be; a stream that cannot be read back: of format adios2, or with arrays
  /// that vary
  output_reader(const nearfar::team& members, std::string path, output_reader_options options = {});
  ~output_reader();  ///< local
  output_reader(output_reader&&) noexcept;
  output_reader& operator=(output_reader&&) noexcept;

  const nearfar::team& team() const;              ///< whose ranks read
  const std::vector<output_step>& steps() const;  ///< those that are whole; the i-th is step i
  /// Names, global extents, types, attributes, dimensions, compression, part and is_constant as they were written;
  /// `own` is empty.
  const std::vector<output_array>& arrays() const;
  const std::string& format() const;  ///< of the stream: one of output_formats()
  const std::string& path() const;    ///< of streams that take turns that of the one that is read

  /// What begin_step() reads from now on; arrays that are not named are not read. Ranks may name different arrays.
  /// Takes the memory of the buffers, `depth` times the boxes, and reads the arrays that are constant, from step 0.
  /// Collective, between steps.
  /// @throws usage_error     unknown names, a box that is not inside its array, on every rank; what was selected before
  /// stays
  /// @throws io_error        a constant array that is damaged
  /// @throws resource_error  no memory for one step, or most_bytes is less than that
  void select(std::vector<output_selection> wanted);
  /// Waits until this rank's boxes of the step are here; the same step on all ranks. Returns its time. Collective.
  /// @throws usage_error  there is no such step, or ranks ask for different ones, on every rank
  /// @throws io_error     a file that is damaged, missing or too short, on every rank; no step is under way then
  /// @cost   one allreduce of three numbers and, with sums, one of 16 bytes per writer
  double begin_step(index_t step);
  /// Copies the box into an array with `padding` around it, C order; `data` is the first element, padding included,
  /// which keeps what it has. Constant arrays are there in all steps. Local.
  void get(const std::string& name, void* data);
  /// The same into an array of any strides; `data` is the first element of the box.
  void get(const std::string& name, void* data, const std::array<index_t, max_dimensions>& strides_bytes);
  /// The box in the buffer itself, C order, instead of a copy; the program may write there. Valid until end_step().
  /// Null for an empty box.
  output_slot slot(const std::string& name);
  void end_step();  ///< the buffer is free. Local

  /// Steps that were read and foreseen, waiting, throughput. Local.
  std::string describe() const;

 private:
  std::unique_ptr<reader_state> state_;
};

}  // namespace nearfar
