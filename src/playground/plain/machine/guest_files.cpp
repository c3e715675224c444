// A page has no files: the standard streams alone are open.
#include "machine/guest_files.hpp"

namespace isaforge::machine {

namespace {

constexpr std::int64_t bad_descriptor = -9, refused = -13, no_more = -24;   // EBADF, EACCES, EMFILE

}  // namespace

struct GuestFiles::File {
    unsigned stream = 0;
};
struct GuestFiles::Root {};
struct GuestFiles::Place {};

GuestFiles::GuestFiles(const std::vector<ProcessOptions::Folder>&) { reset(); }
GuestFiles::~GuestFiles() = default;
void GuestFiles::reset() {
    open_.clear();
    for (unsigned i = 0; i < 3; ++i) open_[i] = std::make_shared<File>(File{i});
}
std::optional<unsigned> GuestFiles::stream(std::int64_t descriptor) const {
    const auto found = open_.find(descriptor);
    return found == open_.end() ? std::nullopt : std::optional(found->second->stream);
}
std::int64_t GuestFiles::open(std::int64_t, const std::string&, std::uint64_t, std::uint32_t) { return refused; }
std::int64_t GuestFiles::close(std::int64_t descriptor) { return open_.erase(descriptor) == 1 ? 0 : bad_descriptor; }
std::int64_t GuestFiles::duplicate(std::int64_t, std::int64_t) { return no_more; }
std::int64_t GuestFiles::duplicate_to(std::int64_t, std::int64_t) { return no_more; }
std::int64_t GuestFiles::flags(std::int64_t descriptor) const { return is_open(descriptor) ? 0 : bad_descriptor; }
std::int64_t GuestFiles::read(std::int64_t, std::span<std::uint8_t>) { return bad_descriptor; }
std::int64_t GuestFiles::read_at(std::int64_t, std::span<std::uint8_t>, std::uint64_t) { return bad_descriptor; }
std::int64_t GuestFiles::write(std::int64_t, std::span<const std::uint8_t>) { return bad_descriptor; }
std::int64_t GuestFiles::seek(std::int64_t, std::int64_t, unsigned) { return bad_descriptor; }
std::int64_t GuestFiles::truncate(std::int64_t, std::uint64_t) { return bad_descriptor; }
std::int64_t GuestFiles::entries(std::int64_t, std::span<std::uint8_t>) { return bad_descriptor; }
std::int64_t GuestFiles::facts(std::int64_t descriptor, FileFacts& facts) const {
    facts.mode = 0010600;  // a pipe
    return is_open(descriptor) ? 0 : bad_descriptor;
}
std::int64_t GuestFiles::facts(std::int64_t, const std::string&, FileFacts&) const { return refused; }
std::int64_t GuestFiles::check_access(std::int64_t, const std::string&, unsigned) const { return refused; }
std::int64_t GuestFiles::remove(std::int64_t, const std::string&, bool) { return refused; }
std::int64_t GuestFiles::make_folder(std::int64_t, const std::string&, std::uint32_t) { return refused; }
std::int64_t GuestFiles::rename(std::int64_t, const std::string&, std::int64_t, const std::string&) { return refused; }
std::int64_t GuestFiles::read_link(std::int64_t, const std::string&, std::string&) const { return refused; }
std::string GuestFiles::working_directory() const { return "/"; }

}  // namespace isaforge::machine
