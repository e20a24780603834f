// What `leat dump` tells of indexes, snapshots and checkpoints, and how it bears what is no such
// file.
#include "core/log/leader_epochs.h"
#include "core/log/producer_state.h"
#include "core/wire/batch_builder.h"
#include "tests/dump/told.h"

namespace leat::app {
namespace {

template <class Number>
Bytes big_endian(Number number) {
    Bytes bytes;
    for (std::size_t i = sizeof(Number); i-- > 0;) {
        bytes.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(number) >> (8 * i)));
    }
    return bytes;
}
Bytes place(std::uint32_t relative, std::uint32_t position) {
    return big_endian(relative) + big_endian(position);
}
Bytes moment(std::int64_t timestamp, std::uint32_t relative) {
    return big_endian(timestamp) + big_endian(relative);
}

Bytes batch_at(std::int64_t offset) {
    return wire::BatchBuilder{{.base_offset = {offset}, .leader_epoch = {0}}}
        .add({.value = "v"})
        .add({.value = "w"})
        .build();
}

class IndexDump : public DumpTest {
protected:
    IndexDump() {
        const Bytes one = batch_at(100);
        size_ = static_cast<std::uint32_t>(one.size());
        write("00000000000000000100.log", one + batch_at(102) + batch_at(104));
    }
    static constexpr const char* index_ = "00000000000000000100.index";
    static constexpr const char* times_ = "00000000000000000100.timeindex";
    std::uint32_t size_;  // Of each batch.
};

TEST_F(IndexDump, TellsOffsetsAndTimesAsTheyAreMeant) {
    const Told places = tell(index_, place(3, size_) + place(5, 2 * size_));
    EXPECT_TRUE(places.damages.empty());
    ASSERT_EQ(places.items.size(), 2u);
    EXPECT_EQ(number(places.items[1], "offset"), 105);
    EXPECT_EQ(number(places.items[1], "log_position"), 2 * size_);
    EXPECT_EQ(places.items[1].position, 8u);
    const Told times = tell(times_, moment(1000, 1) + moment(2000, 5));
    EXPECT_TRUE(times.damages.empty());
    ASSERT_EQ(times.items.size(), 2u);
    EXPECT_EQ(number(times.items[1], "timestamp"), 2000);
    EXPECT_EQ(number(times.items[1], "offset"), 105);
    EXPECT_TRUE(tell(index_, {}).damages.empty());
}

TEST_F(IndexDump, HoldsAnOffsetIndexAgainstTheSegmentBesideIt) {
    const Told other = tell(index_, place(2, size_));
    ASSERT_EQ(other.damages.size(), 1u);
    EXPECT_EQ(other.damages[0].second,
              "an entry for another batch: the one there ends with "
              "offset 103");
    const Told none = tell(index_, place(3, size_ + 1));
    ASSERT_EQ(none.damages.size(), 1u);
    EXPECT_EQ(none.damages[0].second, "an entry for a position at which no batch begins");
    std::filesystem::remove(folder_ / "00000000000000000100.log");
    EXPECT_TRUE(tell(index_, place(2, size_)).damages.empty()) << "nothing to hold it against";
}

TEST_F(IndexDump, EntriesThatDoNotRiseOrAreCutOffAreDamage) {
    EXPECT_EQ(tell(index_, place(3, size_) + place(3, size_)).damages.at(0).first, 8u);
    EXPECT_EQ(tell(times_, moment(5, 1) + moment(5, 2)).damages.at(0).first, 12u);
    EXPECT_EQ(tell(times_, moment(-5, 1)).damages.at(0).first, 0u);
    for (std::size_t size = 1; size < 8; ++size) {
        Bytes cut = place(0x01010101, 0x01010101);
        cut.resize(size);
        const Told told = tell(index_, cut);
        ASSERT_EQ(told.damages.size(), 1u);
        EXPECT_EQ(told.damages[0].first, 0u);
    }
}

TEST_F(IndexDump, ZerosAtTheEndAreRoom) {
    const Told told = tell(index_, place(3, size_) + Bytes(8000));
    EXPECT_TRUE(told.damages.empty());
    ASSERT_EQ(told.items.size(), 2u);
    EXPECT_EQ(told.items[1].kind, "prepared_room");
    EXPECT_EQ(number(told.items[1], "bytes"), 8000);
}

TEST_F(IndexDump, TellsAbortedTransactions) {
    const Bytes entry = big_endian(std::int16_t{0}) + big_endian(std::int64_t{7}) +
                        big_endian(std::int64_t{100}) + big_endian(std::int64_t{110}) +
                        big_endian(std::int64_t{105});
    const Told told = tell("00000000000000000100.txnindex", entry + entry);
    EXPECT_TRUE(told.damages.empty());
    ASSERT_EQ(told.items.size(), 2u);
    EXPECT_EQ(number(told.items[0], "producer_id"), 7);
    EXPECT_EQ(number(told.items[0], "last_stable_offset"), 105);
}

