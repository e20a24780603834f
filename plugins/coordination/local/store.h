// The keys, in order, as they are after every transaction that is durable. One block of memory
// holds a key, its value and its revision: a broker of 10,000 partitions has as many keys of some
// 180 bytes.
//
// Threads    The shard changes it; while a worker writes a snapshot of it nobody does, both may
//            read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "leat/sdk/strong.h"

namespace leat::local {

// What the store holds of one key.
class Entry {
public:
    Entry(std::string_view key, std::string_view value, sdk::Revision revision, bool ephemeral);

    std::string_view key() const { return {block_.get() + sizeof(Head), head().key_bytes}; }
    std::string_view value() const {
        return {block_.get() + sizeof(Head) + head().key_bytes, head().value_bytes};
    }
    sdk::Revision revision() const { return head().revision; }
    bool ephemeral() const { return head().ephemeral; }

private:
    struct Head {
        sdk::Revision revision;
        std::uint32_t value_bytes = 0;
        std::uint16_t key_bytes = 0;
        bool ephemeral = false;
    };
    const Head& head() const { return *reinterpret_cast<const Head*>(block_.get()); }

    std::unique_ptr<char[]> block_;
};

class Store {
    struct ByKey {
        using is_transparent = void;
        bool operator()(const Entry& a, const Entry& b) const { return a.key() < b.key(); }
        bool operator()(const Entry& a, std::string_view b) const { return a.key() < b; }
        bool operator()(std::string_view a, const Entry& b) const { return a < b.key(); }
    };

public:
    // Of the newest transaction, whether or not it left a key behind.
    sdk::Revision revision() const { return revision_; }
    void set_revision(sdk::Revision revision) { revision_ = revision; }

    std::optional<sdk::Revision> revision_of(std::string_view key) const;
    void put(std::string_view key, std::string_view value, sdk::Revision revision, bool ephemeral);
    bool remove(std::string_view key);  // False if there was none.

    template <class Visit>
    void for_each(std::string_view prefix, Visit&& visit) const {
        for (auto at = entries_.lower_bound(prefix); at != entries_.end(); ++at) {
            if (!at->key().starts_with(prefix)) break;
            visit(*at);
        }
    }

private:
    std::set<Entry, ByKey> entries_;
    sdk::Revision revision_;
};

}  // namespace leat::local
