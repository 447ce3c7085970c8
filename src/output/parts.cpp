// SPDX-License-Identifier: BSD-3-Clause
// JSON of files, arrays and boxes; reading data back in the order in which it was summed.
#include "parts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "crc32c.hpp"

namespace nearfar::output {

namespace {

using json = nlohmann::ordered_json;

json json_of(const box& b) {
  json lower = json::array(), upper = json::array();
  for (std::size_t d = 0; d < as_size(b.dimensions); ++d) lower.push_back(b.lower[d]), upper.push_back(b.upper[d]);
  return {{"lower", lower}, {"upper", upper}};
}

box box_of(const json& j) {
  box b{static_cast<int>(j.at("lower").size()), {}, {}};
  for (std::size_t d = 0; d < as_size(b.dimensions); ++d)
    b.lower.at(d) = j.at("lower")[d].get<index>(), b.upper.at(d) = j.at("upper")[d].get<index>();
  return b;
}

json json_of_files(const std::string& path, const agent_plan& plan) {
  json files = json::array();
  for (const stream_file& f : plan.files.files)
    files.push_back({{"before", f.before.substr(path.size())},  // so that all may be moved together
                     {"after", f.after},
                     {"digits", f.digits},
                     {"is_per_step", f.is_per_step}});
  return files;
}

json json_of_arrays(const agent_plan& plan, const std::vector<output_array>& arrays) {
  json list = json::array();
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const array_shape& shape = plan.layout.arrays[a];
    const array_place& p = plan.files.places[a];
    json one{{"name", arrays[a].name},
             {"extents", shape.extents},
             {"bytes", shape.element_bytes},
             {"is_constant", shape.is_constant},
             {"file", p.file},
             {"offset", p.offset},
             {"stride", p.stride}};
    if (plan.codecs[a].kind != codec_kind::none)
      one["chunk"] = std::vector<index>(p.chunk.begin(), p.chunk.begin() + as_index(shape.extents.size()));
    list.push_back(one);
  }
  return list;
}

json json_of_writers(const std::vector<std::vector<brick>>& writers) {
  json list = json::array();
  for (const auto& bricks : writers) {
    json parts = json::array();
    for (const brick& b : bricks) {
      json part{{"array", b.array}};
      part.update(json_of(b.where));
      parts.push_back(part);
    }
    list.push_back(parts);
  }
  return list;
}

/// Null where there is no such file.
json read_parts(const std::string& path) {
  std::ifstream in(parts_path(path));
  if (!in) return {};
  try {
    return json::parse(in);
  } catch (const json::exception& e) {
    throw io_error(text(parts_path(path), " cannot be understood: ", e.what()));
  }
}

/// Where data lies, without the writers' own parts.
agent_plan plan_of(const std::string& path, const json& all) {
  agent_plan plan;
  for (const json& f : all.at("files"))
    plan.files.files.push_back({.before = path + f.at("before").get<std::string>(),
                                .after = f.at("after").get<std::string>(),
                                .digits = f.at("digits").get<int>(),
                                .is_per_step = f.at("is_per_step").get<bool>()});
  for (const json& a : all.at("arrays")) {
    array_place p{.file = a.at("file"), .offset = a.at("offset"), .stride = a.at("stride")};
    codec c;
    if (a.contains("chunk")) {
      const auto chunk = a.at("chunk").get<std::vector<index>>();
      if (chunk.size() <= p.chunk.size()) std::copy(chunk.begin(), chunk.end(), p.chunk.begin());
      c.kind = codec_kind::zstd;  // whichever it is: the sums are of bytes as the files have them
    }
    plan.codecs.push_back(c);
    plan.files.places.push_back(p);
    plan.layout.arrays.push_back({.extents = a.at("extents").get<std::vector<index>>(),
                                  .element_bytes = a.at("bytes"),
                                  .is_varying = false,
                                  .is_constant = a.at("is_constant")});
  }
  return plan;
}

/// The bytes of one writer's part of one step.
class part_reader {
 public:
  part_reader(const agent_plan& plan, index step) : plan_(plan), step_(step), in_(plan.layout_of(step, nullptr)) {}
  /// What is against this part; "" if nothing. @throws io_error
  std::string compare(const std::vector<brick>& bricks, const journal_record& record) {
    crc_ = 0, bytes_ = 0;
    for (const brick& b : bricks)
      if (plan_.layout.has(b, step_)) add(b);
    if (bytes_ != record.bytes) return text(bytes_, " bytes instead of ", record.bytes);
    return crc_ == record.data_crc ? "" : "another sum than when it was written";
  }

