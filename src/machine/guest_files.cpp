#include "machine/guest_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "support/descriptor.hpp"

namespace isaforge::machine {

namespace {

constexpr std::size_t most_open = 1024;
constexpr std::size_t longest_name = PATH_MAX;

// Flags of open as asm-generic/fcntl.h has them.
namespace flag {
constexpr std::uint64_t access = 3, write_only = 1, read_write = 2, create = 0100, exclusive = 0200, truncate = 01000,
                        append = 02000, folder = 0200000;
}

std::int64_t failure() { return -errno; }

// The parts of an absolute name, without "." and with ".." taken away.
std::vector<std::string> parts_of(std::string_view name) {
    std::vector<std::string> parts;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find('/'), name.size());
        const std::string_view part = name.substr(0, end);
        name.remove_prefix(std::min(end + 1, name.size()));
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            parts.emplace_back(part);
        } else if (!parts.empty()) {
            parts.pop_back();
        }
    }
    return parts;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string name;
    for (const std::string& part : parts) name += "/" + part;
    return name.empty() ? "/" : name;
}

FileFacts facts_of(const struct ::stat& known) {
    FileFacts facts;
    facts.device = known.st_dev, facts.number = known.st_ino, facts.special = known.st_rdev;
    facts.size = static_cast<std::uint64_t>(known.st_size);
    facts.blocks = static_cast<std::uint64_t>(known.st_blocks);
    facts.mode = known.st_mode, facts.links = static_cast<std::uint32_t>(known.st_nlink);
    facts.block_bytes = static_cast<std::uint32_t>(known.st_blksize);
    facts.accessed = known.st_atim.tv_sec, facts.accessed_rest = static_cast<std::uint32_t>(known.st_atim.tv_nsec);
    facts.written = known.st_mtim.tv_sec, facts.written_rest = static_cast<std::uint32_t>(known.st_mtim.tv_nsec);
    facts.changed = known.st_ctim.tv_sec, facts.changed_rest = static_cast<std::uint32_t>(known.st_ctim.tv_nsec);
    return facts;
}

}  // namespace

// Open once, under one descriptor or several.
struct GuestFiles::File {
    explicit File(unsigned its_stream) : stream(its_stream), host(-1) {}
    File(int number, std::string its_name, std::uint64_t its_flags, bool may_write)
        : host(number), name(std::move(its_name)), flags(its_flags), is_writable(may_write) {}

    std::optional<unsigned> stream;
    Descriptor host;
    std::string name;  // absolute
    std::uint64_t flags = 0;
    bool is_writable = false;
};

// A folder that may be seen: by its own name, and by the one that it was given by.
struct GuestFiles::Root {
    std::vector<std::string> parts;
    std::shared_ptr<Descriptor> folder;
    bool is_writable = false;
};

// Where a name leads: to what is called `last` in a folder.
struct GuestFiles::Place {
    std::shared_ptr<Descriptor> folder;
    std::string last, name;  // the whole name, absolute
    bool is_writable = false;
};

