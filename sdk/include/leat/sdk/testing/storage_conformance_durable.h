// Rules of engines that say they are durable, and of side files. Included by
// storage_conformance.h.
#pragma once

#include <fstream>

#include "leat/sdk/testing/storage_conformance.h"

namespace leat::sdk::testing {

TEST_P(StorageConformance, ServesWhatItHeldAfterAnOrderlyStop) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    for (int i = 0; i < 30; ++i) {
        append(1 + i % 3, {.value_bytes = 400, .timestamp = {1000 + i}});
        if (i % 9 == 8) {
            ASSERT_TRUE(log_->seal());
        }
    }
    ASSERT_TRUE(log_->flush());
    const auto bounds = log_->bounds();
    const auto extents = log_->extents();
    for (int round = 0; round < 3; ++round) {
        restart_cleanly();
        EXPECT_EQ(log_->bounds(), bounds);
        EXPECT_EQ(log_->extents(), extents);
        EXPECT_TRUE(same(read_all(), expected()));
        EXPECT_EQ(log_->seek({1030}), std::nullopt);
        ASSERT_TRUE(log_->seek({1020}));
        EXPECT_LE(*log_->seek({1020}), written_[20].base);
    }
    append(2);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, ServesWhatWasFlushedAfterACrash) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    append_some(10);
    ASSERT_TRUE(log_->flush());
    ASSERT_TRUE(log_->seal());
    append_some(10);
    ASSERT_TRUE(log_->flush());
    const auto bounds = log_->bounds();
    for (int round = 0; round < 3; ++round) {
        crash();
        EXPECT_EQ(log_->bounds(), bounds);
        EXPECT_TRUE(same(read_all(), expected()));
    }
    append(2);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, SaysAfterACrashThatAllItServesIsSafe) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    append_some(10);
    crash();
    EXPECT_EQ(log_->bounds().flushed, log_->bounds().end);
    const auto seen = read_all();
    EXPECT_TRUE(same(seen, as_seen(std::span{written_}.first(seen.size()))));
}

TEST_P(StorageConformance, RemembersATruncationThroughACrash) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    for (int kept = 13; kept >= 0; kept -= 2) {
        SCOPED_TRACE(kept);
        while (written_.size() < 14) {
            append(1 + static_cast<int>(written_.size()) % 3);
            if (written_.size() % 5 == 0) {
                ASSERT_TRUE(log_->seal());
            }
        }
        ASSERT_TRUE(log_->flush());
        const auto keep = static_cast<std::size_t>(kept);
        make_.go_to(written_[keep].base);
        written_.resize(keep);
        ASSERT_TRUE(log_->truncate(make_.next()));
        kept % 4 == 1 ? crash() : restart_cleanly();
        EXPECT_EQ(log_->bounds().end, make_.next());
        EXPECT_TRUE(same(read_all(), expected()));
    }
}

TEST_P(StorageConformance, RemembersATrimThroughACrash) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    for (int i = 0; i < 14; ++i) {
        append(2);
        if (i % 5 == 4) {
            ASSERT_TRUE(log_->seal());
        }
    }
    ASSERT_TRUE(log_->flush());
    for (std::int64_t begin = 1; begin <= 28; ++begin) {
        ASSERT_TRUE(log_->trim({begin}));
        begin % 2 == 0 ? crash() : restart_cleanly();
        EXPECT_EQ(log_->bounds(), (LogBounds{{begin}, {28}, {28}}));
        EXPECT_TRUE(same(read_all(), expected({begin})));
    }
    append(1);
    EXPECT_TRUE(same(read_all(), expected({28})));
}

TEST_P(StorageConformance, RemembersWhereAnEmptyLogBegins) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    ASSERT_TRUE(log_->trim({500}));
    crash();
    EXPECT_EQ(log_->bounds(), (LogBounds{{500}, {500}, {500}}));
    make_.go_to({500});
    append_some(5);
    ASSERT_TRUE(log_->truncate({500}));
    restart_cleanly();
    EXPECT_EQ(log_->bounds(), (LogBounds{{500}, {500}, {500}}));
    ASSERT_TRUE(log_->truncate({100}));
    crash();
    EXPECT_EQ(log_->bounds(), (LogBounds{{100}, {100}, {100}}));
}

TEST_P(StorageConformance, TellsWhichPartitionsItKeeps) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    append_some(3);
    restart_cleanly();
    const auto kept = engine_->partitions();
    ASSERT_TRUE(kept) << kept.error().what;
    EXPECT_EQ(*kept, std::vector<PartitionId>{id_});
    log_.reset();
    ASSERT_TRUE(engine_->remove(id_));
    const auto left = engine_->partitions();
    ASSERT_TRUE(left);
    EXPECT_TRUE(left->empty());
}

TEST_P(StorageConformance, ServesNothingOfAnEarlierTopicOfTheSameName) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    append_some(3);
    ASSERT_TRUE(log_->flush());
    ASSERT_TRUE(log_->trim({2}));
    log_.reset();
    PartitionId recreated = id_;
    recreated.topic_id.bytes[0] ^= 0xFF;
    log_ = open(recreated);
    EXPECT_EQ(log_->bounds(), (LogBounds{{0}, {0}, {0}}));
    written_.clear();
    make_.go_to({0});
    append_some(2);
    EXPECT_TRUE(same(read_all(), expected()));
}

