// SPDX-License-Identifier: BSD-3-Clause
// Where frames of snapshots go: an output stream, or what an experiment has in its place.
#pragma once

#include <functional>
#include <memory>
#include <nearfar/output.hpp>
#include <string>

namespace seismic {

/// Where frames go, one after the other. All calls are collective, errors as of nearfar::output_stream.
class frame_sink {
 public:
  virtual ~frame_sink() = default;
  virtual nearfar::output_slot begin(double time) = 0;  ///< memory for the own points, to be filled until end()
  virtual void end() = 0;
  virtual void flush() = 0;  ///< returns when all are on disk
  virtual void close() = 0;
  virtual std::string describe() const = 0;
};
using sink_maker = std::function<std::unique_ptr<frame_sink>(const nearfar::team&, const std::string& path,
                                                             const nearfar::output_array&, nearfar::output_options)>;

/// Output streams, as programs use them. @param writers  for output_policy::writer
sink_maker streams(const nearfar::output_writers* writers = nullptr);

}  // namespace seismic
