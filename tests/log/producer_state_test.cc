// Idempotent producers: what is new, what is there already, and what cannot be.
#include "core/log/producer_state.h"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/log/driven_partition.h"

namespace leat::log {
namespace {

struct Sent {
    std::int64_t id = 7;
    std::int16_t epoch = 0;
    std::int32_t sequence = 0;
    int records = 1;
    std::int64_t offset = 0;
};

Bytes bytes_of(const Sent& sent) {
    return batch_of(sent.records, {.base_offset = {sent.offset},
                                   .producer_id = sent.id,
                                   .producer_epoch = sent.epoch,
                                   .base_sequence = sent.sequence});
}

// "new", "duplicate of OFFSET" or the error's number.
std::string verdict(const ProducerState& state, const Sent& sent) {
    const Bytes bytes = bytes_of(sent);
    const auto found = state.check(BatchView{bytes});
    if (std::holds_alternative<InSequence>(found)) return "new";
    if (const auto* error = std::get_if<AppendError>(&found))
        return std::to_string(static_cast<int>(error->code));
    return "duplicate of " +
           std::to_string(std::get<DuplicateBatch>(found).original.base_offset().value);
}

void add(ProducerState& state, const Sent& sent, Timestamp wall = noon) {
    const Bytes bytes = bytes_of(sent);
    state.add(BatchView{bytes}, wall);
    state.commit(1);
}

TEST(ProducerState, AcceptsAnyBeginningOfAProducerThatItDoesNotKnow) {
    ProducerState state;
    EXPECT_EQ(verdict(state, {.sequence = 42}), "new");
    add(state, {.sequence = 42});
    EXPECT_EQ(verdict(state, {.sequence = 43}), "new");
    EXPECT_EQ(verdict(state, {.sequence = 45}), "45");
}

TEST(ProducerState, RefusesGapsAndHalfDuplicates) {
    ProducerState state;
    for (int i = 0; i < 6; ++i) add(state, {.sequence = i, .offset = 100 + i});
    EXPECT_EQ(verdict(state, {.sequence = 5}), "duplicate of 105");
    EXPECT_EQ(verdict(state, {.sequence = 1}), "duplicate of 101");
    EXPECT_EQ(verdict(state, {.sequence = 0}), "45");
    EXPECT_EQ(verdict(state, {.sequence = 9}), "45");
    EXPECT_EQ(verdict(state, {.sequence = 4, .records = 2}), "45");
}

TEST(ProducerState, BeginsANewEpochAtZeroAndKnowsNoOlderOne) {
    ProducerState state;
    add(state, {.epoch = 3, .sequence = 5});
    EXPECT_EQ(verdict(state, {.epoch = 2, .sequence = 5}), "47");
    EXPECT_EQ(verdict(state, {.epoch = 4, .sequence = 6}), "45");
    EXPECT_EQ(verdict(state, {.epoch = 4, .sequence = 0}), "new");
    add(state, {.epoch = 4, .sequence = 0});
    EXPECT_EQ(verdict(state, {.epoch = 3, .sequence = 5}), "47");
    EXPECT_EQ(verdict(state, {.epoch = 4, .sequence = 1}), "new");
}

TEST(ProducerState, CountsOnFromZeroAfterTheLastSequence) {
    constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
    ProducerState state;
    const Sent straddling{.sequence = last - 2, .records = 5, .offset = 10};
    add(state, straddling);
    EXPECT_EQ(verdict(state, straddling), "duplicate of 10");
    EXPECT_EQ(verdict(state, {.sequence = 2}), "new");
    EXPECT_EQ(verdict(state, {.sequence = 0}), "45");
    ProducerState exact;
    add(exact, {.sequence = last});
    EXPECT_EQ(verdict(exact, {.sequence = 0}), "new");
}

TEST(ProducerState, CountsWhatIsOnItsWayAndTakesItBack) {
    ProducerState state;
    add(state, {.sequence = 0});
    const Bytes second = bytes_of({.sequence = 1, .offset = 1});
    const Bytes other = bytes_of({.id = 8, .sequence = 0, .offset = 2});
    state.add(BatchView{second}, noon);
    state.add(BatchView{other}, noon);
    EXPECT_EQ(verdict(state, {.sequence = 1}), "duplicate of 1");
    state.roll_back();
    EXPECT_EQ(verdict(state, {.sequence = 1}), "new");
    EXPECT_EQ(verdict(state, {.id = 8, .sequence = 0}), "new");
}

// KIP-360 lets a producer begin anywhere if it is not known. A client has up to five batches in
// flight: were the second taken when the first has just been refused, the log would have them the
// wrong way round, and the first one's retry would be out of order for ever.
TEST(ProducerState, NeverTakesTheSecondBatchBeforeTheFirstThatWasTakenBack) {
    ProducerState state;
    const Bytes first = bytes_of({.sequence = 10}), second = bytes_of({.sequence = 11});
    state.add(BatchView{first}, noon);
    state.add(BatchView{second}, noon);
    state.roll_back();
    EXPECT_EQ(verdict(state, {.sequence = 11}), "45");
    EXPECT_EQ(verdict(state, {.sequence = 10}), "new");
    EXPECT_EQ(verdict(state, {.sequence = 9}), "new") << "it may have been refused before that";
    EXPECT_EQ(verdict(state, {.epoch = 1, .sequence = 0}), "new") << "the client gave up";

    state.add(BatchView{first}, noon);
    state.roll_back();
    EXPECT_EQ(verdict(state, {.sequence = 11}), "45") << "refused twice";
    add(state, {.sequence = 10});
    EXPECT_EQ(verdict(state, {.sequence = 10}), "duplicate of 0");
    EXPECT_EQ(verdict(state, {.sequence = 11}), "new");
    EXPECT_EQ(verdict(state, {.sequence = 9}), "45");
}

TEST(ProducerState, RemembersWhoWasTakenBackOnlyWithinItsLimitsAndTillTheNextRestart) {
    ProducerState state{{.max_producers = 10, .expiration_ms = 1000}};
    for (std::int64_t id = 0; id < 100; ++id) {
        const Bytes batch = bytes_of({.id = id});
        state.add(BatchView{batch}, noon);
        state.roll_back();
    }
    EXPECT_EQ(state.size(), 10u);
    ProducerState restarted;
    ASSERT_TRUE(restarted.load_windows(state.encode_windows()));
    EXPECT_EQ(restarted.size(), 0u);
    ASSERT_TRUE(restarted.load_snapshot(state.encode_snapshot(), noon));
    EXPECT_EQ(restarted.size(), 0u);
    state.expire({noon.value + 1000});
    EXPECT_EQ(state.size(), 0u);
}

TEST(ProducerState, ExpiresByTheBrokersClockWhateverTheRecordsSay) {
    ProducerState state{{.expiration_ms = 1000}};
    add(state, {.id = 1}, {5000});
    add(state, {.id = 2}, {5500});
    state.expire({5999});
    EXPECT_EQ(state.size(), 2u);
    state.expire({6000});
    EXPECT_EQ(state.find(1), nullptr);
    EXPECT_NE(state.find(2), nullptr);
}

TEST(ProducerState, ForgetsTheLeastRecentlySeenOnesBeyondItsLimit) {
    ProducerState state{{.max_producers = 1000}};
    for (std::int64_t id = 0; id < 100'000; ++id) {
        add(state, {.id = id});
        if (id % 500 == 0) add(state, {.id = 0, .sequence = static_cast<std::int32_t>(id / 500)});
    }
    EXPECT_EQ(state.size(), 1000u);
    EXPECT_EQ(state.evicted(), 99'000u);
    EXPECT_NE(state.find(0), nullptr);
}

TEST(ProducerState, ForgetsWhatWasTruncated) {
    ProducerState state;
    for (int i = 0; i < 4; ++i) add(state, {.sequence = i, .offset = i});
    add(state, {.id = 8, .offset = 4});
    state.truncate({2});
    EXPECT_EQ(verdict(state, {.sequence = 2}), "new");
    EXPECT_EQ(verdict(state, {.sequence = 1}), "duplicate of 1");
    EXPECT_EQ(state.find(8), nullptr);
}

TEST(ProducerState, ReadsBackItsWindowsAndRefusesDamagedOnes) {
    ProducerState state;
    for (int i = 0; i < 7; ++i) add(state, {.sequence = i, .offset = i}, {noon.value + i});
    add(state, {.id = 9, .epoch = 2, .sequence = 1}, {noon.value});
    const Bytes file = state.encode_windows();
    ProducerState read;
    ASSERT_TRUE(read.load_windows(file));
    EXPECT_EQ(read.entries(), state.entries());
    for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
        Bytes bad = file;
        bad[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        ASSERT_FALSE(ProducerState{}.load_windows(bad)) << bit;
    }
    for (std::size_t size = 0; size < file.size(); ++size)
        ASSERT_FALSE(ProducerState{}.load_windows(std::span{file}.first(size))) << size;
}

// The model keeps every batch of every producer for ever, and looks at the last five.
class Model {
public:
    std::string verdict(const Sent& sent) const {
        const auto found = producers_.find(sent.id);
        if (found == producers_.end()) return verdict_of_unknown(sent);
        const auto& [epoch, all] = found->second;
        if (sent.epoch < epoch) return "47";
        if (sent.epoch > epoch) return sent.sequence == 0 ? "new" : "45";
        const std::size_t from = all.size() > 5 ? all.size() - 5 : 0;
        for (std::size_t i = from; i < all.size(); ++i) {
            if (all[i].sequence == sent.sequence && all[i].records == sent.records)
                return "duplicate of " + std::to_string(all[i].offset);
        }
        constexpr std::int64_t sequences = std::int64_t{1} << 31;
        return (all.back().sequence + std::int64_t{all.back().records}) % sequences == sent.sequence
                   ? "new"
                   : "45";
    }
    void add(const Sent& sent) {
        taken_back_.erase(sent.id);
        auto& [epoch, all] = producers_[sent.id];
        if (epoch != sent.epoch) all.clear();
        epoch = sent.epoch;
        all.push_back(sent);
    }
    std::int32_t next(std::int64_t id) const {
        const auto found = producers_.find(id);
        if (found == producers_.end()) return 0;
        const Sent& last = found->second.second.back();
        return wire::sequence_after(last.sequence, last.records);
    }
    void take_back(const Sent& sent) {
        if (!producers_.contains(sent.id)) taken_back_.try_emplace(sent.id, sent);
    }
    void restart() { taken_back_.clear(); }

private:
    // It may begin anywhere, but not after the first batch that was taken back.
    std::string verdict_of_unknown(const Sent& sent) const {
        const auto found = taken_back_.find(sent.id);
        if (found == taken_back_.end()) return "new";
        const Sent& first = found->second;
        if (sent.epoch < first.epoch) return "47";
        const std::int32_t most = sent.epoch > first.epoch ? 0 : first.sequence;
        return sent.sequence <= most ? "new" : "45";
    }

    std::map<std::int64_t, Sent> taken_back_;
    std::map<std::int64_t, std::pair<std::int16_t, std::vector<Sent>>> producers_;
};

TEST(ProducerState, AgreesWithAModelThatForgetsNothing) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    ProducerState state;
    Model model;
    std::int64_t offset = 0;
    for (int round = 0; round < 50'000; ++round) {
        Sent sent{.id = below(3), .epoch = 1};
        if (below(40) == 0) sent.epoch = static_cast<std::int16_t>(below(3));
        sent.records = below(3) + 1;
        sent.offset = offset;
        const int kind = below(10);
        sent.sequence = wire::sequence_after(model.next(sent.id), kind < 5 ? 0 : below(14) - 12);
        if (below(500) == 0) sent.sequence = std::numeric_limits<std::int32_t>::max() - below(4);
        const std::string expected = model.verdict(sent);
        ASSERT_EQ(verdict(state, sent), expected) << "round " << round;
        if (expected != "new") continue;
        if (below(20) == 0) {  // The append fails.
            const Bytes bytes = bytes_of(sent);
            state.add(BatchView{bytes}, noon);
            state.roll_back();
            model.take_back(sent);
            continue;
        }
        add(state, sent);
        model.add(sent);
        offset += sent.records;
        if (below(50) == 0) {  // A restart.
            ProducerState restarted;
            ASSERT_TRUE(restarted.load_windows(state.encode_windows()));
            state = std::move(restarted);
            model.restart();
        }
    }
}

}  // namespace
}  // namespace leat::log
