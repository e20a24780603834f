// Records of `__consumer_offsets` that somebody else may have written: old, new, damaged, hostile.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/wire/group_records/group_record.h"
#include "tests/wire/arbitrary.h"
#include "tests/wire/hex.h"

namespace leat::wire {
namespace {

using sdk::Errc;

// Calls check(record, its value's version) with random records of every type and version.
template <std::size_t index = 0, class Check>
void with_every_record(Check check) {
    if constexpr (index < std::variant_size_v<GroupRecord>) {
        using Record = std::variant_alternative_t<index, GroupRecord>;
        const Versions versions = Record::Value::traits.versions;
        for (Version v = versions.min; v <= versions.max; ++v) {
            for (std::uint64_t seed = 0; seed < 50; ++seed) {
                SCOPED_TRACE(testing::Message()
                             << Record::Value::traits.name << " v" << v << ", seed " << seed);
                Record record;
                Arbitrary{seed, 0}.fill(Record::Key::fields(), &record.key);
                Arbitrary{seed, v}.fill(Record::Value::fields(), &record.value.emplace());
                check(GroupRecord{record}, v);
                if (testing::Test::HasFatalFailure()) return;
            }
        }
        with_every_record<index + 1>(check);
    }
}

GroupRecordBytes encoded(const GroupRecord& record, Version version) {
    auto bytes = encode_group_record(record, version);
    EXPECT_TRUE(bytes) << bytes.error().what;
    return std::move(*bytes);
}

Errc failure(const Buffer& key, std::optional<Buffer> value) {
    const auto decoded = decode_group_record(key, value);
    return decoded ? Errc::internal : decoded.error().code;
}

TEST(GroupRecords, DecodeToWhatWasEncoded) {
    with_every_record([](const GroupRecord& record, Version version) {
        const auto bytes = encoded(record, version);
        const auto decoded = decode_group_record(bytes.key, bytes.value);
        ASSERT_TRUE(decoded) << decoded.error().what;
        EXPECT_TRUE(*decoded == record);
    });
}

TEST(GroupRecords, WithoutAValueAreTombstones) {
    with_every_record([](GroupRecord record, Version version) {
        std::visit([](auto& each) { each.value.reset(); }, record);
        const auto bytes = encoded(record, version);
        EXPECT_EQ(bytes.value, std::nullopt);
        const auto decoded = decode_group_record(bytes.key, std::nullopt);
        ASSERT_TRUE(decoded) << decoded.error().what;
        EXPECT_TRUE(*decoded == record);
    });
}

TEST(GroupRecords, AreCorruptWhereTheyEndTooSoon) {
    with_every_record([](const GroupRecord& record, Version version) {
        const auto bytes = encoded(record, version);
        for (std::size_t n = 0; n < bytes.key.size(); ++n)
            ASSERT_EQ(
                failure({bytes.key.begin(), bytes.key.begin() + static_cast<int>(n)}, bytes.value),
                Errc::corrupt);
        for (std::size_t n = 0; n < bytes.value->size(); ++n)
            ASSERT_EQ(failure(bytes.key, Buffer{bytes.value->begin(),
                                                bytes.value->begin() + static_cast<int>(n)}),
                      Errc::corrupt);
    });
}

TEST(GroupRecords, MayEndLater) {
    with_every_record([](const GroupRecord& record, Version version) {
        auto bytes = encoded(record, version);
        bytes.key.push_back(std::byte{7});
        bytes.value->push_back(std::byte{7});
        const auto decoded = decode_group_record(bytes.key, bytes.value);
        ASSERT_TRUE(decoded) << decoded.error().what;
        EXPECT_TRUE(*decoded == record);
    });
}

TEST(GroupRecords, OfUnknownTypesAreToldFromCorruptOnes) {
    for (const std::string_view type : {"0009", "000a", "000f", "0011", "7fff", "ffff", "8000"}) {
        const auto decoded =
            decode_group_record(from_hex(std::string{type} + "000167"), from_hex("0000"));
        ASSERT_FALSE(decoded) << type;
        EXPECT_EQ(decoded.error().code, Errc::unsupported) << type;
        EXPECT_NE(decoded.error().what.find("not known here"), std::string::npos)
            << decoded.error().what;
    }
}

TEST(GroupRecords, OfUnknownVersionsAreToldFromCorruptOnes) {
    with_every_record([](const GroupRecord& record, Version version) {
        auto bytes = encoded(record, version);
        for (const std::byte high : {std::byte{1}, std::byte{0xff}}) {
            (*bytes.value)[0] = high;
            EXPECT_EQ(failure(bytes.key, bytes.value), Errc::unsupported);
        }
    });
}

// A group whose value counts more members, and longer strings, than there are bytes.
TEST(GroupRecords, WithLengthsThatNothingBacksAreCorrupt) {
    const Buffer key = from_hex("000200066f7264657273");
    const std::string head = "0003000000000000ffffffffffffffffffffffff";
    EXPECT_EQ(failure(key, from_hex(head + "7fffffff")), Errc::corrupt);
    EXPECT_EQ(failure(key, from_hex(head + "fffffffe")), Errc::corrupt);
    EXPECT_EQ(failure(key, from_hex("00037fff")), Errc::corrupt);
    EXPECT_EQ(failure(from_hex("00027fff6f"), std::nullopt), Errc::corrupt);
    EXPECT_EQ(failure(from_hex("0002ffff"), std::nullopt), Errc::corrupt) << "a null group id";
    // A million regular expressions' topics of one byte each.
    Buffer many = from_hex("0000c1843d");
    many.resize(many.size() + 1'000'016, std::byte{1});
    const auto decoded = decode_group_record(from_hex("001000016700016f"), many);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code, Errc::corrupt);
    EXPECT_NE(decoded.error().what.find("memory"), std::string::npos) << decoded.error().what;
}

TEST(GroupRecords, RefuseWhatKafkaCannotRead) {
    OffsetCommitRecord record{{.group = std::string(32768, 'g'), .topic = "t"},
                              OffsetCommitValue{}};
    const auto refused = encode_group_record(record);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("group is too long"), std::string::npos)
        << refused.error().what;
    record.key.group.pop_back();
    EXPECT_TRUE(encode_group_record(record));
    EXPECT_FALSE(encode_group_record(record, 5));
    EXPECT_FALSE(encode_group_record(record, -1));
}

TEST(GroupRecords, AreWrittenInTheVersionsOfKafka) {
    OffsetCommitRecord offset{{}, OffsetCommitValue{}};
    EXPECT_EQ(written_version(offset), 4);
    EXPECT_EQ(written_version(offset, oldest_written_offsets), 3);
    offset.value->expire_timestamp = 1;
    EXPECT_EQ(written_version(offset), 1);
    EXPECT_EQ(written_version(offset, oldest_written_offsets), 1);
    EXPECT_EQ(written_version(GroupMetadataRecord{}), 3);
    EXPECT_EQ(written_version(ConsumerGroupMetadataRecord{}), 0);
}

}  // namespace
}  // namespace leat::wire