GuestFiles::GuestFiles(const std::vector<ProcessOptions::Folder>& folders) {
    std::error_code problem;
    here_ = std::filesystem::current_path(problem).string();
    for (const ProcessOptions::Folder& each : folders) {
        const auto folder = std::make_shared<Descriptor>(::open(each.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (folder->number() < 0) continue;
        const std::filesystem::path whole = std::filesystem::absolute(each.path, problem);
        const std::filesystem::path real = std::filesystem::canonical(each.path, problem);
        for (const std::filesystem::path& name : {whole, real})
            roots_.push_back({parts_of(name.string()), folder, each.is_writable});
    }
    // The innermost first.
    std::ranges::stable_sort(roots_, std::ranges::greater{}, [](const Root& root) { return root.parts.size(); });
    reset();
}

GuestFiles::~GuestFiles() = default;

void GuestFiles::reset() {
    open_.clear();
    for (unsigned i = 0; i < 3; ++i) open_[i] = std::make_shared<File>(i);
}

const GuestFiles::File* GuestFiles::file(std::int64_t descriptor) const {
    const auto found = open_.find(descriptor);
    return found == open_.end() ? nullptr : found->second.get();
}

std::optional<unsigned> GuestFiles::stream(std::int64_t descriptor) const {
    const File* const found = file(descriptor);
    return found == nullptr ? std::nullopt : found->stream;
}

// 0, and where it leads; or why it leads nowhere.
std::int64_t GuestFiles::find(std::int64_t folder, const std::string& name, Place& place) const {
    if (name.empty()) return -ENOENT;
    if (name.size() > longest_name) return -ENAMETOOLONG;
    std::string whole = name;
    if (name[0] != '/') {
        const File* const from = folder == here ? nullptr : file(folder);
        if (folder != here && from == nullptr) return -EBADF;
        if (from != nullptr && from->name.empty()) return -ENOTDIR;
        whole = (from == nullptr ? here_ : from->name) + "/" + name;
    }
    const std::vector<std::string> parts = parts_of(whole);
    const auto root = std::ranges::find_if(roots_, [&](const Root& each) {
        return each.parts.size() <= parts.size() && std::equal(each.parts.begin(), each.parts.end(), parts.begin());
    });
    if (root == roots_.end()) return -EACCES;
    place = {root->folder, ".", joined(parts), root->is_writable};
    for (std::size_t i = root->parts.size(); i < parts.size(); ++i) {
        place.last = parts[i];
        if (i + 1 == parts.size()) break;
        place.folder = std::make_shared<Descriptor>(
            ::openat(place.folder->number(), parts[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (place.folder->number() < 0) return failure();
    }
    return 0;
}

std::int64_t GuestFiles::put(std::shared_ptr<File> file, std::int64_t lowest) {
    if (lowest < 0 || lowest >= static_cast<std::int64_t>(most_open)) return -EINVAL;
    std::int64_t number = lowest;
    while (open_.contains(number)) ++number;
    if (number >= static_cast<std::int64_t>(most_open)) return -EMFILE;
    open_[number] = std::move(file);
    return number;
}

std::int64_t GuestFiles::open(std::int64_t folder, const std::string& name, std::uint64_t flags, std::uint32_t mode) {
    if (open_.size() >= most_open) return -EMFILE;
    Place place;
    if (const std::int64_t wrong = find(folder, name, place); wrong < 0) return wrong;
    const std::uint64_t access = flags & flag::access;
    const bool writes = access == flag::write_only || access == flag::read_write;
    if ((writes || (flags & (flag::create | flag::truncate)) != 0) && !place.is_writable) {
        FileFacts facts;
        const bool makes = !writes && (flags & flag::truncate) == 0;
        if (!makes || this->facts(folder, name, facts) < 0) return -EROFS;
    }
    int how = access == flag::write_only ? O_WRONLY : access == flag::read_write ? O_RDWR : O_RDONLY;
    // A pipe would be waited for, and a terminal would become the host's own.
    how |= O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    if ((flags & flag::create) != 0 && place.is_writable) how |= O_CREAT;
    if ((flags & flag::exclusive) != 0) how |= O_EXCL;
    if ((flags & flag::append) != 0) how |= O_APPEND;
    if ((flags & flag::folder) != 0) how |= O_DIRECTORY;
    const int number = ::openat(place.folder->number(), place.last.c_str(), how, mode & 0777u);
    if (number < 0) return failure();
    auto made = std::make_shared<File>(number, place.name, flags & ~(flag::create | flag::exclusive | flag::truncate),
                                       writes && place.is_writable);
    struct ::stat known {};
    if (::fstat(number, &known) != 0) return failure();
    if (!S_ISREG(known.st_mode) && !S_ISDIR(known.st_mode)) return -EACCES;
    if ((flags & flag::truncate) != 0 && writes && ::ftruncate(number, 0) != 0) return failure();
    return put(std::move(made), 0);
}

std::int64_t GuestFiles::close(std::int64_t descriptor) { return open_.erase(descriptor) == 1 ? 0 : -EBADF; }

std::int64_t GuestFiles::duplicate(std::int64_t descriptor, std::int64_t lowest) {
    const auto found = open_.find(descriptor);
    return found == open_.end() ? -EBADF : put(std::shared_ptr<File>(found->second), lowest);
}

std::int64_t GuestFiles::duplicate_to(std::int64_t descriptor, std::int64_t other) {
    const auto found = open_.find(descriptor);
    if (found == open_.end() || other < 0 || other >= static_cast<std::int64_t>(most_open)) return -EBADF;
    const std::shared_ptr<File> same = found->second;
    open_[other] = same;
    return other;
}

std::int64_t GuestFiles::flags(std::int64_t descriptor) const {
    const File* const found = file(descriptor);
    if (found == nullptr) return -EBADF;
    if (found->stream) return static_cast<std::int64_t>(*found->stream == 0 ? 0 : flag::write_only);
    return static_cast<std::int64_t>(found->flags);
}

std::int64_t GuestFiles::read(std::int64_t descriptor, std::span<std::uint8_t> bytes) {
    const File* const from = file(descriptor);
    if (from == nullptr || from->stream) return -EBADF;
    const ::ssize_t got = ::read(from->host.number(), bytes.data(), bytes.size());
    return got < 0 ? failure() : got;
}

std::int64_t GuestFiles::read_at(std::int64_t descriptor, std::span<std::uint8_t> bytes, std::uint64_t offset) {
    const File* const from = file(descriptor);
    if (from == nullptr || from->stream) return -EBADF;
    const ::ssize_t got = ::pread(from->host.number(), bytes.data(), bytes.size(), static_cast<::off_t>(offset));
    return got < 0 ? failure() : got;
}

std::int64_t GuestFiles::write(std::int64_t descriptor, std::span<const std::uint8_t> bytes) {
    const File* const to = file(descriptor);
    if (to == nullptr || to->stream || !to->is_writable) return -EBADF;
    const ::ssize_t done = ::write(to->host.number(), bytes.data(), bytes.size());
    return done < 0 ? failure() : done;
}

std::int64_t GuestFiles::seek(std::int64_t descriptor, std::int64_t offset, unsigned whence) {
    const File* const found = file(descriptor);
    if (found == nullptr) return -EBADF;
    if (found->stream) return -ESPIPE;
    if (whence > SEEK_END) return -EINVAL;
    const ::off_t at = ::lseek(found->host.number(), offset, static_cast<int>(whence));
    return at < 0 ? failure() : at;
}

std::int64_t GuestFiles::truncate(std::int64_t descriptor, std::uint64_t size) {
    const File* const found = file(descriptor);
    if (found == nullptr) return -EBADF;
    if (found->stream || !found->is_writable) return -EINVAL;
    return ::ftruncate(found->host.number(), static_cast<::off_t>(size)) == 0 ? 0 : failure();
}

std::int64_t GuestFiles::entries(std::int64_t descriptor, std::span<std::uint8_t> bytes) {
    const File* const found = file(descriptor);
    if (found == nullptr) return -EBADF;
    if (found->stream) return -ENOTDIR;
    const ::ssize_t got = ::getdents64(found->host.number(), bytes.data(), bytes.size());
    return got < 0 ? failure() : got;
}

std::int64_t GuestFiles::facts(std::int64_t descriptor, FileFacts& facts) const {
    const File* const found = file(descriptor);
    if (found == nullptr) return -EBADF;
    if (found->stream) {  // a pipe, whatever the host has there
        facts = {};
        facts.mode = S_IFIFO | 0600;
        facts.number = *found->stream + 1;
        return 0;
    }
    struct ::stat known {};
    if (::fstat(found->host.number(), &known) != 0) return failure();
    facts = facts_of(known);
    return 0;
}

std::int64_t GuestFiles::facts(std::int64_t folder, const std::string& name, FileFacts& facts) const {
    Place place;
    if (const std::int64_t wrong = find(folder, name, place); wrong < 0) return wrong;
    struct ::stat known {};
    if (::fstatat(place.folder->number(), place.last.c_str(), &known, AT_SYMLINK_NOFOLLOW) != 0) return failure();
    facts = facts_of(known);
    return 0;
}

std::int64_t GuestFiles::check_access(std::int64_t folder, const std::string& name, unsigned wanted) const {
    FileFacts facts;
    if (const std::int64_t wrong = this->facts(folder, name, facts); wrong < 0) return wrong;
    Place place;
    if (const std::int64_t wrong = find(folder, name, place); wrong < 0) return wrong;
    if ((wanted & W_OK) != 0 && !place.is_writable) return -EROFS;
    const int checked = static_cast<int>(wanted & (R_OK | W_OK | X_OK));
    // A link has been looked at itself, and is not followed here either.
    if (S_ISLNK(facts.mode)) return -ELOOP;
    return ::faccessat(place.folder->number(), place.last.c_str(), checked, 0) == 0 ? 0 : failure();
}

std::int64_t GuestFiles::remove(std::int64_t folder, const std::string& name, bool is_folder) {
    Place place;
    if (const std::int64_t wrong = find(folder, name, place); wrong < 0) return wrong;
    if (!place.is_writable) return -EROFS;
    return ::unlinkat(place.folder->number(), place.last.c_str(), is_folder ? AT_REMOVEDIR : 0) == 0 ? 0 : failure();
}

std::int64_t GuestFiles::make_folder(std::int64_t folder, const std::string& name, std::uint32_t mode) {
    Place place;
    if (const std::int64_t wrong = find(folder, name, place); wrong < 0) return wrong;
    if (!place.is_writable) return -EROFS;
    return ::mkdirat(place.folder->number(), place.last.c_str(), mode & 0777u) == 0 ? 0 : failure();
}

std::int64_t GuestFiles::rename(std::int64_t folder, const std::string& name, std::int64_t other_folder,
                                const std::string& other) {
    Place from, to;
    if (const std::int64_t wrong = find(folder, name, from); wrong < 0) return wrong;
    if (const std::int64_t wrong = find(other_folder, other, to); wrong < 0) return wrong;
    if (!from.is_writable || !to.is_writable) return -EROFS;
    const int failed = ::renameat(from.folder->number(), from.last.c_str(), to.folder->number(), to.last.c_str());
    return failed == 0 ? 0 : failure();
}

std::int64_t GuestFiles::read_link(std::int64_t folder, const std::string& name, std::string& target) const {
    Place place;
    if (const std::int64_t wrong = find(folder, name, place); wrong < 0) return wrong;
    target.resize(longest_name);
    const ::ssize_t length = ::readlinkat(place.folder->number(), place.last.c_str(), target.data(), target.size());
    if (length < 0) return failure();
    target.resize(static_cast<std::size_t>(length));
    return 0;
}

std::string GuestFiles::working_directory() const {
    Place place;
    return find(here, ".", place) == 0 ? place.name : "/";
}

}  // namespace isaforge::machine
