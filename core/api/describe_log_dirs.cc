#include "core/wire/messages/describe_log_dirs.h"

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/api/scatter.h"
#include "core/runtime/offload.h"

namespace leat::api {
namespace {

using wire::DescribeLogDirsRequest;
using wire::DescribeLogDirsResponse;
using wire::ErrorCode;

struct Wanted {
    std::int32_t current_leader_epoch = -1;  // The request does not say.
};

struct Size {
    ErrorCode error_code = ErrorCode::none;
    std::string storage;
    std::string topic;
    std::int32_t index = 0;
    std::uint64_t bytes = 0;
};

// Each partition that is asked for once, by topic; what does not exist is left out.
std::map<std::string, std::set<std::int32_t>> partitions_of(const DescribeLogDirsRequest& asked,
                                                            const cluster::Image& image) {
    std::map<std::string, std::set<std::int32_t>> named;
    if (!asked.topics) {
        for (const auto& [name, topic] : image.topics()) {
            auto& indexes = named[topic->name];
            for (std::size_t index = 0; index < topic->partitions.size(); ++index) {
                indexes.insert(static_cast<std::int32_t>(index));
            }
        }
        return named;
    }
    for (const auto& asked_topic : *asked.topics) {
        const cluster::TopicImage* topic = image.topic(asked_topic.topic);
        if (topic == nullptr) continue;
        for (const std::int32_t index : asked_topic.partitions) {
            if (topic->partition(index) != nullptr) named[topic->name].insert(index);
        }
    }
    return named;
}

// [worker] Only the partitions that this broker keeps, and that are not offline, have a size.
DescribeLogDirsResponse to_wire(const LogDirs& dirs, const std::vector<Size>& sizes) {
    DescribeLogDirsResponse response;
    for (const auto& [storage, path] : dirs.by_storage) {
        auto& result = response.results.emplace_back();
        result.log_dir = path;
        const LogDirs::Space space = dirs.space ? dirs.space(path) : LogDirs::Space{};
        result.total_bytes = space.total;
        result.usable_bytes = space.usable;
        for (const Size& size : sizes) {
            if (size.error_code != ErrorCode::none || size.storage != storage) continue;
            if (result.topics.empty() || result.topics.back().name != size.topic) {
                result.topics.emplace_back().name = size.topic;
            }
            result.topics.back().partitions.push_back(
                {.partition_index = size.index,
                 .partition_size = static_cast<std::int64_t>(size.bytes)});
        }
    }
    return response;
}

}  // namespace

void describe_log_dirs(Services& services, Request request, Reply reply) {
    auto asked = wire::decode<DescribeLogDirsRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    Questions<Wanted, Size> questions;
    for (const auto& [name, indexes] : partitions_of(*asked, image)) {
        for (const std::int32_t index : indexes) {
            questions.add(image, {.topic = name, .index = index}, {},
                          {.storage = image.topic(name)->storage, .topic = name, .index = index});
        }
    }
    const auto ask = [](broker::Partition& partition, const Wanted&, Size size, auto give) {
        const auto bytes = partition.stored_bytes();
        if (!bytes) size.error_code = ErrorCode::kafka_storage_error;
        size.bytes = bytes.value_or(0);
        give(std::move(size));
    };
    std::move(questions).ask(
        services.tables, request.shard, ask,
        [&services, home = request.shard, reply = std::move(reply)](std::vector<Size> all) mutable {
            runtime::offload(
                services.shards.at(home),
                [&dirs = services.log_dirs, all = std::move(all)] { return to_wire(dirs, all); },
                [reply = std::move(reply)](const DescribeLogDirsResponse& response) mutable {
                    reply.answer(response);
                });
        });
}

}  // namespace leat::api
