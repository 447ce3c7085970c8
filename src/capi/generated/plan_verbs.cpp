// Written by tools/bindings.py from src/capi/plan_verbs.template.
// SPDX-License-Identifier: BSD-3-Clause
// What all plans can do in C, but for what depends on their arrays: create, start and run.
#include "../handles.hpp"
using namespace nearfar::capi;
// clang-format off

nearfar_status nearfar_halo_plan_test(nearfar_halo_plan* plan, int* done) {
  return guarded([&] {
    require_result(done, "done");
    *done = with_plan(plan, [](auto& p) { return p.test(); }) ? 1 : 0;
  });
}

nearfar_status nearfar_halo_plan_finish(nearfar_halo_plan* plan) {
  return guarded([&] { with_plan(plan, [](auto& p) { p.finish(); }); });
}

const char* nearfar_halo_plan_method(nearfar_halo_plan* plan) {
  return kept_text(plan, &nearfar_halo_plan::method, [](auto& p) { return p.method(); });
}

const char* nearfar_halo_plan_describe_json(nearfar_halo_plan* plan) {
  return kept_text(plan, &nearfar_halo_plan::text, [](auto& p) { return p.describe_json(); });
}

double nearfar_halo_plan_tuned_seconds(const nearfar_halo_plan* plan) {
  return guarded_value(
      0.0, [&] { return with_plan(plan, [](auto& p) { return p.tuned_seconds(); }); });
}

nearfar_status nearfar_transpose_plan_test(nearfar_transpose_plan* plan, int* done) {
  return guarded([&] {
    require_result(done, "done");
    *done = with_plan(plan, [](auto& p) { return p.test(); }) ? 1 : 0;
  });
}

nearfar_status nearfar_transpose_plan_finish(nearfar_transpose_plan* plan) {
  return guarded([&] { with_plan(plan, [](auto& p) { p.finish(); }); });
}

const char* nearfar_transpose_plan_method(nearfar_transpose_plan* plan) {
  return kept_text(plan, &nearfar_transpose_plan::method, [](auto& p) { return p.method(); });
}

const char* nearfar_transpose_plan_describe_json(nearfar_transpose_plan* plan) {
  return kept_text(plan, &nearfar_transpose_plan::text, [](auto& p) { return p.describe_json(); });
}

double nearfar_transpose_plan_tuned_seconds(const nearfar_transpose_plan* plan) {
  return guarded_value(
      0.0, [&] { return with_plan(plan, [](auto& p) { return p.tuned_seconds(); }); });
}

nearfar_status nearfar_fft_plan_test(nearfar_fft_plan* plan, int* done) {
  return guarded([&] {
    require_result(done, "done");
    *done = with_plan(plan, [](auto& p) { return p.test(); }) ? 1 : 0;
  });
}

nearfar_status nearfar_fft_plan_finish(nearfar_fft_plan* plan) {
  return guarded([&] { with_plan(plan, [](auto& p) { p.finish(); }); });
}

const char* nearfar_fft_plan_method(nearfar_fft_plan* plan) {
  return kept_text(plan, &nearfar_fft_plan::method, [](auto& p) { return p.method(); });
}

const char* nearfar_fft_plan_describe_json(nearfar_fft_plan* plan) {
  return kept_text(plan, &nearfar_fft_plan::text, [](auto& p) { return p.describe_json(); });
}

double nearfar_fft_plan_tuned_seconds(const nearfar_fft_plan* plan) {
  return guarded_value(
      0.0, [&] { return with_plan(plan, [](auto& p) { return p.tuned_seconds(); }); });
}

nearfar_status nearfar_irregular_plan_test(nearfar_irregular_plan* plan, int* done) {
  return guarded([&] {
    require_result(done, "done");
    *done = with_plan(plan, [](auto& p) { return p.test(); }) ? 1 : 0;
  });
}

nearfar_status nearfar_irregular_plan_finish(nearfar_irregular_plan* plan) {
  return guarded([&] { with_plan(plan, [](auto& p) { p.finish(); }); });
}

const char* nearfar_irregular_plan_method(nearfar_irregular_plan* plan) {
  return kept_text(plan, &nearfar_irregular_plan::method, [](auto& p) { return p.method(); });
}

const char* nearfar_irregular_plan_describe_json(nearfar_irregular_plan* plan) {
  return kept_text(plan, &nearfar_irregular_plan::text, [](auto& p) { return p.describe_json(); });
}

double nearfar_irregular_plan_tuned_seconds(const nearfar_irregular_plan* plan) {
  return guarded_value(
      0.0, [&] { return with_plan(plan, [](auto& p) { return p.tuned_seconds(); }); });
}

nearfar_status nearfar_collective_plan_test(nearfar_collective_plan* plan, int* done) {
  return guarded([&] {
    require_result(done, "done");
    *done = with_plan(plan, [](auto& p) { return p.test(); }) ? 1 : 0;
  });
}

nearfar_status nearfar_collective_plan_finish(nearfar_collective_plan* plan) {
  return guarded([&] { with_plan(plan, [](auto& p) { p.finish(); }); });
}

const char* nearfar_collective_plan_method(nearfar_collective_plan* plan) {
  return kept_text(plan, &nearfar_collective_plan::method, [](auto& p) { return p.method(); });
}

const char* nearfar_collective_plan_describe_json(nearfar_collective_plan* plan) {
  return kept_text(plan, &nearfar_collective_plan::text, [](auto& p) { return p.describe_json(); });
}

double nearfar_collective_plan_tuned_seconds(const nearfar_collective_plan* plan) {
  return guarded_value(
      0.0, [&] { return with_plan(plan, [](auto& p) { return p.tuned_seconds(); }); });
}
