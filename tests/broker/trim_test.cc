// How a partition lets go of its oldest records: DeleteRecords (KIP-107) and retention.
#include <string>

#include "core/broker/retention_rounds.h"
#include "core/log/recovery.h"
#include "core/runtime/load_slices.h"
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;
using Bases = std::vector<std::int64_t>;

struct Deletion {
    std::optional<DeletedRecords> outcome;
    bool waits() const { return !outcome; }
    ErrorCode error() const { return outcome ? outcome->error : ErrorCode::unknown_server_error; }
    std::int64_t log_start() const { return outcome ? outcome->log_start.value : -2; }
};

// Each record in a segment of its own.
class Trim : public testing::PartitionBed {
protected:
    Trim() { setup_.log.segment_bytes = one_record().size(); }

    void append(int count) {
        for (int i = 0; i < count; ++i) {
            EXPECT_EQ(produce(one_record()).error(), ErrorCode::none);
        }
    }
    std::shared_ptr<Deletion> delete_below(std::int64_t below) {
        auto deletion = std::make_shared<Deletion>();
        with_partition([&](Partition& partition) {
            partition.delete_records(
                {below}, [deletion](DeletedRecords deleted) { deletion->outcome = deleted; });
        });
        return deletion;
    }
    Deletion deleted_below(std::int64_t below) {
        const auto deletion = delete_below(below);
        workers_work();
        return *deletion;
    }
    template <class Use>
    void with_partition(Use use) {
        table().with_open(key_, [&](Partition* partition, ErrorCode) {
            ASSERT_NE(partition, nullptr);
            use(*partition);
        });
    }
    void retain(std::int64_t ms_from_now = 0) {
        with_partition([&](Partition& partition) {
            partition.retain({shard_.wall_clock().value + ms_from_now});
        });
        workers_work();
    }
};

TEST_F(Trim, WhatIsDeletedIsGoneAndTheRestIsNot) {
    append(5);
    const auto deleted = deleted_below(3);
    EXPECT_EQ(deleted.error(), ErrorCode::none);
    EXPECT_EQ(deleted.log_start(), 3);
    EXPECT_EQ(extents(), (Bases{3, 4}));
    EXPECT_EQ(fetch(2)->error(), ErrorCode::offset_out_of_range);
    const auto fetched = fetch(3);
    ASSERT_FALSE(fetched->waits());
    EXPECT_EQ(fetched->error(), ErrorCode::none);
    EXPECT_EQ(fetched->outcome->log_start, sdk::Offset{3});
}

TEST_F(Trim, MinusOneMeansTheHighWatermarkAndAboveItNothingIsDeleted) {
    append(5);
    policy_.commits_below = {7};
    append(4);
    EXPECT_EQ(deleted_below(8).error(), ErrorCode::offset_out_of_range);
    EXPECT_EQ(deleted_below(-2).error(), ErrorCode::offset_out_of_range);
    EXPECT_EQ(engine_.faults.calls("trim"), 0);
    EXPECT_EQ(deleted_below(-1).log_start(), 7);
    EXPECT_EQ(extents(), (Bases{7, 8}));
}

TEST_F(Trim, WhatIsDeletedAlreadyIsDeletedAgainWithoutWork) {
    append(3);
    deleted_below(2);
    EXPECT_EQ(deleted_below(1).log_start(), 2);
    EXPECT_EQ(engine_.faults.calls("trim"), 1);
}

TEST_F(Trim, ALogThatIsEmptiedGoesOnWhereItWas) {
    append(3);
    EXPECT_EQ(deleted_below(-1).log_start(), 3);
    EXPECT_EQ(extents(), Bases{});
    append(2);
    EXPECT_EQ(extents(), (Bases{3, 4}));
}

TEST_F(Trim, ATopicThatKeepsEverythingRefusesToDelete) {
    setup_.retention.deletes = false;
    append(3);
    EXPECT_EQ(deleted_below(1).error(), ErrorCode::policy_violation);
    EXPECT_EQ(extents(), (Bases{0, 1, 2}));
}

