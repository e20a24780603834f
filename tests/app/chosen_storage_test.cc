// Which engine keeps a topic, chosen in TOML and by the client: through the whole broker.
#include <gtest/gtest.h>

#include "tests/app/child.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

class ChosenStorage : public testing::Test {
protected:
    void start(const std::string& more) {
        config_ = folder.config(more);
        broker_.emplace(std::vector<std::string>{"serve", config_});
        client_.emplace(broker_->port());
    }
    void restart() {
        client_.reset();
        broker_->signal(SIGTERM);
        ASSERT_EQ(broker_->wait(), 0) << broker_->err();
        broker_.emplace(std::vector<std::string>{"serve", config_});
        client_.emplace(broker_->port());
    }
    void create_and_produce(const std::string& topic,
                            std::vector<wire::CreateTopicsRequest::Config> configs = {}) {
        ASSERT_EQ(create_topic(*client_, topic, 1, std::move(configs)), ErrorCode::none);
        const auto batch = batch_of(3);
        for (int i = 0; i < 2; ++i) {
            ASSERT_EQ(produce(*client_, topic, 0, batch, -1).error_code, ErrorCode::none);
        }
        const auto read = fetch(*client_, topic, 0, 0);
        EXPECT_EQ(read.high_watermark, 6);
        EXPECT_EQ(read.records->size(), 2 * batch.size()) << "both batches, as they were sent";
    }
    bool on_disk(const std::string& topic) const {
        return std::filesystem::exists(folder / "data" / "disk" / (topic + "-0"));
    }
    // After a restart: the topic is there, empty, and takes records again.
    void expect_empty_and_usable(const std::string& topic) {
        EXPECT_EQ(fetch(*client_, topic, 0, 0).high_watermark, 0);
        EXPECT_EQ(produce(*client_, topic, 0, batch_of(1)).error_code, ErrorCode::none);
        EXPECT_EQ(fetch(*client_, topic, 0, 0).high_watermark, 1);
    }

    const Folder folder;
    std::string config_;
    std::optional<Child> broker_;
    std::optional<RawClient> client_;
};

const std::string both =
    "[storage.disk]\nplugin = \"segment\"\n[storage.ram]\nplugin = \"memory\"\n"
    "[topic_defaults]\nstorage = \"disk\"\n";

TEST_F(ChosenStorage, ATemplatePutsATopicIntoMemory) {
    start(both + "[topics.\"cache-*\"]\nstorage = \"ram\"\n");
    create_and_produce("cache-1");
    create_and_produce("orders");
    EXPECT_FALSE(on_disk("cache-1"));
    EXPECT_TRUE(on_disk("orders"));
    restart();
    expect_empty_and_usable("cache-1");
    EXPECT_EQ(fetch(*client_, "orders", 0, 0).high_watermark, 6);
}

TEST_F(ChosenStorage, ATopicConfigPutsATopicIntoMemory) {
    start(both);
    create_and_produce("quick", {{.name = "leat.storage.engine", .value = "ram"}});
    EXPECT_FALSE(on_disk("quick"));
    restart();
    expect_empty_and_usable("quick");
}

TEST_F(ChosenStorage, AnEngineThatIsNotThereIsRefused) {
    start(both);
    EXPECT_EQ(create_topic(*client_, "t", 1, {{.name = "leat.storage.engine", .value = "rma"}}),
              ErrorCode::invalid_config);
}

}  // namespace
}  // namespace leat::app