// A crash in the middle of a write. `damage` gets the tail's bytes, beginning at the third batch
// from the end, and a position in it.
template <class Damage>
void damage_every_byte(const std::filesystem::path& file, std::size_t tail_bytes, Damage&& damage,
                       const std::function<void(std::size_t)>& then) {
    std::ifstream in{file, std::ios::binary};
    const std::vector<char> whole{std::istreambuf_iterator<char>{in}, {}};
    in.close();
    ASSERT_GE(whole.size(), tail_bytes);
    for (std::size_t at = whole.size() - tail_bytes; at < whole.size(); ++at) {
        std::vector<char> bytes = whole;
        damage(bytes, at);
        std::ofstream{file, std::ios::binary | std::ios::trunc}.write(
            bytes.data(), static_cast<std::streamsize>(bytes.size()));
        then(at - (whole.size() - tail_bytes));
    }
}

class StorageTailDamage : public StorageConformance {
protected:
    // Base offset and leader epoch lie outside the checksum: a change there need not be noticed.
    static bool is_checked(std::size_t at_in_batch) {
        if (GetParam().bytes_beside_a_batch > 0) return true;
        return at_in_batch >= 8 && (at_in_batch < 12 || at_in_batch >= 16);
    }

    // Damages a tail of three unflushed batches and expects all that lies before the damage, and
    // nothing that was not written.
    void expect_only_whole_batches(
        const std::function<void(std::vector<char>&, std::size_t)>& damage, bool flips) {
        append_some(5);
        const std::size_t beside = GetParam().bytes_beside_a_batch;
        std::size_t tail_bytes = 0;
        for (int i = 0; i < 3; ++i) tail_bytes += beside + append(2).bytes.size();
        log_.reset();
        engine_.reset();
        const auto file = GetParam().tail_file(folder_.path(), id_);
        damage_every_byte(file, tail_bytes, damage, [&](std::size_t at) {
            SCOPED_TRACE("byte " + std::to_string(at) + " of the tail");
            std::size_t whole = written_.size() - 3;
            while (at >= beside + written_[whole].bytes.size())
                at -= beside + written_[whole++].bytes.size();
            crash();
            ASSERT_TRUE(log_);
            const auto seen = read_all();
            ASSERT_GE(seen.size(), whole);
            EXPECT_TRUE(same({seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(whole)},
                             as_seen(std::span{written_}.first(whole))));
            if (!flips || is_checked(at)) {
                EXPECT_EQ(seen.size(), whole);
            }
            log_.reset();
            engine_.reset();
        });
    }
};

TEST_P(StorageTailDamage, EndsBeforeABatchThatIsCutAtAnyByte) {
    if (!GetParam().tail_file) GTEST_SKIP() << "its files are not known";
    expect_only_whole_batches([](std::vector<char>& bytes, std::size_t at) { bytes.resize(at); },
                              false);
}

TEST_P(StorageTailDamage, EndsBeforeABatchThatIsZeroFromAnyByteOn) {
    if (!GetParam().tail_file) GTEST_SKIP() << "its files are not known";
    expect_only_whole_batches(
        [](std::vector<char>& bytes, std::size_t at) {
            // The last bytes of a batch may be zeros anyway: the byte before is made wrong.
            bytes[at] = static_cast<char>(~bytes[at]);
            std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 1, bytes.end(), '\0');
        },
        true);
}

TEST_P(StorageTailDamage, EndsBeforeABatchWithAFlippedBit) {
    if (!GetParam().tail_file) GTEST_SKIP() << "its files are not known";
    expect_only_whole_batches(
        [](std::vector<char>& bytes, std::size_t at) {
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
        },
        true);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StorageTailDamage);

inline std::vector<std::byte> text(std::string_view from) {
    const auto bytes = std::as_bytes(std::span{from});
    return {bytes.begin(), bytes.end()};
}

TEST_P(StorageConformance, KeepsSideFilesThroughACrash) {
    SideFiles* files = log_->side_files();
    ASSERT_EQ(files != nullptr, can().side_files);
    if (files == nullptr) GTEST_SKIP() << "no side files";
    const std::string epochs = "leader-epoch-checkpoint";
    const std::string snapshot = "00000000000000000007.snapshot";
    EXPECT_EQ(files->read(epochs).error().code, Errc::not_found);
    EXPECT_TRUE(files->remove(epochs));
    EXPECT_TRUE(files->list()->empty());
    ASSERT_TRUE(files->write(epochs, text("one")));
    ASSERT_TRUE(files->write(epochs, text("another")));
    ASSERT_TRUE(files->write(snapshot, {}));
    append_some(3);
    if (can().durable) crash();
    files = log_->side_files();
    EXPECT_EQ(*files->read(epochs), text("another"));
    EXPECT_TRUE(files->read(snapshot)->empty());
    auto names = *files->list();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector{snapshot, epochs}));
    ASSERT_TRUE(files->remove(snapshot));
    EXPECT_EQ(files->list()->size(), 1u);
    ASSERT_TRUE(log_->trim(log_->bounds().end));
    EXPECT_EQ(*files->read(epochs), text("another"));
}

TEST_P(StorageConformance, RefusesSideFileNamesThatLeadElsewhere) {
    SideFiles* files = log_->side_files();
    if (files == nullptr) GTEST_SKIP() << "no side files";
    for (const char* name : {"", ".", "..", "../x", "a/b", "/etc/passwd"}) {
        EXPECT_FALSE(files->write(name, text("no"))) << name;
        EXPECT_FALSE(files->read(name)) << name;
    }
}

}  // namespace leat::sdk::testing
