#include "format.h"

#include <span>
#include <utility>

#include "leat/sdk/crc32c.h"

namespace leat::local {

namespace {

using sdk::Errc;
using sdk::Error;
using sdk::Result;
using sdk::Revision;
using sdk::Status;

constexpr std::string_view unit_marker = "\xabUNI";
constexpr std::size_t unit_head_bytes = 12;
constexpr std::size_t unit_numbers_bytes = 12;  // First revision and transactions.
constexpr std::size_t snapshot_piece = 64 * 1024;
enum Kind : std::uint8_t { put_kind = 1, delete_kind = 2 };

std::uint32_t crc32c(std::string_view bytes, std::uint32_t so_far = 0) {
    return sdk::crc32c(std::as_bytes(std::span{bytes}), so_far);
}

template <class Number>
void append(std::string& out, Number number) {
    for (std::size_t i = 0; i < sizeof number; ++i)
        out.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i)));
}

// Reads what append() wrote; past the end it yields nothing and remembers that it did.
class Cursor {
public:
    explicit Cursor(std::string_view bytes) : rest_{bytes} {}

    template <class Number>
    Number number() {
        std::uint64_t value = 0;
        const std::string_view raw = bytes(sizeof(Number));
        for (std::size_t i = 0; i < raw.size(); ++i)
            value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(raw[i])) << (8 * i);
        return static_cast<Number>(value);
    }
    std::string_view bytes(std::size_t count) {
        if (count > rest_.size()) {
            good_ = false;
            rest_ = {};
            return {};
        }
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    bool good() const { return good_; }
    const char* at() const { return rest_.data(); }
    bool done() const { return good_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool good_ = true;
};

void append_operation(std::string& out, const sdk::Put& put) {
    append(out, put.ephemeral ? delete_kind : put_kind);
    append(out, static_cast<std::uint16_t>(put.key.size()));
    out += put.key;
    if (put.ephemeral) return;
    append(out, static_cast<std::uint32_t>(put.value.size()));
    out += put.value;
}

void append_operation(std::string& out, const sdk::Delete& gone) {
    append(out, delete_kind);
    append(out, static_cast<std::uint16_t>(gone.key.size()));
    out += gone.key;
}

}  // namespace

std::string encode_head(std::string_view magic, Revision revision) {
    std::string head{magic};
    append(head, format_number);
    append(head, std::uint32_t{0});
    append(head, revision.value);
    append(head, crc32c(head));
    return head;
}

Result<Revision> decode_head(std::string_view file, std::string_view magic,
                             const std::string& path) {
    const std::string remedy = "; restore the folder from a backup";
    if (file.size() < head_bytes || !file.starts_with(magic))
        return Error{Errc::corrupt, path + " does not begin as Leat begins it" + remedy};
    Cursor from{file.substr(magic.size(), head_bytes - magic.size())};
    const auto format = from.number<std::uint32_t>();
    from.number<std::uint32_t>();
    const Revision revision{from.number<std::uint64_t>()};
    if (from.number<std::uint32_t>() != crc32c(file.substr(0, head_bytes - 4)))
        return Error{Errc::corrupt, "the head of " + path + " is damaged" + remedy};
    if (format != format_number)
        return Error{Errc::unsupported, path + " has format " + std::to_string(format) +
                                            ", this program reads format " +
                                            std::to_string(format_number) +
                                            ": start the version of Leat that wrote it"};
    return revision;
}

std::string begin_unit(Revision first) {
    std::string unit{unit_marker};
    append(unit, std::uint64_t{0});  // Length and checksum, known at the end.
    append(unit, first.value);
    append(unit, std::uint32_t{0});
    return unit;
}

void add_transaction(std::string& unit, const sdk::Transaction& transaction) {
    append(unit, static_cast<std::uint32_t>(transaction.operations.size()));
    for (const auto& operation : transaction.operations)
        std::visit([&](const auto& one) { append_operation(unit, one); }, operation);
}

void finish_unit(std::string& unit, std::size_t transactions) {
    std::string number;
    append(number, static_cast<std::uint32_t>(transactions));
    unit.replace(unit_head_bytes + 8, 4, number);
    number.clear();
    append(number, static_cast<std::uint32_t>(unit.size() - unit_head_bytes));
    const std::string_view payload = std::string_view{unit}.substr(unit_head_bytes);
    append(number, crc32c(payload, crc32c(number)));
    unit.replace(unit_marker.size(), 8, number);
}

std::optional<Unit> unit_at(std::string_view file, std::size_t position) {
    const std::string_view rest = file.substr(position);
    if (!rest.starts_with(unit_marker) || rest.size() < unit_head_bytes) return std::nullopt;
    Cursor from{rest.substr(unit_marker.size())};
    const auto length = from.number<std::uint32_t>();
    const auto crc = from.number<std::uint32_t>();
    const std::string_view payload = from.bytes(length);
    if (!from.good() || length > most_unit_bytes) return std::nullopt;
    if (crc32c(payload, crc32c(rest.substr(unit_marker.size(), 4))) != crc) return std::nullopt;
    Cursor inside{payload};
    Unit unit;
    unit.first = Revision{inside.number<std::uint64_t>()};
    unit.transactions = inside.number<std::uint32_t>();
    if (!inside.good()) return std::nullopt;
    unit.operations = payload.substr(unit_numbers_bytes);
    unit.bytes = unit_head_bytes + length;
    return unit;
}

