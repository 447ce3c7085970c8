// SPDX-License-Identifier: BSD-3-Clause
// What happens on one rank only (a file is read, a disk is full) and must be an error on all of them or on none.
#pragma once

#include <exception>
#include <functional>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace apps {

/// What the lowest rank with a complaint has to say, on every rank; empty if nobody has one. Collective.
std::string first_complaint(const nearfar::team& members, const std::string& complaint);

/// Runs `act` on this rank. If it throws on some ranks, all throw what the lowest of them threw: a usage_error,
/// resource_error (also for std::bad_alloc) or, for whatever else, io_error. Collective.
void agree_after(const nearfar::team& members, const std::function<void()>& act);

/// The root's text on every rank. Collective.
void share(const nearfar::team& members, std::string& text);

/// The contents of a small file, read by the root, on every rank. Collective.
/// @throws nearfar::io_error on every rank, with the system's words
std::string shared_text(const nearfar::team& members, const std::string& path);

/// That files of these names can be made or replaced, by the root; empty names are none. What is written at the end of
/// a run must not fail then for a folder that was not there at its beginning. Collective.
/// @throws nearfar::io_error on every rank, with the system's words
void check_all_writable(const nearfar::team& members, const std::vector<std::string>& paths);

}  // namespace apps
