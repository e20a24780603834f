#include "store.h"

#include <cstring>
#include <new>

namespace leat::local {

Entry::Entry(std::string_view key, std::string_view value, sdk::Revision revision, bool ephemeral)
    : block_{new char[sizeof(Head) + key.size() + value.size()]} {
    new (block_.get()) Head{.revision = revision,
                            .value_bytes = static_cast<std::uint32_t>(value.size()),
                            .key_bytes = static_cast<std::uint16_t>(key.size()),
                            .ephemeral = ephemeral};
    char* at = block_.get() + sizeof(Head);
    std::memcpy(at, key.data(), key.size());
    if (!value.empty()) std::memcpy(at + key.size(), value.data(), value.size());
}

std::optional<sdk::Revision> Store::revision_of(std::string_view key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    return found->revision();
}

void Store::put(std::string_view key, std::string_view value, sdk::Revision revision,
                bool ephemeral) {
    auto at = entries_.lower_bound(key);
    if (at != entries_.end() && at->key() == key) at = entries_.erase(at);
    entries_.emplace_hint(at, key, value, revision, ephemeral);
}

bool Store::remove(std::string_view key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    entries_.erase(found);
    return true;
}

}  // namespace leat::local
