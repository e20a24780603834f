#include "core/cluster/topic_rules.h"

#include <algorithm>

#include "leat/sdk/ensure.h"

namespace leat::cluster {

namespace {

bool is_legal(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '-';
}

std::string folded(std::string_view name) {
    std::string made{name};
    std::ranges::replace(made, '.', '_');
    return made;
}

}  // namespace

sdk::Status check_topic_name(std::string_view name) {
    const auto refuse = [&](const std::string& why) {
        return sdk::Error{sdk::Errc::invalid_argument,
                          "Topic name '" + std::string{name.substr(0, 300)} + "' is invalid: " +
                              why};
    };
    if (name.empty()) return refuse("it is empty");
    if (name == "." || name == "..") return refuse("it is '.' or '..'");
    if (name.size() > most_topic_name_bytes) return refuse("it is longer than 249 characters");
    if (!std::ranges::all_of(name, is_legal)) {
        return refuse("it has characters other than ASCII letters, digits, '.', '_' and '-'");
    }
    return {};
}

std::string_view colliding_topic(const Image& image, std::string_view name) {
    if (name.find_first_of("._") == std::string_view::npos) return {};
    const auto wanted = folded(name);
    // Names that fold alike agree up to the first '.' or '_', so they lie close to each other.
    const auto stem = name.substr(0, name.find_first_of("._"));
    for (auto at = image.topics().lower_bound(stem);
         at != image.topics().end() && at->first.starts_with(stem); ++at) {
        if (at->first != name && folded(at->first) == wanted) return at->first;
    }
    return {};
}

bool names_collide(std::string_view a, std::string_view b) {
    return a != b && folded(a) == folded(b);
}

std::vector<std::vector<sdk::NodeId>> place_replicas(std::span<const sdk::NodeId> brokers,
                                                     std::int32_t partitions,
                                                     std::int16_t replication_factor,
                                                     std::size_t start) {
    const auto replicas = static_cast<std::size_t>(replication_factor);
    sdk::ensure(replication_factor > 0 && replicas <= brokers.size(),
                "the caller has checked that there are brokers enough");
    std::vector<std::vector<sdk::NodeId>> placed(static_cast<std::size_t>(partitions));
    for (std::size_t index = 0; index < placed.size(); ++index) {
        for (std::size_t replica = 0; replica < replicas; ++replica) {
            placed[index].push_back(brokers[(start + index + replica) % brokers.size()]);
        }
    }
    return placed;
}

}  // namespace leat::cluster
