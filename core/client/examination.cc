#include "core/client/examination.h"

#include <algorithm>
#include <chrono>

#include "core/client/probe.h"
#include "core/client/refusal.h"
#include "core/client/topics.h"
#include "core/wire/api_names.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;
using wire::ApiKey;
using wire::ErrorCode;

std::string api_name(std::int16_t key) {
    const auto name = wire::name_of(ApiKey{key});
    return name.empty() ? "API " + std::to_string(key) : std::string{name};
}

// What is only looked up in the list: to use it would leave traces in the cluster.
struct Feature {
    std::string_view what;
    std::vector<std::int16_t> keys;
};
const std::vector<Feature>& features() {
    static const std::vector<Feature> all{
        {"idempotent producers", {22}},
        {"classic groups", {8, 9, 10, 11, 12, 13, 14}},
        {"consumer groups (KIP-848)", {8, 9, 10, 68, 69}},
        {"share groups (KIP-932)", {10, 76, 77, 78, 79}},
        {"transactions", {10, 22, 24, 25, 26, 28}},
        {"topic configs", {32, 44}},
        {"more partitions", {37}},
        {"deletion of records", {21}},
        {"access control lists", {29, 30, 31}},
        {"SASL", {17, 36}},
    };
    return all;
}

void look_up_features(Probe& probe) {
    for (const auto& [what, keys] : features()) {
        std::string missing;
        for (const auto key : keys) {
            if (probe.serves(ApiKey{key})) continue;
            missing += (missing.empty() ? "" : ", ") + api_name(key);
        }
        probe.add({.area = "offers",
                   .what = std::string{what},
                   .essential = false,
                   .verdict = missing.empty() ? Verdict::works : Verdict::absent,
                   .detail = missing.empty() ? "" : "not served: " + missing});
    }
}

// The ones without which there is no producer and no consumer, in versions that every client since
// Kafka 0.11 finds.
void look_up_essential(Probe& probe) {
    for (const auto key : {ApiKey::produce, ApiKey::fetch, ApiKey::list_offsets, ApiKey::metadata,
                           ApiKey::api_versions, ApiKey::create_topics, ApiKey::delete_topics}) {
        const auto* served = probe.served(key);
        probe.add({.area = "APIs",
                   .what = api_name(static_cast<std::int16_t>(key)),
                   .essential = true,
                   .verdict = served != nullptr ? Verdict::works : Verdict::absent,
                   .detail = served == nullptr ? "not served"
                                               : "versions " + std::to_string(served->oldest) +
                                                     " to " + std::to_string(served->newest)});
    }
}

sdk::Status look_around(Cluster& cluster, Examination& to) {
    const auto first = cluster.persist([&]() -> sdk::Result<Connection*> {
        const auto metadata = cluster.refresh(std::vector<std::string>{});
        if (!metadata) return metadata.error();
        to.cluster_id = metadata->cluster_id.value_or("");
        to.brokers = metadata->brokers.size();
        return cluster.any();
    });
    if (!first) return first.error();
    for (const auto& api : (*first)->served()) {
        to.apis.push_back({api.api_key, api_name(api.api_key), api.min_version, api.max_version});
    }
    std::ranges::sort(to.apis, {}, &ServedApi::key);
    return {};
}

// With a small limit on batches, so that one that is too large need not be large.
sdk::Status make_topic(Cluster& cluster, const std::string& name, bool& limited) {
    NewTopic topic{.name = name,
                   .partitions = 1,
                   .replicas = -1,
                   .configs = {{"max.message.bytes", std::to_string(Probe::largest_batch)}}};
    bool existed = false;
    auto made = create_topic(cluster, topic, false, existed);
    limited = static_cast<bool>(made);
    if (!made && made.error().code == Errc::invalid_argument && !existed) {
        topic.configs.clear();
        made = create_topic(cluster, topic, false, existed);
    }
    if (!made) return made.error();
    return {};
}

// Until it takes records: a broker may answer before all of it has seen the new topic.
sdk::Status settle(Probe& probe) {
    Cluster& cluster = probe.cluster();
    const auto status = cluster.persist([&]() -> sdk::Status {
        const auto on = probe.connect();
        if (!on) return on.error();
        const auto answer = probe.produce(**on, probe_batch(probe.time()));
        if (!answer) return answer.error();
        if (is_retriable(answer->error_code)) return refused(probe.topic(), answer->error_code);
        return {};  // What else it says is seen by the checks.
    });
    if (!status) return status;
    const auto topic = find_topic(cluster, probe.topic());
    if (!topic) return topic.error();
    probe.set_id(topic->topic_id);
    return {};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::works:
            return "works";
        case Verdict::differs:
            return "differs";
        case Verdict::fails:
            return "fails";
        case Verdict::absent:
            return "absent";
    }
    return "unknown";
}

bool Examination::essential_works() const {
    return std::ranges::all_of(findings, [](const Finding& each) {
        return !each.essential || each.verdict == Verdict::works;
    });
}

sdk::Result<Examination> examine(Cluster& cluster, const std::string& topic,
                                 sdk::Function<void(std::string_view)> on_area) {
    const Error stopped{Errc::closed, "stopped"};
    Examination found;
    on_area("metadata");
    if (const auto status = look_around(cluster, found); !status) return status.error();
    on_area("a topic");
    bool limited = false;
    if (const auto status = make_topic(cluster, topic, limited); !status) return status.error();
    using namespace std::chrono;
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    Probe probe{cluster, topic, now, found};
    if (const auto status = settle(probe); !status) return status.error();
    look_up_essential(probe);
    look_up_features(probe);
    on_area("records");
    if (!examine_records(probe)) return stopped;
    on_area("offsets");
    if (!examine_offsets(probe)) return stopped;
    on_area("errors");
    if (!examine_errors(probe, limited)) return stopped;
    return found;
}

}  // namespace leat::client
