// Prints the message declarations, for tools/check_messages.py; with the argument `records` those
// of records and of what clients keep for each other, with `names` the names of all APIs. For
// scripts/interop: with `errors` the error codes with their names, with `bytes` random messages of
// every version, encoded: name, version and hexadecimal digits.

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/wire/api_names.h"
#include "core/wire/apis_json.h"
#include "core/wire/consumer_protocol.h"
#include "core/wire/error_code.h"
#include "core/wire/group_records/group_record.h"
#include "tests/wire/all_messages.h"
#include "tests/wire/arbitrary.h"

namespace {

void print_errors() {
    for (std::int16_t code = -1;; ++code) {
        const std::string_view name = leat::wire::name_of(leat::wire::ErrorCode{code});
        if (name == "UNKNOWN_ERROR_CODE") return;
        std::printf("%d %.*s\n", code, static_cast<int>(name.size()), name.data());
    }
}

void print_names() {
    for (std::int16_t key = 0;; ++key) {
        const std::string_view name = leat::wire::name_of(leat::wire::ApiKey{key});
        if (name.empty()) return;
        std::printf("%d %.*s\n", key, static_cast<int>(name.size()), name.data());
    }
}

template <class Record>
void print_record() {
    std::printf("{\"type\": %d, \"key\": %s, \"value\": %s},\n", static_cast<int>(Record::type),
                leat::wire::to_json(Record::Key::traits).c_str(),
                leat::wire::to_json(Record::Value::traits).c_str());
}

template <std::size_t... index>
void print_records(std::index_sequence<index...>) {
    using leat::wire::GroupRecord;
    std::printf("[");
    (print_record<std::variant_alternative_t<index, GroupRecord>>(), ...);
    std::printf("{\"data\": %s},\n{\"data\": %s}]\n",
                leat::wire::to_json(leat::wire::ConsumerProtocolSubscription::traits).c_str(),
                leat::wire::to_json(leat::wire::ConsumerProtocolAssignment::traits).c_str());
}

void print_bytes(const leat::wire::AnyMessage& type, leat::wire::Version version,
                 std::uint64_t seed) {
    const leat::wire::MessageTraits& traits = *type.traits;
    leat::wire::Arbitrary arbitrary{seed, version};
    const auto message = type.make();
    arbitrary.fill(traits.fields(), message.get());
    leat::wire::Buffer bytes;
    std::size_t size = 0;
    if (!leat::wire::encode_message(traits, message.get(), version, &bytes, size)) return;
    std::printf("%s %d ", std::string{traits.name}.c_str(), version);
    for (const std::byte byte : bytes) std::printf("%02x", static_cast<unsigned>(byte));
    std::printf("\n");
}

void print_bytes() {
    constexpr std::uint64_t seeds = 20;
    for (const auto& all : {leat::wire::all_messages(), leat::wire::headerless_messages()}) {
        for (const auto& type : all) {
            const leat::wire::Versions versions = type.traits->versions;
            for (leat::wire::Version v = versions.min; v <= versions.max; ++v)
                for (std::uint64_t seed = 0; seed < seeds; ++seed) print_bytes(type, v, seed);
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view what = count > 1 ? arguments[1] : "";
    if (what == "errors") {
        print_errors();
    } else if (what == "names") {
        print_names();
    } else if (what == "records") {
        constexpr auto types = std::variant_size_v<leat::wire::GroupRecord>;
        print_records(std::make_index_sequence<types>{});
    } else if (what == "bytes") {
        print_bytes();
    } else {
        std::fputs(leat::wire::apis_as_json().c_str(), stdout);
    }
    return 0;
}
