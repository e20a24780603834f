// Where epochs begin and end, as followers and consumers ask for it.
#include "core/log/leader_epochs.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace leat::log {
namespace {

LeaderEpochs three_epochs() {
    LeaderEpochs epochs;
    epochs.assign({2}, {10});
    epochs.assign({3}, {20});
    epochs.assign({6}, {35});
    return epochs;
}

TEST(LeaderEpochs, AnswersWhereAnEpochEnded) {
    const LeaderEpochs epochs = three_epochs();
    const Offset end{50};
    EXPECT_EQ(epochs.end_offset_for({6}, end), (EpochEnd{{6}, {50}}));
    EXPECT_EQ(epochs.end_offset_for({7}, end), (EpochEnd{}));
    EXPECT_EQ(epochs.end_offset_for({3}, end), (EpochEnd{{3}, {35}}));
    EXPECT_EQ(epochs.end_offset_for({5}, end), (EpochEnd{{3}, {35}}));
    EXPECT_EQ(epochs.end_offset_for({1}, end), (EpochEnd{{1}, {10}}));
    EXPECT_EQ(epochs.end_offset_for({-1}, end), (EpochEnd{}));
    EXPECT_EQ(LeaderEpochs{}.end_offset_for({0}, end), (EpochEnd{}));
}

TEST(LeaderEpochs, KnowsTheEpochOfARecord) {
    const LeaderEpochs epochs = three_epochs();
    EXPECT_EQ(epochs.epoch_at({9}), LeaderEpoch{-1});
    EXPECT_EQ(epochs.epoch_at({10}), LeaderEpoch{2});
    EXPECT_EQ(epochs.epoch_at({34}), LeaderEpoch{3});
    EXPECT_EQ(epochs.epoch_at({1000}), LeaderEpoch{6});
}

TEST(LeaderEpochs, ForgetsAnEpochThatBeganAtTheEndAndWroteNothing) {
    LeaderEpochs epochs = three_epochs();
    EXPECT_TRUE(epochs.truncate_from_end({35}));
    EXPECT_EQ(epochs.latest(), LeaderEpoch{3});
    EXPECT_FALSE(epochs.truncate_from_end({35}));
}

TEST(LeaderEpochs, KeepsTheEpochOfTheFirstRecordThatIsLeft) {
    LeaderEpochs epochs = three_epochs();
    EXPECT_TRUE(epochs.truncate_from_start({25}));
    EXPECT_EQ(epochs.entries().size(), 2u);
    EXPECT_EQ(epochs.entries()[0], (EpochStart{{3}, {25}}));
    EXPECT_FALSE(epochs.truncate_from_start({25}));
    EXPECT_FALSE(LeaderEpochs{three_epochs()}.truncate_from_start({5}));
}

TEST(LeaderEpochs, LetsALaterWordReplaceWhatContradictsIt) {
    LeaderEpochs epochs = three_epochs();
    EXPECT_FALSE(epochs.assign({6}, {40}));
    EXPECT_TRUE(epochs.assign({7}, {15}));
    EXPECT_EQ(epochs.entries().size(), 2u);
    EXPECT_EQ(epochs.entries()[1], (EpochStart{{7}, {15}}));
}

TEST(LeaderEpochs, WritesKafkasCheckpointAndReadsIt) {
    EXPECT_EQ(three_epochs().encode(), "0\n3\n2 10\n3 20\n6 35\n");
    const auto read = LeaderEpochs::decode("0\n3\n2 10\n3 20\n6 35\n");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->encode(), three_epochs().encode());
    EXPECT_TRUE(LeaderEpochs::decode("0\n0\n"));
    for (const char* bad : {"", "1\n0\n", "0\n2\n1 1\n", "0\n1\n1 1\n2 2\n", "0\n2\n2 1\n1 5\n",
                            "0\n99999999999\n", "0\n1\n-1 3\n", "0\n1\nx y\n", "0\n-1\n"}) {
        EXPECT_FALSE(LeaderEpochs::decode(bad)) << bad;
    }
}

// The model keeps the epoch of every single record.
TEST(LeaderEpochs, AgreesWithAModelThatRemembersEveryRecord) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
    LeaderEpochs epochs;
    std::map<std::int64_t, std::int32_t> model;
    std::int64_t begin = 0, end = 0;
    std::int32_t epoch = 0;
    for (int round = 0; round < 5000; ++round) {
        const auto action = below(10);
        if (action < 7) {
            if (below(4) == 0) epoch += static_cast<std::int32_t>(below(3)) + 1;
            if (LeaderEpoch{epoch} > epochs.latest()) epochs.assign({epoch}, {end});
            for (auto n = below(4) + 1; n > 0; --n) model[end++] = epoch;
        } else if (action < 9) {
            end -= below(std::min<std::int64_t>(end - begin, 6) + 1);
            model.erase(model.lower_bound(end), model.end());
            epochs.truncate_from_end({end});
        } else {
            begin += below(std::min<std::int64_t>(end - begin, 6) + 1);
            model.erase(model.begin(), model.lower_bound(begin));
            epochs.truncate_from_start({begin});
        }
        for (const auto& [offset, of_record] : model)
            ASSERT_EQ(epochs.epoch_at({offset}), LeaderEpoch{of_record}) << "offset " << offset;
        if (model.size() <= 200) continue;
        begin = end - 20;
        model.erase(model.begin(), model.lower_bound(begin));
        epochs.truncate_from_start({begin});
    }
}

}  // namespace
}  // namespace leat::log
