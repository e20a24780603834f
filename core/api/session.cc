#include "core/api/session.h"

#include <utility>

#include "core/api/apis.h"
#include "core/api/services.h"

namespace leat::api {

Reply::Reply(Reply&& other) noexcept
    : session_{std::move(other.session_)},
      of_{other.of_},
      used_{std::exchange(other.used_, true)} {}

Reply::~Reply() {
    if (!used_) close("a request was dropped without an answer");
}

void Reply::answer_bytes(wire::Buffer bytes) {
    answer_slices(owned(std::move(bytes)));
}

void Reply::answer_slices(Answer slices) {
    used_ = true;
    if (const auto session = session_.lock()) (*session)->finish(of_, std::move(slices));
}

void Reply::count(wire::ErrorCode error) {
    count(error, {}, 0, {});
}

void Reply::count(wire::ErrorCode error, std::string_view topic, std::int32_t partition,
                  std::string_view message) {
    if (error == wire::ErrorCode::none) return;
    if (const auto session = session_.lock()) {
        (*session)->count({.of = fault_of(),
                           .reason = message,
                           .error = error,
                           .topic = topic,
                           .partition = partition});
    }
}

void Reply::software(std::string_view name, std::string_view version) {
    if (const auto session = session_.lock()) {
        (*session)->remember((*session)->software_, std::string{name} + " " + std::string{version});
    }
}

void Reply::nothing() {
    answer_slices({});
}

void Reply::close(std::string why) {
    fail({.of = fault_of(), .reason = why});
}

void Reply::malformed(const sdk::Error& why) {
    fail({.of = fault_of(), .reason = why.what, .undecodable = true});
}

void Reply::fail(const ClientFault& fault) {
    used_ = true;
    if (const auto session = session_.lock()) (*session)->fail(fault);
}

void Reply::went_to(std::optional<std::size_t> shard) {
    if (const auto session = session_.lock()) (*session)->preference_.produced(shard);
}

Answer owned(wire::Buffer bytes) {
    auto owner = std::make_shared<const wire::Buffer>(std::move(bytes));
    const std::span<const std::byte> all{*owner};
    Answer slices;
    slices.push_back(sdk::MemorySlice{std::move(owner), all});
    return slices;
}

struct Session::Luggage {
    explicit Luggage(Session& of)
        : counted{std::move(of.counted_)},
          waiting{std::move(of.waiting_)},
          client_id{of.client_id_},
          software{of.software_},
          preference{of.preference_} {}