bool any_unit_behind(std::string_view file, std::size_t position) {
    for (std::size_t at = file.find(unit_marker, position); at != std::string_view::npos;
         at = file.find(unit_marker, at + 1))
        if (unit_at(file, at)) return true;
    return false;
}

bool replay(const Unit& unit, Revision known, Store& into) {
    const bool whole = each_operation(unit, [&](const Written& one) {
        if (one.revision <= known) return;
        if (one.removal) {
            into.remove(one.key);
        } else {
            into.put(one.key, one.value, one.revision, false);
        }
        into.set_revision(one.revision);
    });
    const Revision last{unit.first.value + unit.transactions - 1};
    if (whole && unit.transactions != 0 && last > known) into.set_revision(last);
    return whole;
}

bool each_operation(const Unit& unit, sdk::Function<void(const Written&)> visit) {
    Cursor from{unit.operations};
    for (std::uint32_t i = 0; i < unit.transactions; ++i) {
        const auto operations = from.number<std::uint32_t>();
        if (!from.good() || operations > sdk::most_operations) return false;
        for (std::uint32_t n = 0; n < operations; ++n) {
            Written one{.revision = Revision{unit.first.value + i}};
            one.position = unit_head_bytes + unit_numbers_bytes +
                           static_cast<std::size_t>(from.at() - unit.operations.data());
            const auto kind = from.number<std::uint8_t>();
            one.removal = kind == delete_kind;
            one.key = from.bytes(from.number<std::uint16_t>());
            if (kind == put_kind) one.value = from.bytes(from.number<std::uint32_t>());
            if (!from.good() || (kind != put_kind && kind != delete_kind)) return false;
            visit(one);
        }
    }
    return from.done();
}

bool snapshot_checksum_matches(std::string_view snapshot) {
    if (snapshot.size() < head_bytes + 12) return false;
    Cursor trailer{snapshot.substr(snapshot.size() - 4)};
    const auto body = snapshot.substr(head_bytes, snapshot.size() - head_bytes - 4);
    return trailer.number<std::uint32_t>() == crc32c(body);
}

bool each_entry(std::string_view snapshot, sdk::Function<void(const Written&)> visit) {
    if (snapshot.size() < head_bytes + 12) return false;
    Cursor from{snapshot.substr(head_bytes, snapshot.size() - head_bytes - 4)};
    const auto entries = from.number<std::uint64_t>();
    for (std::uint64_t i = 0; i < entries && from.good(); ++i) {
        Written one;
        one.position = static_cast<std::size_t>(from.at() - snapshot.data());
        one.revision = Revision{from.number<std::uint64_t>()};
        const auto key_bytes = from.number<std::uint16_t>();
        const auto value_bytes = from.number<std::uint32_t>();
        one.key = from.bytes(key_bytes);
        one.value = from.bytes(value_bytes);
        if (from.good()) visit(one);
    }
    return from.done();
}

Status encode_snapshot(const Store& store, sdk::Function<Status(std::string_view)> write) {
    std::uint64_t entries = 0;
    store.for_each("", [&](const Entry& entry) { entries += entry.ephemeral() ? 0 : 1; });
    std::uint32_t crc = 0;
    std::string piece;
    Status written;
    const auto hand_over = [&] {
        crc = crc32c(piece, crc);
        if (written) written = write(piece);
        piece.clear();
    };
    written = write(encode_head(snapshot_magic, store.revision()));
    append(piece, entries);
    store.for_each("", [&](const Entry& entry) {
        if (entry.ephemeral()) return;
        append(piece, entry.revision().value);
        append(piece, static_cast<std::uint16_t>(entry.key().size()));
        append(piece, static_cast<std::uint32_t>(entry.value().size()));
        piece.append(entry.key()).append(entry.value());
        if (piece.size() >= snapshot_piece) hand_over();
    });
    hand_over();
    append(piece, crc);
    if (written) written = write(piece);
    return written;
}

Status decode_snapshot(std::string_view file, const std::string& path, Store& into) {
    const auto revision = decode_head(file, snapshot_magic, path);
    if (!revision) return revision.error();
    const Error damaged{Errc::corrupt,
                        path +
                            " is damaged: its checksum does not fit; restore the folder from a "
                            "backup"};
    if (!snapshot_checksum_matches(file)) return damaged;
    const bool whole = each_entry(
        file, [&](const Written& one) { into.put(one.key, one.value, one.revision, false); });
    if (!whole) return damaged;
    into.set_revision(*revision);
    return {};
}

}  // namespace leat::local
