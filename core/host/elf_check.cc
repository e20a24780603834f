#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/host/library_file.h"
#include "core/host/sha256.h"

// Sanity of sizes only, before Boost.DLL and the dynamic loader see the bytes: both believe what
// they read. (System V ABI, chapters 4 and 5.)

namespace leat::host {

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t this_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t this_machine = EM_RISCV;
#else
#error "name this machine's ELF number"
#endif

sdk::Error damaged(std::string_view how) {
    return {sdk::Errc::corrupt, "not a plugin: " + std::string{how} + "; build or copy it again"};
}

template <class T>
T at(std::span<const std::byte> bytes, std::uint64_t position) {
    T value;
    std::memcpy(&value, bytes.data() + position, sizeof value);
    return value;
}

bool inside(std::span<const std::byte> bytes, std::uint64_t position, std::uint64_t size) {
    return position <= bytes.size() && size <= bytes.size() - position;
}

sdk::Status check_header(std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof(Elf64_Ehdr)) return damaged("it is too short for a library");
    const auto header = at<Elf64_Ehdr>(bytes, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return damaged("it is no ELF library");
    constexpr int order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != order ||
        header.e_machine != this_machine)
        return damaged("it is built for another kind of machine");
    if (header.e_type != ET_DYN || header.e_version != EV_CURRENT ||
        header.e_ident[EI_VERSION] != EV_CURRENT)
        return damaged("it is no shared library");
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_phnum == 0 || header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum)
        return damaged("its header is damaged");
    if (!inside(bytes, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)) ||
        !inside(bytes, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)))
        return damaged("it is cut short or its header is damaged");
    return {};
}

// Where the last table or section ends.
sdk::Result<std::uint64_t> end_of_elf(std::span<const std::byte> bytes) {
    const auto header = at<Elf64_Ehdr>(bytes, 0);
    std::uint64_t end = std::max(header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr),
                                 header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr));
    for (std::uint16_t i = 0; i < header.e_phnum; ++i) {
        const auto segment = at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
        if (!inside(bytes, segment.p_offset, segment.p_filesz) ||
            (segment.p_type == PT_LOAD && segment.p_memsz > largest_library_bytes))
            return damaged("a segment lies outside the file");
    }
    for (std::uint16_t i = 0; i < header.e_shnum; ++i) {
        const auto section = at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
        if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) continue;
        if (!inside(bytes, section.sh_offset, section.sh_size))
            return damaged("a section lies outside the file");
        end = std::max(end, section.sh_offset + section.sh_size);
    }
    return end;
}

sdk::Status check_seal(std::span<const std::byte> bytes, std::uint64_t end) {
    if (bytes.size() == end) return {};
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    if (bytes.size() < seal_bytes || text.substr(text.size() - seal_bytes, 18) != seal_stem)
        return damaged("it is cut short or has foreign bytes at its end");
    const std::string_view digits = text.substr(text.size() - 65, 64);
    if (text.back() != '\n' || digits != sha256_hex(bytes.first(bytes.size() - seal_bytes)))
        return damaged("its bytes are not those that it was built with");
    return {};
}

}  // namespace

sdk::Status check_elf(std::span<const std::byte> bytes) {
    if (auto status = check_header(bytes); !status) return status;
    const auto end = end_of_elf(bytes);
    if (!end) return end.error();
    return check_seal(bytes, *end);
}

}  // namespace leat::host
