// The coordination kit: what commit() and read() owe.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "leat/sdk/testing/coordination_bed.h"

namespace leat::sdk::testing::coordination_rules {

inline void a_put_is_read_with_its_revision(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto first = client.put("/a", "1");
    const auto second = client.put("/b", "2");
    const auto third = client.put("/a", "3");
    if (!verdict.expect(first && second && third, "a plain put is committed")) return;
    verdict.expect(*first < *second && *second < *third, "revisions rise from commit to commit");
    verdict.expect(*first > Revision{0}, "no transaction has revision 0");
    const auto a = client.get("/a");
    const auto b = client.get("/b");
    verdict.expect(a && a->value == "3" && a->revision == *third,
                   "a key has the value and revision of the transaction that put it last");
    verdict.expect(b && b->value == "2" && b->revision == *second,
                   "a key that was not put again keeps its revision");
}

inline void one_transaction_has_one_revision(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto revision =
        Client::committed(client.commit({{}, {Put{"/a", "1"}, Put{"/b", "2"}, Put{"/c", "3"}}}));
    const auto snapshot = client.read("/");
    if (!verdict.expect(revision && snapshot && snapshot->entries.size() == 3,
                        "three puts of one transaction leave three keys"))
        return;
    for (const KeyValue& entry : snapshot->entries)
        verdict.expect(entry.revision == *revision, entry.key + " has its transaction's revision");
}

inline void a_deleted_key_is_gone(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    client.put("/a", "1");
    client.put("/b", "2");
    verdict.expect(client.remove("/a").has_value(), "a delete is committed");
    verdict.expect(client.remove("/never").has_value(), "deleting what is not there is no error");
    verdict.expect(client.text("/") == "/b=2", "a deleted key is not read any more");
}

inline void a_conflict_leaves_nothing(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto old = client.put("/checked", "1");
    client.put("/checked", "2");
    client.put("/stays", "here");
    if (!verdict.expect(old.has_value(), "a plain put is committed")) return;
    const auto answer = client.commit({{{"/checked", *old}},
                                       {Put{"/new", "1"}, Delete{"/stays"}, Put{"/checked", "3"}}});
    verdict.expect(Client::conflict(answer) == "/checked", "an old revision is a conflict");
    verdict.expect(client.text("/") == "/checked=2 /stays=here",
                   "nothing of a transaction in conflict happened");
}

inline void the_first_failing_check_is_named(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto a = client.put("/a", "1");
    const auto b = client.put("/b", "1");
    const auto c = client.put("/c", "1");
    if (!verdict.expect(a && b && c, "a plain put is committed")) return;
    const Revision wrong{c->value + 1000};
    const auto answer = client.commit(
        {{{"/a", *a}, {"/b", wrong}, {"/c", wrong}}, {Put{"/d", "1"}}});
    verdict.expect(Client::conflict(answer) == "/b", "a conflict names the first check that fails");
}

inline void only_the_exact_revision_passes(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto first = client.put("/k", "1");
    client.put("/other", "1");
    const auto now = client.put("/k", "2");
    if (!verdict.expect(first && now, "a plain put is committed")) return;
    const auto with = [&](Revision revision) {
        return client.commit({{{"/k", revision}}, {Put{"/result", "x"}}});
    };
    verdict.expect(Client::conflict(with(*first)) == "/k", "an older revision is a conflict");
    verdict.expect(Client::conflict(with({now->value + 1})) == "/k",
                   "a newer revision is a conflict");
    verdict.expect(Client::committed(with(*now)).has_value(), "the exact revision passes");
    const auto absent = client.commit({{{"/absent", *now}}, {Put{"/result", "x"}}});
    verdict.expect(Client::conflict(absent) == "/absent", "what is not there has no revision");
}

inline void absence_can_be_checked(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto create = [&](const char* value) {
        return client.commit({{{"/once", Revision{0}}}, {Put{"/once", value}}});
    };
    verdict.expect(Client::committed(create("1")).has_value(), "an absent key can be created");
    verdict.expect(Client::conflict(create("2")) == "/once", "a key that exists is not absent");
    verdict.expect(client.text("/") == "/once=1", "the first creator wins");
}

inline void of_two_with_one_check_one_wins(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto before = client.put("/seat", "empty");
    if (!verdict.expect(before.has_value(), "a plain put is committed")) return;
    std::vector<Client::Answer> answers;
    for (const char* who : {"ann", "bob"})
        client.backend().commit({{{"/seat", *before}}, {Put{"/seat", who}}},
                                [&](Client::Answer got) { answers.push_back(std::move(got)); });
    if (!verdict.expect(client.wait([&] { return answers.size() == 2; }), "both are answered"))
        return;
    const auto won = std::ranges::count_if(
        answers, [](const auto& answer) { return Client::committed(answer).has_value(); });
    verdict.expect(won == 1, "of two that are under way with one check, exactly one is committed");
}

inline void many_at_once_are_all_answered(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    constexpr std::size_t many = 300;
    std::set<Revision> revisions;
    std::size_t answered = 0;
    for (std::size_t i = 0; i < many; ++i) {
        const std::string key = "/many/" + std::to_string(i);
        client.backend().commit({{{key, Revision{0}}}, {Put{key, "x"}}}, [&](Client::Answer got) {
            ++answered;
            if (const auto revision = Client::committed(got)) revisions.insert(*revision);
        });
    }
    client.wait([&] { return answered >= many; });
    verdict.expect(answered == many, "each of many commits is answered, once");
    verdict.expect(revisions.size() == many, "each of them has a revision of its own");
    const auto snapshot = client.read("/many/");
    verdict.expect(snapshot && snapshot->entries.size() == many, "all of them are there");
}

inline void limits_are_kept(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    Transaction full;
    for (std::size_t i = 0; i < most_operations; ++i)
        full.operations.emplace_back(Put{"/n/" + std::to_string(i), "x"});
    verdict.expect(Client::committed(client.commit(full)).has_value(), "100 operations fit");
    full.operations.emplace_back(Put{"/n/more", "x"});
    const auto refused_with = [&](Transaction transaction) {
        const auto answer = client.commit(std::move(transaction));
        return !answer && answer.error().code == Errc::invalid_argument;
    };
    verdict.expect(refused_with(full), "one more is an invalid argument");
    const std::string largest(most_value_bytes, 'v');
    verdict.expect(client.put("/large", largest).has_value(), "the largest value fits");
    const auto back = client.get("/large");
    verdict.expect(back && back->value == largest, "the largest value is read whole");
    verdict.expect(refused_with({{}, {Put{"/large", largest + "v"}}}), "a larger one is refused");
    const std::string longest = "/" + std::string(most_key_bytes - 1, 'k');
    verdict.expect(client.put(longest, "x").has_value(), "the longest key fits");
    verdict.expect(refused_with({{}, {Put{longest + "k", "x"}}}), "a longer one is refused");
    const auto after = client.get("/large");
    verdict.expect(after && after->value == largest, "what was refused changed nothing");
    verdict.expect(!client.get("/n/more"), "what was refused added nothing");
}

inline void nonsense_is_refused(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    const auto refused_with = [&](Transaction transaction) {
        const auto answer = client.commit(std::move(transaction));
        return !answer && answer.error().code == Errc::invalid_argument;
    };
    verdict.expect(refused_with({{}, {Put{"/k", "1"}, Put{"/k", "2"}}}), "a key put twice");
    verdict.expect(refused_with({{}, {Put{"/k", "1"}, Delete{"/k"}}}), "a key put and deleted");
    verdict.expect(refused_with({{{"/gone", Revision{0}}}, {Put{"/k", "1"}}}),
                   "absence checked of a key that is not put is an invalid argument");
    verdict.expect(refused_with({{}, {Put{"", "1"}}}), "an empty key is an invalid argument");
    verdict.expect(client.text("/").empty(), "what was refused changed nothing");
}

inline void values_are_any_bytes(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
    client.put("/bytes", all);
    client.put("/empty", "");
    const auto bytes = client.get("/bytes");
    const auto empty = client.get("/empty");
    verdict.expect(bytes && bytes->value == all, "a value may hold any byte");
    verdict.expect(empty && empty->value.empty(), "a value may be empty");
}

inline void a_prefix_names_exactly_its_keys(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    for (const char* key : {"/t/b", "/t", "/t/a/2", "/tt", "/t/a", "/s/z", "/t/a/10"})
        client.put(key, "v");
    verdict.expect(client.text("/t/") == "/t/a=v /t/a/10=v /t/a/2=v /t/b=v",
                   "a prefix names the keys that begin with it, ordered");
    verdict.expect(client.text("/t") == "/t=v /t/a=v /t/a/10=v /t/a/2=v /t/b=v /tt=v",
                   "a prefix need not end at a slash");
    verdict.expect(client.text("/x").empty(), "a prefix may name nothing");
}

inline void a_read_is_as_new_as_it_says(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    std::map<Revision, int> history;  // What the counter was from this revision on.
    std::vector<Snapshot> snapshots;
    std::size_t answers = 0;
    constexpr std::size_t turns = 50;
    for (std::size_t i = 1; i <= turns; ++i) {
        client.backend().commit(
            {{}, {Put{"/count", std::to_string(i)}}}, [&, i](Client::Answer got) {
                ++answers;
                if (const auto at = Client::committed(got)) history[*at] = static_cast<int>(i);
            });
        client.backend().read("/", [&](Result<Snapshot> got) {
            ++answers;
            if (got) snapshots.push_back(std::move(*got));
        });
        bed.shard().run_ready();
    }
    client.wait([&] { return answers >= 2 * turns; });
    verdict.expect(answers == 2 * turns, "every commit and every read is answered");
    if (const auto last = client.read("/")) snapshots.push_back(*last);
    for (const Snapshot& snapshot : snapshots) {
        const auto next = history.upper_bound(snapshot.revision);
        const Revision least = next == history.begin() ? Revision{0} : std::prev(next)->first;
        const Revision seen =
            snapshot.entries.empty() ? Revision{0} : snapshot.entries.front().revision;
        verdict.expect(seen >= least, "a read at revision " +
                                          std::to_string(snapshot.revision.value) +
                                          " shows what was committed up to it");
    }
    const auto last = client.get("/count");
    verdict.expect(!history.empty() && last && last->revision == history.rbegin()->first,
                   "a read shows what this instance has committed");
}

inline constexpr CoordinationRule commit_rules[] = {
    {"APutIsReadWithItsRevision", a_put_is_read_with_its_revision},
    {"OneTransactionHasOneRevision", one_transaction_has_one_revision},
    {"ADeletedKeyIsGone", a_deleted_key_is_gone},
    {"AConflictLeavesNothing", a_conflict_leaves_nothing},
    {"TheFirstFailingCheckIsNamed", the_first_failing_check_is_named},
    {"OnlyTheExactRevisionPasses", only_the_exact_revision_passes},
    {"AbsenceCanBeChecked", absence_can_be_checked},
    {"OfTwoWithOneCheckOneWins", of_two_with_one_check_one_wins},
    {"ManyAtOnceAreAllAnswered", many_at_once_are_all_answered},
    {"LimitsAreKept", limits_are_kept},
    {"NonsenseIsRefused", nonsense_is_refused},
    {"ValuesAreAnyBytes", values_are_any_bytes},
    {"APrefixNamesExactlyItsKeys", a_prefix_names_exactly_its_keys},
    {"AReadIsAsNewAsItSays", a_read_is_as_new_as_it_says},
};

}  // namespace leat::sdk::testing::coordination_rules
