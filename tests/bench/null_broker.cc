// The least that a broker can do: reads frames through core/net, checks the CRC of each batch, puts
// its offset in, appends what came in one turn of the loop with one write for each partition, and
// answers; serves fetches as file slices. No validation, no limits, one shard, nothing survives.
// What a real broker costs beyond this is its own doing.
//
//   null_broker FOLDER [PORT]
//
// Speaks ApiVersions v0, Metadata v4, CreateTopics v4, DeleteTopics v3, Produce v7, Fetch v11, as
// the load generator builds them; takes any member into any group, and forgets what it commits.
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>

#include "core/net/descriptor.h"
#include "core/net/runtime.h"
#include "leat/sdk/crc32c.h"
#include "tests/bench/kafka_frames.h"

namespace leat::bench {
namespace {

sdk::Slice slice_of(Bytes bytes) {
    // Shared: the network lets go of it when it is sent.
    auto owner = std::make_shared<const Bytes>(std::move(bytes));
    return sdk::MemorySlice{owner, std::as_bytes(std::span{*owner})};
}

struct Session;

struct Waiting {
    std::weak_ptr<Session> session;  // The connection may go first.
    std::int32_t id;
    std::int64_t offset;
    std::int32_t most;
    std::int32_t partition;
    std::uint64_t number = 0;  // Of its own: a client may use one id twice.
};

struct Log {
    struct Place {
        std::int64_t base;
        std::uint64_t position;
    };
    std::string topic;
    std::shared_ptr<net::Descriptor> file;  // Shared with the slices that are being sent.
    std::uint64_t size = 0;
    std::int64_t end = 0;      // With what has arrived in this turn;
    std::int64_t written = 0;  // and without.
    std::vector<Place> places;
    std::vector<sdk::Frame> arrived;  // Of this turn, with the batches that are in them.
    std::vector<iovec> batches;
    std::vector<std::pair<std::weak_ptr<Session>, Bytes>> answers;
    std::vector<Waiting> waiting;
};

struct Session {
    sdk::Connection& connection;
};

class NullBroker {
public:
    NullBroker(std::string folder, sdk::Shard& shard)
        : folder_{std::move(folder)}, shard_{shard} {}

    void request(const std::shared_ptr<Session>& session, sdk::Frame frame);
    void listens_on(std::uint16_t port) { port_ = port; }

private:
    void produce(const std::shared_ptr<Session>& session, Reader& reader, std::int32_t id,
                 sdk::Frame frame);
    void fetch(const std::shared_ptr<Session>& session, Reader& reader, std::int32_t id);
    void answer_fetch(Session& session, Log& log, const Waiting& wanted);
    void append(Log& log);
    void wake(Log& log);
    Bytes metadata(Reader& reader);
    Bytes create(Reader& reader);
    Bytes forget(Reader& reader);
    Log* find(std::string_view topic, std::int32_t partition);

