#include "core/wire/consumer_protocol.h"

#include <algorithm>

namespace leat::wire {

std::span<const Field> ConsumerProtocolSubscription::TopicPartition::fields() {
    static constexpr Field list[] = {
        field<&TopicPartition::topic>("Topic").in(since(1)),
        field<&TopicPartition::partitions>("Partitions").in(since(1)),
    };
    return list;
}

std::span<const Field> ConsumerProtocolSubscription::fields() {
    static constexpr Field list[] = {
        field<&ConsumerProtocolSubscription::topics>("Topics"),
        field<&ConsumerProtocolSubscription::user_data>("UserData"),
        field<&ConsumerProtocolSubscription::owned_partitions>("OwnedPartitions")
            .in(since(1))
            .ignorable(),
        field<&ConsumerProtocolSubscription::generation_id>("GenerationId")
            .in(since(2))
            .ignorable(),
        field<&ConsumerProtocolSubscription::rack_id>("RackId").in(since(3)).ignorable(),
    };
    return list;
}

constinit const MessageTraits ConsumerProtocolSubscription::traits{
    .name = "ConsumerProtocolSubscription",
    .versions = {0, 3},
    .fields = &ConsumerProtocolSubscription::fields,
};

std::span<const Field> ConsumerProtocolAssignment::TopicPartition::fields() {
    static constexpr Field list[] = {
        field<&TopicPartition::topic>("Topic"),
        field<&TopicPartition::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ConsumerProtocolAssignment::fields() {
    static constexpr Field list[] = {
        field<&ConsumerProtocolAssignment::assigned_partitions>("AssignedPartitions"),
        field<&ConsumerProtocolAssignment::user_data>("UserData"),
    };
    return list;
}

constinit const MessageTraits ConsumerProtocolAssignment::traits{
    .name = "ConsumerProtocolAssignment",
    .versions = {0, 3},
    .fields = &ConsumerProtocolAssignment::fields,
};

namespace {

template <Message T>
Version known_version(Version version) {
    return std::min(version, T::traits.versions.max);
}

template <Message T>
Result<Versioned<T>> decode_leniently(std::span<const std::byte> bytes) {
    const auto split = split_version(bytes, T::traits.name);
    if (!split) return split.error();
    const auto [version, rest] = *split;
    if (version < 0) {
        return sdk::Error{sdk::Errc::corrupt,
                          std::string{T::traits.name} + " has version " + std::to_string(version)};
    }
    auto message = decode<T>(rest, known_version<T>(version));
    if (!message) return message.error();
    return Versioned<T>{version, std::move(*message)};
}

template <Message T>
Result<Bytes> encode_known(const T& message, Version version) {
    const Version known = known_version<T>(version);
    return encode_prefixed(known, message, known);
}

}  // namespace

Result<Versioned<ConsumerProtocolSubscription>> decode_subscription(
    std::span<const std::byte> metadata) {
    return decode_leniently<ConsumerProtocolSubscription>(metadata);
}

Result<Versioned<ConsumerProtocolAssignment>> decode_assignment(
    std::span<const std::byte> assignment) {
    return decode_leniently<ConsumerProtocolAssignment>(assignment);
}

Result<Bytes> encode_subscription(const ConsumerProtocolSubscription& subscription,
                                  Version version) {
    return encode_known(subscription, version);
}

Result<Bytes> encode_assignment(const ConsumerProtocolAssignment& assignment, Version version) {
    return encode_known(assignment, version);
}

}  // namespace leat::wire
