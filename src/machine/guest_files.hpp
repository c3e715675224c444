// The files of a process of Linux: its descriptors, and the folders of the host that it may see. Names are the host's. They
// are followed part by part from such a folder, so that none leads out of it: `..` is taken away in the text, and symbolic
// links are not followed. Only files and folders are opened, and no devices.
//
// What cannot be done gives -errno.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge::machine {

// What is known of a file, as Linux tells it.
struct FileFacts {
    std::uint64_t device = 0, number = 0, special = 0, size = 0, blocks = 0;
    std::uint32_t mode = 0, links = 1, block_bytes = 4096;
    std::int64_t accessed = 0, written = 0, changed = 0;  // seconds
    std::uint32_t accessed_rest = 0, written_rest = 0, changed_rest = 0;  // nanoseconds
};

class GuestFiles {
public:
    explicit GuestFiles(const std::vector<ProcessOptions::Folder>& folders);
    ~GuestFiles();
    GuestFiles(const GuestFiles&) = delete;
    GuestFiles& operator=(const GuestFiles&) = delete;

    // The standard streams alone are open.
    void reset();

    // Which stream of the machine a descriptor is: 0, 1 or 2; nothing where it is none.
    std::optional<unsigned> stream(std::int64_t descriptor) const;
    bool is_open(std::int64_t descriptor) const { return open_.contains(descriptor); }

    // `folder`: a descriptor, or that of the working directory, `here`. `flags`: as Linux has them where nothing else was
    // chosen (asm-generic/fcntl.h).
    static constexpr std::int64_t here = -100;
    std::int64_t open(std::int64_t folder, const std::string& name, std::uint64_t flags, std::uint32_t mode);
    std::int64_t close(std::int64_t descriptor);
    std::int64_t duplicate(std::int64_t descriptor, std::int64_t lowest);
    std::int64_t duplicate_to(std::int64_t descriptor, std::int64_t other);
    std::int64_t flags(std::int64_t descriptor) const;
    std::int64_t read(std::int64_t descriptor, std::span<std::uint8_t> bytes);
    std::int64_t read_at(std::int64_t descriptor, std::span<std::uint8_t> bytes, std::uint64_t offset);
    std::int64_t write(std::int64_t descriptor, std::span<const std::uint8_t> bytes);
    std::int64_t seek(std::int64_t descriptor, std::int64_t offset, unsigned whence);
    std::int64_t truncate(std::int64_t descriptor, std::uint64_t size);
    std::int64_t entries(std::int64_t descriptor,
                         std::span<std::uint8_t> bytes);  // of a folder, as getdents64 has them
    std::int64_t facts(std::int64_t descriptor, FileFacts& facts) const;
    std::int64_t facts(std::int64_t folder, const std::string& name, FileFacts& facts) const;
    std::int64_t check_access(std::int64_t folder, const std::string& name, unsigned wanted) const;
    std::int64_t remove(std::int64_t folder, const std::string& name, bool is_folder);
    std::int64_t make_folder(std::int64_t folder, const std::string& name, std::uint32_t mode);
    std::int64_t rename(std::int64_t folder, const std::string& name, std::int64_t other_folder,
                        const std::string& other);
    std::int64_t read_link(std::int64_t folder, const std::string& name, std::string& target) const;
    // "/" where it is in none of the folders.
    std::string working_directory() const;

private:
    struct File;
    struct Root;
    struct Place;

    std::int64_t put(std::shared_ptr<File> file, std::int64_t lowest);
    const File* file(std::int64_t descriptor) const;
    std::int64_t find(std::int64_t folder, const std::string& name, Place& place) const;

    std::vector<Root> roots_;
    std::string here_;
    std::map<std::int64_t, std::shared_ptr<File>> open_;
};

}  // namespace isaforge::machine
