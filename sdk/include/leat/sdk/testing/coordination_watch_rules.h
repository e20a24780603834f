// The coordination kit: what watch() owes. Events may come twice, older ones may repeat, and a
// watcher may be told to read again at any time: the rules see through that as the core does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "leat/sdk/testing/coordination_bed.h"

namespace leat::sdk::testing::coordination_rules {

inline void a_watcher_hears_puts_and_deletes(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto heard = client.watch("/w/", Revision{0});
    client.put("/w/a", "1");
    client.put("/w/b", "1");
    verdict.expect(client.hears(*heard, "/w/", [&] { return heard->value("/w/a") == "1"; }),
                   "a watcher hears of a put");
    client.put("/w/a", "2");
    verdict.expect(client.hears(*heard, "/w/", [&] { return heard->value("/w/a") == "2"; }),
                   "a watcher hears of a key that is put again");
    client.remove("/w/b");
    verdict.expect(client.hears(*heard, "/w/", [&] { return !heard->value("/w/b"); }),
                   "a watcher hears of a delete");
    verdict.expect(heard->wrong.empty(), heard->wrong);
}

inline void a_watcher_hears_what_happened_before_it(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    client.put("/w/old", "1");
    client.put("/w/gone", "1");
    const auto snapshot = client.read("/w/");
    if (!verdict.expect(snapshot.has_value(), "a read is answered")) return;
    client.put("/w/new", "1");
    client.put("/w/old", "2");
    client.remove("/w/gone");
    const auto heard = client.watch("/w/", snapshot->revision);
    heard->take(*snapshot);
    const auto knows_all = [&] {
        return heard->value("/w/new") == "1" && heard->value("/w/old") == "2" &&
               !heard->value("/w/gone");
    };
    verdict.expect(client.hears(*heard, "/w/", knows_all),
                   "a watcher hears what happened after its revision, deletes too");
}

inline void a_watcher_hears_only_its_prefix(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto heard = client.watch("/w/a", Revision{0});
    const auto rest = client.watch("/w/", Revision{0});
    for (const char* key : {"/w/b", "/v", "/w/", "/w/a", "/w/ab", "/x", "/w/a/c"})
        client.put(key, "1");
    client.remove("/w/b");
    client.put("/w/a/last", "1");
    const std::string last = "/w/a/last";
    verdict.expect(client.hears(*heard, "/w/a", [&] { return heard->states.contains(last); }),
                   "the last change is heard");
    verdict.expect(client.hears(*rest, "/w/", [&] { return rest->states.contains(last); }),
                   "prefixes may overlap");
    verdict.expect(heard->wrong.empty(), heard->wrong);
    for (const char* key : {"/w/a", "/w/ab", "/w/a/c"})
        verdict.expect(heard->value(key) == "1", std::string{key} + " is heard of");
}

inline void changes_of_a_key_come_in_order(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto heard = client.watch("/w/", Revision{0});
    std::size_t answers = 0;
    constexpr std::size_t changes = 200;
    for (std::size_t i = 0; i < changes; ++i) {
        const std::string key = "/w/" + std::to_string(i % 3);
        Transaction transaction;
        if (i % 10 == 9) transaction.operations.emplace_back(Delete{key});
        else transaction.operations.emplace_back(Put{key, std::to_string(i)});
        client.backend().commit(std::move(transaction), [&](Client::Answer) { ++answers; });
        if (i % 5 == 0) bed.shard().run_ready();
    }
    client.wait([&] { return answers >= changes; });
    client.put("/w/last", "1");
    verdict.expect(client.hears(*heard, "/w/", [&] { return heard->value("/w/last") == "1"; }),
                   "the last change is heard");
    const auto truth = client.read("/w/");
    if (!verdict.expect(truth.has_value(), "a read is answered")) return;
    const auto agrees = [&] {
        std::size_t there = 0;
        for (const auto& [key, state] : heard->states) there += state.value ? 1 : 0;
        if (there != truth->entries.size()) return false;
        for (const KeyValue& entry : truth->entries)
            if (heard->value(entry.key) != entry.value ||
                heard->states.at(entry.key).revision != entry.revision)
                return false;
        return true;
    };
    verdict.expect(client.hears(*heard, "/w/", agrees), "a watcher ends up knowing what is there");
    verdict.expect(heard->wrong.empty(), heard->wrong);
}

inline void the_latest_watcher_has_the_prefix(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto before = client.watch("/w/", Revision{0});
    client.put("/w/a", "1");
    const auto after = client.watch("/w/", Revision{0});
    client.put("/w/b", "1");
    verdict.expect(client.hears(*after, "/w/", [&] { return after->value("/w/b") == "1"; }),
                   "the latest watcher of a prefix hears of changes");
    verdict.expect(!before->states.contains("/w/b"), "the one before it is heard no more");
}

inline constexpr CoordinationRule watch_rules[] = {
    {"AWatcherHearsPutsAndDeletes", a_watcher_hears_puts_and_deletes},
    {"AWatcherHearsWhatHappenedBeforeIt", a_watcher_hears_what_happened_before_it},
    {"AWatcherHearsOnlyItsPrefix", a_watcher_hears_only_its_prefix},
    {"ChangesOfAKeyComeInOrder", changes_of_a_key_come_in_order},
    {"TheLatestWatcherHasThePrefix", the_latest_watcher_has_the_prefix},
};

}  // namespace leat::sdk::testing::coordination_rules
