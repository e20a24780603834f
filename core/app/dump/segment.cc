// A segment: its batches with the verdicts on their checksums, and what is between them.
#include <algorithm>
#include <optional>

#include "core/app/dump/formats.h"
#include "core/compression/codec.h"
#include "core/wire/record_batch.h"
#include "leat/sdk/crc32c.h"

namespace leat::app {
namespace {

using wire::BatchView;

constexpr std::size_t piece_bytes = 256 * 1024;
constexpr std::size_t crc_covers_from = 21;
constexpr std::size_t magic_at = 16;
constexpr std::uint64_t cost_of_a_look = 1024;     // Of a header, in bytes that are read through.
constexpr std::size_t least_old_batch_bytes = 26;  // An empty message of format v0.

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

class Segment {
public:
    Segment(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report)
        : file_{file},
          options_{options},
          report_{report},
          piece_(piece_bytes),
          next_{base_offset_of(file.path())} {}

    void tell() {
        while (at_ < file_.size()) {
            const auto header = header_at(at_);
            if (is_room(header)) return;
            if (const auto wrong = misfit(header, at_)) {
                const std::uint64_t begin = at_;
                report_.damage(begin, *wrong + where_whole_ones_go_on());
            } else if (static_cast<int>(header[magic_at]) < wire::batch_magic) {
                tell_old();
            } else {
                tell_batch(BatchView{header});
            }
        }
    }

private:
    std::span<const std::byte> header_at(std::uint64_t at) {
        std::ranges::fill(header_, std::byte{0});
        return file_.read(at, header_);
    }

    // Why no batch begins with this header; nothing if one does, as far as a header can tell.
    std::optional<std::string> misfit(std::span<const std::byte> header, std::uint64_t at) const {
        const std::uint64_t left = file_.size() - at;
        const std::size_t size = wire::first_batch_size(header);
        if (file_.error() != 0) return "bytes that cannot be read";
        const bool short_old = header.size() > magic_at && size == left &&
                               size >= least_old_batch_bytes &&
                               static_cast<int>(header[magic_at]) < 2;
        if (short_old) return std::nullopt;
        if (header.size() < wire::batch_header_bytes)
            return "a header that is cut off: " + number(header.size()) + " bytes of " +
                   number(wire::batch_header_bytes);
        const auto magic = static_cast<std::int8_t>(header[magic_at]);
        const bool old = magic == 0 || magic == 1;
        if (!old && magic != wire::batch_magic) return "bytes that are no batch";
        if (size < (old ? least_old_batch_bytes : wire::batch_header_bytes))
            return "bytes that are no batch";
        const BatchView batch{header};
        if (!old &&
            (batch.last_offset_delta() < 0 || batch.record_count() < 0 ||
             batch.base_offset().value < 0 || batch.base_offset().value > INT64_MAX - INT32_MAX))
            return "bytes that are no batch";
        if (size > left)
            return "a batch that is cut off: " + number(left) + " bytes of " + number(size);
        return std::nullopt;
    }

    // A file that was made longer than what it holds: mmap's, or preallocated by Kafka.
    bool is_room(std::span<const std::byte> header) {
        if (!std::ranges::all_of(header, [](std::byte b) { return b == std::byte{0}; }))
            return false;
        for (std::uint64_t at = at_; at < file_.size();) {
            const auto read = file_.read(at, piece_);
            if (read.empty() ||
                !std::ranges::all_of(read, [](std::byte b) { return b == std::byte{0}; }))
                return false;
            at += read.size();
        }
        report_.item(
            {at_, "prepared_room", {{"bytes", static_cast<std::int64_t>(file_.size() - at_)}}});
        return true;
    }

    // Of a batch that fits the file; nothing if it came short all the same.
    std::optional<std::uint32_t> crc_of(std::uint64_t at, std::uint64_t size) {
        std::uint32_t crc = 0;
        const std::uint64_t end = at + size;
        for (at += crc_covers_from; at < end;) {
            const auto wanted =
                static_cast<std::size_t>(std::min<std::uint64_t>(piece_.size(), end - at));
            const auto read = file_.read(at, std::span{piece_}.first(wanted));
            if (read.size() != wanted) return std::nullopt;
            crc = sdk::crc32c(read, crc);
            at += wanted;
        }
        return crc;
    }

    void tell_old() {
        const BatchView batch{header_};
        report_.item({at_,
                      "old_batch",
                      {{"bytes", static_cast<std::int64_t>(batch.size())},
                       {"magic", static_cast<std::int64_t>(batch.magic())},
                       {"base_offset", batch.base_offset().value}}});
        at_ += batch.size();
    }