TEST_F(Trim, WhileItRunsReadersAreRefusedBelowItAndThePartitionLives) {
    append(4);
    const auto deletion = delete_below(2);
    EXPECT_EQ(shard_.work_waiting(), 1u);
    EXPECT_EQ(fetch(1)->error(), ErrorCode::offset_out_of_range);
    shard_.run_work();  // The engine has done it, the shard has not heard.
    EXPECT_EQ(fetch(1)->error(), ErrorCode::offset_out_of_range);
    EXPECT_EQ(fetch(2)->error(), ErrorCode::none);
    EXPECT_TRUE(deletion->waits());
    workers_work();
    EXPECT_EQ(deletion->error(), ErrorCode::none);
}

// Trap L18.
TEST_F(Trim, AReaderThatHasItsSlicesFinishes) {
    append(4);
    const auto fetched = fetch(0);
    deleted_below(-1);
    append(4);
    std::vector<std::byte> bytes;
    ASSERT_TRUE(runtime::load(fetched->outcome->slices, bytes));
    ASSERT_EQ(bytes.size(), 4 * one_record().size());
    EXPECT_TRUE(wire::BatchView{bytes}.crc_matches());
}

TEST_F(Trim, NothingIsAppendedOrSyncedBesideIt) {
    setup_.flush = {.kind = FlushPromise::Kind::each};
    append(3);
    const auto deletion = delete_below(2);
    const auto sent = send(one_record());
    turn();
    EXPECT_EQ(shard_.work_waiting(), 1u);
    EXPECT_EQ(stored_end(), 3);
    workers_work();
    EXPECT_EQ(deletion->log_start(), 2);
    EXPECT_EQ(sent->base(), sdk::Offset{3});
}

TEST_F(Trim, ItWaitsForTheSyncThatRunsAndTheNextSyncWaitsForIt) {
    setup_.log.segment_bytes = 1 << 20;
    setup_.flush = {.kind = FlushPromise::Kind::each};
    append(3);
    const auto first = send(one_record());
    turn();
    ASSERT_EQ(engine_.faults.calls("trim"), 0);
    const auto deletion = delete_below(2);
    const auto second = send(one_record());
    while (deletion->waits()) {
        turn();
        EXPECT_LE(shard_.work_waiting(), 1u) << "one at a time";
        ASSERT_TRUE(shard_.run_work() || !deletion->waits());
    }
    EXPECT_EQ(deletion->log_start(), 2);
    workers_work();
    EXPECT_EQ(first->base(), sdk::Offset{3});
    EXPECT_EQ(second->base(), sdk::Offset{4});
}

TEST_F(Trim, BeforeTheLastSealGoesWhatRecoveryNeedsIsWritten) {
    setup_.log.segment_bytes = 1 << 20;
    append(3);
    deleted_below(2);
    EXPECT_TRUE(engine_.kept().files.have(log::windows_name({3})));
    EXPECT_TRUE(engine_.kept().files.have(log::snapshot_name({3})));
}

TEST_F(Trim, AFullDeviceDoesNotKeepAnybodyFromMakingRoom) {
    setup_.log.segment_bytes = 1 << 20;
    append(3);
    engine_.faults.fail("side file write", sdk::Errc::no_space);
    EXPECT_EQ(deleted_below(-1).log_start(), 3);
}

TEST_F(Trim, OneThatFailsTakesThePartitionOffline) {
    append(3);
    engine_.faults.fail("trim", sdk::Errc::io);
    EXPECT_EQ(deleted_below(2).error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::kafka_storage_error);
}

TEST_F(Trim, ATopicThatIsDeletedMeanwhileAnswersAndGoes) {
    append(3);
    const auto deletion = delete_below(2);
    const auto sent = send(one_record());
    topic_is_deleted();
    workers_work();
    EXPECT_FALSE(deletion->waits());
    EXPECT_FALSE(sent->waits());
    EXPECT_FALSE(engine_.holds(0));
}

TEST_F(Trim, ABrokerThatStopsMeanwhileWaitsForIt) {
    append(3);
    const auto deletion = delete_below(2);
    ASSERT_TRUE(restart());
    EXPECT_EQ(deletion->error(), ErrorCode::none);
    const auto fetched = fetch(1);
    workers_work();
    EXPECT_EQ(fetched->error(), ErrorCode::offset_out_of_range);
}