class SideFileDump : public DumpTest {
protected:
    SideFileDump() {
        for (std::int64_t id = 1; id <= 2; ++id) {
            for (int i = 0; i < 3; ++i) {
                auto batch = wire::BatchBuilder{{.base_offset = {10 * id + 2 * i},
                                                 .producer_id = id,
                                                 .producer_epoch = 0,
                                                 .base_sequence = 2 * i}}
                                 .add({.value = "v", .timestamp = {500}})
                                 .add({.value = "v", .timestamp = {600}})
                                 .build();
                producers_.add(wire::BatchView{batch}, {1234});
            }
        }
        producers_.commit(6);
    }

    // A damaged file is told as damaged, or by nobody's fault as another one: no crash, and the
    // place lies in the file.
    void bears(const std::string& name, const Bytes& good, bool every_byte_counts) {
        EXPECT_TRUE(tell(name, good).damages.empty());
        garble(good, [&](const Bytes& bad) {
            const Told told = tell(name, bad);
            EXPECT_FALSE(every_byte_counts && told.damages.empty()) << bad.size();
            for (const auto& [position, what] : told.damages) EXPECT_LE(position, bad.size());
        });
    }

    log::ProducerState producers_;
};

TEST_F(SideFileDump, TellsTheProducersOfASnapshotAndOfTheWindows) {
    const Told snapshot = tell("00000000000000000030.snapshot", producers_.encode_snapshot());
    ASSERT_EQ(snapshot.items.size(), 2u);
    EXPECT_EQ(number(snapshot.items[1], "producer_id"), 2);
    EXPECT_EQ(number(snapshot.items[1], "last_offset"), 25);
    EXPECT_EQ(number(snapshot.items[1], "last_sequence"), 5);
    EXPECT_EQ(number(snapshot.items[1], "timestamp"), 600);
    EXPECT_EQ(snapshot.items[1].position, 56u);
    const Told windows = tell("00000000000000000030.producers", producers_.encode_windows());
    EXPECT_EQ(windows.of_kind("producer").size(), 2u);
    EXPECT_EQ(windows.of_kind("producer_batch").size(), 6u);
}

TEST_F(SideFileDump, EveryCutAndEveryChangedByteOfASnapshotIsFound) {
    bears("00000000000000000030.snapshot", producers_.encode_snapshot(), true);
    bears("00000000000000000030.producers", producers_.encode_windows(), true);
    const Bytes snapshot = producers_.encode_snapshot();
    Bytes bad = snapshot;
    bad[20] ^= std::byte{1};
    EXPECT_EQ(tell("00000000000000000030.snapshot", bad).damages.at(0),
              (std::pair<std::uint64_t, std::string>{
                  2, "the producer snapshot does not match its checksum"}));
}

TEST_F(SideFileDump, TellsCheckpointsLineByLine) {
    const std::string name{log::LeaderEpochs::file_name};
    const Told epochs = tell(name, bytes_of("0\n2\n0 0\n5 17\n"));
    EXPECT_TRUE(epochs.damages.empty());
    ASSERT_EQ(epochs.items.size(), 2u);
    EXPECT_EQ(number(epochs.items[1], "leader_epoch"), 5);
    EXPECT_EQ(number(epochs.items[1], "start_offset"), 17);
    EXPECT_EQ(epochs.items[1].position, 8u);
    EXPECT_EQ(tell(name, bytes_of("0\n2\n5 0\n5 17\n")).damages.at(0).first, 8u);
    EXPECT_EQ(tell(name, bytes_of("0\n3\n0 0\n5 17\n")).damages.at(0).second,
              "2 entries, where the file says 3");
    EXPECT_EQ(tell(name, bytes_of("1\n0\n")).damages.at(0).first, 0u);
    EXPECT_EQ(tell(name, bytes_of("0\n1\n0 zero\n")).damages.at(0).first, 4u);
    bears(name, bytes_of("0\n2\n0 0\n5 17\n"), false);

    const Told points = tell("recovery-point-offset-checkpoint", bytes_of("0\n1\norders 3 42\n"));
    EXPECT_TRUE(points.damages.empty());
    ASSERT_EQ(points.items.size(), 1u);
    EXPECT_EQ(text(points.items[0], "topic"), "orders");
    EXPECT_EQ(number(points.items[0], "partition"), 3);
    EXPECT_EQ(number(points.items[0], "offset"), 42);
    bears("log-start-offset-checkpoint", bytes_of("0\n1\norders 3 42\n"), false);
}

TEST_F(SideFileDump, TellsProperties) {
    const Told metadata =
        tell("partition.metadata", bytes_of("version: 0\ntopic_id: L0r0nzsoS-OKUpMT6wyZhQ"));
    EXPECT_TRUE(metadata.damages.empty());
    ASSERT_EQ(metadata.items.size(), 2u);
    EXPECT_EQ(text(metadata.items[1], "value"), "L0r0nzsoS-OKUpMT6wyZhQ");
    const Told meta = tell("meta.properties", bytes_of("#comment\nversion=1\nnode.id=1\n"));
    EXPECT_TRUE(meta.damages.empty());
    EXPECT_EQ(meta.items.size(), 2u);
    EXPECT_EQ(tell("meta.properties", bytes_of("version=1\nnode id\n")).damages.at(0).first, 10u);
    EXPECT_EQ(tell("partition.metadata", {}).damages.size(), 1u);
    bears("meta.properties", bytes_of("version=1\nnode.id=1\n"), false);
}

}  // namespace
}  // namespace leat::app
