#include "core/api/fetch_in_session.h"

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "core/api/fetch_answer.h"
#include "core/api/lookup.h"
#include "core/broker/fetch_session.h"

namespace leat::api {

using broker::FetchSession;
using broker::FetchSessionCache;
using broker::SessionTopic;
using wire::ErrorCode;
using wire::FetchRequest;

namespace {

// An incremental fetch. The first four do not change while it is under way; the reply is touched
// on the connection's shard only, what follows it on the session's.
struct Incremental {
    FetchRequest asked;
    bool by_id;
    std::size_t connection;  // Its shard, and the session's:
    std::size_t home;
    Reply reply;
    bool hurried = false;
    std::weak_ptr<FetchSession> session{};
    std::weak_ptr<FetchSession::Fetch> running{};
    std::weak_ptr<broker::FetchOperation> without_session{};
};
using SharedIncremental = std::shared_ptr<Incremental>;

template <class Task>
void run_on(Services& services, std::size_t here, std::size_t there, Task task) {
    if (here == there) return task();
    services.shards.at(there).post(std::move(task));
}

// [session's shard] This and all below it.
void answer(Services& services, SharedIncremental fetch, ErrorCode error, std::int32_t session_id,
            std::vector<broker::SessionAnswer> partitions) {
    const std::size_t home = fetch->home;
    const std::size_t connection = fetch->connection;
    run_on(services, home, connection,
           [&services, fetch = std::move(fetch), error, session_id,
            partitions = std::move(partitions)]() mutable {
               FetchAnswer made{services.metadata.image(fetch->connection), fetch->reply.version(),
                                fetch->asked.isolation_level};
               for (broker::SessionAnswer& partition : partitions) {
                   made.topic(partition.topic.name, partition.topic.id);
                   made.partition(partition.index, std::move(partition.outcome));
               }
               made.send(error, session_id, std::move(fetch->reply));
           });
}

// As Kafka answers where a topic went whose id the session has known.
std::variant<broker::PartitionRef, ErrorCode> find(const cluster::Image& image, bool by_id,
                                                   SessionTopic& topic, std::int32_t index) {
    const cluster::TopicImage* known = by_id ? image.topic(topic.id) : nullptr;
    if (known != nullptr) topic.name = known->name;
    if (by_id && known == nullptr && !topic.name.empty()) {
        const auto* successor = image.topic(topic.name);
        return successor != nullptr && successor->partition(index) != nullptr
                   ? ErrorCode::inconsistent_topic_id
                   : ErrorCode::unknown_topic_or_partition;
    }
    return find_partition(
        image, {.by_id = by_id, .topic = topic.name, .topic_id = topic.id, .index = index});
}

FetchSession::Resolve resolver(Services& services, const Incremental& fetch) {
    return [&services, home = fetch.home, by_id = fetch.by_id,
            legal = is_isolation_level(fetch.asked.isolation_level)](
               SessionTopic& topic, std::int32_t index,
               const broker::SessionPartitions::Asked& asked) {
        return look_at(find(services.metadata.image(home), by_id, topic, index), asked, legal);
    };
}

// The request left nothing in the session, which therefore ends: as Kafka does, it is answered for
// what it names, as one without a session.
void without_session(Services& services, const SharedIncremental& fetch) {
    auto limits = fetch_limits(services, fetch->asked);
    const auto resolve = resolver(services, *fetch);
    std::vector<broker::SessionAnswer> partitions;
    for (const auto& topic : fetch->asked.topics) {
        SessionTopic named{topic.topic, topic.topic_id};
        for (const auto& partition : topic.partitions) {
            limits.items.push_back(resolve(named, partition.partition, asked_of(partition)));
            partitions.push_back({named, partition.partition, {}});
        }
    }
    auto operation = std::make_shared<broker::FetchOperation>(
        services.tables, fetch->home, std::move(limits),
        [&services, fetch,
         partitions = std::move(partitions)](std::vector<broker::ReadOutcome> outcomes) mutable {
            for (std::size_t i = 0; i < partitions.size(); ++i) {
                partitions[i].outcome = std::move(outcomes[i]);
            }
            answer(services, fetch, ErrorCode::none, FetchSessionCache::no_session,
                   std::move(partitions));
        });
    fetch->without_session = operation;
    operation->start();
    if (fetch->hurried) operation->hurry();
}

void change(FetchSession& session, const FetchRequest& asked) {
    for (const auto& topic : asked.topics) {
        const SessionTopic named{topic.topic, topic.topic_id};
        for (const auto& partition : topic.partitions) {
            session.partitions().ask(named, partition.partition, asked_of(partition));
        }
    }
    for (const auto& topic : asked.forgotten_topics_data) {
        const SessionTopic named{topic.topic, topic.topic_id};
        for (const std::int32_t index : topic.partitions) session.forget(named, index);
    }
}

void run(Services& services, const SharedIncremental& fetch,
         const std::shared_ptr<FetchSession>& session) {
    broker::FetchSessions& sessions = *services.fetch_sessions[fetch->home];
    const std::int32_t id = fetch->asked.session_id;
    change(*session, fetch->asked);
    if (session->partitions().size() == 0) {
        sessions.remove(id);
        return without_session(services, fetch);
    }
    if (!sessions.used(id, *session)) {
        return answer(services, fetch, ErrorCode::fetch_session_id_not_found,
                      FetchSessionCache::no_session, {});
    }
    auto running = std::make_shared<FetchSession::Fetch>(FetchSession::Fetch{
        .limits = fetch_limits(services, fetch->asked),
        .resolve = resolver(services, *fetch),
        .done =
            [&services, fetch, id](std::optional<std::vector<broker::SessionAnswer>> told) {
                if (told) return answer(services, fetch, ErrorCode::none, id, std::move(*told));
                answer(services, fetch, ErrorCode::invalid_fetch_session_epoch, id, {});
            },
        .hurried = fetch->hurried});
    fetch->session = session;
    fetch->running = running;
    session->begin(running);
}

void begin(Services& services, const SharedIncremental& fetch) {
    const FetchRequest& asked = fetch->asked;
    auto taken = services.fetch_sessions[fetch->home]->take(asked.session_id, asked.session_epoch,
                                                            fetch->by_id);
    if (const auto* error = std::get_if<ErrorCode>(&taken)) {
        return answer(services, fetch, *error, FetchSessionCache::no_session, {});
    }
    auto session = std::get<std::shared_ptr<FetchSession>>(std::move(taken));
    FetchSession& waits_for = *session;
    waits_for.when_free(
        [&services, fetch, session = std::move(session)] { run(services, fetch, session); });
}

void hurry(const SharedIncremental& fetch) {
    fetch->hurried = true;
    const auto session = fetch->session.lock();
    const auto running = fetch->running.lock();
    if (session && running) session->hurry(*running);
    if (const auto operation = fetch->without_session.lock()) operation->hurry();
}

}  // namespace

void fetch_in_session(Services& services, Request request, FetchRequest asked, Reply reply) {
    const std::size_t shard = request.shard;
    const auto home = FetchSessionCache::shard_of(asked.session_id, services.shards.count());
    auto fetch = std::make_shared<Incremental>(
        Incremental{.asked = std::move(asked),
                    .by_id = request.header.version >= first_fetch_with_topic_ids,
                    .connection = shard,
                    .home = home.value_or(shard),
                    .reply = std::move(reply)});
    request.on_hurry([&services, shard, fetch = std::weak_ptr{fetch}] {
        if (const auto held = fetch.lock()) {
            run_on(services, shard, held->home, [held] { hurry(held); });
        }
    });
    // Behind what other shards have posted: a client that was answered there of a record, and asks
    // here, finds it.
    services.shards.at(fetch->home).post([&services, fetch] { begin(services, fetch); });
}

void end_fetch_session(Services& services, std::size_t shard, std::int32_t id) {
    const auto home = FetchSessionCache::shard_of(id, services.shards.count());
    if (!home) return;
    run_on(services, shard, *home,
           [&services, home = *home, id] { services.fetch_sessions[home]->remove(id); });
}

}  // namespace leat::api
