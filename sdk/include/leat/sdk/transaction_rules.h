// What every coordination backend refuses before it looks at its store, so that a transaction that
// works with one works with all.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "leat/sdk/coordination.h"

namespace leat::sdk {

using Operation = std::variant<Put, Delete>;

inline const std::string& key_of(const Operation& operation) {
    return std::visit([](const auto& one) -> const std::string& { return one.key; }, operation);
}

namespace transaction_detail {

inline std::string fault_of(const Transaction& transaction) {
    if (transaction.operations.size() > most_operations) return "has too many operations";
    if (transaction.checks.size() > most_operations) return "has too many checks";
    std::set<std::string_view> put;
    std::set<std::string_view> seen;
    for (const Operation& operation : transaction.operations) {
        const std::string& key = key_of(operation);
        if (key.empty() || key.size() > most_key_bytes) return "has a key of a wrong length";
        if (!seen.insert(key).second) return "puts or deletes " + key + " twice";
        const auto* one = std::get_if<Put>(&operation);
        if (one == nullptr) continue;
        put.insert(key);
        if (one->value.size() > most_value_bytes) return "has too large a value for " + key;
    }
    for (const Check& check : transaction.checks)
        if (check.revision == Revision{0} && !put.contains(check.key))
            return "checks that " + check.key + " is absent without putting it";
    return {};
}

}  // namespace transaction_detail

// Errc::invalid_argument and why the core should never have asked for it; nothing if it may.
inline std::optional<Error> refused(const Transaction& transaction) {
    std::string fault = transaction_detail::fault_of(transaction);
    if (fault.empty()) return std::nullopt;
    return Error{Errc::invalid_argument, "the transaction " + std::move(fault)};
}

}  // namespace leat::sdk
