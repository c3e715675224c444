// Archives of objects, through libelf.
#include <fmt/format.h>
#include <libelf.h>

#include <cstring>
#include <memory>

#include "isaforge/linker.hpp"
#include "object/limits.hpp"

namespace isaforge {

namespace {

constexpr char magic[] = "!<arch>\n", thin_magic[] = "!<thin>\n";
constexpr std::size_t magic_size = sizeof magic - 1;

bool begins_with(std::span<const std::uint8_t> bytes, const char* text) {
    return bytes.size() >= magic_size && std::memcmp(bytes.data(), text, magic_size) == 0;
}

struct Ending {
    void operator()(Elf* elf) const { elf_end(elf); }
};
using Handle = std::unique_ptr<Elf, Ending>;

}  // namespace

bool is_archive(std::span<const std::uint8_t> bytes) {
    return begins_with(bytes, magic) || begins_with(bytes, thin_magic);
}

std::optional<std::vector<ArchiveMember>> read_archive(std::span<const std::uint8_t> bytes, std::string& error) {
    if (begins_with(bytes, thin_magic)) {
        error = "this is a thin archive, which only names its members: make one that holds them";
        return std::nullopt;
    }
    std::vector<char> copy(bytes.begin(), bytes.end());  // libelf wants to write into it
    elf_version(EV_CURRENT);
    const Handle archive(elf_memory(copy.data(), copy.size()));
    if (!archive || elf_kind(archive.get()) != ELF_K_AR) {
        error = "this is not an archive";
        return std::nullopt;
    }
    std::vector<ArchiveMember> members;
    limits::Budget budget(bytes.size());
    Elf_Cmd command = ELF_C_READ_MMAP;  // what is in memory is only read so
    std::size_t end = magic_size;
    while (const Handle member{elf_begin(-1, command, archive.get())}) {
        const Elf_Arhdr* const header = elf_getarhdr(member.get());
        std::size_t size = 0;
        const char* const content = elf_rawfile(member.get(), &size);
        if (!header || (!content && size != 0)) {
            error = "a member of the archive cannot be read";
            return std::nullopt;
        }
        // The archive's own tables have names that begin with a slash.
        const bool own = header->ar_name && header->ar_name[0] == '/';
        if (!own) {
            if (!budget.take(size)) {
                error = limits::overlap_text;
                return std::nullopt;
            }
            members.push_back({header->ar_name ? header->ar_name : "", {content, content + size}});
        }
        end = static_cast<std::size_t>(elf_getbase(member.get())) + size;
        end += end % 2;
        command = elf_next(member.get());
    }
    if (end < bytes.size()) {
        error = fmt::format("the archive is damaged: what is behind its first {} bytes is no member", end);
        return std::nullopt;
    }
    return members;
}

}  // namespace isaforge
