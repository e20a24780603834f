// Writes inputs made of real bytes, from which the corpora began: fuzz_seeds FOLDER CONFIG...
// Made anew they are to be thinned out again, see README.md.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include "core/compression/codec.h"
#include "core/log/compressed_batch.h"
#include "core/wire/apis.h"
#include "core/wire/consumer_protocol.h"
#include "core/wire/frame.h"
#include "core/wire/group_records/group_record.h"
#include "leat/sdk/ensure.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "plugins/coordination/local/backend.h"
#include "tests/coordination/forgetful_disk.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/simulated_partition.h"
#include "tests/fuzz/swelling.h"
#include "tests/wire/all_messages.h"
#include "tests/wire/arbitrary.h"

namespace leat::fuzz {
namespace {

std::filesystem::path out;

void write(std::string_view target, const std::string& name, Input bytes) {
    std::filesystem::create_directories(out / target);
    std::ofstream file{out / target / name, std::ios::binary};
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

void write_message(const wire::MessageTraits& traits, wire::Version version, const void* object,
                   const std::string& name) {
    const bool request = traits.name.ends_with("Request");
    wire::Buffer frame;
    if (request) {
        wire::begin_request(frame, {.key = traits.key, .version = version, .client_id = "seed"});
    } else {
        wire::begin_response(frame, traits.key, version, 7);
    }
    std::size_t size = 0;
    if (!wire::encode_message(traits, object, version, &frame, size)) return;
    const Input whole = Input{frame}.subspan(wire::frame_size_bytes);
    if (request) return write("request", name, whole);
    write("response", name,
          PiecesWriter{}
              .number(static_cast<std::size_t>(traits.key))
              .number(static_cast<std::size_t>(version))
              .rest(whole)
              .bytes());
}

void write_messages() {
    for (const auto& message : wire::all_messages()) {
        const wire::MessageTraits& traits = *message.traits;
        for (wire::Version v = traits.versions.min; v <= traits.versions.max; ++v) {
            wire::Arbitrary arbitrary{static_cast<std::uint64_t>(v) + 1, v};
            const auto object = message.make();
            arbitrary.fill(traits.fields(), object.get());
            write_message(traits, v, object.get(), std::string{traits.name} + std::to_string(v));
        }
        for (const Swelling& each : swellings(message))
            write_message(traits, each.version, each.message.get(), "swells-" + each.name);
    }
}

// The bytes of a random message with a version, or a type, in front.
Bytes prefixed(const wire::AnyMessage& type, wire::Version prefix, wire::Version version) {
    wire::Arbitrary arbitrary{static_cast<std::uint64_t>(version) + 1, version};
    const auto object = type.make();
    arbitrary.fill(type.traits->fields(), object.get());
    wire::Buffer bytes = PiecesWriter{}.number(static_cast<std::size_t>(prefix)).bytes();
    std::size_t size = 0;
    sdk::ensure(
        wire::encode_message(*type.traits, object.get(), version, &bytes, size).has_value(),
        "a random message can be encoded");
    return bytes;
}

template <class Record>
void write_record() {
    const auto type = static_cast<wire::Version>(Record::type);
    const Bytes key = prefixed(wire::any<typename Record::Key>(), type, 0);
    const wire::Versions versions = Record::Value::traits.versions;
    const std::string name = std::to_string(type) + "-";
    write("group_records", name + "tombstone", PiecesWriter{}.byte(0).piece(key).bytes());
    for (wire::Version v = versions.min; v <= versions.max; ++v) {
        const Bytes value = prefixed(wire::any<typename Record::Value>(), v, v);
        write("group_records", name + std::to_string(v),
              PiecesWriter{}.byte(1).piece(key).rest(value).bytes());
    }
}

template <std::size_t... index>
void write_records(std::index_sequence<index...>) {
    (write_record<std::variant_alternative_t<index, wire::GroupRecord>>(), ...);
}

void write_groups() {
    write_records(std::make_index_sequence<std::variant_size_v<wire::GroupRecord>>{});
    const auto subscription = wire::any<wire::ConsumerProtocolSubscription>();
    const auto assignment = wire::any<wire::ConsumerProtocolAssignment>();
    for (wire::Version v = 0; v <= 4; ++v) {
        const wire::Version known = std::min(v, subscription.traits->versions.max);
        write("consumer_protocol", "subscription" + std::to_string(v),
              PiecesWriter{}.byte(0).rest(prefixed(subscription, v, known)).bytes());
        write("consumer_protocol", "assignment" + std::to_string(v),
              PiecesWriter{}.byte(1).rest(prefixed(assignment, v, known)).bytes());
    }
}

void write_batches() {
    for (int codec = 0; codec < 5; ++codec) {
        for (const bool producer : {false, true}) {
            wire::BatchBuilder builder{
                {.producer_id = producer ? 7 : -1,
                 .producer_epoch = static_cast<std::int16_t>(producer ? 0 : -1),
                 .base_sequence = producer ? 3 : -1}};
            const std::pair<std::string_view, std::optional<std::string_view>> header{"h", "1"};
            for (int i = 0; i < 3; ++i)
                builder.add({.key = "key",
                             .value = "value value value",
                             .timestamp = {noon.value + i},
                             .headers = {&header, 1}});
            const Bytes batch =
                log::compressed_batch(builder, static_cast<compression::Codec>(codec));
            for (const unsigned rules : {0u, 2u, 3u, 6u, 130u, 128u + 2 + 4 + 32})
                write("batches",
                      std::to_string(codec) + (producer ? "p" : "-") + std::to_string(rules),
                      PiecesWriter{}.byte(rules).rest(batch).bytes());
        }
    }
}

void write_compressed() {
    std::string mixed;
    for (int i = 0; i < 400; ++i) mixed += std::to_string(i * 7919);
    for (const std::string& text : {std::string{"a"}, mixed, std::string(200'000, 'z')}) {
        for (int codec = 0; codec < 5; ++codec) {
            if (codec == 0 && text.size() > 10'000) continue;
            const auto bytes = compression::compress(static_cast<compression::Codec>(codec),
                                                     std::as_bytes(std::span{text}));
            write("decompress", std::to_string(codec) + "-" + std::to_string(text.size()),
                  PiecesWriter{}.byte(static_cast<unsigned>(codec)).byte(10).rest(*bytes).bytes());
        }
    }
}

// What an index must not say, one thing each, in place of the first segment's: places (last offset,
// position) and times (timestamp, last offset). Its batches begin every 76 bytes.
void write_impossible_indexes(unsigned places, unsigned times) {
    constexpr std::uint64_t t = noon.value;
    using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    const auto seed = [](const std::string& name, unsigned which, int first_size,
                         const Pairs& pairs, const std::string& more = "") {
        Bytes file;
        const auto put = [&](std::uint64_t number, int size) {
            while (size-- > 0) file.push_back(static_cast<std::byte>(number >> (8 * size)));
        };
        for (const auto& [first, second] : pairs) put(first, first_size), put(second, 4);
        for (const char each : more) file.push_back(static_cast<std::byte>(each));
        write("side_files", "index-" + name,
              PiecesWriter{}.byte(1).byte(which).byte(0).piece(file).bytes());
    };
    seed("positions-fall", places, 4, {{2, 305}, {4, 304}});
    seed("offsets-fall", places, 4, {{3, 152}, {2, 304}});
    seed("offset-too-far", places, 4, {{2, 152}, {UINT32_MAX, 304}});
    seed("position-0", places, 4, {{0, 0}, {4, 304}});
    seed("position-behind-the-end", places, 4, {{2, 152}, {4, 380}});
    seed("half-an-entry", places, 4, {{2, 152}, {4, 304}}, "half");
    seed("times-fall", times, 8, {{t + 4, 2}, {t + 2, 4}});
    seed("times-offsets-fall", times, 8, {{t + 2, 4}, {t + 4, 2}});
    seed("time-before-all", times, 8, {{UINT64_MAX, 2}, {t + 4, 4}});
    seed("places-without-times", times, 8, {});
    seed("half-a-time", times, 8, {{t + 2, 2}, {t + 4, 4}}, "half");
}

void write_partition() {
    const Disk disk = disk_with({});
    Partition{disk, false}.fill();
    const Files files = files_on(*disk, data_folder);
    PiecesWriter logs;
    unsigned which = 0;
    for (const auto& [path, bytes] : files) {
        if (path.ends_with(".log")) continue;
        if (path.ends_with("/00000000000000000000.index"))
            write_impossible_indexes(which, which + 1);  // Its times follow.
        for (const unsigned clean : {0u, 1u}) {
            const std::string name = std::to_string(which) + (clean != 0 ? "-clean" : "-crash");
            write("side_files", name,
                  PiecesWriter{}.byte(clean).byte(which).byte(0).piece(bytes).bytes());
            write("side_files", name + "-gone",
                  PiecesWriter{}.byte(clean).byte(which).byte(1).number(0).bytes());
        }
        ++which;
    }
    Bytes all;
    for (const auto& [path, bytes] : files)
        if (path.ends_with(".log")) all.insert(all.end(), bytes.begin(), bytes.end());
    for (const unsigned settings : {0u, 1u, 3u, 5u, 8u, 128u, 137u}) {
        PiecesWriter head;
        head.byte(settings);
        if ((settings & 1) != 0) head.number(settings == 5 ? 9 : 2);
        if ((settings & 2) != 0) head.number(1);
        const std::string name = std::to_string(settings);
        write("segments", name + "-one", PiecesWriter{head}.byte(0).piece(all).bytes());
        const std::size_t three = all.size() / 9 * 3;
        write("segments", name + "-two",
              PiecesWriter{head}
                  .byte(0)
                  .piece(Input{all}.first(three))
                  .byte(2)
                  .piece(Input{all}.subspan(three))
                  .bytes());
        all.insert(all.end(), 40, std::byte{0});
        write("segments", name + "-zeros", PiecesWriter{head}.byte(0).piece(all).bytes());
        all.resize(all.size() - 40);
    }
}

std::string text_in(local::ForgetfulDisk& disk, const char* name) {
    const std::string* text = disk.contents(name);
    return text == nullptr ? std::string{} : *text;
}

void write_journal() {
    const std::string id(22, 'A');
    const std::vector<std::pair<std::string, std::string>> entries{
        {"/cluster", R"({"version":0,"cluster_id":"c"})"},
        {"/topics/t", R"({"version":0,"id":")" + id +
                          R"(","partitions":1,"storage":"segment","replication":"single"})"},
        {"/partitions/" + id + "/0",
         R"({"version":0,"leader":1,"leader_epoch":3,"isr":[1],"replicas":[1]})"},
        {"/config/topics/" + id, R"({"version":0,"config":{"retention.ms":"1"}})"},
        {"/producer_ids", R"({"version":0,"next":1000,"node":1})"}};
    for (const std::uint64_t snapshot_after : {1u << 20, 100u}) {
        local::ForgetfulDisk disk;
        sdk::testing::ManualShard shard;
        sdk::testing::ManualContext context{shard, "/data"};
        local::LocalBackend backend{context, {.snapshot_after = snapshot_after}, disk.files()};
        sdk::ensure(backend.start({}, [](sdk::SessionEvent) {}).has_value(),
                    "a fresh store starts");
        for (const auto& [key, value] : entries) {
            backend.commit({{}, {sdk::Put{key, value}}}, [](auto) {});
            shard.run_ready();
        }
        const std::string snapshot = text_in(disk, "snapshot");
        const std::string journal = text_in(disk, "journal");
        const unsigned there = snapshot.empty() ? 2 : 3;
        for (const unsigned settings : {there, there + 128})
            write("journal", std::to_string(settings),
                  PiecesWriter{}
                      .byte(settings)
                      .piece(std::as_bytes(std::span{snapshot}))
                      .rest(std::as_bytes(std::span{journal}))
                      .bytes());
    }
}

}  // namespace
}  // namespace leat::fuzz

int main(int count, char** arguments) {
    using namespace leat::fuzz;
    if (count < 2) return 2;
    out = arguments[1];
    write_messages();
    write_groups();
    write_batches();
    write_compressed();
    write_partition();
    write_journal();
    for (int i = 2; i < count; ++i) {
        std::ifstream file{arguments[i], std::ios::binary};
        const std::string text{std::istreambuf_iterator<char>{file}, {}};
        write("config", "file" + std::to_string(i), std::as_bytes(std::span{text}));
    }
    return 0;
}
