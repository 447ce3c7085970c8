// SPDX-License-Identifier: BSD-3-Clause
// Fields of modes into the frames of a stream and back, also of another grid.
#include <algorithm>
#include <app/checkpoint.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <common/checkpoint_text.hpp>
#include <cstring>
#include <nearfar/error.hpp>
#include <statistics/statistics.hpp>

namespace turbulence {
namespace {

constexpr const char* first_line = "nearfar-turbulence's checkpoint, of its form 1";
constexpr std::array<const char*, 4> field_names{"u", "v", "w", "c"};
constexpr std::array<const char*, 3> rule_names{"2/3", "3/2", "none"};

using apps::exact_words, apps::key_values, apps::value_in;

template <class T>
std::string words_of(const std::array<T, 3>& zyx) {
  std::string words;
  for (std::size_t d = 3; d-- > 0;) {
    if constexpr (std::is_integral_v<T>)
      words += std::to_string(zyx[d]);
    else
      words += exact_words(zyx[d]);
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
  return {{"flow.viscosity", exact_words(o.viscosity)},
          {"forcing.power", exact_words(o.forcing_power)},
          {"time.scheme", o.scheme == time_scheme::rk4 ? "rk4" : "rk3"},
          {"run.engine", o.engine}};
}

std::string about_text(const flow& of, const run_place& at) {
  key_values all{{"step", std::to_string(at.step)}, {"time", exact_words(at.time)}};
  for (const key_values& keys : {box_keys(of), run_keys(of)}) all.insert(all.end(), keys.begin(), keys.end());
  return apps::checkpoint_text(first_line, all);
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
  all.push_back(apps::whole_of_root(of.on().team(), "about", {letters}, nearfar::element_type::int8));
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
      : source_(into.on().team(), given, first_line), into_(into) {}

  const std::string& stream() const { return source_.stream(); }
  key_values text() {
    const nearfar::output_array* const u = source_.array("u");
    has_fields_ = u != nullptr && u->extents.size() == 3;
    std::vector<nearfar::output_selection> wanted;
    if (has_fields_) {
      map_.emplace(into_.on(), u->extents);
      for (std::size_t f = 0; f < into_.state().all().size(); ++f) {
        const nearfar::output_array* const a = source_.array(field_names[f]);
        has_fields_ =
            has_fields_ && a != nullptr && a->extents == u->extents && a->type == nearfar::element_type::complex128;
        if (a != nullptr && a->extents == u->extents) wanted.push_back({field_names[f], map_->wanted});
      }
    }
    return source_.text(std::move(wanted));
  }

  /// After text(), if that agrees.
  void fill() {
    if (!has_fields_) throw nearfar::io_error("it has arrays that its own text does not tell of: it is damaged");
    const nearfar::box& own = into_.on().layout().spectral().parts.own();
    const auto fields = into_.state().all();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const nearfar::output_slot from = source_.in().slot(field_names[f]);
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
    source_.in().end_step();
  }

 private:
  apps::checkpoint_source source_;
  flow& into_;
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

}  // namespace

void check_finite(flow& of, const run_place& at) {
  if (std::isfinite(numbers_of(of).energy)) return;
  throw nearfar::usage_error("the flow is not finite any more at step " + std::to_string(at.step) + ", time " +
                             exact_words(at.time) +
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
  stream_.emplace(team, path_, checkpoint_arrays(of_, static_cast<index_t>(text.size())),
                  apps::checkpoint_options(std::exchange(kept_, {})));
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
  apps::as_restart(given, [&] {
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