TEST_F(Trim, OneThatWaitedWhenTheBrokerStoppedIsNotDone) {
    setup_.flush = {.kind = FlushPromise::Kind::each};
    append(3);
    send(one_record());
    turn();
    const auto deletion = delete_below(2);
    ASSERT_TRUE(restart());
    EXPECT_EQ(deletion->error(), ErrorCode::not_leader_or_follower);
    workers_work();
    EXPECT_EQ(engine_.faults.calls("trim"), 0);
}

TEST_F(Trim, AChangeOfTheTopicMeanwhileComesAfterIt) {
    append(3);
    delete_below(2);
    const auto sent = send(one_record());
    turn();
    setup_.state.leader_epoch = {1};
    table().changed(key_);
    workers_work();
    EXPECT_EQ(sent->base(), sdk::Offset{3});
    with_partition([](Partition& partition) {
        EXPECT_EQ(partition.epoch_at({3}), sdk::LeaderEpoch{0});
        EXPECT_EQ(partition.leader_epoch(), sdk::LeaderEpoch{1});
    });
}

TEST_F(Trim, RetentionTakesWhatItsLimitsDoNotKeep) {
    setup_.retention = {.ms = 60'000, .bytes = static_cast<std::int64_t>(3 * one_record().size())};
    append(5);
    retain();
    EXPECT_EQ(extents(), (Bases{2, 3, 4}));
    retain(60'000);
    EXPECT_EQ(extents(), (Bases{2, 3, 4}));
    retain(60'001);
    EXPECT_EQ(extents(), Bases{});
    EXPECT_TRUE(lines_.say("log_start=5"));
    append(1);
    EXPECT_EQ(extents(), Bases{5});
}

TEST_F(Trim, LimitsThatChangeCountFromThenOn) {
    append(5);
    retain(1'000'000'000);
    EXPECT_EQ(extents().size(), 5u);
    setup_.retention.ms = 0;
    table().changed(key_);
    retain(1'000'000'000);
    EXPECT_EQ(extents(), Bases{});
}

class Rounds : public Trim {
protected:
    Rounds() { setup_.retention.ms = 60'000; }
    ~Rounds() override { stop(); }

    void begin(std::chrono::milliseconds interval) {
        rounds_.emplace(
            shard_, table(), interval, [this] { return std::vector<PartitionKey>{key_}; }, &lines_);
        rounds_->begin();
    }
    void pass(std::chrono::nanoseconds span) {
        shard_.advance(span);
        workers_work();
    }

    std::optional<RetentionRounds> rounds_;
};

TEST_F(Rounds, APartitionThatNobodyUsesIsOpenedAndTrimmed) {
    append(3);
    ASSERT_TRUE(restart());
    begin(10s);
    pass(50s);
    EXPECT_EQ(extents().size(), 3u);
    pass(30s);
    EXPECT_EQ(extents(), Bases{});
}

// Trap L15.
TEST_F(Rounds, AWallClockThatJumpsByDaysDeletesNothingEarly) {
    append(3);
    begin(5s);
    pass(20s);
    shard_.set_wall_clock_ahead(24h * 30);
    pass(39s);
    EXPECT_EQ(extents().size(), 3u);
    EXPECT_TRUE(lines_.say("the wall clock jumped"));
    pass(10s);
    EXPECT_EQ(extents(), Bases{}) << "by now it is old enough by any clock";
}

TEST_F(Rounds, AClockThatWasSetRightIsBelievedInTheEnd) {
    shard_.set_wall_clock_ahead(-24h * 365);
    append(3);
    begin(5min);
    pass(10s);
    setup_.retention.ms = 3 * 86'400'000LL;
    table().changed(key_);
    shard_.set_wall_clock_ahead(24h * 365);
    pass(23h);
    EXPECT_EQ(extents().size(), 3u);
    pass(2h);
    EXPECT_EQ(extents(), Bases{});
}

}  // namespace
}  // namespace leat::broker
