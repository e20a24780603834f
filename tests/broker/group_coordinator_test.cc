// How the coordinator of groups lives with its partition: loads it, waits for it, loses it.
#include "core/broker/group_coordinator.h"

#include <gtest/gtest.h>

#include "core/runtime/load_slices.h"
#include "core/wire/record_batch.h"
#include "core/wire/record_reader.h"
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;

cluster::Image with_topics(const std::vector<std::string>& names) {
    cluster::ImageDelta delta;
    for (const std::string& name : names) {
        auto topic = std::make_shared<cluster::TopicImage>();
        topic->name = name;
        topic->id.bytes.back() = static_cast<std::uint8_t>(delta.topics.size() + 1);
        topic->partitions.resize(2);
        delta.topics.push_back(std::move(topic));
    }
    cluster::Image image;
    image.apply(delta);
    return image;
}

class GroupCoordinatorTest : public testing::PartitionBed {
protected:
    struct Committed {
        std::optional<ErrorCode> error;
        ErrorCode answer = ErrorCode::network_exception;
        bool waits() const { return !error; }
    };
    struct Read {
        std::optional<ErrorCode> error;
        std::int64_t offset = -2;
        bool waits() const { return !error; }
    };

    std::shared_ptr<Committed> commit(std::int64_t offset, std::string topic = "orders") {
        wire::OffsetCommitRequest request{.group_id = "g"};
        request.topics.push_back({.name = std::move(topic), .topic_id = topic_id_});
        request.topics[0].partitions.push_back({.committed_offset = offset});
        auto committed = std::make_shared<Committed>();
        coordinator_->ask(
            [request](groups::Coordinator& machine, groups::Now now, groups::Effects& effects) {
                return machine.commit_offsets(request, 9, now, effects);
            },
            [committed](ErrorCode error, const wire::OffsetCommitResponse& response) {
                ASSERT_FALSE(committed->error) << "answered twice";
                committed->error = error;
                if (error == ErrorCode::none) {
                    committed->answer = response.topics.at(0).partitions.at(0).error_code;
                }
            });
        return committed;
    }
    std::shared_ptr<Read> read(std::string topic = "orders") {
        auto found = std::make_shared<Read>();
        coordinator_->ask(
            [topic](groups::Coordinator& machine, groups::Now, groups::Effects&) {
                wire::OffsetFetchRequest::Group request{.group_id = "g"};
                request.topics.emplace();
                request.topics->push_back({.name = topic, .partition_indexes = {0}});
                return machine.fetch_offsets(request);
            },
            [found](ErrorCode error, const wire::OffsetFetchResponse::Group& response) {
                ASSERT_FALSE(found->error) << "answered twice";
                found->error = error;
                if (error == ErrorCode::none) {
                    found->offset = response.topics.at(0).partitions.at(0).committed_offset;
                }
            });
        return found;
    }
    struct Joined {
        std::optional<ErrorCode> error;
        wire::JoinGroupResponse response;
    };
    std::shared_ptr<Joined> join(std::string member_id = {}) {
        auto joined = std::make_shared<Joined>();
        coordinator_->join_group({.client_id = "app", .must_bring_id = false},
                                 {.group_id = "g",
                                  .session_timeout_ms = 10'000,
                                  .rebalance_timeout_ms = 60'000,
                                  .member_id = std::move(member_id),
                                  .protocol_type = "consumer",
                                  .protocols = {{"range", {}}}},
                                 [joined](ErrorCode error, wire::JoinGroupResponse response) {
                                     joined->error = error;
                                     joined->response = std::move(response);
                                 });
        return joined;
    }
    ErrorCode heartbeat(const std::string& member) {
        std::optional<ErrorCode> heard;
        coordinator_->ask(
            [&](groups::Coordinator& machine, groups::Now now, groups::Effects& effects) {
                return machine.heartbeat({.group_id = "g", .generation_id = 1, .member_id = member},
                                         now, effects);
            },
            [&](ErrorCode error, const wire::HeartbeatResponse& response) {
                heard = error != ErrorCode::none ? error : response.error_code;
            });
        workers_work();
        return heard.value_or(ErrorCode::network_exception);
    }

