// The coordination kit: sessions, callbacks, durability, and what a careful client makes of it all.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "leat/sdk/testing/coordination_bed.h"

namespace leat::sdk::testing::coordination_rules {

inline void the_session_is_established(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    if (!verdict.expect(client.started.has_value(), "start succeeds on an empty store")) return;
    verdict.expect(client.session == std::vector{SessionEvent::established},
                   "after start the session is established, and said so once");
}

inline void nothing_is_called_inside_the_call(CoordinationBed& bed, Verdict& verdict) {
    bool inside = true;
    bool called_inside = false;
    std::size_t calls = 0;
    const auto note = [&] {
        ++calls;
        called_inside = called_inside || inside;
    };
    const auto backend = bed.make();
    if (!verdict.expect(backend->start({}, [&](SessionEvent) { note(); }).has_value(), "start"))
        return;
    inside = false;
    bed.shard().run_until([&] { return calls == 1; });
    inside = true;
    backend->commit({{}, {Put{"/a", "1"}}}, [&](Client::Answer) { note(); });
    backend->commit({{}, {Put{"/a", "1"}, Put{"/a", "2"}}}, [&](Client::Answer) { note(); });
    backend->read("/", [&](Result<Snapshot>) { note(); });
    inside = false;
    bed.shard().run_until([&] { return calls == 4; });
    inside = true;
    backend->watch("/", Revision{0}, [&](const std::vector<WatchEvent>&) { note(); });
    inside = false;
    bed.shard().run_until([&] { return calls >= 5; });
    verdict.expect(calls >= 5, "every callback is called");
    verdict.expect(!called_inside, "no callback runs inside the call that registered it");
}

inline void nothing_is_called_after_destruction(CoordinationBed& bed, Verdict& verdict) {
    std::size_t late = 0;
    bool gone = false;
    bool established = false;  // Out here: a backend that breaks the rule calls late.
    const auto note = [&] { late += gone ? 1 : 0; };
    for (const bool wait_for_session : {false, true}) {
        gone = established = false;
        auto backend = bed.make();
        const Status started = backend->start({}, [&](SessionEvent) {
            established = true;
            note();
        });
        if (!verdict.expect(started.has_value(), "start succeeds")) return;
        if (wait_for_session) bed.shard().run_until([&] { return established; });
        backend->watch("/", Revision{0}, [&](const std::vector<WatchEvent>&) { note(); });
        for (int i = 0; i < 5; ++i)
            backend->commit({{}, {Put{"/a", "1"}}}, [&](Client::Answer) { note(); });
        backend->read("/", [&](Result<Snapshot>) { note(); });
        backend.reset();
        gone = true;
        bed.shard().pass(std::chrono::milliseconds{100});
    }
    verdict.expect(late == 0, "after the destructor has returned no callback runs");
}

inline void callbacks_may_call_again(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    bool heard = false;
    bool done = false;
    client.backend().commit({{}, {Put{"/a", "1"}}}, [&](Client::Answer) {
        client.backend().watch("/b", Revision{0}, [&](const std::vector<WatchEvent>&) {
            if (std::exchange(heard, true)) return;
            client.backend().read("/", [&](Result<Snapshot>) { done = true; });
            client.backend().watch("/b", Revision{0}, [](const std::vector<WatchEvent>&) {});
        });
        client.backend().commit({{}, {Put{"/b", "1"}}}, [](Client::Answer) {});
    });
    verdict.expect(client.wait([&] { return done; }), "callbacks may call the backend");
}

// Waits for several times the session's timeout.
inline bool becomes(CoordinationBed& bed, Client& client, const std::string& text) {
    for (int round = 0; round < 100; ++round) {
        if (client.text("/") == text) return true;
        bed.shard().pass(std::chrono::milliseconds{100});
    }
    return false;
}

inline void ephemeral_keys_go_with_the_session(CoordinationBed& bed, Verdict& verdict) {
    Client first{bed};
    first.put("/stays", "1");
    first.put("/goes", "1", true);
    first.put("/was-plain", "1");
    first.put("/was-plain", "2", true);
    first.put("/was-ephemeral", "1", true);
    first.put("/was-ephemeral", "2");
    verdict.expect(first.text("/") == "/goes=1 /stays=1 /was-ephemeral=2 /was-plain=2",
                   "an ephemeral key is there while the session lives");
    bed.shard().pass(2 * Client::session_timeout);
    verdict.expect(first.text("/goes") == "/goes=1", "a session that is used lives on");
    first.close();
    Client second{bed};
    verdict.expect(becomes(bed, second, "/stays=1 /was-ephemeral=2"),
                   "ephemeral keys go with their session, others stay");
}

inline void a_lost_session_is_told_and_replaced(CoordinationBed& bed, Verdict& verdict) {
    Client client{bed};
    client.put("/stays", "1");
    client.put("/goes", "1", true);
    const auto heard = client.watch("/", Revision{0});
    if (!bed.end_session(client.backend())) return;
    verdict.expect(client.wait([&] { return client.session.size() >= 3; }) &&
                       client.established(),
                   "after a session was lost a new one is established");
    verdict.expect(std::ranges::count(client.session, SessionEvent::lost) == 1,
                   "the loss of a session is told once");
    verdict.expect(becomes(bed, client, "/stays=1"), "its ephemeral keys are gone");
    verdict.expect(client.hears(*heard, "/", [&] { return !heard->value("/goes"); }),
                   "a watcher hears that they are gone");
    verdict.expect(client.put("/goes", "2", true).has_value(), "the new session can put");
    verdict.expect(client.hears(*heard, "/", [&] { return heard->value("/goes") == "2"; }),
                   "a watcher outlives a session");
}

inline void what_was_committed_survives(CoordinationBed& bed, Verdict& verdict) {
    if (!bed.capabilities().durable) return;
    Client first{bed};
    for (int i = 0; i < 20; ++i) first.put("/k/" + std::to_string(i % 7), std::to_string(i));
    first.remove("/k/3");
    const auto before = first.read("/");
    first.close();
    Client second{bed};
    if (!verdict.expect(second.established(), "a store can be opened again")) return;
    const auto after = second.read("/");
    verdict.expect(before && after && before->entries == after->entries,
                   "keys, values and revisions survive");
}

inline void revisions_go_on_after_reopening(CoordinationBed& bed, Verdict& verdict) {
    if (!bed.capabilities().durable) return;
    Revision last;
    for (int round = 0; round < 3; ++round) {
        Client client{bed};
        for (const bool ephemeral : {false, true}) {
            const auto revision = client.put("/k" + std::to_string(ephemeral), "x", ephemeral);
            if (!verdict.expect(revision.has_value(), "a plain put is committed")) return;
            verdict.expect(*revision > last, "revisions rise over restarts, whatever was put");
            last = *revision;
        }
    }
}

inline void clients_hear_each_other(CoordinationBed& bed, Verdict& verdict) {
    if (!bed.capabilities().multi_node) return;
    Client writer{bed};
    Client reader{bed};
    const auto heard = reader.watch("/", Revision{0});
    const auto at = writer.put("/a", "1");
    verdict.expect(reader.hears(*heard, "/", [&] { return heard->value("/a") == "1"; }),
                   "one client hears what another has put");
    const auto stale = reader.commit({{{"/a", Revision{0}}}, {Put{"/a", "2"}}});
    verdict.expect(Client::conflict(stale) == "/a", "checks see what another client has put");
    verdict.expect(at && Client::committed(reader.commit({{{"/a", *at}}, {Put{"/a", "2"}}})),
                   "a revision means the same to every client");
}

// Adds one to a counter whose value also names every token that was added: as the core does it.
inline bool count_once(CoordinationBed& bed, Client& client, const std::string& token) {
    for (int attempt = 0; attempt < 200; ++attempt) {
        const auto snapshot = client.read("/tokens");
        if (!snapshot) {
            bed.shard().pass(std::chrono::milliseconds{100});
            continue;
        }
        Revision at;
        std::string tokens;
        if (!snapshot->entries.empty()) {
            at = snapshot->entries.front().revision;
            tokens = snapshot->entries.front().value;
        }
        if (tokens.find(token) != std::string::npos) return true;
        const auto answer = client.commit({{{"/tokens", at}}, {Put{"/tokens", tokens + token}}});
        if (Client::committed(answer)) return true;
        if (!answer) bed.shard().pass(std::chrono::milliseconds{100});
    }
    return false;
}

inline void a_careful_client_counts_right(CoordinationBed& bed, Verdict& verdict) {
    std::vector<std::unique_ptr<Client>> clients;
    clients.push_back(std::make_unique<Client>(bed));
    if (bed.capabilities().multi_node) clients.push_back(std::make_unique<Client>(bed));
    std::string all;
    for (int i = 0; i < 60; ++i) {
        const std::string token = "<" + std::to_string(i) + ">";
        const std::size_t who = static_cast<std::size_t>(i) % clients.size();
        if (!verdict.expect(count_once(bed, *clients[who], token), "every increment ends")) return;
        all += token;
    }
    verdict.expect(becomes(bed, *clients[0], "/tokens=" + all),
                   "what was committed happened once, what was lost never, all in order");
}

inline constexpr CoordinationRule session_rules[] = {
    {"TheSessionIsEstablished", the_session_is_established},
    {"NothingIsCalledInsideTheCall", nothing_is_called_inside_the_call},
    {"NothingIsCalledAfterDestruction", nothing_is_called_after_destruction},
    {"CallbacksMayCallAgain", callbacks_may_call_again},
    {"EphemeralKeysGoWithTheSession", ephemeral_keys_go_with_the_session},
    {"ALostSessionIsToldAndReplaced", a_lost_session_is_told_and_replaced},
    {"WhatWasCommittedSurvives", what_was_committed_survives},
    {"RevisionsGoOnAfterReopening", revisions_go_on_after_reopening},
    {"ClientsHearEachOther", clients_hear_each_other},
    {"ACarefulClientCountsRight", a_careful_client_counts_right},
};

}  // namespace leat::sdk::testing::coordination_rules