    std::string folder_;
    sdk::Shard& shard_;
    std::uint16_t port_ = 0;
    std::map<std::string, std::vector<Log>, std::less<>> topics_;
    std::vector<Log*> dirty_;
    std::uint64_t next_waiting_ = 0;
};

void answer(Session& session, std::int32_t id, const Bytes& body) {
    const auto size = static_cast<std::int32_t>(4 + body.size());
    session.connection.send({slice_of(Writer{}.number(size).number(id).raw(body).take())});
}

// No error, and as much more of an answer as the load generator reads: all joins are alone.
Bytes member(std::int16_t key) {
    Writer body;
    body.number(std::int32_t{0}).number(std::int16_t{0});
    if (key != 11) return body.take();
    body.number(std::int32_t{1}).string("range").string("me").string("me");
    return body.number(std::int32_t{0}).take();
}

Bytes committed(Reader& reader) {
    reader.string();
    reader.number<std::int32_t>();
    reader.string();
    reader.string();
    reader.number<std::int32_t>();  // One topic,
    Writer body;
    body.number(std::int32_t{0}).number(std::int32_t{1}).string(reader.string());
    reader.number<std::int32_t>();  // and one partition.
    body.number(std::int32_t{1}).number(reader.number<std::int32_t>());
    return body.number(std::int16_t{0}).take();
}

Log* NullBroker::find(std::string_view topic, std::int32_t partition) {
    const auto found = topics_.find(topic);
    if (found == topics_.end() || partition < 0) return nullptr;
    const auto index = static_cast<std::size_t>(partition);
    return index < found->second.size() ? &found->second[index] : nullptr;
}

void NullBroker::request(const std::shared_ptr<Session>& session, sdk::Frame frame) {
    Reader reader{{reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()}};
    const auto key = reader.number<std::int16_t>();
    reader.number<std::int16_t>();
    const auto id = reader.number<std::int32_t>();
    reader.string();
    switch (key) {
        case 0: return produce(session, reader, id, std::move(frame));
        case 1: return fetch(session, reader, id);
        case 3: return answer(*session, id, metadata(reader));
        case 18: {
            Writer body;
            body.number(std::int16_t{0}).number(std::int32_t{1});
            body.number(std::int16_t{18}).number(std::int16_t{0}).number(std::int16_t{0});
            return answer(*session, id, body.take());
        }
        case 19: return answer(*session, id, create(reader));
        case 20: return answer(*session, id, forget(reader));
        case 8: return answer(*session, id, committed(reader));
        case 10:
        case 11:
        case 12:
        case 14: return answer(*session, id, member(key));
        default: session->connection.close(sdk::Connection::Close::now, "an unknown request");
    }
}

void NullBroker::produce(const std::shared_ptr<Session>& session, Reader& reader,
                         std::int32_t id, sdk::Frame frame) {
    reader.string();
    const auto acks = reader.number<std::int16_t>();
    reader.number<std::int64_t>();  // Timeout, one topic.
    const std::string_view topic = reader.string();
    reader.number<std::int32_t>();
    const auto partition = reader.number<std::int32_t>();
    const auto size = static_cast<std::size_t>(reader.number<std::int32_t>());
    Log* log = find(topic, partition);
    if (log == nullptr || !reader.ok() || size != frame.bytes.size() - reader.at()) {
        return session->connection.close(sdk::Connection::Close::now, "a produce I cannot read");
    }
    const std::span<std::byte> batch = frame.bytes.last(size);
    auto* bytes = reinterpret_cast<char*>(batch.data());
    const auto crc = static_cast<std::uint32_t>(number_at(bytes + 17));
    const bool sound = sdk::crc32c(batch.subspan(21)) == crc;
    const std::int64_t base = log->end;
    if (sound) {
        for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(base >> (56 - 8 * i));
        log->end += number_at(bytes + 23) + 1;
        log->batches.push_back({batch.data(), batch.size()});
        log->arrived.push_back(std::move(frame));
    }
    if (acks != 0) {
        Writer body;
        body.number(static_cast<std::int32_t>(48 + log->topic.size())).number(id);
        body.number(std::int32_t{1}).string(log->topic).number(std::int32_t{1});
        body.number(partition).number(static_cast<std::int16_t>(sound ? 0 : 2)).number(base);
        body.number(std::int64_t{-1}).number(std::int64_t{0}).number(std::int32_t{0});
        log->answers.emplace_back(session, body.take());
    }
    if (dirty_.empty()) {
        shard_.post([this] {
            for (Log* one : std::exchange(dirty_, {})) append(*one);
        });
    }
    if (std::find(dirty_.begin(), dirty_.end(), log) == dirty_.end()) dirty_.push_back(log);
}

void NullBroker::append(Log& log) {
    std::int64_t base = log.end;
    for (const iovec& batch : log.batches) {
        base -= number_at(static_cast<const char*>(batch.iov_base) + 23) + 1;
    }
    for (std::size_t at = 0; at < log.batches.size();) {
        const std::size_t count = std::min<std::size_t>(log.batches.size() - at, IOV_MAX);
        const ssize_t written = ::pwritev(log.file->get(), log.batches.data() + at,
                                          static_cast<int>(count), static_cast<off_t>(log.size));
        for (std::size_t i = at; i < at + count; ++i) {
            log.places.push_back({base, log.size});
            log.size += log.batches[i].iov_len;
            base += number_at(static_cast<const char*>(log.batches[i].iov_base) + 23) + 1;
        }
        if (written < 0) std::perror("null_broker: append");
        at += count;
    }
    log.written = log.end;
    log.batches.clear();
    log.arrived.clear();
    for (auto& [session, bytes] : log.answers) {
        if (const auto alive = session.lock()) alive->connection.send({slice_of(std::move(bytes))});
    }
    log.answers.clear();
    wake(log);
}

void NullBroker::wake(Log& log) {
    for (const Waiting& one : std::exchange(log.waiting, {})) {
        if (const auto session = one.session.lock()) answer_fetch(*session, log, one);
    }
}

void NullBroker::fetch(const std::shared_ptr<Session>& session, Reader& reader, std::int32_t id) {
    reader.number<std::int32_t>();
    const auto wait = reader.number<std::int32_t>();
    reader.number<std::int64_t>();  // Least and most bytes.
    reader.number<std::int8_t>();
    reader.number<std::int64_t>();
    reader.number<std::int32_t>();
    const std::string_view topic = reader.string();
    reader.number<std::int32_t>();
    const auto partition = reader.number<std::int32_t>();
    reader.number<std::int32_t>();
    const auto offset = reader.number<std::int64_t>();
    reader.number<std::int64_t>();
    const auto most = reader.number<std::int32_t>();
    Log* log = find(topic, partition);
    if (log == nullptr || !reader.ok()) {
        return session->connection.close(sdk::Connection::Close::now, "a fetch I cannot read");
    }
    const Waiting wanted{session, id, offset, most, partition, next_waiting_++};
    if (offset < log->written || wait == 0) return answer_fetch(*session, *log, wanted);
    log->waiting.push_back(wanted);
    shard_.after(std::chrono::milliseconds{wait}, [log, wanted, this] {
        const auto found = std::find_if(
            log->waiting.begin(), log->waiting.end(), [&](const Waiting& one) {
                return one.number == wanted.number;
            });
        if (found == log->waiting.end()) return;
        log->waiting.erase(found);
        if (const auto alive = wanted.session.lock()) answer_fetch(*alive, *log, wanted);
    });
}

void NullBroker::answer_fetch(Session& session, Log& log, const Waiting& wanted) {
    const auto after = [](std::int64_t offset, const Log::Place& place) {
        return offset < place.base;
    };
    auto first = std::upper_bound(log.places.begin(), log.places.end(), wanted.offset, after);
    if (first != log.places.begin()) --first;
    std::uint64_t begin = log.size;
    if (wanted.offset < log.written && first != log.places.end()) begin = first->position;
    std::uint64_t end = std::min(log.size, begin + static_cast<std::uint64_t>(wanted.most));
    if (end < log.size) {  // Whole batches, but at least one.
        const auto beyond = std::upper_bound(
            first, log.places.end(), end,
            [](std::uint64_t at, const Log::Place& place) { return at < place.position; });
        end = std::prev(beyond) == first ? beyond->position : std::prev(beyond)->position;
    }
    Writer body;
    const auto size = static_cast<std::int32_t>(end - begin);
    body.number(static_cast<std::int32_t>(4 + 10 + 4 + 2 + log.topic.size() + 4 + 42) + size);
    body.number(wanted.id).number(std::int32_t{0}).number(std::int16_t{0}).number(std::int32_t{0});
    body.number(std::int32_t{1}).string(log.topic).number(std::int32_t{1});
    body.number(wanted.partition).number(std::int16_t{0}).number(log.written);
    body.number(log.written);
    body.number(std::int64_t{0}).number(std::int32_t{-1}).number(std::int32_t{-1}).number(size);
    session.connection.send({slice_of(body.take()),
                             sdk::FileSlice{log.file, log.file->get(), begin, end - begin}});
}

Bytes NullBroker::create(Reader& reader) {
    reader.number<std::int32_t>();
    const std::string name{reader.string()};
    auto& logs = topics_[name];
    if (logs.empty()) logs.resize(static_cast<std::size_t>(reader.number<std::int32_t>()));
    for (std::size_t i = 0; i < logs.size(); ++i) {
        if (logs[i].file) continue;
        const std::string path = folder_ + "/" + name + "-" + std::to_string(i);
        logs[i].topic = name;
        logs[i].file = std::make_shared<net::Descriptor>(
            ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    }
    Writer body;
    body.number(std::int32_t{0}).number(std::int32_t{1}).string(name);
    return body.number(std::int16_t{0}).number(std::int16_t{-1}).take();
}

// Gives the disk back. The log stays, because requests for it may be under way.
Bytes NullBroker::forget(Reader& reader) {
    reader.number<std::int32_t>();
    const std::string name{reader.string()};
    for (std::size_t i = 0; i < topics_[name].size(); ++i) {
        ::unlink((folder_ + "/" + name + "-" + std::to_string(i)).c_str());
        if (::ftruncate(topics_[name][i].file->get(), 0) != 0) std::perror("null_broker: forget");
        topics_[name][i].places = {};
    }
    Writer body;
    body.number(std::int32_t{0}).number(std::int32_t{1}).string(name).number(std::int16_t{0});
    return body.take();
}

Bytes NullBroker::metadata(Reader& reader) {
    const auto topics = std::min(reader.number<std::int32_t>(), 1);
    const std::string name{reader.string()};
    const auto count = static_cast<std::int32_t>(topics_[name].size());
    Writer body;
    body.number(std::int32_t{0}).number(std::int32_t{1}).number(std::int32_t{0});
    body.string("127.0.0.1").number(std::int32_t{port_}).number(std::int16_t{-1});
    body.string("null").number(std::int32_t{0}).number(topics);
    if (topics == 0) return body.take();
    body.number(std::int16_t{0}).string(name).number(std::int8_t{0}).number(count);
    for (std::int32_t i = 0; i < count; ++i) {
        body.number(std::int16_t{0}).number(i).number(std::int32_t{0});
        for (int list = 0; list < 2; ++list) body.number(std::int32_t{1}).number(std::int32_t{0});
    }
    return body.take();
}

class Handler final : public sdk::ConnectionHandler {
public:
    Handler(NullBroker& broker, sdk::Connection& connection)
        : broker_{broker}, session_{std::make_shared<Session>(Session{connection})} {}
    void received(std::span<sdk::Frame> frames) override {
        for (sdk::Frame& frame : frames) broker_.request(session_, std::move(frame));
    }
    void closed(const std::string&) override {}

private:
    NullBroker& broker_;
    std::shared_ptr<Session> session_;  // Looked at by what waits in the logs.
};

int serve(const std::string& folder, std::uint16_t port) {
    ::signal(SIGPIPE, SIG_IGN);
    runtime::MemoryBudget memory{{.bytes = 512 << 20, .largest_frame = 100 << 20}};
    net::Runtime runtime{{.memory = memory}};
    NullBroker broker{folder, runtime.at(0)};
    const auto at = runtime.listen({.name = "null", .bind = {"127.0.0.1", port}},
                                   [&broker](sdk::Connection& connection) {
                                       return std::make_unique<Handler>(broker, connection);
                                   });
    if (!at) {
        std::fprintf(stderr, "null_broker: %s\n", at.error().what.c_str());
        return 1;
    }
    broker.listens_on(at->port);
    std::printf("listening on 127.0.0.1:%u (plaintext)\nready\n", at->port);
    std::fflush(stdout);
    runtime.run();
    return 0;
}

}  // namespace
}  // namespace leat::bench

int main(int count, char** words) {
    if (count < 2) {
        std::fprintf(stderr, "usage: null_broker FOLDER [PORT]\n");
        return 2;
    }
    const int port = count > 2 ? std::atoi(words[2]) : 0;
    return leat::bench::serve(words[1], static_cast<std::uint16_t>(port));
}