    // In which version the log has its last record.
    int last_version() {
        const auto fetched = fetch(stored_end() - 1);
        workers_work();
        std::vector<std::byte> bytes;
        EXPECT_TRUE(runtime::load(fetched->outcome.value().slices, bytes));
        wire::RecordReader reader{wire::BatchView{bytes}.records()};
        const auto record = reader.next();
        return std::to_integer<int>(record.value().value.value()[1]);
    }

    // Another broker's coordinator, or this one's after a restart.
    void fail_over() {
        coordinator_->resign();
        coordinator_ = made();
    }
    std::shared_ptr<GroupCoordinator> made() {
        return std::make_shared<GroupCoordinator>(
            table(), shard_, key_, settings_, lines_,
            [this]() -> const cluster::Image& { return image_; });
    }

    GroupSettings settings_{.limits = {.initial_rebalance_delay = 0ms},
                            .make_id = [this] { return std::to_string(++ids_); }};
    int ids_ = 0;
    sdk::Uuid topic_id_{};  // Of what is committed.
    cluster::Image image_ = with_topics({"orders", "bills"});
    std::shared_ptr<GroupCoordinator> coordinator_ = made();
};

TEST_F(GroupCoordinatorTest, ARequestWaitsForTheLogAndIsAnsweredFromIt) {
    commit(42);
    workers_work();
    fail_over();
    const auto found = read();
    turn();
    EXPECT_TRUE(found->waits()) << "a worker still reads the log";
    workers_work();
    EXPECT_EQ(found->error, ErrorCode::none);
    EXPECT_EQ(found->offset, 42);
}

TEST_F(GroupCoordinatorTest, WhoWaitedASecondForTheLogIsToldThatItLoadsAndNotThatThereIsNothing) {
    commit(42);
    workers_work();
    fail_over();
    engine_.mood.cold = true;
    const auto early = read();
    shard_.advance(999ms);
    EXPECT_TRUE(early->waits());
    shard_.advance(1ms);
    EXPECT_EQ(early->error, ErrorCode::coordinator_load_in_progress);
    engine_.mood.cold = false;
    const auto later = read();
    workers_work();
    EXPECT_EQ(later->offset, 42);
}

TEST_F(GroupCoordinatorTest, NothingIsAnsweredBeforeWhatItRestsOnIsCommitted) {
    workers_work();
    commit(1);
    workers_work();
    policy_.commits_below = {1};
    const auto committed = commit(2);
    const auto found = read();
    workers_work();
    EXPECT_TRUE(committed->waits());
    EXPECT_TRUE(found->waits()) << "it would show 2, which a failover may take back";
    policy_.commits_below = {3};
    const auto next = commit(3);
    workers_work();
    EXPECT_EQ(committed->answer, ErrorCode::none);
    EXPECT_EQ(found->offset, 2) << "as it was when it was asked for";
    EXPECT_EQ(next->answer, ErrorCode::none);
}

TEST_F(GroupCoordinatorTest, AnAppendThatFailsIsForgottenAndTheLogSaysWhatIsSo) {
    commit(1);
    workers_work();
    engine_.faults.fail("append", sdk::Errc::io);
    const auto failed = commit(2);
    workers_work();
    EXPECT_EQ(failed->error, ErrorCode::not_coordinator);
    const auto found = read();
    workers_work();
    EXPECT_TRUE(found->error == ErrorCode::not_coordinator || found->offset == 1)
        << "told " << found->offset;
}

TEST_F(GroupCoordinatorTest, WhoIsParkedWhenItResignsIsToldToLookElsewhere) {
    settings_.limits.initial_rebalance_delay = 3s;
    coordinator_ = made();
    const auto joined = join();
    workers_work();
    EXPECT_FALSE(joined->error) << "more members may come";
    coordinator_->resign();
    EXPECT_EQ(joined->error, ErrorCode::not_coordinator);
}

