#include "core/host/library_file.h"

#define BOOST_DLL_USE_STD_FS
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/dll/library_info.hpp>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>

#include "core/host/enrolment.h"

namespace leat::host {

namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_{number} {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number() const { return number_; }
    int keep_open() { return std::exchange(number_, -1); }

private:
    int number_;
};

sdk::Error refusal(sdk::Errc code, std::string what) { return {code, std::move(what)}; }

sdk::Status check_trust(const struct stat& status) {
    using sdk::Errc;
    if (!S_ISREG(status.st_mode)) return refusal(Errc::invalid_argument, "not a regular file");
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return refusal(Errc::invalid_argument,
                       "writable by its group or by others, who could put code into this broker: "
                       "`chmod go-w` it");
    if (status.st_uid != 0 && status.st_uid != ::geteuid())
        return refusal(Errc::invalid_argument,
                       "owned by neither root nor the user who runs this broker: `chown` it");
    if (static_cast<std::uint64_t>(status.st_size) > largest_library_bytes)
        return refusal(Errc::limit, "not a plugin: larger than a library may be (256MiB)");
    return {};
}

// Boost.DLL throws at what it cannot read, std::bad_alloc at absurd sizes included.
sdk::Result<std::vector<std::string>> symbols_of(const std::string& path) {
    try {
        return boost::dll::library_info{path}.symbols();
    } catch (const std::exception& error) {
        return refusal(sdk::Errc::corrupt, "not a plugin: " + std::string{error.what()} +
                                               "; build or copy it again");
    }
}

sdk::Status check_symbols(const std::vector<std::string>& symbols) {
    std::optional<std::string> other;
    for (const std::string& symbol : symbols) {
        if (symbol == sdk::plugin_symbol) return {};
        if (symbol.starts_with(sdk::plugin_symbol_stem))
            other = symbol.substr(std::strlen(sdk::plugin_symbol_stem), 20);
    }
    if (!other)
        return refusal(sdk::Errc::invalid_argument,
                       "not a plugin: it exports no " + std::string{sdk::plugin_symbol} +
                           ", which the macro LEAT_PLUGIN makes");
    return refusal(sdk::Errc::unsupported,
                   "built for plugin API " + *other + ", this broker speaks " +
                       std::to_string(sdk::plugin_api) +
                       ": rebuild it against this broker's sdk/");
}

// Sealed against change, so that what is loaded is what was checked.
sdk::Result<int> private_copy(std::span<const std::byte> bytes) {
    const auto failed = [](std::string_view call) {
        return refusal(sdk::Errc::io,
                       std::string{call} + " for a private copy failed: " + std::strerror(errno));
    };
    Descriptor copy{::memfd_create("leat-plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (copy.number() < 0) return failed("memfd_create");
    while (!bytes.empty()) {
        const ssize_t written = ::write(copy.number(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return failed("write");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (::fcntl(copy.number(), F_ADD_SEALS, seals) != 0) return failed("sealing");
    return copy.keep_open();
}

}  // namespace

sdk::Result<std::vector<std::byte>> read_library(const std::filesystem::path& file) {
    // O_NONBLOCK: a FIFO of that name must not hold up the start.
    const Descriptor source{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (source.number() < 0)
        return refusal(sdk::Errc::io, "cannot be opened: " + std::string{std::strerror(errno)});
    struct stat status {};
    if (::fstat(source.number(), &status) != 0)
        return refusal(sdk::Errc::io, "cannot be looked at: " + std::string{std::strerror(errno)});
    if (auto trust = check_trust(status); !trust) return trust.error();

    std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
    std::size_t size = 0;
    while (size < bytes.size()) {
        const ssize_t n = ::read(source.number(), bytes.data() + size, bytes.size() - size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return refusal(sdk::Errc::io, "cannot be read: " + std::string{std::strerror(errno)});
        if (n == 0) break;
        size += static_cast<std::size_t>(n);
    }
    bytes.resize(size);
    return bytes;
}

sdk::Result<const sdk::PluginInfo*> load_library(std::span<const std::byte> bytes) {
    if (auto status = check_elf(bytes); !status) return status.error();
    const auto copied = private_copy(bytes);
    if (!copied) return copied.error();
    Descriptor copy{*copied};
    const std::string path = "/proc/self/fd/" + std::to_string(copy.number());
    const auto symbols = symbols_of(path);
    if (!symbols) return symbols.error();
    if (auto status = check_symbols(*symbols); !status) return status.error();

    // The descriptor stays open with the library: the loader takes a path that it has seen before
    // for the library that it loaded then.
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* why = ::dlerror();
        return refusal(sdk::Errc::invalid_argument,
                       "cannot be loaded: " + std::string{why == nullptr ? "no reason" : why});
    }
    copy.keep_open();
    const auto* info = static_cast<const sdk::PluginInfo*>(::dlsym(library, sdk::plugin_symbol));
    if (info == nullptr)
        return refusal(sdk::Errc::corrupt, "not a plugin: its entry point is not to be found");
    if (auto status = check_abi(*info); !status) return status.error();
    return info;
}

}  // namespace leat::host
