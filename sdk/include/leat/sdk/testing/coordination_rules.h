// Every rule of the coordination kit, without the test framework.
#pragma once

#include <string>
#include <vector>

#include "leat/sdk/testing/coordination_bed.h"
#include "leat/sdk/testing/coordination_commit_rules.h"
#include "leat/sdk/testing/coordination_session_rules.h"
#include "leat/sdk/testing/coordination_watch_rules.h"

namespace leat::sdk::testing {

inline std::vector<CoordinationRule> all_coordination_rules() {
    std::vector<CoordinationRule> all;
    for (const auto& rule : coordination_rules::session_rules) all.push_back(rule);
    for (const auto& rule : coordination_rules::commit_rules) all.push_back(rule);
    for (const auto& rule : coordination_rules::watch_rules) all.push_back(rule);
    return all;
}

// What a backend does wrong under one rule; empty if it keeps it.
inline std::string complaints_about(const MakeBed& make_bed, const CoordinationRule& rule) {
    const auto bed = make_bed();
    Verdict verdict;
    rule.run(*bed, verdict);
    return verdict.text();
}

}  // namespace leat::sdk::testing
