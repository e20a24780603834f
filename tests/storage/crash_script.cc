#include "tests/storage/crash_script.h"

#include <algorithm>

namespace leat::storage_test {

using namespace sdk::testing;
using sdk::Offset;

CrashScript::CrashScript(Engine engine, unsigned seed)
    : kind_{engine}, disk_{std::make_shared<SimulatedDisk>()}, random_{seed} {
    disk_->make_folder("/d");
    disk_->sync_everything("/");
}

CrashScript::~CrashScript() {
    forget_process();
}

void CrashScript::forget_process() {
    log_.reset();
    engine_.reset();
    shard_.forget_everything();
}

sdk::Result<std::unique_ptr<sdk::StorageEngine>> CrashScript::make_engine() {
    const segment::EngineOptions options{.most_open_files = 2,
                                         .most_active_files = 1,
                                         .index_step = 200,
                                         .checkpoint_interval = sdk::Instant{0}};
    if (kind_ == Engine::segment) return segment::SegmentEngine::start(*context_, disk_, options);
    // Some appends are larger than a prepared file, and some find none.
    return mmap::MmapEngine::start(*context_, disk_, disk_, options,
                                   {.file_bytes = 1000, .ready = 1, .most_mapped = 2});
}

bool CrashScript::start() {
    context_ = std::make_unique<ManualContext>(shard_, "/d");
    auto engine = make_engine();
    if (!engine) return false;
    engine_ = std::move(*engine);
    auto log = engine_->open(id_, {.index_interval_bytes = 1});
    if (!log) {
        EXPECT_NE(log.error().code, sdk::Errc::corrupt) << log.error().what;
        return false;
    }
    log_ = std::move(*log);
    return true;
}

int CrashScript::run(int steps) {
    pending_ = {.step = "start"};
    if (!start()) return 0;
    for (int i = 0; i < steps; ++i) {
        pending_ = {};
        if (!step()) return i;
        pending_ = {.step = "work beside"};
        shard_.run_ready();
        if (disk_->is_dead()) return i;
    }
    return steps;
}

bool CrashScript::step() {
    switch (random_() % 28) {
        case 0:
        case 1:
            pending_.step = "seal";
            return log_->seal().has_value();
        case 2:
        case 3:
        case 4:
            pending_.step = "flush";
            if (!log_->flush()) return false;
            state_.flushed = end();
            return true;
        case 5:
        case 6:
            return truncate();
        case 7:
        case 8:
            return trim();
        case 9:
        case 10:
            return write_side_file();
        case 11:
            return random_() % 4 != 0 || remove();
        case 12:
            return stop_cleanly_and_start();
        case 24:
        case 25:
        case 26:
        case 27:
            return rewrite();
        default:
            return append();
    }
}

bool CrashScript::append() {
    pending_.step = "append";
    const Offset before = make_.next();
    for (unsigned i = 0; i <= random_() % 3; ++i) {
        pending_.batches.push_back(
            make_(static_cast<int>(1 + random_() % 3),
                  {.value_bytes = random_() % 120,
                   .timestamp = {1000 + static_cast<std::int64_t>(random_() % 100)}}));
    }
    if (!log_->append(stamped(pending_.batches))) {
        make_.go_to(before);
        return false;
    }
    std::move(pending_.batches.begin(), pending_.batches.end(), std::back_inserter(state_.held));
    return true;
}

bool CrashScript::truncate() {
    pending_.step = "truncate";
    if (state_.held.empty()) return true;
    const std::size_t kept =
        state_.held.size() - 1 - random_() % std::min<std::size_t>(8, state_.held.size());
    const std::int64_t end = state_.held[kept].base.value;
    if (end < state_.begin) return true;
    pending_.end = end;
    if (!log_->truncate({end})) return false;
    state_.held.resize(kept);
    state_.flushed = end;
    make_.go_to({end});
    return true;
}

bool CrashScript::trim() {
    pending_.step = "trim";
    const auto beyond = static_cast<std::int64_t>(random_() % 12 == 0 ? 5 : 0);
    const auto most = static_cast<std::uint64_t>(end() - state_.begin);
    pending_.begin = beyond != 0 ? end() + beyond
                                 : state_.begin + static_cast<std::int64_t>(random_() % (most + 1));
    if (!log_->trim({*pending_.begin})) return false;
    state_.begin = *pending_.begin;
    state_.flushed = std::max(state_.flushed, state_.begin);
    std::erase_if(state_.held, [&](const TestBatch& b) { return b.next.value <= state_.begin; });
    if (end() < state_.begin) make_.go_to({state_.begin});
    return true;
}

// Some extents lose some of their batches; where the last one goes, an empty one takes its place.
bool CrashScript::rewrite() {
    pending_.step = "rewrite";
    auto extents = log_->extents();
    while (!extents.empty() && extents.back().next.value > state_.flushed) extents.pop_back();
    if (!extents.empty() && extents.back().next.value == end()) extents.pop_back();
    if (extents.empty()) return true;
    const std::size_t first = random_() % extents.size();
    const std::size_t last = first + random_() % std::min<std::size_t>(4, extents.size() - first);
    const Offset from = extents[first].base;
    const Offset to = extents[last].next;
    Batches all;
    Batches made;
    for (const TestBatch& batch : state_.held) {
        const bool inside = batch.base >= from && batch.next <= to;
        const bool tail = batch.next == to;
        if (inside && random_() % 2 == 0) {
            if (tail) made.push_back(BatchMaker::empty(batch.base, batch.next));
        } else if (inside) {
            made.push_back(batch);
        }
        if (!inside) all.push_back(batch);
        if (tail) all.insert(all.end(), made.begin(), made.end());
    }
    auto rewriting = log_->rewritable()->rewrite(from, to);
    if (!rewriting) return false;
    if (!(*rewriting)->append(stamped(made))) return false;
    if (random_() % 2 == 0 && !(*rewriting)->flush()) return false;
    if (random_() % 8 == 0) return true;
    pending_.rewritten = all;
    if (!(*rewriting)->commit()) return false;
    state_.held = std::move(all);
    return true;
}

bool CrashScript::write_side_file() {
    pending_.step = "side file";
    const std::string name = random_() % 2 == 0 ? "leader-epoch-checkpoint" : "a.snapshot";
    const std::string text = "text " + std::to_string(random_() % 1000);
    pending_.side = {name, text};
    if (!log_->side_files()->write(name, std::as_bytes(std::span{text}))) return false;
    state_.side[name] = text;
    return true;
}

bool CrashScript::remove() {
    pending_.step = "remove";
    log_.reset();
    pending_.removed = true;
    if (!engine_->remove(id_)) return false;
    state_ = {};
    make_.go_to({0});
    if (random_() % 2 == 0) ++id_.topic_id.bytes[1];
    auto log = engine_->open(id_, {.index_interval_bytes = 1});
    if (!log) return false;
    log_ = std::move(*log);
    return true;
}

bool CrashScript::stop_cleanly_and_start() {
    pending_.step = "clean stop";
    if (!log_->flush()) return false;
    state_.flushed = end();
    log_.reset();
    if (!engine_->closed_cleanly()) return false;
    engine_.reset();
    return start();
}

void CrashScript::expect_to_stand_after_failure() {
    if (log_ == nullptr) return;
    const auto bounds = log_->bounds();
    EXPECT_LE(bounds.begin, bounds.end);
    EXPECT_LE(bounds.flushed, bounds.end);
    if (pending_.step != "flush" && pending_.step != "clean stop") return;
    // A second sync would say that all is well (fsyncgate).
    EXPECT_FALSE(log_->flush());
    const auto batch = BatchMaker{make_.next()}(1);
    const auto one = batch.stamped();
    EXPECT_FALSE(log_->append({&one, 1}));
    EXPECT_LE(log_->bounds().flushed.value, std::max(state_.flushed, state_.begin));
}

bool CrashScript::come_back(World world, std::uint64_t die_again_at) {
    forget_process();
    disk_->come_back(world);
    if (die_again_at != 0) disk_->die_at(die_again_at);
    const bool up = start();
    EXPECT_TRUE(up || disk_->is_dead()) << "the log does not open after " << pending_.step;
    return up && !disk_->is_dead();
}

std::optional<std::string> CrashScript::side_mismatch(const State& state, const Pending& pending) {
    auto names = log_->side_files()->list();
    if (!names) return "side files cannot be listed";
    for (const auto& [name, text] : state.side) names->push_back(name);
    for (const auto& name : *names) {
        const auto bytes = log_->side_files()->read(name);
        std::string found;
        if (bytes) found.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
        const auto known = state.side.find(name);
        const bool old = known == state.side.end() ? !bytes : bytes && found == known->second;
        const bool new_one =
            bytes && pending.side && pending.side->first == name && pending.side->second == found;
        if (!old && !new_one) return "side file " + name + " holds \"" + found + "\"";
    }
    return std::nullopt;
}

// What is found must be a run of what was written, without a hole, from where it began to an end
// not below what was flushed.
std::optional<std::string> CrashScript::mismatch(const State& state, const Pending& pending) {
    const auto bounds = log_->bounds();
    if (bounds.flushed != bounds.end) return "what is served is not said to be safe";
    const bool emptied = pending.end && bounds.begin == bounds.end;
    // A trim may have got as far as between two segments; a truncation to nothing as far as to
    // say where the log begins. (A rewrite may have left nothing at its beginning.)
    std::int64_t most = std::max(state.begin, pending.begin.value_or(0));
    if (pending.end && !state.held.empty() && state.held.front().base.value >= *pending.end) {
        most = std::max(most, *pending.end);
    }
    if ((bounds.begin.value < state.begin || bounds.begin.value > most) &&
        !(emptied && bounds.begin.value == *pending.end)) {
        return "it begins at " + std::to_string(bounds.begin.value);
    }
    std::int64_t least = state.flushed;
    if (pending.end) least = std::min(least, *pending.end);
    if (bounds.end.value < least) return "it ends at " + std::to_string(bounds.end.value);
    const auto reader = [this](int file, std::uint64_t at, std::span<std::byte> into) {
        return disk_->read_all(file, at, into);
    };
    const auto seen = read_log(*log_, {-1}, 1000, reader);
    if (!seen) return "it cannot be read: " + seen.error().what;
    Batches possible = state.held;
    possible.insert(possible.end(), pending.batches.begin(), pending.batches.end());
    std::erase_if(possible, [&](const TestBatch& b) { return b.next <= bounds.begin; });
    if (seen->size() > possible.size()) return "there is more than was written";
    for (std::size_t i = 0; i < seen->size(); ++i) {
        if ((*seen)[i].bytes != possible[i].bytes) {
            return "batch " + std::to_string(i) + " at " + std::to_string((*seen)[i].base.value) +
                   " is another one";
        }
    }
    const std::int64_t end = seen->empty() ? bounds.begin.value : seen->back().next.value;
    if (end != bounds.end.value) return "batches end at " + std::to_string(end);
    return side_mismatch(state, pending);
}

void CrashScript::expect_what_may_be_found() {
    const auto wrong = mismatch(state_, pending_);
    if (!wrong) return;
    if (pending_.removed && !mismatch(State{}, Pending{})) return;
    if (pending_.rewritten) {
        State state = state_;
        state.held = *pending_.rewritten;
        if (!mismatch(state, Pending{})) return;
    }
    std::string lines;
    for (const auto& path : disk_->paths()) lines += "\n" + path;
    for (const auto& line : context_->lines()) lines += "\n" + line;
    ADD_FAILURE() << "after a crash in " << pending_.step << ": " << *wrong << "; held from "
                  << state_.begin << ", flushed to " << state_.flushed << ", written to " << end()
                  << lines;
}

void CrashScript::expect_to_go_on() {
    const auto bounds = log_->bounds();
    const auto batch = BatchMaker{bounds.end}(2, {.value_bytes = 99});
    const auto one = batch.stamped();
    ASSERT_TRUE(log_->append({&one, 1}));
    ASSERT_TRUE(log_->flush());
    ASSERT_TRUE(come_back(World::only_synced_survived));
    EXPECT_EQ(log_->bounds(), (sdk::LogBounds{bounds.begin, batch.next, batch.next}));
    const auto reader = [this](int file, std::uint64_t at, std::span<std::byte> into) {
        return disk_->read_all(file, at, into);
    };
    const auto seen = read_log(*log_, {-1}, 1000, reader);
    ASSERT_TRUE(seen);
    ASSERT_FALSE(seen->empty());
    EXPECT_TRUE(seen->back().bytes == batch.bytes);
}

}  // namespace leat::storage_test
