#include "cipher.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

namespace sealed {

using leat::sdk::ensure;
using leat::sdk::Errc;
using leat::sdk::Error;
using leat::sdk::Result;
using leat::sdk::Status;

namespace {

const unsigned char* raw(const std::byte* bytes) {
    return reinterpret_cast<const unsigned char*>(bytes);
}
unsigned char* raw(std::byte* bytes) {
    return reinterpret_cast<unsigned char*>(bytes);
}

std::array<unsigned char, 12> nonce_of(std::uint64_t position) {
    std::array<unsigned char, 12> nonce{};
    std::memcpy(nonce.data(), &position, sizeof position);
    return nonce;
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

Result<std::shared_ptr<const MasterKey>> MasterKey::from_file(const std::filesystem::path& path) {
    const auto refused = [&](const std::string& why) {
        return Error{Errc::invalid_argument, "key_file " + path.string() + " " + why};
    };
    if (!path.is_absolute()) return refused("must be an absolute path");
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) return refused("cannot be read");
    if ((about.st_mode & 077) != 0)
        return refused("is open to its group or to others: `chmod 600` it");
    std::ifstream in{path};
    std::string text;
    in >> text;
    if (text.size() != 64) return refused("must hold 64 hex digits");
    auto key = std::make_shared<MasterKey>();
    bool hex = true;
    for (std::size_t i = 0; i < 32; ++i) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        hex = hex && high >= 0 && low >= 0;
        key->bytes_[i] = static_cast<std::byte>(high * 16 + low);
    }
    OPENSSL_cleanse(text.data(), text.size());
    if (!hex) return refused("must hold 64 hex digits");
    return std::shared_ptr<const MasterKey>{std::move(key)};
}

MasterKey::~MasterKey() {
    OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

Result<Salt> new_salt() {
    Salt salt;
    if (RAND_bytes(raw(salt.data()), static_cast<int>(salt.size())) != 1)
        return Error{Errc::unavailable, "the system gives no random bytes"};
    return salt;
}

FileCipher::FileCipher(const MasterKey& master, const Salt& salt)
    : seals_{EVP_CIPHER_CTX_new()}, opens_{EVP_CIPHER_CTX_new()} {
    std::array<unsigned char, 32> key;
    unsigned int size = key.size();
    bool good = HMAC(EVP_sha256(), master.bytes().data(), static_cast<int>(master.bytes().size()),
                     raw(salt.data()), salt.size(), key.data(), &size) != nullptr;
    good = good &&
           EVP_EncryptInit_ex(seals_.get(), EVP_aes_256_gcm(), nullptr, key.data(), nullptr) == 1;
    good = good &&
           EVP_DecryptInit_ex(opens_.get(), EVP_aes_256_gcm(), nullptr, key.data(), nullptr) == 1;
    OPENSSL_cleanse(key.data(), key.size());
    ensure(good, "this OpenSSL has AES-256-GCM and HMAC-SHA-256");
}

Status FileCipher::seal(std::uint64_t position, Bytes said, Bytes text, std::byte* out,
                        std::byte* tag) {
    EVP_CIPHER_CTX* const context = seals_.get();
    int size = 0;
    const bool good =
        EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce_of(position).data()) == 1 &&
        EVP_EncryptUpdate(context, nullptr, &size, raw(said.data()),
                          static_cast<int>(said.size())) == 1 &&
        (text.empty() || EVP_EncryptUpdate(context, raw(out), &size, raw(text.data()),
                                           static_cast<int>(text.size())) == 1) &&
        EVP_EncryptFinal_ex(context, raw(out), &size) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, tag_bytes, tag) == 1;
    if (!good) return Error{Errc::internal, "OpenSSL could not seal"};
    return {};
}

Status FileCipher::open(std::uint64_t position, Bytes said, Bytes sealed, const std::byte* tag,
                        std::byte* out) {
    EVP_CIPHER_CTX* const context = opens_.get();
    std::array<std::byte, tag_bytes> wanted;
    std::memcpy(wanted.data(), tag, tag_bytes);
    std::byte rest[16];
    int size = 0;
    const bool good =
        EVP_DecryptInit_ex(context, nullptr, nullptr, nullptr, nonce_of(position).data()) == 1 &&
        EVP_DecryptUpdate(context, nullptr, &size, raw(said.data()),
                          static_cast<int>(said.size())) == 1 &&
        (sealed.empty() || EVP_DecryptUpdate(context, raw(out), &size, raw(sealed.data()),
                                             static_cast<int>(sealed.size())) == 1) &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, tag_bytes, wanted.data()) == 1 &&
        EVP_DecryptFinal_ex(context, raw(rest), &size) == 1;
    if (!good) return Error{Errc::corrupt, "sealed bytes are not what was written"};
    return {};
}

Result<std::string> seal_text(const MasterKey& master, std::string_view said,
                              std::string_view text) {
    const auto salt = new_salt();
    if (!salt) return salt.error();
    std::string sealed(salt->size() + tag_bytes + text.size(), '\0');
    std::memcpy(sealed.data(), salt->data(), salt->size());
    auto* const tag = reinterpret_cast<std::byte*>(sealed.data() + salt->size());
    FileCipher cipher{master, *salt};
    const Status done = cipher.seal(0, std::as_bytes(std::span{said}),
                                    std::as_bytes(std::span{text}), tag + tag_bytes, tag);
    if (!done) return done.error();
    return sealed;
}

Result<std::string> open_text(const MasterKey& master, std::string_view said,
                              std::string_view sealed) {
    Salt salt;
    if (sealed.size() < salt.size() + tag_bytes) return Error{Errc::corrupt, "it is too short"};
    std::memcpy(salt.data(), sealed.data(), salt.size());
    const auto* const tag = reinterpret_cast<const std::byte*>(sealed.data() + salt.size());
    std::string text(sealed.size() - salt.size() - tag_bytes, '\0');
    const Bytes body{tag + tag_bytes, text.size()};
    FileCipher cipher{master, salt};
    const Status done = cipher.open(0, std::as_bytes(std::span{said}), body, tag,
                                    reinterpret_cast<std::byte*>(text.data()));
    if (!done) return done.error();
    return text;
}

}  // namespace sealed
