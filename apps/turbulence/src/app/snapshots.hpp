// SPDX-License-Identifier: BSD-3-Clause
// Velocity, the vorticity's magnitude and the scalar at the points of the grid, by the output front: written while the
// run goes on.
#pragma once

#include <nearfar/output.hpp>
#include <optional>
#include <settings/settings.hpp>
#include <solver/file_points.hpp>
#include <string>

namespace turbulence {

class snapshots {
 public:
  /// Collective. @param goes_on_from  the time of a restart: snapshots up to it stay; absent: the stream begins anew
  /// @throws  what output streams throw
  /// @param end  of the run: how many snapshots one file is to have
  snapshots(flow& of, const snapshot_settings& what, double end, std::optional<double> goes_on_from);
  /// Returns when the values have been copied. Collective. @throws nearfar::io_error
  void write(double time);
  void flush() { stream_->flush(); }  ///< returns when all are on disk. Collective. @throws nearfar::io_error
  void close() { stream_->close(); }
  std::string describe() const { return stream_->describe(); }

 private:
  bool has(const char* name) const;
  void put(const char* name, const real_fields& from, std::size_t field);
  template <class T>
  void put_as(const char* name, const real_fields& from, std::size_t field);
  void put_vorticity();
  flow& of_;
  snapshot_settings what_;
  file_points points_;
  nearfar::box part_;  ///< of the points: what is written
  std::optional<nearfar::output_stream> stream_;
};

}  // namespace turbulence
