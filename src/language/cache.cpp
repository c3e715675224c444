#include "language/cache.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "isaforge/source.hpp"
#include "language/limits.hpp"
#include "support/descriptor.hpp"
#include "support/output_file.hpp"

namespace isaforge::language {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".tables";
constexpr std::string_view heading = "isaforge tables 1\n";

// Tells apart what happens to differ: who means to make something with the same sum can.
std::uint64_t sum_of(std::string_view bytes) {
    std::uint64_t sum = bytes.size();
    const auto mix = [&](std::uint64_t word) {
        sum = (sum ^ word) * 0x9E3779B97F4A7C15;
        sum ^= sum >> 32;
    };
    for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        mix(word);
    }
    for (const char c : bytes) mix(static_cast<unsigned char>(c));
    return sum;
}

// What the linker called the program or library that this function is part of: it is another for other code.
int read_build(dl_phdr_info* info, std::size_t, void* out) {
    const auto here = reinterpret_cast<std::uintptr_t>(&read_build);
    std::string_view notes;
    bool is_ours = false;
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info->dlpi_phdr[i];
        const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        is_ours |= part.p_type == PT_LOAD && here >= begin && here - begin < part.p_memsz;
        if (part.p_type != PT_NOTE) continue;
        notes = {reinterpret_cast<const char*>(begin), part.p_memsz};  // NOLINT(performance-no-int-to-ptr)
        while (notes.size() >= sizeof(ElfW(Nhdr))) {
            ElfW(Nhdr) note;
            std::memcpy(&note, notes.data(), sizeof note);
            const std::size_t name = (note.n_namesz + 3u) & ~3u, size = (note.n_descsz + 3u) & ~3u;
            if (notes.size() - sizeof note < name + size) break;
            const std::string_view called = notes.substr(sizeof note, note.n_namesz);
            if (note.n_type == NT_GNU_BUILD_ID && called == std::string_view("GNU\0", 4))
                *static_cast<std::string*>(out) = std::string(notes.substr(sizeof note + name, note.n_descsz));
            notes.remove_prefix(sizeof note + name + size);
        }
    }
    if (is_ours) return 1;
    static_cast<std::string*>(out)->clear();
    return 0;
}

// Empty where there is no name, and then nothing is kept.
const std::string& own_build() {
    static const std::string build = [] {
        std::string out;
        if (::dl_iterate_phdr(read_build, &out) != 1) out.clear();
        return out;
    }();
    return build;
}

void append(std::string& out, std::string_view text) {
    const std::uint64_t size = text.size();
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += text;
}

bool take(std::string_view& bytes, std::string_view& out) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size) return false;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size > bytes.size()) return false;
    out = bytes.substr(0, static_cast<std::size_t>(size));
    bytes.remove_prefix(out.size());
    return true;
}

bool is_private(const struct stat& status) {
    return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Whether nobody else can change what is in the folder.
bool is_private_folder(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_private(status);
}

bool read_own_file(const std::string& path, std::string& out) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return false;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || size > largest_entry) return false;
    out.resize(static_cast<std::size_t>(size));
    for (std::size_t done = 0; done < out.size();) {
        const ssize_t count = ::read(file.number(), out.data() + done, out.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

// Whether a file has this text now.
bool still_has(const IncludedText& included) {
    SourceManager now;
    std::string why;
    const auto file = now.load_text(included.path, why, Readable::only_regular, largest_text);
    return file && now.text(*file) == included.text;
}

// The texts and options that the model is made of, and by whom; paths of what is included are relative to the same folder.
std::string identity_of(const CacheRequest& request) {
    std::string out(heading);
    append(out, own_build());
    append(out, request.options);
    append(out, request.is_builtin ? "built in" : fs::path(request.name).parent_path().string());
    append(out, request.text);
    return out;
}

}  // namespace

std::string Cache::path_of(const CacheRequest& request) const {
    return fmt::format("{}/{:016x}{}", folder_, sum_of(identity_of(request)), ending);
}

std::shared_ptr<const CacheEntry> Cache::find(const CacheRequest& request) const {
    if (folder_.empty() || own_build().empty() || !is_private_folder(folder_)) return nullptr;
    auto entry = std::make_shared<CacheEntry>();
    if (!read_own_file(path_of(request), entry->bytes)) return nullptr;
    std::string_view rest = entry->bytes;
    std::uint64_t sum = 0;
    if (rest.size() < sizeof sum) return nullptr;
    std::memcpy(&sum, rest.data(), sizeof sum);
    rest.remove_prefix(sizeof sum);
    if (sum_of(rest) != sum) return nullptr;
    const std::string identity = identity_of(request);
    if (!rest.starts_with(identity)) return nullptr;
    rest.remove_prefix(identity.size());
    std::string_view path, text;
    if (!take(rest, entry->packed)) return nullptr;
    while (!rest.empty()) {
        if (!take(rest, path) || !take(rest, text)) return nullptr;
        entry->included.push_back({std::string(path), std::string(text)});
        if (!still_has(entry->included.back())) return nullptr;
    }
    return entry;
}

void Cache::keep(const CacheRequest& request, const std::vector<IncludedText>& included,
                 std::string_view packed) const {
    if (folder_.empty() || own_build().empty()) return;
    std::string bytes = identity_of(request);
    append(bytes, packed);
    for (const IncludedText& each : included) {
        append(bytes, each.path);
        append(bytes, each.text);
    }
    if (bytes.size() >= largest_entry) return;
    std::error_code error;
    const fs::path folder(folder_);
    if (!fs::exists(folder, error)) {
        fs::create_directories(folder.parent_path(), error);
        if (::mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST) return;
    }
    if (!is_private_folder(folder_)) return;
    const std::uint64_t sum = sum_of(bytes);
    OutputFile file;
    if (!file.open(path_of(request))) return;
    if (!file.write({reinterpret_cast<const char*>(&sum), sizeof sum}) || !file.write(bytes) || !file.commit()) return;
    drop_oldest();
}

// Where there are too many entries; somebody else may do the same at the same time.
void Cache::drop_oldest() const {
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    std::error_code error;
    for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
        std::error_code none;
        const fs::path& path = at->path();
        if (path.extension() == ending) entries.emplace_back(fs::last_write_time(path, none), path);
    }
    if (entries.size() <= most_entries_kept) return;
    std::sort(entries.begin(), entries.end());
    entries.resize(entries.size() - most_entries_kept);
    for (const auto& [time, path] : entries) fs::remove(path, error);
}

}  // namespace isaforge::language
