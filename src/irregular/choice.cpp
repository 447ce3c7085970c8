// SPDX-License-Identifier: BSD-3-Clause
// Names of methods, and the list of them.
#include "choice.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <exchange/exchange.hpp>
#include <near/arena.hpp>
#include <nearfar/error.hpp>
#include <string_view>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <utility>

namespace nearfar::irregular {

namespace {

const method_info* engine_method(const std::string& name) {
  for (const auto& m : exchange::methods())
    if (m.name == name && m.far) return &m;
  return nullptr;
}

struct once_method {
  const char *name, *transport, *text;
};
constexpr once_method once_methods[] = {
    {"once", "isend",
     "gathered elements that several ranks of a node want are sent to one of them, into near memory that the others "
     "read; else isend"},
    {"once-parts", "parts", "the same, and scatters, in messages of 16 kB"},
    {"once-lanes", "lanes", "the same, and scatters, in one message per pair of nodes"},
};

const once_method* once_named(const std::string& name) {
  for (const once_method& m : once_methods)
    if (m.name == name) return &m;
  return nullptr;
}

bool serves_far(const std::string& name) { return engine_method(name) != nullptr || once_named(name) != nullptr; }

struct shared_method {
  const char* name;
  near_method gathers, scatters;
};
constexpr shared_method shared_methods[] = {
    {"near-direct", near_method::in_place, near_method::in_place},
    {"near-staged", near_method::packed, near_method::packed},
    {"near-streamed", near_method::streamed, near_method::streamed},
};

const shared_method* shared_method_named(std::string_view name) {
  for (const shared_method& m : shared_methods)
    if (m.name == name) return &m;
  return nullptr;
}

/// The method that gathers, and the one that scatters; null where there is none of that name.
std::pair<const shared_method*, const shared_method*> shared_method_pair(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return {shared_method_named(name), shared_method_named(name)};
  return {shared_method_named(name.substr(0, slash)), shared_method_named(name.substr(slash + 1))};
}

bool uses_shared_memory(const std::string& name) {
  const auto [gathers, scatters] = shared_method_pair(name);
  return gathers != nullptr && scatters != nullptr;
}

std::string all_names() {
  std::string names;
  for (const auto& m : nearfar::methods("irregular")) names += (names.empty() ? "" : ", ") + m.name;
  return names;
}

}  // namespace

bool choice::is_near_by_messages() const { return !uses_shared_memory(near); }
near_method choice::gathers() const { return shared_method_pair(near).first->gathers; }
near_method choice::scatters() const { return shared_method_pair(near).second->scatters; }

std::string near_name(near_method gathers, near_method scatters) {
  const auto is_it = [&](const shared_method& m) { return m.gathers == gathers && m.scatters == scatters; };
  if (const auto at = std::find_if(std::begin(shared_methods), std::end(shared_methods), is_it);
      at != std::end(shared_methods))
    return at->name;
  constexpr const char* names[] = {"near-direct", "near-staged", "near-streamed"};
  return text(names[static_cast<int>(gathers)], "/", names[static_cast<int>(scatters)]);
}

bool choice::crosses_once() const { return once_named(far) != nullptr; }

bool choice::is_through_near_ranks() const { return crosses_once() || exchange::is_through_near_ranks(far); }

std::string choice::transport() const {
  const once_method* m = once_named(far);
  return m != nullptr ? m->transport : far;
}

std::string choice::name(bool has_near, bool has_far) const {
  if (!has_far || near == far) return near;
  return has_near ? near + "+" + far : far;
}

choice parse_choice(const team& members, const std::string& name, const std::vector<std::string>& far_methods) {
  const bool is_shared = near::arena::of(members).is_shared();
  const auto plus = name.find('+');
  choice c;
  if (plus != std::string::npos) {
    c = {name.substr(0, plus), name.substr(plus + 1)};
  } else if (uses_shared_memory(name)) {
    c.near = name;
  } else {
    const auto* m = engine_method(name);
    c = {m != nullptr && m->near ? name : is_shared ? "near-direct" : "isend", name};
  }
  const auto* near_message = engine_method(c.near);
  const bool is_near_known = uses_shared_memory(c.near) || (near_message != nullptr && near_message->near);
  if (!is_near_known || !serves_far(c.far))
    throw usage_error(text("there is no method to gather '", name, "'; there are ", all_names(),
                           ", or GATHERS/SCATTERS of two near ones, or NEAR+FAR"));
  if (std::find(far_methods.begin(), far_methods.end(), c.far) == far_methods.end())
    throw usage_error(text("gather method ", c.far, " cannot be had on this machine"));
  if (uses_shared_memory(c.near) && !is_shared) {
    if (members.near_size() > 1 && plus == std::string::npos && uses_shared_memory(name))
      throw usage_error(text("gather method ", c.near, " cannot be had: near ranks share no memory here"));
    c.near = "isend";
  }
  return c;
}

std::vector<std::string> far_methods_here(const team& members) {
  struct known {
    std::vector<std::string> names;
  };
  return state_of(members)
      .attachment<known>([&] {
        auto* k = new known;
        const bool has_near_ranks = near::arena::of(members).is_shared() && state_of(members).largest_node > 1;
        for (const std::string& name : exchange::methods_here(members))
          if (engine_method(name) != nullptr) k->names.push_back(name);
        for (const once_method& m : once_methods)
          if (has_near_ranks) k->names.push_back(m.name);
        return k;
      })
      .names;
}

std::vector<std::string> far_candidates() {
  std::vector<std::string> names;
  for (const auto& m : exchange::methods())
    if (m.far && m.is_candidate) names.push_back(m.name);
  for (const once_method& m : once_methods) names.push_back(m.name);
  return names;
}

}  // namespace nearfar::irregular

namespace nearfar {

namespace irregular {

std::vector<method_info> all_methods(const std::string&) {
  std::vector<method_info> all{
      {"near-direct", "near owners' elements are read in place; the caller's own memory is packed into shared buffers",
       true, false, true},
      {"near-streamed", "elements for near ranks are packed by stores past the caches, into shared buffers", true,
       false, true},
      {"near-staged", "elements for near ranks are packed into shared buffers", true, false, false},
  };
  for (const auto& m : exchange::methods())
    if (m.far) all.push_back({m.name, m.description, m.near, m.far, m.is_candidate});
  for (const auto& m : once_methods) all.push_back({m.name, m.text, false, true, true});
  return all;
}

const tune::front_methods entered{"irregular", all_methods};

}  // namespace irregular

}  // namespace nearfar