 private:
  void add(const brick& b) {
    const stream_file& f = plan_.files.files.at(as_size(plan_.file_of(b)));
    path_ = std::filesystem::exists(f.path(step_)) ? f.path(step_) : f.part(step_);
    file_ = open_file(path_, O_RDONLY);
    if (plan_.is_compressed(b)) return add(0, static_cast<index>(std::filesystem::file_size(path_)));
    const array_shape& a = plan_.layout.arrays[as_size(b.array)];
    const index begin = in_.begins[as_size(b.array)];
    for_each_run(a, b.where, [&](index in_array, index /*in_brick*/, index elements) {
      add(begin + in_array * a.element_bytes, elements * a.element_bytes);
    });
  }
  void add(index offset, index bytes) {
    memory_.resize(as_size(std::min(std::max(bytes, as_index(memory_.size())), block_bytes)));
    while (bytes > 0) {
      const ssize_t n = pread(file_.get(), memory_.data(), std::min(memory_.size(), as_size(bytes)), offset);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw io_error(text(path_, " cannot be read: ", n < 0 ? std::strerror(errno) : "it is too short"));
      crc_ = crc32c(crc_, memory_.data(), as_size(n));
      offset += n, bytes -= n, bytes_ += n;
    }
  }

  const agent_plan& plan_;
  index step_;
  step_layout in_;
  std::string path_;
  descriptor file_;
  std::vector<std::byte> memory_;
  std::uint32_t crc_ = 0;
  index bytes_ = 0;
};

std::vector<brick> bricks_of(const json& parts, std::size_t arrays) {
  std::vector<brick> bricks;
  for (const json& p : parts) {
    bricks.push_back({.array = p.at("array"), .where = box_of(p)});
    if (as_size(bricks.back().array) >= arrays) throw io_error("a part is of an array that does not exist");
  }
  return bricks;
}

/// The entry that was noted last for a step; null where there is none.
const json* entry_for(const json& all, index step) {
  const json* latest = nullptr;
  for (const json& e : all.at("writers"))
    if (e.at("from_step").get<index>() <= step) latest = &e;
  return latest;
}

output_report compare_step(const agent_plan& plan, const json* entry, index step, const journal_contents& whole) {
  output_report r{step, whole.times[as_size(step)], output_soundness::unknown, {}};
  const auto records = whole.records_of(step);
  for (const journal_record& record : records)
    if ((record.flags & journal_record::has_crc) == 0) r.reason = "the stream was written without sums";
  if (r.reason.empty() && entry == nullptr) r.reason = "which writer wrote what is not known of it";
  if (!r.reason.empty()) return r;
  r.state = output_soundness::damaged;
  const json& writers = entry->at("parts");
  if (writers.size() != records.size()) {
    r.reason = text("the journal has ", records.size(), " writers, their parts are of ", writers.size());
    return r;
  }
  part_reader reader(plan, step);
  for (std::size_t w = 0; w < records.size() && r.reason.empty(); ++w) try {
      const std::string fault = reader.compare(bricks_of(writers[w], plan.layout.arrays.size()), records[w]);
      if (!fault.empty()) r.reason = text("what writer ", w, " wrote has ", fault);
    } catch (const io_error& e) {
      r.reason = e.what();
    }
  if (r.reason.empty()) r.state = output_soundness::sound;
  return r;
}

}  // namespace

std::string parts_path(const std::string& path) { return path + ".parts.json"; }

void note_parts(const std::string& path, const agent_plan& plan, const std::vector<output_array>& arrays,
                const std::vector<std::vector<brick>>& writers) {
  if (plan.layout.table_bytes > 0 || !plan.files.adios2.empty()) {
    std::filesystem::remove(parts_path(path));
    return;
  }
  json entries = json::array();
  const json before = plan.first_step > 0 ? read_parts(path) : json();
  if (before.is_object() && before.contains("writers"))
    for (const json& e : before["writers"])
      if (e.at("from_step").get<index>() < plan.first_step) entries.push_back(e);
  const json parts = json_of_writers(writers);
  if (entries.empty() || entries.back().at("parts") != parts)
    entries.push_back({{"from_step", plan.first_step}, {"parts", parts}});
  const std::string format(plan.format.begin(), std::find(plan.format.begin(), plan.format.end(), '\0'));
  const json all{{"format", format},
                 {"files", json_of_files(path, plan)},
                 {"arrays", json_of_arrays(plan, arrays)},
                 {"writers", entries}};
  replace_file(parts_path(path), all.dump() + "\n", plan.is_synced);
}

std::string format_of_parts(const std::string& path) {
  try {
    const json all = read_parts(path);
    return all.is_object() ? all.value("format", "") : "";
  } catch (const error&) {  // not ours
    return "";
  }
}

std::vector<output_report> compare_steps(const std::string& path, const journal_contents& whole) {
  const json all = read_parts(path);
  std::vector<output_report> reports;
  try {
    const agent_plan plan = all.is_null() ? agent_plan() : plan_of(path, all);
    for (index s = 0; s < whole.steps(); ++s)
      reports.push_back(compare_step(plan, all.is_null() ? nullptr : entry_for(all, s), s, whole));
  } catch (const json::exception& e) {
    throw io_error(text(parts_path(path), " cannot be understood: ", e.what()));
  }
  return reports;
}

}  // namespace nearfar::output

namespace nearfar {

std::vector<output_report> verify_output(const std::string& path) {
  return output::compare_steps(path, output::read_journal(output::journal_path(path), true));
}

}  // namespace nearfar
