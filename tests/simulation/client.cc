#include "tests/simulation/client.h"

#include <utility>

namespace leat::simulation {

using std::chrono::milliseconds;

Client::~Client() {
    if (link_) environment_.wires.hang_up(link_);
}

void Client::connect() {
    link_ = environment_.wires.dial(*this);
    // A dial that nobody answers is given up too.
    later(patience_, [this, link = std::weak_ptr<Link>{link_}] {
        if (!connected_ && link_ && link.lock() == link_) give_up_connection();
    });
}

void Client::connected() {
    connected_ = true;
    ready();
}

void Client::closed() {
    lose();
}

void Client::give_up_connection() {
    if (!link_) return;
    environment_.wires.hang_up(link_);
    lose();
}

void Client::lose() {
    link_.reset();
    connected_ = false;
    auto waiting = std::exchange(waiting_, {});
    for (Waiting& request : waiting) request.answered(std::nullopt);
    connection_lost();
    later(random().between(milliseconds{5}, milliseconds{150}), [this] { connect(); });
}

void Client::send(wire::Buffer bytes, wire::ApiKey key, wire::Version version, Answered answered) {
    bytes.erase(bytes.begin(), bytes.begin() + wire::frame_size_bytes);
    const std::int32_t correlation = last_correlation_;
    waiting_.push_back({correlation, key, version, std::move(answered)});
    environment_.wires.send(link_, std::move(bytes));
    later(patience_, [this, correlation] {
        if (waiting_.empty() || waiting_.front().correlation > correlation) return;
        note("loses patience");
        give_up_connection();
    });
}

void Client::received(Bytes frame) {
    if (waiting_.empty()) return checker().violated(name_ + " got an answer to nothing");
    Waiting request = std::move(waiting_.front());
    waiting_.pop_front();
    const auto header = wire::parse_response(frame, request.key, request.version);
    if (!header || header->correlation_id != request.correlation) {
        return checker().violated(name_ + " got answers out of order");
    }
    request.answered(header->body);
}

void Client::later(sdk::Instant delay, sdk::Task task) {
    environment_.timers.after(delay,
                              [alive = std::weak_ptr{alive_}, task = std::move(task)]() mutable {
                                  if (!alive.expired()) task();
                              });
}

}  // namespace leat::simulation
