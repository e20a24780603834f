#include "core/cluster/bootstrap.h"

#include <algorithm>
#include <limits>

namespace leat::cluster {

using sdk::Check;
using sdk::Put;
using sdk::Transaction;

namespace {

Check as_seen(const StoreView& view, std::string key) {
    const auto revision = view.revision(key);
    return {.key = std::move(key), .revision = revision};
}

Transaction make_cluster(const std::string& id) {
    const std::string identity{keys::cluster};
    const std::string features{keys::features};
    Transaction made;
    made.checks = {{identity, {}}, {features, {}}};
    made.operations.emplace_back(Put{identity, encode(ClusterRecord{.cluster_id = id})});
    made.operations.emplace_back(Put{features, encode_features({{"metadata.version", 1}})});
    return made;
}

// The directory's record is the guard: it is put with every registration and never deleted, so two
// registrations that race are told apart even where the ephemeral one has come and gone.
Transaction registration(const StoreView& view, const BrokerRecord& self) {
    Transaction made;
    made.checks = {as_seen(view, keys::directory(self.node))};
    made.operations.emplace_back(Put{keys::directory(self.node), encode(self)});
    made.operations.emplace_back(
        Put{.key = keys::broker(self.node), .value = encode(self), .ephemeral = true});
    return made;
}

Transaction candidacy(const StoreView& view, const BrokerRecord& self, std::int32_t epoch) {
    const auto value = encode(
        ControllerRecord{.node = self.node, .incarnation = self.incarnation, .epoch = epoch});
    Transaction made;
    made.checks = {as_seen(view, std::string{keys::controller_epoch})};
    made.operations.emplace_back(Put{std::string{keys::controller_epoch}, value});
    made.operations.emplace_back(
        Put{.key = std::string{keys::controller}, .value = value, .ephemeral = true});
    return made;
}

// At a multiple of the block's size.
std::int64_t first_producer_id(const sdk::Uuid& token) {
    constexpr std::size_t random_bytes = 6;  // Those behind say which kind of UUID it is.
    constexpr std::int64_t places =
        (highest_first_producer_id - lowest_first_producer_id) / producer_id_block;
    std::int64_t random = 0;
    for (std::size_t i = 0; i < random_bytes; ++i) random = random * 256 + token.bytes[i];
    return lowest_first_producer_id + random % places * producer_id_block;
}

NextStep identity_step(const StoreView& view, const Bootstrap& bootstrap) {
    const auto* entry = view.find(keys::cluster);
    if (entry == nullptr) {
        return Write{make_cluster(bootstrap.cluster_id.empty() ? bootstrap.new_cluster_id
                                                               : bootstrap.cluster_id)};
    }
    const auto record = decode<ClusterRecord>(*entry);
    if (!record) return Refused{record.error().what};
    if (!bootstrap.cluster_id.empty() && record->cluster_id != bootstrap.cluster_id) {
        return Refused{"This broker's data folder belongs to cluster " + bootstrap.cluster_id +
                       ", the coordination store to cluster " + record->cluster_id +
                       ": name the store of its own cluster, or give it an empty data folder."};
    }
    return Settled{};
}

NextStep registration_step(const StoreView& view, const Bootstrap& bootstrap) {
    const auto& self = bootstrap.self;
    if (const auto* entry = view.find(keys::broker(self.node))) {
        const auto there = decode<BrokerRecord>(*entry);
        if (!there) return Refused{there.error().what};
        if (there->incarnation == self.incarnation) return Settled{};
        if (there->directory != self.directory) {
            return Refused{"Another broker is registered with node id " +
                           std::to_string(self.node.value) + " (its data folder is " +
                           uuid_text(there->directory) + ", this one's " +
                           uuid_text(self.directory) + "): give each broker an id of its own."};
        }
    }
    return Write{registration(view, self)};
}

NextStep election_step(const StoreView& view, const Bootstrap& bootstrap) {
    const auto& self = bootstrap.self;
    if (const auto* entry = view.find(keys::controller)) {
        const auto there = decode<ControllerRecord>(*entry);
        if (!there) return Refused{there.error().what};
        const bool left_over = there->node == self.node && there->incarnation != self.incarnation;
        if (!left_over) return Settled{};
    }
    std::int32_t epoch = 0;
    if (const auto* entry = view.find(keys::controller_epoch)) {
        const auto last = decode<ControllerRecord>(*entry);
        if (!last) return Refused{last.error().what};
        if (last->epoch == std::numeric_limits<std::int32_t>::max()) {
            return Refused{"The controller epoch in the coordination store is used up."};
        }
        epoch = last->epoch + 1;
    }
    return Write{candidacy(view, self, epoch)};
}

}  // namespace

NextStep next_bootstrap_step(const StoreView& view, const Bootstrap& bootstrap) {
    for (const auto step : {identity_step, registration_step, election_step}) {
        auto next = step(view, bootstrap);
        if (!std::holds_alternative<Settled>(next)) return next;
    }
    return Settled{};
}

std::optional<Check> controller_fence(const StoreView& view, const BrokerRecord& self) {
    const auto* controller = view.find(keys::controller);
    const auto* epoch = view.find(keys::controller_epoch);
    if (controller == nullptr || epoch == nullptr) return std::nullopt;
    const auto who = decode<ControllerRecord>(*controller);
    const auto last = decode<ControllerRecord>(*epoch);
    if (!who || !last || who->incarnation != self.incarnation || last->epoch != who->epoch) {
        return std::nullopt;
    }
    return Check{.key = std::string{keys::controller_epoch}, .revision = epoch->revision};
}

sdk::Result<Transaction> take_producer_ids(const StoreView& view, sdk::NodeId self,
                                           const sdk::Uuid& token, std::int64_t floor) {
    const std::string key{keys::producer_ids};
    std::int64_t next = first_producer_id(token);
    if (const auto* entry = view.find(key)) {
        const auto last = decode<ProducerIdsRecord>(*entry);
        if (!last) return last.error();
        // Below are those that a first release handed out, from 0 on as Apache Kafka does.
        if (last->next < 0 || last->next >= lowest_first_producer_id) next = last->next;
    }
    next = std::max(next, floor);
    if (next < 0 || next > std::numeric_limits<std::int64_t>::max() - producer_id_block) {
        return sdk::Error{sdk::Errc::corrupt, "There are no producer ids left."};
    }
    Transaction made;
    made.checks = {as_seen(view, key)};
    made.operations.emplace_back(Put{
        key,
        encode(ProducerIdsRecord{.next = next + producer_id_block, .node = self, .token = token})});
    return made;
}

std::optional<std::int64_t> taken_producer_ids(const StoreView& view, const sdk::Uuid& token) {
    const auto* entry = view.find(keys::producer_ids);
    if (entry == nullptr) return std::nullopt;
    const auto last = decode<ProducerIdsRecord>(*entry);
    if (!last || last->token != token) return std::nullopt;
    return last->next - producer_id_block;
}

}  // namespace leat::cluster
