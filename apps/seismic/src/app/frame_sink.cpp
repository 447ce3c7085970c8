// SPDX-License-Identifier: BSD-3-Clause
#include <app/frame_sink.hpp>

namespace seismic {

namespace {

class stream_sink final : public frame_sink {
 public:
  stream_sink(const nearfar::team& team, const std::string& path, const nearfar::output_array& array,
              const nearfar::output_options& options)
      : stream_(team, path, {array}, options), name_(array.name) {}
  nearfar::output_slot begin(double time) override {
    stream_.begin_step(time);
    return stream_.slot(name_);
  }
  void end() override { stream_.end_step(); }
  void flush() override { stream_.flush(); }
  void close() override { stream_.close(); }
  std::string describe() const override { return stream_.describe(); }

 private:
  nearfar::output_stream stream_;
  std::string name_;
};

}  // namespace

sink_maker streams(const nearfar::output_writers* writers) {
  return [writers](const nearfar::team& team, const std::string& path, const nearfar::output_array& array,
                   nearfar::output_options options) {
    options.writers = writers;
    return std::make_unique<stream_sink>(team, path, array, options);
  };
}

}  // namespace seismic
