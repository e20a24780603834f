// What a plugin can tell of files that it wrote, while nothing is served: `leat dump`. The plugin
// owns its format; who asks knows only items and damage.
//
// An inspector gets the bytes of one file, whatever they are: cut off, garbled, another's. It
// reports what it finds from front to back, never throws, never takes a length at its word, and
// changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace leat::sdk {

// Text may hold any bytes: whoever prints it sees to that.
using FieldValue = std::variant<std::string, std::int64_t, bool>;

// One thing in a file: a batch, a transaction, an entry of an index.
struct FileItem {
    std::uint64_t position = 0;                              // Of its first byte.
    std::string kind;                                        // snake_case: "batch", "unit".
    std::vector<std::pair<std::string, FieldValue>> fields;  // Names in snake_case.
};

class FileReport {
public:
    virtual ~FileReport() = default;

    virtual void item(const FileItem& item) = 0;
    // What is wrong at `position`, in words: "a checksum that does not match".
    virtual void damage(std::uint64_t position, const std::string& what) = 0;
};

// How a plugin's files are known, by either, and who reads them.
struct FileInspector {
    std::string kind;   // What such a file is: "coordination journal".
    std::string magic;  // Its first bytes; empty if it has none.
    std::string name;   // Its name in the instance's folder.
    std::function<void(std::span<const std::byte> file, FileReport& report)> inspect;
};

}  // namespace leat::sdk