    void tell_batch(const BatchView& batch) {
        const std::uint64_t begin = at_;
        const std::uint64_t size = batch.size();
        const auto crc = crc_of(begin, size);
        const bool sound = crc == batch.crc();
        report_.item(item_of(batch, sound));
        at_ += size;
        if (!sound) {
            std::string what = "a checksum that does not match: " + number(batch.crc()) +
                               " is written, " + number(crc.value_or(0)) + " it is";
            // Its length may be what is wrong.
            const bool goes_on =
                at_ == file_.size() || !misfit(header_at(at_), at_) || is_zero_at(at_);
            if (!goes_on) {
                at_ = begin;
                what += where_whole_ones_go_on();
            }
            report_.damage(begin, what);
            return;
        }
        check_order(batch, begin);
        if (options_.records) tell_records(file_, begin, size, report_);
    }

    bool is_zero_at(std::uint64_t at) {
        return std::ranges::all_of(header_at(at), [](std::byte b) { return b == std::byte{0}; });
    }

    // The checksum covers neither offsets nor epoch.
    void check_order(const BatchView& batch, std::uint64_t begin) {
        if (batch.base_offset().value < next_)
            report_.damage(
                begin, "an offset that goes back: " + std::to_string(batch.base_offset().value) +
                           ", where " + std::to_string(next_) + " or more follows");
        if (batch.leader_epoch().value < epoch_)
            report_.damage(begin, "a leader epoch that goes back: " +
                                      std::to_string(batch.leader_epoch().value) + " after " +
                                      std::to_string(epoch_));
        next_ = std::max(next_, batch.next_offset().value);
        epoch_ = std::max(epoch_, batch.leader_epoch().value);
    }

    sdk::FileItem item_of(const BatchView& batch, bool sound) const {
        const auto codec = compression::codec_of(batch.codec_id());
        sdk::FileItem item{at_, "batch", {}};
        const auto add = [&](const char* name, sdk::FieldValue value) {
            item.fields.emplace_back(name, std::move(value));
        };
        const auto count = [](auto value) { return static_cast<std::int64_t>(value); };
        add("bytes", count(batch.size()));
        add("base_offset", batch.base_offset().value);
        add("last_offset", batch.last_offset().value);
        add("records", count(batch.record_count()));
        add("leader_epoch", count(batch.leader_epoch().value));
        add("codec", codec ? std::string{compression::name_of(*codec)}
                           : "unknown " + std::to_string(batch.codec_id()));
        add("timestamp_type", batch.log_append_time() ? "LogAppendTime" : "CreateTime");
        add("base_timestamp", batch.base_timestamp().value);
        add("max_timestamp", batch.max_timestamp().value);
        add("producer_id", batch.producer_id());
        add("producer_epoch", count(batch.producer_epoch()));
        add("base_sequence", count(batch.base_sequence()));
        add("last_sequence", count(batch.last_sequence()));
        add("transactional", batch.transactional());
        add("control", batch.control());
        if (batch.has_delete_horizon()) add("delete_horizon", true);
        add("crc", count(batch.crc()));
        add("crc_ok", sound);
        return item;
    }

    // Moves behind the damage at at_, and says in words how far.
    std::string where_whole_ones_go_on() {
        const std::uint64_t from = at_;
        for (std::uint64_t at = from + 1; at < file_.size(); ++at) {
            if (searched_ > most_searched_bytes) {
                at_ = file_.size();
                return "; what follows was not searched any further for whole batches";
            }
            const auto found = candidate(at);
            if (!found) break;
            at = *found;
            const auto header = header_at(at);
            if (misfit(header, at)) continue;
            const BatchView batch{header};
            searched_ += batch.size();
            if (crc_of(at, batch.size()) != batch.crc()) continue;
            at_ = at;
            return "; whole batches go on at " + number(at);
        }
        at_ = file_.size();
        return "; no whole batch follows in the " + number(file_.size() - from) + " bytes there";
    }

    // The next place at or behind `at` where a byte 2 stands where a magic would.
    std::optional<std::uint64_t> candidate(std::uint64_t at) {
        searched_ += cost_of_a_look;
        for (std::uint64_t from = at + magic_at; from < file_.size();) {
            if (from < window_at_ || from >= window_at_ + window_.size()) {
                window_.resize(piece_bytes);
                window_.resize(file_.read(from, window_).size());
                window_at_ = from;
                if (window_.empty()) return std::nullopt;
            }
            const auto rest =
                std::span{window_}.subspan(static_cast<std::size_t>(from - window_at_));
            const auto found = std::ranges::find(rest, std::byte{wire::batch_magic});
            const auto before = static_cast<std::uint64_t>(found - rest.begin());
            if (found != rest.end()) return from + before - magic_at;
            from += before;
        }
        return std::nullopt;
    }

    const FileBytes& file_;
    const DumpOptions& options_;
    sdk::FileReport& report_;
    std::byte header_[wire::batch_header_bytes]{};
    std::vector<std::byte> piece_;
    std::vector<std::byte> window_;  // Of the search; what stands at window_at_.
    std::uint64_t window_at_ = 0;
    std::uint64_t at_ = 0;
    std::uint64_t searched_ = 0;
    std::int64_t next_;
    std::int32_t epoch_ = -1;
};

}  // namespace

void tell_segment(const FileBytes& file, const DumpOptions& options, sdk::FileReport& report) {
    Segment{file, options, report}.tell();
}

}  // namespace leat::app
