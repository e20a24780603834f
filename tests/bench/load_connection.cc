#include "tests/bench/load_connection.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace leat::bench {

LoadConnection::LoadConnection(net::Descriptor socket, const LoadShape& shape,
                               const std::string& topic, const Partitions& partitions)
    : socket_{std::move(socket)}, shape_{shape}, target_{topic, partitions.first} {
    ::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
    Bytes batch;
    if (shape.call == Call::produce) batch = record_batch(shape.batch);
    batch_size_ = batch.size();
    outgoing_ = request(partitions.first, batch);
    frame_size_ = outgoing_.size();
    constexpr std::size_t small = 16 * 1024;
    const bool changes = shape.call == Call::fetch || shape.call == Call::fetch_session;
    if (frame_size_ <= small && !changes) {
        const int rounds = (partitions.count + partitions.step - 1) / partitions.step;
        frames_ = std::max(shape.in_flight, rounds);
    }
    std::int32_t partition = partitions.first;
    for (int i = 1; i < frames_; ++i) {
        partition += partitions.step;
        if (partition >= partitions.count) partition = partitions.first;
        outgoing_ += request(partition, batch);
    }
    incoming_.resize(64 * 1024);
}

Bytes LoadConnection::request(std::int32_t partition, std::string_view batch) const {
    switch (shape_.call) {
        case Call::produce:
            return produce_v7({target_.topic, partition}, shape_.acks, batch);
        case Call::fetch:
            return fetch_v11({target_.topic, partition}, shape_.fetch);
        case Call::fetch_session:
            return fetch_in_session_v11(target_.topic, shape_.session);
        case Call::api_versions:
            return api_versions_v0();
        case Call::heartbeat:
            return heartbeat_v2(shape_.member);
        case Call::commit:
            return offset_commit_v7(shape_.member, {target_.topic, partition});
        case Call::metadata:
            break;
    }
    return metadata_v4({target_.topic});
}

void LoadConnection::begin_round() {
    const int room = shape_.in_flight - static_cast<int>(sent_at_.size());
    // All in one call, unless there are partitions to go round.
    if (next_frame_ == frames_ || frames_ <= shape_.in_flight) next_frame_ = 0;
    const int count = std::min(room, frames_ - next_frame_);
    if (count <= 0) return;
    const std::int64_t now = now_ns();
    at_ = static_cast<std::size_t>(next_frame_) * frame_size_;
    until_ = at_;
    for (int i = 0; i < count; ++i, until_ += frame_size_) {
        set_correlation(std::span{outgoing_}.subspan(until_), next_id_++);
        sent_at_.push_back(now);
    }
    next_frame_ += count;
}

bool LoadConnection::send(Totals& totals) {
    while (!dead_) {
        if (at_ == until_) begin_round();
        if (at_ == until_) return true;
        if (!push()) return false;
        if (shape_.acks == 0 && shape_.call == Call::produce && at_ == until_) {
            while (!sent_at_.empty()) answered({}, totals);
        }
    }
    return true;
}

bool LoadConnection::push() {
    const ssize_t n = ::send(socket_.get(), outgoing_.data() + at_, until_ - at_, MSG_NOSIGNAL);
    if (n < 0) {
        if (errno != EAGAIN) dead_ = true;
        return false;
    }
    at_ += static_cast<std::size_t>(n);
    return at_ == until_;
}

void LoadConnection::receive(Totals& totals) {
    for (;;) {
        const ssize_t n =
            ::recv(socket_.get(), incoming_.data() + have_, incoming_.size() - have_, 0);
        if (n <= 0) {
            if (n < 0 && errno == EAGAIN) return;
            dead_ = true;
            return totals.fail("the broker closed a connection");
        }
        have_ += static_cast<std::size_t>(n);
        const bool full = have_ == incoming_.size();
        std::size_t at = 0;
        while (have_ - at >= 4) {
            const auto size = static_cast<std::size_t>(number_at(incoming_.data() + at));
            if (4 + size > incoming_.size()) incoming_.resize(4 + size + 4096);
            if (have_ - at < 4 + size) break;
            answered(std::string_view{incoming_}.substr(at + 4, size), totals);
            at += 4 + size;
        }
        if (at != 0) std::memmove(incoming_.data(), incoming_.data() + at, have_ - at);
        have_ -= at;
        if (!full) return;
    }
}

void LoadConnection::answered(std::string_view answer, Totals& totals) {
    if (sent_at_.empty()) return totals.fail("an answer that nobody asked for");
    totals.latency.add(now_ns() - sent_at_.front());
    sent_at_.pop_front();
    ++totals.requests;
    if (shape_.call == Call::produce) {
        totals.bytes += batch_size_;
        totals.records += static_cast<std::uint64_t>(shape_.batch.records);
    }
    if (answer.empty()) return;  // acks=0
    if (number_at(answer.data()) != expected_id_++) totals.fail("answers are out of order");
    if (shape_.call == Call::produce) {
        const auto error = produce_error(answer);
        if (error != 0) totals.fail("produce error " + std::to_string(error));
    } else if (shape_.call == Call::fetch) {
        const Fetched got = fetched(answer);
        totals.bytes += got.batches.size();
        if (got.error != 0) totals.fail("fetch error " + std::to_string(got.error));
        // At the end it begins again, so that a preloaded topic lasts for ever.
        const bool at_end = got.next_offset < 0 || got.next_offset >= got.high_watermark;
        if (got.next_offset >= 0) {
            totals.records += static_cast<std::uint64_t>(got.next_offset - shape_.fetch.offset);
        }
        shape_.fetch.offset = at_end ? 0 : got.next_offset;
        if (at_ == until_) outgoing_ = fetch_v11(target_, shape_.fetch);
    } else if (shape_.call == Call::fetch_session) {
        fetched_session(answer, totals);
    } else if (shape_.call == Call::heartbeat || shape_.call == Call::commit) {
        const bool commit = shape_.call == Call::commit;
        const auto error = commit ? commit_error(answer) : group_error(answer);
        if (error != 0) totals.fail("group error " + std::to_string(error));
    }
}

void LoadConnection::fetched_session(std::string_view answer, Totals& totals) {
    const FetchedInSession got = fetched_in_session(answer);
    SessionShape& session = shape_.session;
    if (got.error != 0) totals.fail("fetch error " + std::to_string(got.error));
    if (got.id == 0) totals.fail("the broker gives no session");
    if (session.epoch > 1 && got.topics != 0) totals.fail("an idle partition is in the answer");
    session.id = got.id;
    ++session.epoch;
    outgoing_ = request(target_.partition, {});
    frame_size_ = outgoing_.size();
    at_ = until_ = 0;
}

}  // namespace leat::bench
