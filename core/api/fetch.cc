#include "core/broker/fetch.h"

#include <memory>
#include <utility>

#include "core/api/fetch_answer.h"
#include "core/api/fetch_in_session.h"
#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/wire/messages/fetch.h"

namespace leat::api {

using broker::FetchSessionCache;
using wire::ErrorCode;
using wire::FetchRequest;

namespace {

broker::FetchRequest to_broker(const Services& services, std::size_t shard, bool by_id,
                               const FetchRequest& asked) {
    const cluster::Image& image = services.metadata.image(shard);
    broker::FetchRequest fetch = fetch_limits(services, asked);
    const bool legal = is_isolation_level(asked.isolation_level);
    for (const auto& topic : asked.topics) {
        for (const auto& partition : topic.partitions) {
            const auto found = find_partition(image, {.by_id = by_id,
                                                      .topic = topic.topic,
                                                      .topic_id = topic.topic_id,
                                                      .index = partition.partition});
            fetch.items.push_back(look_at(found, asked_of(partition), legal));
        }
    }
    return fetch;
}

// The session that a full answer begins holds what the answer tells.
std::int32_t begin_session(Services& services, std::size_t shard, bool by_id,
                           const FetchRequest& asked,
                           const std::vector<broker::ReadOutcome>& outcomes) {
    const cluster::Image& image = services.metadata.image(shard);
    return services.fetch_sessions[shard]->make(
        {.by_id = by_id, .partitions = outcomes.size()},
        [&](broker::SessionPartitions& partitions) {
            std::size_t next = 0;
            for (const auto& topic : asked.topics) {
                broker::SessionTopic named{topic.topic, topic.topic_id};
                const auto* known = by_id ? image.topic(topic.topic_id) : nullptr;
                if (known != nullptr) named.name = known->name;
                for (const auto& partition : topic.partitions) {
                    const auto slot =
                        partitions.ask(named, partition.partition, asked_of(partition));
                    const broker::ReadOutcome& outcome = outcomes[next++];
                    partitions.began(slot, {.error = outcome.error,
                                            .high_watermark = outcome.high_watermark,
                                            .log_start = outcome.log_start});
                }
            }
        });
}

}  // namespace

// Without a session, or to begin one. Whichever the request names ends (KIP-227).
void fetch_in_full(Services& services, Request request, FetchRequest asked, Reply reply) {
    const std::size_t shard = request.shard;
    const bool by_id = request.header.version >= first_fetch_with_topic_ids;
    end_fetch_session(services, shard, asked.session_id);
    auto fetch = to_broker(services, shard, by_id, asked);
    auto operation = std::make_shared<broker::FetchOperation>(
        services.tables, shard, std::move(fetch),
        [&services, shard, by_id, asked = std::move(asked),
         reply = std::move(reply)](std::vector<broker::ReadOutcome> outcomes) mutable {
            std::int32_t session = FetchSessionCache::no_session;
            if (asked.session_epoch == FetchSessionCache::first_epoch) {
                session = begin_session(services, shard, by_id, asked, outcomes);
            }
            FetchAnswer answer{services.metadata.image(shard), reply.version(),
                               asked.isolation_level};
            std::size_t next = 0;
            for (const auto& topic : asked.topics) {
                for (const auto& partition : topic.partitions) {
                    answer.topic(topic.topic, topic.topic_id);
                    answer.partition(partition.partition, std::move(outcomes[next++]));
                }
            }
            answer.send(ErrorCode::none, session, std::move(reply));
        });
    request.on_hurry([operation] { operation->hurry(); });
    operation->start();
}

void fetch(Services& services, Request request, Reply reply) {
    auto decoded = wire::decode<FetchRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.malformed(decoded.error());
    // Replication is a later capability: nobody may claim to be a replica (CVE-2018-1288).
    if (decoded->replica_id >= 0 || decoded->replica_state.replica_id >= 0) {
        return reply.close("Fetch: this broker has no followers");
    }
    const bool full = decoded->session_epoch == FetchSessionCache::first_epoch ||
                      decoded->session_epoch == FetchSessionCache::final_epoch;
    const auto fetch = full ? fetch_in_full : fetch_in_session;
    fetch(services, std::move(request), std::move(*decoded), std::move(reply));
}

}  // namespace leat::api
