// `leat produce` and `leat consume` against a real broker: what is written is what is read, what is
// printed where, and how they end.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/broker_process.h"

namespace leat::app {
namespace {

using nlohmann::json;

class Records : public testing::Test {
protected:
    // With `text` as standard input, to its end.
    Ended produce(std::string_view text, std::vector<std::string> arguments) {
        const int file = ::open(broker.folder().write("input", text).c_str(), O_RDONLY | O_CLOEXEC);
        arguments.insert(arguments.begin(), "produce");
        Child child{broker.command(arguments), {}, {.in = file}};
        const int code = child.wait();
        ::close(file);
        return {code, child.out(), child.err()};
    }
    Ended consume(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "consume");
        return broker.run(arguments);
    }

    BrokerProcess broker;
};

TEST_F(Records, LinesGoInAndComeOutAndNothingElseIsSaidInAPipe) {
    auto said = produce("one\ntwo\n\nno newline at the end", {"t"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out + said.err, "");
    said = consume({"t", "--exit-at-end"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out, "one\ntwo\n\nno newline at the end\n");
    EXPECT_EQ(said.err, "");
}

TEST_F(Records, NullEmptyAndBytesThatAreNoTextGoThroughEachCodecAsJson) {
    const std::string lines =
        R"({"key":null,"value":"no key","headers":[]})"
        "\n"
        R"({"key":"","value":"","headers":[{"name":"","value":""}]})"
        "\n"
        R"({"key":"gone","value":null,"headers":[{"name":"why","value":null},)"
        R"({"name":"why","value":"2"}]})"
        "\n"
        R"({"key_base64":"AAECA/+A","value_base64":"/w==","headers":[{"name_base64":"/wA=",)"
        R"("value_base64":"gA=="}]})"
        "\n"
        R"({"key":"nul\u0000byte","value":"ключ 鍵 \ud83d\ude00\t\"\\","headers":[]})"
        "\n";
    ASSERT_EQ(broker.run({"topic", "create", "t", "-p", "5"}).code, 0);
    const std::vector<std::string> codecs{"none", "gzip", "snappy", "lz4", "zstd"};
    for (std::size_t i = 0; i < codecs.size(); ++i) {
        const auto partition = std::to_string(i);
        auto said = produce(lines, {"t", "--json", "-z", codecs[i], "-p", partition});
        ASSERT_EQ(said.code, 0) << said.err;
        said = consume({"t", "--json", "-e", "-p", partition});
        ASSERT_EQ(said.code, 0) << said.err;
        std::istringstream wanted{lines}, got{said.out};
        std::string left, right;
        for (int offset = 0; std::getline(wanted, left); ++offset) {
            ASSERT_TRUE(std::getline(got, right)) << codecs[i];
            json record = json::parse(right);
            EXPECT_EQ(record["offset"], offset);
            EXPECT_GT(record["timestamp"], 1'600'000'000'000);
            for (const char* each : {"topic", "partition", "offset", "timestamp"}) {
                record.erase(each);
            }
            EXPECT_EQ(record, json::parse(left)) << codecs[i];
        }
    }
}

TEST_F(Records, ATopicIsCopiedByAPipe) {
    ASSERT_EQ(broker.run({"topic", "create", "from", "to", "-p", "3"}).code, 0);
    ASSERT_EQ(produce("a:1\nb:2\nc:3\nd:4\ne:\n", {"from", "-K", ":", "-Z", "-H", "h=v"}).code, 0);
    const auto original = consume({"from", "--json", "-e"}).out;
    ASSERT_EQ(count(original, "\n"), 5u);
    ASSERT_EQ(produce(original, {"to", "--json"}).code, 0);
    auto sorted = [](std::string text) {
        std::vector<std::string> lines;
        std::istringstream in{text};
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        std::ranges::sort(lines);
        return lines;
    };
    auto copy = consume({"to", "--json", "-e"}).out;
    for (std::size_t at; (at = copy.find("\"to\"")) != std::string::npos;) {
        copy.replace(at, 4, "\"from\"");
    }
    EXPECT_EQ(sorted(copy), sorted(original));
}

TEST_F(Records, KeysHeadersTimesAndOffsetsArePrintedWhenAsked) {
    ASSERT_EQ(produce(R"({"key":"k","value":null,"timestamp":1700000000123,)"
                      R"("headers":[{"name":"a","value":"1"},{"name":"b","value":null}]})"
                      "\n",
                      {"t", "--json"})
                  .code,
              0);
    EXPECT_EQ(
        consume({"t", "-e", "-T", "-O", "-H", "-K", "\\t", "--null", "NULL", "-D", "|\\n"}).out,
        "2023-11-14T22:13:20.123Z\t0:0\ta=1,b=NULL\tk\tNULL|\n");
    EXPECT_EQ(consume({"t", "-e", "-K", "="}).out, "k=\n");
}

TEST_F(Records, KeysDelimitersAndNullsAreReadAsAsked) {
    ASSERT_EQ(produce("a=1;b=;=c;d;", {"t", "-D", ";", "-K", "=", "-Z", "-k", "else"}).code, 0);
    EXPECT_EQ(consume({"t", "-e", "-K", "=", "--null", "NULL"}).out,
              "a=1\nb=NULL\nNULL=c\nelse=d\n");
    ASSERT_EQ(produce(std::string{"x\0y\0z", 5}, {"zeros", "-D", "\\0"}).code, 0);
    EXPECT_EQ(consume({"zeros", "-e"}).out, "x\ny\nz\n");
    ASSERT_EQ(produce("1--2---3", {"long", "-D", "--"}).code, 0);
    EXPECT_EQ(consume({"long", "-e"}).out, "1\n2\n-3\n");
}

TEST_F(Records, ReadingBeginsWhereItIsToldAndEndsAfterTheCount) {
    std::string lines;
    for (int i = 0; i < 10; ++i) {
        lines += R"({"value":")" + std::to_string(i) + R"(","timestamp":)" +
                 std::to_string(1'700'000'000'000 + 1000 * i) + "}\n";
    }
    ASSERT_EQ(produce(lines, {"t", "--json"}).code, 0);
    const std::pair<std::string, std::string> all[] = {
        {"beginning", "0\n1\n"},
        {"3", "3\n4\n"},
        {"-2", "8\n9\n"},
        {"-100", "0\n1\n"},
        {"9", "9\n"},
        {"end", ""},
        {"10", ""},
        {"@1700000004001", "5\n6\n"},
        {"2023-11-14T22:13:27Z", "7\n8\n"},
        {"2023-11-14", "0\n1\n"},
        {"1h", ""},
        {"@1700000099999", ""},
    };
    for (const auto& [from, wanted] : all) {
        const auto said = consume({"t", "--from", from, "-n", "2", "-e"});
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_EQ(said.out, wanted) << from;
    }
    const auto said = consume({"t", "--from", "11"});
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(said.err, "leat: t/0 has the offsets 0 to 10, not 11\n");
}

TEST_F(Records, EachKeyHasItsPartitionAndThoseThatAreNamedAreRead) {
    ASSERT_EQ(broker.run({"topic", "create", "t", "-p", "4"}).code, 0);
    ASSERT_EQ(produce("21:a\nfoobar:b\n21:c\n", {"t", "-K", ":"}).code, 0);
    std::vector<std::string> found;
    for (const std::string partition : {"0", "1", "2", "3"}) {
        const auto out = consume({"t", "-e", "-p", partition}).out;
        if (!out.empty()) found.push_back(partition + " " + out);
    }
    // murmur2 without its sign, modulo 4: Kafka's partitions.
    EXPECT_EQ(found, (std::vector<std::string>{"0 a\nc\n", "2 b\n"}));
    EXPECT_EQ(count(consume({"t", "-e", "-p", "0", "-p", "2"}).out, "\n"), 3u);
}

TEST_F(Records, ARecordComesAsSoonAsItIsWritten) {
    ASSERT_EQ(broker.run({"topic", "create", "t"}).code, 0);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    Child reader{broker.command({"consume", "t", "--count", "2"})};
    Child writer{broker.command({"produce", "t"}), {}, {.in = ends[0]}};
    ::close(ends[0]);
    ASSERT_EQ(::write(ends[1], "first\n", 6), 6);
    EXPECT_TRUE(reader.says("first\n"));
    ASSERT_EQ(::write(ends[1], "second\n", 7), 7);
    EXPECT_EQ(reader.wait(), 0);
    EXPECT_EQ(reader.out(), "first\nsecond\n");
    ::close(ends[1]);
    EXPECT_EQ(writer.wait(), 0);
}

TEST_F(Records, CtrlCEndsBothWith130AndWhatWasAcknowledgedIsThere) {
    ASSERT_EQ(broker.run({"topic", "create", "t"}).code, 0);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    Child reader{broker.command({"consume", "t"})};
    Child writer{broker.command({"produce", "t"}), {}, {.in = ends[0]}};
    ::close(ends[0]);
    ASSERT_EQ(::write(ends[1], "kept\nnot yet a line", 19), 19);
    ASSERT_TRUE(reader.says("kept\n"));
    writer.signal(SIGINT);
    EXPECT_EQ(writer.wait(), 130);
    EXPECT_TRUE(writer.err().empty() || writer.err().starts_with("leat: stopped; acknowledged: "))
        << writer.err();
    ::close(ends[1]);
    reader.signal(SIGTERM);
    EXPECT_EQ(reader.wait(), 130);
    EXPECT_EQ(reader.out(), "kept\n");
    EXPECT_EQ(reader.err(), "");
    EXPECT_EQ(consume({"t", "-e"}).out, "kept\n");
}

TEST_F(Records, AReaderThatHasSeenEnoughEndsItWithoutAWord) {
    std::string lines;
    for (int i = 0; i < 50'000; ++i)
        lines += "a line of some length, number " + std::to_string(i) + "\n";
    ASSERT_EQ(produce(lines, {"t"}).code, 0);
    // `head` ends first; then the command that wrote to it must, although the topic goes on.
    const std::string script = "set -o pipefail; " + std::string{LEAT_PROGRAM} +
                               " consume t --broker " + broker.address() + " | head -1";
    std::FILE* shell = ::popen(("bash -c '" + script + "'").c_str(), "r");
    ASSERT_NE(shell, nullptr);
    char text[256] = {};
    ASSERT_NE(std::fgets(text, sizeof text, shell), nullptr);
    EXPECT_STREQ(text, "a line of some length, number 0\n");
    EXPECT_EQ(::pclose(shell), 0);
}

TEST_F(Records, ProgressIsShownOnATerminalOnly) {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal, 0);
    ASSERT_EQ(::grantpt(terminal) | ::unlockpt(terminal), 0);
    const int its_end = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(its_end, 0);
    const int file =
        ::open(broker.folder().write("input", "one\ntwo\n").c_str(), O_RDONLY | O_CLOEXEC);
    const auto shown = [&](std::vector<std::string> arguments) {
        ::lseek(file, 0, SEEK_SET);
        Child child{broker.command(std::move(arguments)), {}, {.in = file, .err = its_end}};
        EXPECT_EQ(child.wait(), 0);
        ::fcntl(terminal, F_SETFL, O_NONBLOCK);
        char text[1000] = {};
        const auto size = ::read(terminal, text, sizeof text);
        return std::string{text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    };
    EXPECT_NE(shown({"produce", "t"}).find("2 records, 6 B in "), std::string::npos);
    EXPECT_NE(shown({"consume", "t", "-e"}).find("2 records, 6 B in "), std::string::npos);
    EXPECT_EQ(shown({"produce", "t", "--quiet"}), "");
    EXPECT_EQ(shown({"consume", "t", "-e", "-q"}), "");
    ::close(file);
    ::close(its_end);
    ::close(terminal);
}

TEST_F(Records, AMistakeIsOneSentenceThatSaysHowFarItCame) {
    ASSERT_EQ(broker.run({"topic", "create", "orders", "-p", "2"}).code, 0);
    struct Case {
        std::vector<std::string> arguments;
        std::string input;
        std::string says;
    };
    const Case all[] = {
        {{"orders", "-p", "2"}, "x\n", "leat: topic orders has no partition 2, only 0 to 1\n"},
        {{"orders", "--json"},
         "{\"value\":\"a\"}\n{\"value\":\"b\"}\nnonsense\n",
         "leat: record 3: it is not an object in JSON; acknowledged: 2\n"},
        {{"orders", "--json"},
         "{\"key\":\"a\"}\n",
         "leat: record 1: it has no `value`; a tombstone's is null\n"},
        {{"orders", "--json"},
         "{\"value\":\"a\",\"valeu\":1}\n",
         "leat: record 1: unknown: `valeu`\n"},
        {{"orders", "--json"},
         "{\"value_base64\":\"?\"}\n",
         "leat: record 1: `value_base64` is not base64\n"},
        {{"no spaces"}, "x\n", "leat: topic no spaces: INVALID_TOPIC_EXCEPTION"},
        {{"orders", "-p", "0"},
         "small\n" + std::string(2'000'000, 'x') + "\n",
         "leat: orders/0: MESSAGE_TOO_LARGE"},
    };
    for (const auto& [arguments, input, says] : all) {
        const auto said = produce(input, arguments);
        EXPECT_EQ(said.code, 1) << says;
        EXPECT_EQ(said.out, "");
        EXPECT_EQ(said.err.substr(0, says.size()), says);
        EXPECT_EQ(count(said.err, "\n"), 1u) << said.err;
    }
    EXPECT_EQ(consume({"orders", "-e", "-p", "0", "-o", "-1"}).out, "small\n");
    EXPECT_EQ(consume({"oders"}).err,
              "leat: topic oders: UNKNOWN_TOPIC_OR_PARTITION: no such topic or partition here; did "
              "you mean `orders`?\n");
    EXPECT_EQ(consume({"orders", "-p", "7"}).err,
              "leat: topic orders has no partition 7, only 0 to 1\n");
}

TEST(RecordsCommand, AWrongCommandLineEndsWithTwoBeforeAnybodyIsAsked) {
    const std::vector<std::string> all[] = {
        {"produce"},
        {"consume"},
        {"produce", "t", "-z", "brotli"},
        {"produce", "t", "--acks", "2"},
        {"produce", "t", "-H", "noequals"},
        {"produce", "t", "-D", "\\q"},
        {"produce", "t", "--json", "-K", ":"},
        {"produce", "t", "-p", "-3"},
        {"consume", "t", "--from", "soon"},
        {"consume", "t", "--from", "2023-02-30"},
        {"consume", "t", "--from", "2023-02-03T25:00"},
        {"consume", "t", "-n", "0"},
        {"consume", "t", "--json", "-T"},
        {"consume", "t", "-D", ""},
    };
    for (auto arguments : all) {
        arguments.insert(arguments.end(), {"-b", "127.0.0.1:1"});
        const auto said = run(arguments);
        EXPECT_EQ(said.code, 2) << said.err;
        EXPECT_EQ(said.out, "");
        EXPECT_TRUE(said.err.starts_with("leat: ")) << said.err;
    }
}

}  // namespace
}  // namespace leat::app
