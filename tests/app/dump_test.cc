// `leat dump` over what a broker left behind: everything is told, damage has its place and its exit
// code, and nothing is changed.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/child.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using nlohmann::json;
using wire::ErrorCode;

class Dumped : public testing::Test {
protected:
    Dumped() : broker_{{"serve", folder_.config("[storage.disk]\nplugin = \"segment\"\n")}} {
        RawClient client{broker_.port()};
        EXPECT_EQ(create_topic(client, "orders", 1), ErrorCode::none);
        for (int i = 0; i < 3; ++i) {
            const auto batch =
                batch_of(2, {.producer_id = 9, .producer_epoch = 0, .base_sequence = 2 * i});
            EXPECT_EQ(produce(client, "orders", 0, batch, -1).error_code, ErrorCode::none);
        }
    }

    void stop() {
        broker_.signal(SIGTERM);
        EXPECT_EQ(broker_.wait(), 0);
    }
    std::string data() const { return folder_ / "data"; }
    std::string segment() const { return folder_ / "data/disk/orders-0/00000000000000000000.log"; }

    // Every file's bytes and when it was last written.
    std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> held() const {
        std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> all;
        for (const auto& each : std::filesystem::recursive_directory_iterator{data()}) {
            std::string bytes;
            if (each.is_regular_file()) {
                std::ifstream file{each.path(), std::ios::binary};
                bytes.assign(std::istreambuf_iterator<char>{file}, {});
            }
            all[each.path()] = {bytes, each.last_write_time()};
        }
        return all;
    }

    Folder folder_;
    Child broker_;
};

TEST_F(Dumped, AFolderIsToldFileByFileAndNothingIsChanged) {
    stop();
    const auto before = held();
    const auto [code, out, err] = run({"dump", "--json", "--records", data()});
    EXPECT_EQ(code, 0) << err;
    EXPECT_EQ(err, "");
    const json told = json::parse(out);
    EXPECT_EQ(told["damages"], 0);
    std::multiset<std::string> kinds;
    for (const json& file : told["files"]) kinds.insert(file["kind"]);
    for (const char* kind :
         {"segment", "offset index", "time index", "producer snapshot", "producer windows",
          "leader epoch checkpoint", "partition metadata", "recovery point checkpoint",
          "meta properties", "coordination journal", "mark of a clean stop"}) {
        EXPECT_NE(kinds.count(kind), 0u) << kind << " is not among " << out;
    }
    EXPECT_EQ(kinds.count("not known"), 0u) << out;
    for (const json& file : told["files"]) {
        if (file["kind"] != "segment") continue;
        ASSERT_EQ(file["items"].size(), 9u) << "three batches with two records each";
        EXPECT_EQ(file["items"][0]["producer_id"], 9);
        EXPECT_EQ(file["items"][0]["crc_ok"], true);
        EXPECT_EQ(file["items"][8]["offset"], 5);
        EXPECT_EQ(file["items"][8]["value"], "value");
    }
    EXPECT_EQ(held(), before);
}

TEST_F(Dumped, TheJournalIsToldByThePluginThatWroteIt) {
    stop();
    const auto [code, out, err] = run({"dump", folder_ / "data/coordination/journal"});
    EXPECT_EQ(code, 0) << err;
    EXPECT_EQ(count(out, "journal: coordination journal, "), 1u) << out;
    EXPECT_NE(out.find(" put revision="), std::string::npos) << out;
    EXPECT_NE(out.find("key=/topics/orders value=\"{"), std::string::npos) << out;
}

TEST_F(Dumped, ARunningBrokersFilesCanBeLookedAt) {
    const auto [code, out, err] = run({"dump", segment()});
    EXPECT_EQ(code, 0) << out << err;
    EXPECT_EQ(count(out, " batch bytes="), 3u) << out;
    RawClient client{broker_.port()};
    EXPECT_EQ(produce(client, "orders", 0, batch_of(1), -1).error_code, ErrorCode::none);
}

TEST_F(Dumped, DamageIsToldWithItsPlaceAndTheRestIsToldAllTheSame) {
    stop();
    {
        std::fstream file{segment(), std::ios::in | std::ios::out | std::ios::binary};
        file.seekp(70);
        file.put('!');
    }
    const auto before = held();
    const auto [code, out, err] = run({"dump", data()});
    EXPECT_EQ(code, 1);
    EXPECT_EQ(count(out, "  @0 DAMAGE: a checksum that does not match: "), 1u) << out;
    EXPECT_EQ(count(out, "crc_ok=true"), 2u) << out;
    EXPECT_EQ(count(out, "coordination journal"), 1u) << out;
    EXPECT_EQ(err, "leat: 1 damaged places in 1 files\n");
    EXPECT_EQ(held(), before);
    const auto as_json = run({"dump", "--json", data()});
    EXPECT_EQ(as_json.code, 1);
    EXPECT_EQ(json::parse(as_json.out)["damages"], 1);
}

TEST(Dump, WhatIsNotThereOrNotKnownIsRefusedWithASentence) {
    const Folder folder;
    const auto missing = (folder / "none").string();
    const auto [code, out, err] = run({"dump", missing});
    EXPECT_EQ(code, 1);
    EXPECT_EQ(err, "leat: " + missing + ": No such file or directory\n");
    const auto other = folder.write("letter.txt", "hello");
    const auto unknown = run({"dump", other});
    EXPECT_EQ(unknown.code, 1);
    EXPECT_EQ(unknown.out, other + ": not known, 5 bytes\n");
    EXPECT_EQ(count(unknown.err, "no file of Leat's or Kafka's has such a name"), 1u);
    EXPECT_EQ(run({"dump", (folder / "").string()}).code, 0) << "in a folder it is only listed";
    const auto both = run({"dump", "--json", missing, other});
    EXPECT_EQ(json::parse(both.out)["files"].size(), 1u) << "one that fails leaves the others";
}

TEST(Dump, NothingInAFileSteersTheTerminal) {
    const Folder folder;
    const auto file = folder.write("meta.properties", "version=1\nname=\x1b[2J\x07\n");
    const auto [code, out, err] = run({"dump", file});
    EXPECT_EQ(code, 0);
    EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
    EXPECT_EQ(out.find('\x07'), std::string::npos) << out;
    EXPECT_TRUE(json::accept(run({"dump", "--json", file}).out));
}

}  // namespace
}  // namespace leat::app
