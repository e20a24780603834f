#include "inspect.h"

#include <string>
#include <string_view>

#include "format.h"

namespace leat::local {

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::int64_t signed_of(std::uint64_t number) {
    return static_cast<std::int64_t>(number);
}

// True if there is more to look at.
bool report_head(std::string_view file, std::string_view magic, const char* revision_is,
                 sdk::FileReport& report) {
    const auto head = decode_head(file, magic, "the file");
    if (!head) {
        report.damage(0, head.error().what);
        return false;
    }
    report.item({0, "head", {{revision_is, signed_of(head->value)}}});
    return true;
}

void report_written(const Written& one, std::size_t from, sdk::FileReport& report) {
    sdk::FileItem item{from + one.position, one.removal ? "delete" : "put", {}};
    item.fields.emplace_back("revision", signed_of(one.revision.value));
    item.fields.emplace_back("key", std::string{one.key});
    if (!one.removal) item.fields.emplace_back("value", std::string{one.value});
    report.item(item);
}

void inspect_journal(std::span<const std::byte> bytes, sdk::FileReport& report) {
    const std::string_view file = text_of(bytes);
    if (!report_head(file, journal_magic, "after_revision", report)) return;
    std::uint64_t next = decode_head(file, journal_magic, "")->value + 1;
    std::size_t at = head_bytes;
    while (at < file.size()) {
        const auto unit = unit_at(file, at);
        if (!unit) {
            report.damage(at, any_unit_behind(file, at + 1)
                                  ? "a unit that is damaged, with whole ones behind it"
                                  : "a unit that is not whole: it was never acknowledged, and the "
                                    "next start cuts it off");
            return;
        }
        report.item({at,
                     "unit",
                     {{"bytes", signed_of(unit->bytes)},
                      {"first_revision", signed_of(unit->first.value)},
                      {"transactions", signed_of(unit->transactions)}}});
        if (unit->first.value != next)
            report.damage(at,
                          "a unit that begins with another revision than " + std::to_string(next));
        next = unit->first.value + unit->transactions;
        if (!each_operation(*unit, [&](const Written& one) { report_written(one, at, report); }))
            report.damage(at, "operations that cannot be read in spite of their checksum");
        at += unit->bytes;
    }
}

void inspect_snapshot(std::span<const std::byte> bytes, sdk::FileReport& report) {
    const std::string_view file = text_of(bytes);
    if (!report_head(file, snapshot_magic, "revision", report)) return;
    const bool sound = snapshot_checksum_matches(file);
    const bool whole =
        each_entry(file, [&](const Written& one) { report_written(one, 0, report); });
    if (!whole) report.damage(file.size(), "a snapshot that is cut off or has more than it says");
    if (!sound) report.damage(head_bytes, "a checksum that does not match what follows the head");
}

}  // namespace

std::vector<sdk::FileInspector> inspectors() {
    return {{"coordination journal", std::string{journal_magic}, "journal", inspect_journal},
            {"coordination snapshot", std::string{snapshot_magic}, "snapshot", inspect_snapshot}};
}

}  // namespace leat::local
