// SPDX-License-Identifier: BSD-3-Clause
// Fields of modes into the frames of a stream and back, also of another grid.
#include <algorithm>
#include <app/checkpoint.hpp>
#include <charconv>
#include <cmath>
#include <common/agreement.hpp>
#include <cstring>
#include <nearfar/error.hpp>
#include <nearfar/output_reader.hpp>
#include <sstream>
#include <statistics/statistics.hpp>

namespace turbulence {
namespace {

constexpr std::string_view first_line = "nearfar-turbulence's checkpoint, of its form 1";
constexpr std::array<const char*, 4> field_names{"u", "v", "w", "c"};
constexpr std::array<const char*, 3> rule_names{"2/3", "3/2", "none"};

using key_values = std::vector<std::pair<std::string, std::string>>;

std::string words_of(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

template <class T>
std::string words_of(const std::array<T, 3>& zyx) {
  std::string words;
  for (std::size_t d = 3; d-- > 0;) {
    if constexpr (std::is_integral_v<T>)
      words += std::to_string(zyx[d]);
    else
      words += words_of(zyx[d]);
    if (d > 0) words += " x ";
  }
  return words;
}

/// A checkpoint of another grid can be interpolated; lengths and the scalar have to be the same all the same.
key_values box_keys(const flow& of) {
  const box_shape& box = of.on().shape();
  return {{"grid.lengths", words_of(box.lengths)},
          {"scalar.enabled", of.options().has_scalar ? "true" : "false"},
          {"grid.points", words_of(box.points)},
          {"grid.dealiasing", rule_names[static_cast<std::size_t>(box.dealiasing)]}};
}
constexpr std::size_t keys_of_any_grid = 2;

/// What may be another one when a run goes on, and is said then.
key_values run_keys(const flow& of) {
  const flow_options& o = of.options();
  return {{"flow.viscosity", words_of(o.viscosity)},
          {"forcing.power", words_of(o.forcing_power)},
          {"time.scheme", o.scheme == time_scheme::rk4 ? "rk4" : "rk3"},
          {"run.engine", o.engine}};
}

std::string about_text(const flow& of, const run_place& at) {
  std::string text = std::string(first_line) + '\n';
  const auto add = [&](const std::string& key, const std::string& value) { text += key + " = " + value + '\n'; };
  add("step", std::to_string(at.step));
  add("time", words_of(at.time));
  for (const auto& keys : {box_keys(of), run_keys(of)})
    for (const auto& [key, value] : keys) add(key, value);
  return text;
}

/// Absent: no such text.
std::optional<key_values> parsed_about(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != first_line) return std::nullopt;
  key_values all;
  while (std::getline(lines, line)) {
    const auto at = line.find(" = ");
    if (at == std::string::npos) return std::nullopt;
    all.emplace_back(line.substr(0, at), line.substr(at + 3));
  }
  return all;
}

std::string value_in(const key_values& all, const std::string& key) {
  for (const auto& [name, value] : all)
    if (name == key) return value;
  return "";
}

std::vector<nearfar::output_array> checkpoint_arrays(flow& of, index_t letters) {
  const nearfar::transpose_side& side = of.on().layout().spectral();
  std::vector<nearfar::output_array> all;
  for (std::size_t f = 0; f < of.state().all().size(); ++f) {
    nearfar::output_array a;
    a.name = field_names[f], a.type = nearfar::element_type::complex128;
    a.extents = side.parts.extents(), a.own = side.parts.own();
    all.push_back(std::move(a));
  }
  nearfar::output_array text;
  text.name = "about", text.type = nearfar::element_type::int8, text.extents = {letters};
  text.own = {1, {}, {of.on().team().is_root() ? letters : 0}};
  all.push_back(std::move(text));
  return all;
}

/// Which mode of an axis of the checkpoint each own mode of ours is; -1: none.
std::vector<index_t> modes_of_axis(const nearfar::box& own, std::size_t d, index_t ours, index_t theirs, bool is_real) {
  std::vector<index_t> all;
  for (index_t i = own.lower[d]; i < own.upper[d]; ++i) {
    const index_t n = is_real || i <= ours / 2 ? i : i - ours;
    const index_t highest = is_real ? theirs - 1 : theirs / 2;
    all.push_back(std::abs(n) > highest ? -1 : n >= 0 ? n : n + theirs);
  }
  return all;
}

/// Where own modes lie in a checkpoint, of this grid or another one.
struct mode_map {
  nearfar::box wanted;  ///< of the checkpoint
  std::array<std::vector<index_t>, 3> theirs;

