// SPDX-License-Identifier: BSD-3-Clause
// Our side of the comparison, by the public interface alone.
#include "bench_irregular_nearfar.hpp"

#include <algorithm>
#include <map>

namespace bench {
namespace {

using nearfar::irregular_plan;
using nearfar::irregular_vector;

std::span<const nearfar::index_t> references_of(const share& mine) {
  return {mine.references.data(), mine.references.size()};
}

struct pinned {
  std::string method{};
  nearfar::scatter_order order = nearfar::scatter_order::plan;
  int threads = 1;
  friend auto operator<=>(const pinned&, const pinned&) = default;
};

/// One plan for each method, made when first asked for: it serves every act and both kinds of memory.
class plan_store {
 public:
  plan_store(const irregular_site& here, const nearfar::team& members)
      : here_(here), where_(nearfar::distribution::block_sizes(members, here.mine.owned())) {}

  std::shared_ptr<irregular_plan> plan(const pinned& how) {
    auto& found = plans_[how];
    if (!found) found = std::make_shared<irregular_plan>(make(how));
    return found;
  }
  irregular_plan make(const pinned& how) const {
    nearfar::irregular_options options;
    options.name = "bench";
    options.method = how.method;
    options.order = how.order;
    options.threads = how.threads;
    options.budget_s = here_.how.tune_s;
    return irregular_plan(where_, references_of(here_.mine), options);
  }
  const irregular_site& here() const { return here_; }

 private:
  irregular_site here_;
  nearfar::distribution where_;
  std::map<pinned, std::shared_ptr<irregular_plan>> plans_;
};

/// x is an irregular_vector, or a span of the caller's.
template <class X>
class nearfar_method : public method {
 public:
  nearfar_method(std::shared_ptr<irregular_plan> plan, X x, irregular_arrays arrays, act what)
      : method(arrays), plan_(std::move(plan)), x_(x), what_(what), refs_(arrays.refs, plan_->local_indices().size()) {}

  void operate() override {
    switch (what_) {
      case act::ghost_gather:
        return plan_->gather_ghosts(x_);
      case act::ghost_scatter:
        return plan_->scatter_ghosts(x_);
      case act::full_gather:
        return plan_->gather(x_, refs_);
      default:
        return plan_->scatter(refs_, x_);
    }
  }
  std::string choice() const override { return plan_->method(); }

 private:
  std::shared_ptr<irregular_plan> plan_;
  X x_;
  act what_;
  std::span<double> refs_;
};

template <class X>
irregular_method_ptr make_method(const std::shared_ptr<irregular_plan>& plan, X x, irregular_arrays arrays, act what) {
  return std::make_unique<nearfar_method<X>>(plan, x, arrays, what);
}

irregular_method_ptr on_near_memory(plan_store& plans, const pinned& how, act what) {
  const auto plan = plans.plan(how);
  irregular_vector<double> x(*plan);
  const irregular_arrays arrays{x.data(), x.data() + x.owned(), plans.here().memory.with_refs().refs};
  return make_method(plan, x, arrays, what);
}

irregular_method_ptr on_caller_memory(plan_store& plans, const pinned& how, act what) {
  const auto plan = plans.plan(how);
  const irregular_arrays arrays = plans.here().memory.with_ghosts();
  return make_method(plan, std::span<double>(arrays.owned, static_cast<std::size_t>(plan->map().total())), arrays,
                     what);
}

bool has_peers(const nearfar::team& members, bool near) {
  return near ? members.near_size() > 1 || members.size() == 1 : members.nodes() > 1;
}

using maker_of_method = irregular_method_ptr (*)(plan_store&, const pinned&, act);

irregular_method_maker maker(const std::string& name, const std::shared_ptr<plan_store>& plans, const pinned& how,
                             maker_of_method make) {
  return {name, [=](act what) -> irregular_method_ptr {
            const bool is_scatter = what == act::full_scatter;
            if (what == act::plan || (how.order == nearfar::scatter_order::canonical && !is_scatter)) return nullptr;
            try {
              return make(*plans, how, what);
            } catch (const nearfar::usage_error&) {
              if (how.method.empty()) throw;
              return nullptr;  // this method cannot serve this case or memory: the same verdict on every rank
            }
          }};
}

/// Making and freeing a plan with the method that the tuned one has.
irregular_method_maker fresh_plan(const std::shared_ptr<plan_store>& plans) {
  return {"nearfar", [plans](act what) -> irregular_method_ptr {
            if (what != act::plan) return nullptr;
            const std::string method = plans->plan({})->method();
            return std::make_unique<plan_method>(
                [plans, method] { return std::make_shared<irregular_plan>(plans->make({method})); });
          }};
}

/// The same plan for other references in turn; `then_gathers`: with the first gather of ghosts, which sets up messages
/// to far ranks.
irregular_method_maker updated_plan(const std::shared_ptr<plan_store>& plans, bool then_gathers) {
  return {then_gathers ? "nearfar:update+G1" : "nearfar:update", [=](act what) -> irregular_method_ptr {
            if (what != act::plan) return nullptr;
            const auto plan = plans->plan({});
            std::vector<nearfar::index_t> turned = plans->here().mine.references;
            if (!turned.empty()) std::rotate(turned.begin(), turned.begin() + 1, turned.end());
            auto is_turned = std::make_shared<bool>(false);
            const auto x = std::make_shared<irregular_vector<double>>(*plan);
            return std::make_unique<plan_method>([=] {
              *is_turned = !*is_turned;
              plan->update(*is_turned ? std::span<const nearfar::index_t>(turned) : references_of(plans->here().mine));
              if (then_gathers) plan->gather_ghosts(*x);
              return plan;
            });
          }};
}

}  // namespace

std::vector<irregular_method_maker> nearfar_methods(const irregular_site& here, const nearfar::team& members) {
  const auto plans = std::make_shared<plan_store>(here, members);
  std::vector<irregular_method_maker> all{maker("nearfar", plans, {}, on_near_memory),
                                          maker("nearfar-own", plans, {}, on_caller_memory), fresh_plan(plans),
                                          updated_plan(plans, false), updated_plan(plans, true)};
  all[0].is_tuned = all[1].is_tuned = all[2].is_tuned = true;
  all.push_back(maker("nearfar:canonical", plans, {"", nearfar::scatter_order::canonical}, on_near_memory));
  if (members.size() == 1) {
    all.push_back(maker("nearfar:2-threads", plans, {.threads = 2}, on_near_memory));
    all.push_back(maker("nearfar:2-threads-own", plans, {.threads = 2}, on_caller_memory));
  }
  for (const auto& m : nearfar::methods("irregular")) {
    const bool serves = (m.near && has_peers(members, true)) || (m.far && has_peers(members, false));
    if (!m.is_candidate || !serves) continue;
    all.push_back(maker("nearfar:" + m.name, plans, {m.name}, on_near_memory));
    all.push_back(maker("nearfar:" + m.name + "-own", plans, {m.name}, on_caller_memory));
  }
  return all;
}

}  // namespace bench
