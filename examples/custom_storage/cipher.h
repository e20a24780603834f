// AES-256-GCM (NIST SP 800-38D) by OpenSSL, in the one way that this engine uses it.
//
// A nonce that is used twice under one key gives both texts away. So every file has a key of its
// own, derived from the operator's key and 32 random bytes at the file's beginning, and the nonce
// of a frame is its position in the file. What is written is never written again: a file that was
// cut, or that an earlier run wrote, takes no further frame.
#pragma once

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "leat/sdk/result.h"

namespace sealed {

using Bytes = std::span<const std::byte>;
using Salt = std::array<std::byte, 32>;

inline constexpr std::size_t tag_bytes = 16;

// The operator's key. Wiped from memory with its owner.
class MasterKey {
public:
    // 64 hex digits in a file that only its owner may read.
    static leat::sdk::Result<std::shared_ptr<const MasterKey>> from_file(
        const std::filesystem::path& path);

    MasterKey() = default;
    MasterKey(const MasterKey&) = delete;
    MasterKey& operator=(const MasterKey&) = delete;
    ~MasterKey();

    const std::array<std::byte, 32>& bytes() const { return bytes_; }

private:
    std::array<std::byte, 32> bytes_{};
};

// Random, from the system; fails if that has none to give.
leat::sdk::Result<Salt> new_salt();

// Of one file. Several threads may open() at a time only with a cipher each.
class FileCipher {
public:
    FileCipher(const MasterKey& master, const Salt& salt);

    // `text` becomes as many bytes at `out`; the tag covers them, `said` and the position.
    leat::sdk::Status seal(std::uint64_t position, Bytes said, Bytes text, std::byte* out,
                           std::byte* tag);
    // Errc::corrupt unless every byte is what seal() was given and gave.
    leat::sdk::Status open(std::uint64_t position, Bytes said, Bytes sealed, const std::byte* tag,
                           std::byte* out);

private:
    struct Free {
        void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
    };
    std::unique_ptr<EVP_CIPHER_CTX, Free> seals_;
    std::unique_ptr<EVP_CIPHER_CTX, Free> opens_;
};

// A small text as one sealed piece: salt, tag, sealed text. `said` binds it to its place.
leat::sdk::Result<std::string> seal_text(const MasterKey& master, std::string_view said,
                                         std::string_view text);
leat::sdk::Result<std::string> open_text(const MasterKey& master, std::string_view said,
                                         std::string_view sealed);

}  // namespace sealed