    CountedSession counted;
    std::deque<Waiting> waiting;
    std::string client_id;
    std::string software;
    ShardPreference preference;
};

Session::Session(sdk::Connection& connection, Services& services, std::size_t shard,
                 SessionLimits limits, Luggage* luggage)
    : connection_{connection},
      services_{services},
      shard_{shard},
      number_{services.sessions[shard].empty() ? 0 : services.sessions[shard].rbegin()->first + 1},
      counted_{luggage == nullptr ? CountedSession{services.counts, shard}
                                  : std::move(luggage->counted)},
      limits_{limits},
      caller_{std::make_shared<const Caller>(
          Caller{std::string{connection.listener()}, connection.local(), connection.remote()})},
      self_{std::make_shared<Session*>(this)},
      order_{limits.most_together} {
    services_.sessions[shard_].emplace(number_, this);
    if (luggage == nullptr) return;
    waiting_ = std::move(luggage->waiting);
    client_id_ = std::move(luggage->client_id);
    software_ = std::move(luggage->software);
    preference_ = luggage->preference;
}

Session::~Session() {
    services_.sessions[shard_].erase(number_);
}

void Session::received(std::span<sdk::Frame> frames) {
    if (closing_) return;
    const sdk::Instant now = connection_.shard().now();
    for (sdk::Frame& frame : frames) waiting_.push_back({std::move(frame), now});
    pump();
}

void Session::drained() {
    if (services_.draining[shard_] != 0 && !draining_) return drain();  // It was on its way here.
    pump();
}

void Session::misbehaved(const std::string& why) {
    log_fault({.of = std::nullopt, .reason = why});
}

void Session::closed(const std::string&) {
    closing_ = true;
    self_.reset();
    waiting_.clear();
    hurry();
}

void Session::drain() {
    draining_ = true;
    waiting_.clear();
    hurry();
    if (order_.unfinished() == 0) connection_.close(sdk::Connection::Close::flush, "broker stops");
}

void Session::hurry() {
    if (hurry_) std::exchange(hurry_, {})();
}

// Starts what may start. An answer that comes at once re-enters by finish(), which leaves the rest
// to the loop that is running already.
void Session::pump() {
    if (pumping_) return;
    pumping_ = true;
    while (!closing_ && !draining_ && !waiting_.empty() && !connection_.congested()) {
        consider_moving();
        if (moves_to_ || !order_.may_start(kind_of(waiting_.front().frame))) break;
        Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        if (!start(std::move(next))) break;
    }
    pumping_ = false;
    if (closing_) return;
    if (moves_to_ && !draining_ && order_.unfinished() == 0) return leave();
    const bool full = waiting_.size() >= limits_.most_waiting || connection_.congested();
    if (full != paused_) {
        paused_ = full;
        full ? connection_.pause() : connection_.resume();
    }
}

void Session::consider_moving() {
    if (moves_to_ || !services_.move_connection) return;
    const auto wanted = preference_.wanted(shard_);
    if (!wanted) return;
    const auto& there = services_.counts->by_shard;
    if (ShardPreference::unbalances(there[shard_], there[*wanted])) return preference_.stayed();
    counted_.belongs_to(*wanted);
    moves_to_ = wanted;
}

// Nothing is in flight, so no Reply knows this session any more; answers may be unsent, which the
// network waits for. The one that is made on the other shard goes on.
void Session::leave() {
    const std::size_t to = *std::exchange(moves_to_, std::nullopt);
    // Shared because sdk::Accept can be copied; it is called once at most.
    auto luggage = std::make_shared<Luggage>(*this);
    luggage->preference.moved();
    auto arrive = [&services = services_, to, limits = limits_,
                   luggage](sdk::Connection& connection) {
        return std::make_unique<Session>(connection, services, to, limits, luggage.get());
    };
    if (services_.move_connection(connection_, to, std::move(arrive))) {
        closing_ = true;
        return;
    }
    counted_ = std::move(luggage->counted);
    counted_.belongs_to(shard_);
    waiting_ = std::move(luggage->waiting);
    preference_.stayed();
    pump();
}

bool Session::start(Waiting waiting) {
    auto header = wire::parse_request(waiting.frame.bytes);
    if (!header) {
        const auto seen = wire::glimpse(waiting.frame.bytes);
        ClientFault fault{.of = std::nullopt, .reason = header.error().what};
        if (seen) {
            remember(client_id_, seen->client_id.value_or(""));
            fault.of = ClientFault::Of{seen->key, seen->version};
        }
        fail(fault);
        return false;
    }
    remember(client_id_, header->client_id.value_or(""));
    const Api* api = find_api(header->key);
    const bool served =
        api != nullptr && (api->served.contains(header->version) || !header->readable);
    if (!served && !(api != nullptr && header->key == wire::ApiKey::api_versions)) {
        fail({.of = ClientFault::Of{header->key, header->version},
              .reason = api == nullptr ? "the broker does not serve this API"
                                       : "the broker does not serve this version"});
        return false;
    }
    if (header->key == wire::ApiKey::fetch) preference_.fetched();
    if (header->key != wire::ApiKey::produce) preference_.asked_otherwise();
    Reply reply{self_,
                {.ticket = order_.start(api->kind),
                 .arrived = waiting.arrived,
                 .api = static_cast<std::uint16_t>(api - served_apis().data()),
                 .key = header->key,
                 .version = header->version,
                 .correlation_id = header->correlation_id}};
    Request request{.frame = std::move(waiting.frame),
                    .header = *header,
                    .caller = caller_,
                    .shard = shard_,
                    .on_hurry = [this](sdk::Task hurry) { hurry_ = std::move(hurry); }};
    api->handle(services_, std::move(request), std::move(reply));
    return !closing_;
}

void Session::count(const ClientFault& fault) {
    ++services_.requests[shard_].errors[{fault.of->api, fault.error}];
    if (is_client_fault(fault.error)) log_fault(fault);
}

void Session::log_fault(const ClientFault& fault) {
    services_.log_client_fault(shard_,
                               {.remote = caller_->remote,
                                .listener = caller_->listener,
                                .client_id = client_id_,
                                .software = software_},
                               fault);
}

void Session::remember(std::string& name, std::string_view said) {
    said = said.substr(0, ClientFaults::most_name_bytes);
    if (name != said) name = said;
}

void Session::finish(const Reply::Of& of, Answer answer) {
    if (closing_) return;
    services_.requests[shard_].durations[of.api].record(connection_.shard().now() - of.arrived);
    order_.finish(of.ticket, std::move(answer));
    if (order_.unfinished() == 0) hurry_ = {};
    while (auto due = order_.take_due()) {
        if (!due->empty()) connection_.send(std::move(*due));
    }
    if (draining_ && order_.unfinished() == 0) {
        connection_.close(sdk::Connection::Close::flush, "broker stops");
        return;
    }
    pump();
}

void Session::fail(const ClientFault& fault) {
    if (closing_) return;
    closing_ = true;
    log_fault(fault);
    connection_.close(sdk::Connection::Close::flush, std::string{fault.reason});
}

}  // namespace leat::api