TEST_F(GroupCoordinatorTest, OffsetsOfTopicsThatWereDeletedMeanwhileGoWithTheLoad) {
    commit(42, "orders");
    commit(43, "bills");
    workers_work();
    image_ = with_topics({"others", "bills"});
    fail_over();
    const auto gone = read("orders");
    const auto kept = read("bills");
    workers_work();
    EXPECT_EQ(gone->offset, -1);
    EXPECT_EQ(kept->offset, 43);
}

// The broker was killed when the topic was gone and its offsets were not yet.
TEST_F(GroupCoordinatorTest, OffsetsOfATopicThatWasMadeAgainBeforeTheLoadAreNotItsOwn) {
    topic_id_ = image_.topic("orders")->id;
    commit(42, "orders");
    topic_id_ = image_.topic("bills")->id;
    commit(43, "bills");
    workers_work();
    image_ = with_topics({"others", "bills", "orders"});
    fail_over();
    const auto gone = read("orders");
    const auto kept = read("bills");
    workers_work();
    EXPECT_EQ(gone->offset, -1);
    EXPECT_EQ(kept->offset, 43);
    image_ = with_topics({"orders", "bills"});
    fail_over();
    const auto still = read("orders");
    workers_work();
    EXPECT_EQ(still->offset, -1) << "they are removed, not only left out";
}

TEST_F(GroupCoordinatorTest, AnOffsetThatWasOnItsWayWhenItsTopicWasMadeAgainIsNotTheNewOnes) {
    workers_work();
    topic_id_ = image_.topic("orders")->id;
    commit(42, "orders");
    image_ = with_topics({"others", "bills", "orders"});
    ASSERT_NE(image_.topic("orders")->id, topic_id_);
    const auto found = read("orders");
    workers_work();
    EXPECT_EQ(found->offset, -1);
    topic_id_ = image_.topic("orders")->id;
    commit(1, "orders");
    const auto its_own = read("orders");
    workers_work();
    EXPECT_EQ(its_own->offset, 1);
}

TEST_F(GroupCoordinatorTest, AMemberThatIsSilentGoesWhenItsSessionEnds) {
    const auto joined = join();
    workers_work();
    ASSERT_EQ(joined->response.error_code, ErrorCode::none);
    shard_.advance(9'900ms);
    EXPECT_NE(heartbeat(joined->response.member_id), ErrorCode::unknown_member_id);
    shard_.advance(10'100ms);
    EXPECT_EQ(heartbeat(joined->response.member_id), ErrorCode::unknown_member_id);
}

// Programs that read the topic themselves may know no newer version, in which a topic's id has no
// place.
TEST_F(GroupCoordinatorTest, OffsetsAreWrittenInTheVersionThatTheOperatorWants) {
    topic_id_.bytes.back() = 1;
    commit(42);
    workers_work();
    EXPECT_EQ(last_version(), 4);
    settings_.limits.offset_commit_version = 3;
    fail_over();
    commit(43);
    workers_work();
    EXPECT_EQ(last_version(), 3);
    fail_over();
    const auto found = read();
    workers_work();
    EXPECT_EQ(found->offset, 43);
}

// A laptop that slept, a stopped process: nobody could be heard meanwhile.
TEST_F(GroupCoordinatorTest, TimeInWhichTheBrokerDidNotRunEndsNoSession) {
    const auto joined = join();
    workers_work();
    shard_.advance(5s);
    shard_.time_passes(1h);
    shard_.advance(1ms);
    EXPECT_NE(heartbeat(joined->response.member_id), ErrorCode::unknown_member_id);
    shard_.advance(11s);
    EXPECT_EQ(heartbeat(joined->response.member_id), ErrorCode::unknown_member_id);
}

}  // namespace
}  // namespace leat::broker