  mode_map(const space& on, const std::vector<index_t>& extents) {
    const nearfar::decomposition& parts = on.layout().spectral().parts;
    const nearfar::box& own = parts.own();
    wanted.dimensions = 3;
    for (std::size_t d = 0; d < 3; ++d) {
      theirs[d] = modes_of_axis(own, d, parts.extents()[d], extents[d], d == 2);
      index_t lower = extents[d], upper = 0;
      for (const index_t i : theirs[d])
        if (i >= 0) lower = std::min(lower, i), upper = std::max(upper, i + 1);
      wanted.lower[d] = lower, wanted.upper[d] = upper;
    }
    if (wanted.is_empty()) wanted = {3, {}, {}};
  }
};

/// A checkpoint that has been opened, and what this rank wants of it.
class checkpoint_reading {
 public:
  checkpoint_reading(const std::string& given, flow& into)
      : in_(into.on().team(), given, {.stride = 0, .depth = 1}), into_(into) {
    const nearfar::output_array* const text = array("about");
    if (text == nullptr || text->type != nearfar::element_type::int8 || text->extents.size() != 1)
      throw nearfar::usage_error("it is a stream of other things (" + in_.arrays().front().name +
                                 "), not a checkpoint");
    if (in_.steps().empty()) throw nearfar::io_error("it has no checkpoint that is whole");
    characters_ = text->extents[0];
  }

  const std::string& stream() const { return in_.path(); }
  key_values text() {
    const nearfar::output_array* const u = array("u");
    has_fields_ = u != nullptr && u->extents.size() == 3;
    std::vector<nearfar::output_selection> wanted{{"about", {1, {}, {characters_}}}};
    if (has_fields_) {
      map_.emplace(into_.on(), u->extents);
      for (std::size_t f = 0; f < into_.state().all().size(); ++f) {
        const nearfar::output_array* const a = array(field_names[f]);
        has_fields_ =
            has_fields_ && a != nullptr && a->extents == u->extents && a->type == nearfar::element_type::complex128;
        if (a != nullptr && a->extents == u->extents) wanted.push_back({field_names[f], map_->wanted});
      }
    }
    in_.select(wanted);
    in_.begin_step(static_cast<index_t>(in_.steps().size()) - 1);
    std::string words(static_cast<std::size_t>(characters_), ' ');
    in_.get("about", words.data());
    const auto all = parsed_about(words);
    if (!all) throw nearfar::usage_error("it is a stream of other things, not a checkpoint of this program");
    return *all;
  }

  /// After text(), if that agrees.
  void fill() {
    if (!has_fields_) throw nearfar::io_error("it has arrays that its own text does not tell of: it is damaged");
    const nearfar::box& own = into_.on().layout().spectral().parts.own();
    const auto fields = into_.state().all();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const nearfar::output_slot from = in_.slot(field_names[f]);
      into_.on().for_modes([&](const mode& m) {
        const char* there = static_cast<const char*>(from.data);
        bool is_kept = !map_->wanted.is_empty();
        for (std::size_t d = 0; d < 3 && is_kept; ++d) {
          const index_t i = map_->theirs[d][static_cast<std::size_t>(m.index[d] - own.lower[d])];
          is_kept = i >= 0;
          there += (i - map_->wanted.lower[d]) * from.strides_bytes[d];
        }
        complex value = 0;
        if (is_kept) std::memcpy(&value, there, sizeof value);
        fields[f][m.at] = value;
      });
    }
    in_.end_step();
  }

 private:
  const nearfar::output_array* array(const std::string& name) const {
    const auto& all = in_.arrays();
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.name == name; });
    return at == all.end() ? nullptr : &*at;
  }

  nearfar::output_reader in_;
  flow& into_;
  index_t characters_ = 0;
  bool has_fields_ = false;
  std::optional<mode_map> map_;
};

