// Which topics a DeleteTopics request deletes, and what else it is told (KIP-516).
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "core/cluster/topic_plan.h"

namespace leat::cluster {
namespace {

using wire::ErrorCode;

const sdk::Uuid id_of_a{{1}}, id_of_b{{2}}, id_of_nobody{{9}};

class TopicDeletion : public testing::Test {
protected:
    TopicDeletion() {
        ImageDelta delta;
        for (const auto& [name, id] : {std::pair{"a", id_of_a}, std::pair{"b", id_of_b}}) {
            auto topic = std::make_shared<TopicImage>();
            topic->name = name;
            topic->id = id;
            delta.topics.push_back(std::move(topic));
        }
        image_.apply(delta);
    }

    // Errors of the answers, by name and id as they are answered.
    using Answers = std::multimap<std::pair<std::string, sdk::Uuid>, ErrorCode>;
    Answers plan(const std::vector<TopicToDelete>& asked) {
        Answers answers;
        for (const auto& answer : plan_deletions(asked, image_)) {
            answers.emplace(std::pair{answer.name.value_or("none"), answer.id}, answer.error);
            EXPECT_EQ(answer.message.empty(), answer.error == ErrorCode::none);
        }
        return answers;
    }

    static TopicToDelete named(const char* name) { return {.name = name}; }
    static TopicToDelete with(const sdk::Uuid& id) { return {.id = id}; }

    Image image_;
};

TEST_F(TopicDeletion, TakesATopicByNameOrById) {
    EXPECT_EQ(plan({named("a"), with(id_of_b)}),
              (Answers{{{"a", id_of_a}, ErrorCode::none}, {{"b", id_of_b}, ErrorCode::none}}));
}

TEST_F(TopicDeletion, SaysWhatIsNotThereInTheWordsOfTheRequest) {
    EXPECT_EQ(plan({named("x"), with(id_of_nobody), named("")}),
              (Answers{{{"x", {}}, ErrorCode::unknown_topic_or_partition},
                       {{"none", id_of_nobody}, ErrorCode::unknown_topic_id},
                       {{"", {}}, ErrorCode::unknown_topic_or_partition}}));
}

TEST_F(TopicDeletion, RefusesEachThatIsNamedInBothWaysOrInNone) {
    const TopicToDelete both{.name = "a", .id = id_of_a};
    EXPECT_EQ(plan({both, both, {}}), (Answers{{{"a", id_of_a}, ErrorCode::invalid_request},
                                               {{"a", id_of_a}, ErrorCode::invalid_request},
                                               {{"none", {}}, ErrorCode::invalid_request}}));
}

TEST_F(TopicDeletion, RefusesOnceWhatIsNamedTwiceAndDeletesTheRest) {
    EXPECT_EQ(plan({named("a"), named("x"), named("a"), named("x"), named("a"), named("b")}),
              (Answers{{{"a", {}}, ErrorCode::invalid_request},
                       {{"x", {}}, ErrorCode::invalid_request},
                       {{"b", id_of_b}, ErrorCode::none}}));
    EXPECT_EQ(plan({with(id_of_a), with(id_of_a), with(id_of_nobody), with(id_of_nobody)}),
              (Answers{{{"none", id_of_a}, ErrorCode::invalid_request},
                       {{"none", id_of_nobody}, ErrorCode::invalid_request}}));
}

TEST_F(TopicDeletion, RefusesOnceATopicThatIsNamedByNameAndById) {
    const Answers refused{{{"a", id_of_a}, ErrorCode::invalid_request}};
    EXPECT_EQ(plan({named("a"), with(id_of_a)}), refused);
    EXPECT_EQ(plan({with(id_of_a), named("a")}), refused);
    EXPECT_EQ(plan({with(id_of_a), named("a"), with(id_of_a)}),
              (Answers{{{"none", id_of_a}, ErrorCode::invalid_request},
                       {{"a", id_of_a}, ErrorCode::invalid_request}}));
}

TEST_F(TopicDeletion, AnIdStandsBesideANameThatWasRefused) {
    EXPECT_EQ(
        plan({named("a"), named("a"), with(id_of_a)}),
        (Answers{{{"a", {}}, ErrorCode::invalid_request}, {{"a", id_of_a}, ErrorCode::none}}));
}

}  // namespace
}  // namespace leat::cluster
