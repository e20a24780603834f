// What an examination says of brokers that do not do as Kafka does; tests/app has Leat itself.
#include "core/client/examination.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/messages/produce.h"
#include "tests/client/fake_broker.h"

namespace leat::client {
namespace {

using wire::ErrorCode;

constexpr std::chrono::milliseconds patience{5'000};

class ExaminationTest : public testing::Test {
protected:
    void serve_topic(ErrorCode created = ErrorCode::none) {
        broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
            [this](const wire::MetadataRequest& request) {
                auto response = broker.metadata("t", 1);
                if (request.topics && request.topics->empty()) response.topics.clear();
                return response;
            });
        broker.serve<wire::CreateTopicsResponse, wire::CreateTopicsRequest>(
            [created](const wire::CreateTopicsRequest& request) {
                wire::CreateTopicsResponse response;
                response.topics.push_back({.name = request.topics[0].name, .error_code = created});
                return response;
            });
    }
    // Says that it has written, always at the same place, and gives nothing back.
    void serve_forgetful_log(ErrorCode code = ErrorCode::none) {
        broker.serve<wire::ProduceResponse, wire::ProduceRequest>(
            [code](const wire::ProduceRequest&) {
                wire::ProduceResponse response;
                response.responses.push_back({.name = "t"});
                response.responses[0].partition_responses.push_back({.error_code = code});
                return response;
            });
        broker.serve<wire::FetchResponse, wire::FetchRequest>([](const wire::FetchRequest&) {
            wire::FetchResponse response;
            response.responses.push_back({.topic = "t"});
            response.responses[0].partitions.emplace_back();
            return response;
        });
    }
    sdk::Result<Examination> examined() {
        broker.refuse_versions_above(4);
        broker.expect_nonsense();
        broker.start();
        Cluster cluster{{{"127.0.0.1", broker.port()}}, patience, watch};
        return examine(cluster, "t", [](std::string_view) {});
    }
    static Finding found(const Examination& all, std::string_view area, std::string_view what) {
        const auto each = std::ranges::find_if(all.findings, [&](const Finding& finding) {
            return finding.area == area && finding.what == what;
        });
        return each == all.findings.end() ? Finding{} : *each;
    }

    Watch watch;
    FakeBroker broker;
};

TEST_F(ExaminationTest, ABrokerThatForgetsAndAcceptsEverythingFails) {
    serve_topic();
    serve_forgetful_log();
    const auto all = examined();
    ASSERT_TRUE(all) << all.error().what;
    EXPECT_FALSE(all->essential_works());
    for (const auto* codec : {"none", "gzip", "snappy", "lz4", "zstd"}) {
        EXPECT_EQ(found(*all, "codecs", codec).verdict, Verdict::fails);
        EXPECT_EQ(found(*all, "codecs", codec).detail, "nothing is read");
    }
    EXPECT_EQ(found(*all, "requests", "pipelined").detail, "they are written out of order");
    EXPECT_EQ(found(*all, "records", "acks=0").verdict, Verdict::fails) << "it answers";
    EXPECT_EQ(found(*all, "errors", "damaged batch").detail, "no error: NONE, not CORRUPT_MESSAGE");
    EXPECT_EQ(found(*all, "errors", "damaged batch").verdict, Verdict::fails);
    EXPECT_EQ(found(*all, "errors", "offset that is not there").verdict, Verdict::fails);
    EXPECT_EQ(found(*all, "APIs", "ListOffsets").verdict, Verdict::absent);
    EXPECT_EQ(found(*all, "offsets", "beginning").verdict, Verdict::fails);
    EXPECT_EQ(found(*all, "offers", "classic groups").verdict, Verdict::absent);
    EXPECT_FALSE(found(*all, "offers", "classic groups").essential);
    EXPECT_EQ(found(*all, "APIs", "Produce").verdict, Verdict::works);
}

TEST_F(ExaminationTest, AnotherErrorThanKafkasDiffers) {
    serve_topic();
    serve_forgetful_log(ErrorCode::invalid_request);
    const auto all = examined();
    ASSERT_TRUE(all) << all.error().what;
    EXPECT_EQ(found(*all, "errors", "damaged batch").verdict, Verdict::differs);
    EXPECT_EQ(found(*all, "errors", "damaged batch").detail,
              "INVALID_REQUEST, not CORRUPT_MESSAGE");
    EXPECT_EQ(found(*all, "codecs", "none").detail, "it is refused with INVALID_REQUEST");
    EXPECT_EQ(found(*all, "errors", "ApiVersions from the future").verdict, Verdict::works);
    EXPECT_EQ(found(*all, "errors", "unknown API").verdict, Verdict::works);
}

TEST_F(ExaminationTest, WithoutATopicToWorkWithThereIsNothingToReport) {
    serve_topic(ErrorCode::topic_authorization_failed);
    const auto all = examined();
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().what.find("topic t: TOPIC_AUTHORIZATION_FAILED"), 0u) << all.error().what;
}

TEST(Examination, WorksWhenWhatFailsIsNotEssential) {
    Examination all;
    EXPECT_TRUE(all.essential_works());
    all.findings.push_back({.essential = true, .verdict = Verdict::works});
    all.findings.push_back({.essential = false, .verdict = Verdict::fails});
    EXPECT_TRUE(all.essential_works());
    for (const auto verdict : {Verdict::differs, Verdict::absent, Verdict::fails}) {
        auto other = all;
        other.findings.push_back({.essential = true, .verdict = verdict});
        EXPECT_FALSE(other.essential_works());
    }
}

}  // namespace
}  // namespace leat::client