void check_box(const key_values& theirs, const flow& of, bool is_interpolated) {
  const key_values ours = box_keys(of);
  for (std::size_t n = 0; n < (is_interpolated ? keys_of_any_grid : ours.size()); ++n) {
    const auto& [key, value] = ours[n];
    if (value_in(theirs, key) == value) continue;
    const std::string remedy = n < keys_of_any_grid ? "" : "; --interpolate takes the modes that both have";
    throw nearfar::usage_error("its " + key + " is " + value_in(theirs, key) + ", here it is " + value + remedy);
  }
}

std::string note_on(const key_values& theirs, const flow& of, bool is_interpolated) {
  std::string note;
  key_values ours = run_keys(of);
  if (is_interpolated) ours.emplace_back(box_keys(of)[2]), ours.emplace_back(box_keys(of)[3]);
  for (const auto& [key, value] : ours)
    if (value_in(theirs, key) != value)
      note += (note.empty() ? "" : ", ") + key + " was " + value_in(theirs, key) + ", is " + value;
  return note;
}

/// Errors of `act`, which are the same on all ranks, say what they are of.
template <class Act>
void as_restart(const std::string& given, const Act& act) {
  const std::string begin = "--restart=" + given + ": ";
  try {
    act();
  } catch (const nearfar::usage_error& e) {
    throw nearfar::usage_error(begin + e.what());
  } catch (const nearfar::io_error& e) {
    throw nearfar::io_error(begin + e.what());
  }
}

}  // namespace

void check_finite(flow& of, const run_place& at) {
  if (std::isfinite(numbers_of(of).energy)) return;
  throw nearfar::usage_error("the flow is not finite any more at step " + std::to_string(at.step) + ", time " +
                             words_of(at.time) +
                             ": a shorter time.step or a smaller time.courant is needed; checkpoints that were written "
                             "before are whole");
}

checkpoint_writer::checkpoint_writer(flow& of, std::string path, std::string from)
    : of_(of), path_(std::move(path)), kept_(std::move(from)) {}

void checkpoint_writer::write(const run_place& at) {
  finish();
  check_finite(of_, at);
  const nearfar::team& team = of_.on().team();
  const std::string text = about_text(of_, at);
  nearfar::output_options how;
  how.policy = nearfar::output_policy::thread, how.depth = 1, how.expected_steps = 1;
  how.opening = nearfar::output_opening::take_turns, how.kept = std::exchange(kept_, {});
  stream_.emplace(team, path_, checkpoint_arrays(of_, static_cast<index_t>(text.size())), how);
  stream_->begin_step(at.time);
  const nearfar::array_shape shape = nearfar::shape_of(of_.on().layout().spectral());
  const nearfar::box& own = of_.on().layout().spectral().parts.own();
  std::array<index_t, nearfar::max_dimensions> strides{};
  for (std::size_t d = 0; d < 3; ++d) strides[d] = shape.strides[d] * static_cast<index_t>(sizeof(complex));
  const auto fields = of_.state().all();
  for (std::size_t f = 0; f < fields.size(); ++f)
    stream_->put(field_names[f], own.is_empty() ? nullptr : fields[f] + shape.offset(own.lower), strides);
  stream_->put("about", text.data());
  stream_->end_step();
}

void checkpoint_writer::finish() {
  if (!stream_) return;
  stream_->close();
  stream_.reset();
}

run_place restart_from(const std::string& given, bool is_interpolated, flow& into) {
  const nearfar::team& team = into.on().team();
  run_place at;
  as_restart(given, [&] {
    checkpoint_reading reading(given, into);
    at.stream = reading.stream();
    const key_values about = reading.text();
    check_box(about, into, is_interpolated);
    at.step = std::atol(value_in(about, "step").c_str()),
    at.time = std::strtod(value_in(about, "time").c_str(), nullptr);
    at.note = note_on(about, into, is_interpolated);
    apps::agree_after(team, [&] { reading.fill(); });
  });
  return at;
}

}  // namespace turbulence
