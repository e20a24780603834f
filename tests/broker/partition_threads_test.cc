// A partition whose workers are threads, as in a broker: opening, syncs, side files, look-ups and
// the close run beside appends and reads. For the thread sanitizer.
#include "core/log/recovery.h"
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using testing::ManualShard;
using wire::ErrorCode;

class PartitionThreads : public testing::PartitionBed {
protected:
    static constexpr int rounds = 100, batches = 4;

    // Rolls every other batch, and every acknowledgement waits for a sync.
    PartitionThreads() : PartitionBed{ManualShard::Time::real, ManualShard::Work::threaded} {
        setup_.log.segment_bytes = 2 * from_producer(0).size();
        setup_.flush.kind = FlushPromise::Kind::each;
    }
    void look_up_the_newest(int& answers) {
        table().with_open(key_, [&answers](Partition* open, ErrorCode error) {
            ASSERT_EQ(error, ErrorCode::none);
            open->find_newest([&answers](TimeLookup found) {
                EXPECT_EQ(found.error, ErrorCode::none);
                ++answers;
            });
        });
    }
};

TEST_F(PartitionThreads, WorkersMeetTheShardAndNothingIsLost) {
    std::vector<std::shared_ptr<testing::Sent>> sent;
    std::vector<std::shared_ptr<testing::Fetched>> fetched;
    int looked_up = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < batches; ++i) {
            sent.push_back(send(from_producer(round * batches + i), Acks::all));
        }
        fetched.push_back(fetch(0));
        look_up_the_newest(looked_up);
        turn();
    }
    ASSERT_TRUE(comes_to([&] { return !sent.back()->waits() && looked_up == rounds; }));
    EXPECT_TRUE(restart());
    for (int i = 0; i < rounds * batches; ++i) {
        EXPECT_EQ(sent[static_cast<std::size_t>(i)]->base(), sdk::Offset{i});
    }
    for (const auto& each : fetched) EXPECT_EQ(each->error(), ErrorCode::none);
    const auto again = send(from_producer(rounds * batches - 1));
    ASSERT_TRUE(comes_to([&] { return !again->waits(); }));
    EXPECT_EQ(again->base(), sdk::Offset{rounds * batches - 1}) << "a duplicate";
    EXPECT_TRUE(stop());
    EXPECT_TRUE(engine_.kept().files.have(log::snapshot_name({rounds * batches})));
    start();
}

}  // namespace
}  // namespace leat::broker
