// The calls of Linux that a process makes, by the numbers and structures that machines share (uapi/asm-generic/unistd.h, stat.h):
// words are those of the machine, and with words of 32 bits time has 64 nevertheless, by calls of its own; those beside them that newlib asks for have its numbers (libgloss/riscv). What a
// program's pointers lead to goes through its own memory alone: what it could not do itself is EFAULT.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>
#include <thread>

#include "machine/host.hpp"
#include "machine/process.hpp"
#include "machine/state.hpp"

namespace isaforge::machine {

namespace {

constexpr std::uint64_t most_part = 65536;  // bytes of a read or write that are done at a time
constexpr std::uint64_t most_parts = 1024;  // of one readv or writev
constexpr std::uint64_t longest_name = 4096;
constexpr std::uint64_t nanoseconds = 1000000000;
constexpr std::int64_t process_number = 1000, user_number = 1000;

// One call: what was asked, and where.
class Call {
public:
    Call(Machine::State& hart, std::uint64_t number)
        : hart_(hart), process_(*hart.system->process), number_(number), given_(hart.core.host_arguments) {}

    std::int64_t run();

private:
    std::uint64_t at(unsigned argument) const { return given_[argument]; }
    std::int64_t number(unsigned argument) const { return static_cast<std::int32_t>(given_[argument]); }

    // --- the program's memory
    bool get(std::uint64_t address, std::span<std::uint8_t> bytes) { return hart_.bus.read_bytes(address, bytes); }
    bool put(std::uint64_t address, std::span<const std::uint8_t> bytes) {
        return hart_.bus.write_bytes(address, bytes);
    }
    bool is_wide() const { return hart_.isa.elf.wide; }
    unsigned word() const { return is_wide() ? 8 : 4; }
    // A number of 64 bits, which takes two arguments where they have 32.
    std::uint64_t long_at(unsigned argument) const {
        return is_wide() ? at(argument) : at(argument) | at(argument + 1) << 32;
    }
    bool is_big() const { return hart_.system->spaces[hart_.system->main].big_endian; }
    bool get_number(std::uint64_t address, unsigned bytes, std::uint64_t& value);
    std::int64_t get_text(std::uint64_t address, std::string& text);
    std::int64_t put_words(std::uint64_t address, std::initializer_list<std::uint64_t> words);
    // A structure that is put together by its fields.
    struct Structure {
        std::vector<std::uint8_t> bytes;
        bool is_big;
        void set(std::size_t offset, std::uint64_t value, unsigned size) {
            for (unsigned i = 0; i < size; ++i)
                bytes[offset + i] = static_cast<std::uint8_t>(value >> 8 * (is_big ? size - 1 - i : i));
        }
    };
    std::int64_t put_structure(std::uint64_t address, const Structure& made) {
        return put(address, made.bytes) ? 0 : -EFAULT;
    }

    // --- the calls
    std::optional<std::int64_t> about_files();
    std::optional<std::int64_t> about_memory();
    std::optional<std::int64_t> about_time();
    std::optional<std::int64_t> about_process();
    std::int64_t read(std::int64_t descriptor, std::uint64_t address, std::uint64_t length,
                      std::optional<std::uint64_t> offset = {});
    std::int64_t write(std::int64_t descriptor, std::uint64_t address, std::uint64_t length);
    std::int64_t in_parts(bool reads);
    std::int64_t find_facts(bool by_name, std::int64_t folder, std::uint64_t name, FileFacts& known);
    std::int64_t facts(bool by_name, std::int64_t folder, std::uint64_t name, std::uint64_t to);
    std::int64_t named(std::uint64_t address, const std::function<std::int64_t(const std::string&)>& act);
    std::int64_t all_facts();
    std::int64_t seek();
    std::int64_t control();
    std::int64_t entries();
    std::int64_t link_target();
    std::int64_t rename();
    std::int64_t working_directory();
    std::int64_t map();
    std::uint64_t clock(std::uint64_t which) const;
    std::int64_t sleep(std::uint64_t wanted, bool is_absolute, std::uint64_t which);
    std::int64_t system_name();
    std::int64_t system_facts();
    std::int64_t limits();
    std::int64_t random();
    std::int64_t wait_for_word();
    std::int64_t signal(std::uint64_t which);
    std::int64_t handler();

    Machine::State& hart_;
    Process& process_;
    std::uint64_t number_;
    const std::uint64_t* given_;
};

// ---------------------------------------------------------------------------------------------------------------------
// The program's memory

bool Call::get_number(std::uint64_t address, unsigned bytes, std::uint64_t& value) {
    std::uint8_t read[8];
    if (!get(address, std::span(read, bytes))) return false;
    value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{read[i]} << 8 * (is_big() ? bytes - 1 - i : i);
    return true;
}

std::int64_t Call::get_text(std::uint64_t address, std::string& text) {
    text.clear();
    for (std::uint8_t one = 0; get(address + text.size(), std::span(&one, 1)); text.push_back(static_cast<char>(one))) {
        if (one == 0) return 0;
        if (text.size() == longest_name) return -ENAMETOOLONG;
    }
    return -EFAULT;
}

std::int64_t Call::put_words(std::uint64_t address, std::initializer_list<std::uint64_t> words) {
    Structure made{std::vector<std::uint8_t>(words.size() * 8), is_big()};
    std::size_t offset = 0;
    for (const std::uint64_t word : words) made.set(std::exchange(offset, offset + 8), word, 8);
    return put_structure(address, made);
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

std::int64_t Call::read(std::int64_t descriptor, std::uint64_t address, std::uint64_t length,
                        std::optional<std::uint64_t> offset) {
    if (!process_.files.is_open(descriptor)) return -EBADF;
    if (const std::optional<unsigned> stream = process_.files.stream(descriptor)) {
        if (offset) return -ESPIPE;
        if (*stream != 0) return -EBADF;
        const std::uint64_t got = read_input(hart_, address, length);
        return got == call_refused ? -EFAULT : static_cast<std::int64_t>(got);
    }
    std::vector<std::uint8_t> bytes;
    std::uint64_t done = 0;
    while (done < length) {
        bytes.resize(std::min(length - done, most_part));
        const std::int64_t got =
            offset ? process_.files.read_at(descriptor, bytes, *offset + done) : process_.files.read(descriptor, bytes);
        if (got < 0) return done == 0 ? got : static_cast<std::int64_t>(done);
        if (!put(address + done, std::span(bytes).first(static_cast<std::size_t>(got)))) return -EFAULT;
        done += static_cast<std::uint64_t>(got);
        if (static_cast<std::size_t>(got) < bytes.size()) break;
    }
    return static_cast<std::int64_t>(done);
}

std::int64_t Call::write(std::int64_t descriptor, std::uint64_t address, std::uint64_t length) {
    if (!process_.files.is_open(descriptor)) return -EBADF;
    if (const std::optional<unsigned> stream = process_.files.stream(descriptor)) {
        if (*stream == 0) return -EBADF;
        const std::uint64_t done = write_output(hart_, *stream, address, length);
        return done == call_refused ? -EFAULT : static_cast<std::int64_t>(done);
    }
    std::vector<std::uint8_t> bytes;
    std::uint64_t done = 0;
    while (done < length) {
        bytes.resize(std::min(length - done, most_part));
        if (!get(address + done, bytes)) return done == 0 ? -EFAULT : static_cast<std::int64_t>(done);
        const std::int64_t put_down = process_.files.write(descriptor, bytes);
        if (put_down < 0) return done == 0 ? put_down : static_cast<std::int64_t>(done);
        done += static_cast<std::uint64_t>(put_down);
        if (static_cast<std::size_t>(put_down) < bytes.size()) break;
    }
    return static_cast<std::int64_t>(done);
}

// readv and writev
std::int64_t Call::in_parts(bool reads) {
    if (at(2) > most_parts) return -EINVAL;
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < at(2); ++i) {
        std::uint64_t address = 0, length = 0;
        const std::uint64_t part = at(1) + 2 * word() * i;
        if (!get_number(part, word(), address) || !get_number(part + word(), word(), length))
            return sum == 0 ? -EFAULT : sum;
        if (length == 0) continue;
        const std::int64_t done = reads ? read(number(0), address, length) : write(number(0), address, length);
        if (done < 0) return sum == 0 ? done : sum;
        sum += done;
        if (static_cast<std::uint64_t>(done) < length) break;
    }
    return sum;
}

std::int64_t Call::named(std::uint64_t address, const std::function<std::int64_t(const std::string&)>& act) {
    std::string name;
    const std::int64_t wrong = get_text(address, name);
    return wrong < 0 ? wrong : act(name);
}

std::int64_t Call::find_facts(bool by_name, std::int64_t folder, std::uint64_t name_at, FileFacts& known) {
    std::string name;
    if (by_name) {
        if (const std::int64_t wrong = get_text(name_at, name); wrong < 0) return wrong;
    }
    const std::int64_t wrong = name.empty() ? process_.files.facts(folder, known)  // AT_EMPTY_PATH
                                            : process_.files.facts(folder, name, known);
    return by_name && name.empty() && wrong == -EBADF ? -ENOENT : wrong;
}

// struct stat, and stat64 of machines of 32 bits
std::int64_t Call::facts(bool by_name, std::int64_t folder, std::uint64_t name_at, std::uint64_t to) {
    FileFacts known;
    if (const std::int64_t wrong = find_facts(by_name, folder, name_at, known); wrong < 0) return wrong;
    Structure made{std::vector<std::uint8_t>(is_wide() ? 128 : 104), is_big()};
    made.set(0, known.device, 8);
    made.set(8, known.number, 8);
    made.set(16, known.mode, 4);
    made.set(20, known.links, 4);
    made.set(24, user_number, 4);
    made.set(28, user_number, 4);
    made.set(32, known.special, 8);
    made.set(48, known.size, 8);
    made.set(56, known.block_bytes, 4);
    made.set(64, known.blocks, 8);
    std::size_t offset = 72;
    for (const std::uint64_t time : {static_cast<std::uint64_t>(known.accessed), std::uint64_t{known.accessed_rest},
                                     static_cast<std::uint64_t>(known.written), std::uint64_t{known.written_rest},
                                     static_cast<std::uint64_t>(known.changed), std::uint64_t{known.changed_rest}})
        made.set(std::exchange(offset, offset + word()), time, word());
    return put_structure(to, made);
}

// statx
std::int64_t Call::all_facts() {
    constexpr std::uint64_t basic = 0x7ff, of_descriptor = 0x1000;  // STATX_BASIC_STATS, AT_EMPTY_PATH
    FileFacts known;
    const bool by_name = at(1) != 0 || (at(2) & of_descriptor) == 0;
    if (const std::int64_t wrong = find_facts(by_name, number(0), at(1), known); wrong < 0) return wrong;
    Structure made{std::vector<std::uint8_t>(256), is_big()};
    const auto device = [&](std::size_t offset, std::uint64_t which) {
        made.set(offset, (which >> 8 & 0xfff) | (which >> 32 & ~std::uint64_t{0xfff}), 4);
        made.set(offset + 4, (which & 0xff) | (which >> 12 & ~std::uint64_t{0xff}), 4);
    };
    const auto time = [&](std::size_t offset, std::int64_t seconds, std::uint64_t rest) {
        made.set(offset, static_cast<std::uint64_t>(seconds), 8);
        made.set(offset + 8, rest, 4);
    };
    made.set(0, basic, 4);
    made.set(4, known.block_bytes, 4);
    made.set(16, known.links, 4);
    made.set(20, user_number, 4);
    made.set(24, user_number, 4);
    made.set(28, known.mode, 2);
    made.set(32, known.number, 8);
    made.set(40, known.size, 8);
    made.set(48, known.blocks, 8);
    time(64, known.accessed, known.accessed_rest);
    time(96, known.changed, known.changed_rest);
    time(112, known.written, known.written_rest);
    device(128, known.special);
    device(136, known.device);
    return put_structure(at(4), made);
}

// lseek, and _llseek of machines of 32 bits, which puts the place where its argument says.
std::int64_t Call::seek() {
    if (is_wide())
        return process_.files.seek(number(0), static_cast<std::int64_t>(at(1)), static_cast<unsigned>(at(2)));
    const auto offset = static_cast<std::int64_t>(at(1) << 32 | at(2));
    const std::int64_t place = process_.files.seek(number(0), offset, static_cast<unsigned>(at(4)));
    return place < 0 ? place : put_words(at(3), {static_cast<std::uint64_t>(place)});
}

// fcntl
std::int64_t Call::control() {
    constexpr std::uint64_t duplicate = 0, get_closing = 1, set_closing = 2, get_flags = 3, set_flags = 4,
                            duplicate_closing = 1030;
    if (!process_.files.is_open(number(0))) return -EBADF;
    switch (at(1)) {
        case duplicate:
        case duplicate_closing: return process_.files.duplicate(number(0), number(2));
        case get_closing:
        case set_closing:
        case set_flags: return 0;
        case get_flags: return process_.files.flags(number(0));
        default: return -EINVAL;
    }
}

std::int64_t Call::entries() {
    std::vector<std::uint8_t> bytes(std::min(at(2), most_part));
    const std::int64_t got = process_.files.entries(number(0), bytes);
    if (got <= 0) return got;
    return put(at(1), std::span(bytes).first(static_cast<std::size_t>(got))) ? got : -EFAULT;
}

std::int64_t Call::link_target() {
    std::string name, target;
    if (const std::int64_t wrong = get_text(at(1), name); wrong < 0) return wrong;
    if (name == "/proc/self/exe") {
        target = process_.name();
        if (!target.starts_with('/')) target = process_.files.working_directory() + "/" + target;
    } else if (const std::int64_t wrong = process_.files.read_link(number(0), name, target); wrong < 0) {
        return wrong;
    }
    if (number(3) <= 0) return -EINVAL;
    target.resize(std::min<std::size_t>(target.size(), static_cast<std::size_t>(number(3))));
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(target.data());
    return put(at(2), std::span(bytes, target.size())) ? static_cast<std::int64_t>(target.size()) : -EFAULT;
}

std::int64_t Call::rename() {
    std::string name, other;
    if (const std::int64_t wrong = get_text(at(1), name); wrong < 0) return wrong;
    if (const std::int64_t wrong = get_text(at(3), other); wrong < 0) return wrong;
    return process_.files.rename(number(0), name, number(2), other);
}

std::int64_t Call::working_directory() {
    const std::string name = process_.files.working_directory();
    if (at(1) < name.size() + 1) return -ERANGE;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(name.c_str());
    return put(at(0), std::span(bytes, name.size() + 1)) ? static_cast<std::int64_t>(name.size() + 1) : -EFAULT;
}

std::optional<std::int64_t> Call::about_files() {
    constexpr std::int64_t here = GuestFiles::here;
    constexpr std::uint64_t remove_folder = 0x200;  // AT_REMOVEDIR
    GuestFiles& files = process_.files;
    const auto open = [&](std::int64_t folder, unsigned first) {
        return named(at(first), [&](const std::string& name) {
            return files.open(folder, name, at(first + 1), static_cast<std::uint32_t>(at(first + 2)));
        });
    };
    const auto check = [&](std::int64_t folder, unsigned first) {
        return named(at(first), [&](const std::string& name) {
            return files.check_access(folder, name, static_cast<unsigned>(at(first + 1)));
        });
    };
    const auto remove = [&](std::int64_t folder, unsigned first, bool is_folder) {
        return named(at(first), [&](const std::string& name) { return files.remove(folder, name, is_folder); });
    };
    switch (number_) {
        case 17: return working_directory();
        case 23: return files.duplicate(number(0), 0);
        case 24: return number(0) == number(1) ? -EINVAL : files.duplicate_to(number(0), number(1));
        case 25: return control();
        case 29: return files.is_open(number(0)) ? -ENOTTY : -EBADF;  // ioctl: nothing is a terminal
        case 34:
            return named(at(1), [&](const std::string& name) {
                return files.make_folder(number(0), name, static_cast<std::uint32_t>(at(2)));
            });
        case 35: return remove(number(0), 1, (at(2) & remove_folder) != 0);
        case 38:
        case 276: return rename();
        case 46: return files.truncate(number(0), long_at(1));
        case 48:
        case 439: return check(number(0), 1);
        case 56: return open(number(0), 1);
        case 57: return files.close(number(0));
        case 61: return entries();
        case 62: return seek();
        case 63: return read(number(0), at(1), at(2));
        case 64: return write(number(0), at(1), at(2));
        case 65: return in_parts(true);
        case 66: return in_parts(false);
        case 67: return read(number(0), at(1), at(2), long_at(3));
        case 78: return link_target();
        case 79: return facts(true, number(0), at(1), at(2));
        case 80: return facts(false, number(0), 0, at(1));
        case 82:
        case 83: return files.is_open(number(0)) ? 0 : -EBADF;  // fsync: the host's matter
        case 291: return all_facts();
        case 1024: return open(here, 0);
        case 1026: return remove(here, 0, false);
        case 1033: return check(here, 0);
        case 1038:
        case 1039: return facts(true, here, at(0), at(1));
        default: return std::nullopt;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

std::int64_t Call::map() {
    constexpr std::uint64_t fixed = 0x10, anonymous = 0x20, fixed_where_free = 0x100000;
    const std::uint64_t length = at(1), how = at(3), begin = is_wide() ? at(5) : at(5) * Process::page;  // mmap2
    std::vector<std::uint8_t> bytes;
    if ((how & anonymous) == 0) {
        FileFacts known;
        if (const std::int64_t wrong = process_.files.facts(number(4), known); wrong < 0) return wrong;
        if (process_.files.stream(number(4))) return -ENODEV;
        if (begin % Process::page != 0) return -EINVAL;
        // A file that programs change together is none that this one may write.
        if ((how & 3) == 1 && (at(2) & 2) != 0) return -EACCES;
        const std::uint64_t there = known.size > begin ? known.size - begin : 0;
        if (std::min(length, there) > process_.most_bytes()) return -ENOMEM;
        bytes.resize(std::min(length, there));
        std::size_t done = 0;
        while (done < bytes.size()) {
            const std::int64_t got = process_.files.read_at(number(4), std::span(bytes).subspan(done), begin + done);
            if (got < 0) return got;
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
    }
    return process_.map(hart_, at(0), length, static_cast<unsigned>(at(2) & 7), (how & (fixed | fixed_where_free)) != 0,
                        (how & fixed) != 0 && (how & fixed_where_free) == 0, bytes);
}

std::optional<std::int64_t> Call::about_memory() {
    constexpr std::uint64_t may_move = 1, moves_to = 2;
    switch (number_) {
        case 214: return process_.set_break(hart_, at(0));
        case 215: return process_.unmap(hart_, at(0), at(1));
        case 216:
            if ((at(3) & moves_to) != 0) return -EINVAL;
            return process_.remap(hart_, at(0), at(1), at(2), (at(3) & may_move) != 0);
        case 222: return map();
        case 226: return process_.protect(hart_, at(0), at(1), static_cast<unsigned>(at(2)));
        case 227:                // msync
        case 233: return 0;      // madvise: only advice …
        case 259: return 0;      // … and riscv_flush_icache: stores are seen as they are made
        default: return std::nullopt;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Time

// Nanoseconds of a clock. The time of day begins with the machine's, at the beginning of 1970, where it is not the host's.
std::uint64_t Call::clock(std::uint64_t which) const {
    const bool is_of_day = which == 0 || which == 5;  // CLOCK_REALTIME, CLOCK_REALTIME_COARSE
    if (!is_of_day || !hart_.system->real_time) return hart_.time();
    ::timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * nanoseconds + static_cast<std::uint64_t>(now.tv_nsec);
}

// `wanted`: where the program says how long.
std::int64_t Call::sleep(std::uint64_t wanted, bool is_absolute, std::uint64_t which) {
    std::uint64_t seconds = 0, rest = 0;
    if (!get_number(wanted, 8, seconds) || !get_number(wanted + 8, 8, rest)) return -EFAULT;
    if (rest >= nanoseconds || static_cast<std::int64_t>(seconds) < 0) return -EINVAL;
    constexpr std::uint64_t most = ~std::uint64_t{0} / nanoseconds / 4;
    std::uint64_t span = std::min(seconds, most) * nanoseconds + rest;
    const std::uint64_t now = clock(which);
    if (is_absolute) span = span > now ? span - now : 0;
    if (!hart_.system->real_time) {
        hart_.core.time_base += span;
        return 0;
    }
    {
        std::scoped_lock lock(hart_.system->device_lock);
        hart_.system->streams->flush();
    }
    Pause pause(hart_.bus);
    std::this_thread::sleep_for(std::chrono::nanoseconds(span));
    return 0;
}

std::optional<std::int64_t> Call::about_time() {
    constexpr std::uint64_t last_clock = 11, ticks = 100;
    // Machines of 32 bits have no calls with times of 32: others that are the same as those of 64.
    std::uint64_t which = number_;
    if (!is_wide()) {
        if (which == 101 || which == 169 || (which >= 113 && which <= 115)) return -ENOSYS;
        if (which == 403) which = 113;
        if (which == 406) which = 114;
        if (which == 407) which = 115;
    }
    switch (which) {
        case 101: return sleep(at(0), false, 1);
        case 113: {
            const std::uint64_t now = clock(at(0));
            return at(0) > last_clock ? -EINVAL : put_words(at(1), {now / nanoseconds, now % nanoseconds});
        }
        case 114: return at(0) > last_clock ? -EINVAL : at(1) == 0 ? 0 : put_words(at(1), {0, 1});
        case 115: return sleep(at(2), (at(1) & 1) != 0, at(0));
        case 153: {
            const std::uint64_t now = hart_.time() / (nanoseconds / ticks);
            Structure made{std::vector<std::uint8_t>(4 * word()), is_big()};
            made.set(0, now, word());
            const std::int64_t wrong = at(0) == 0 ? 0 : put_structure(at(0), made);
            return wrong < 0 ? wrong : static_cast<std::int64_t>(now);
        }
        case 165: {  // getrusage: the time that it has taken, and nothing else
            const std::uint64_t now = hart_.time();
            Structure made{std::vector<std::uint8_t>(18 * word()), is_big()};
            made.set(0, now / nanoseconds, word());
            made.set(word(), now % nanoseconds / 1000, word());
            return put_structure(at(1), made);
        }
        case 169: {
            const std::uint64_t now = clock(0);
            return at(0) == 0 ? 0 : put_words(at(0), {now / nanoseconds, now % nanoseconds / 1000});
        }
        case 1062: {
            const std::uint64_t now = clock(0) / nanoseconds;
            const std::int64_t wrong = at(0) == 0 ? 0 : put_words(at(0), {now});
            return wrong < 0 ? wrong : static_cast<std::int64_t>(now);
        }
        default: return std::nullopt;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The process, and the system

// uname
std::int64_t Call::system_name() {
    constexpr std::size_t field = 65;
    Structure made{std::vector<std::uint8_t>(6 * field), is_big()};
    const std::string_view fields[] = {"Linux", "isaforge", "6.1.0", "#1", hart_.isa.variant, "(none)"};
    for (std::size_t i = 0; i < std::size(fields); ++i)
        std::copy_n(fields[i].begin(), std::min(fields[i].size(), field - 1),
                    made.bytes.begin() + static_cast<std::ptrdiff_t>(i * field));
    return put_structure(at(0), made);
}

// sysinfo
std::int64_t Call::system_facts() {
    const std::uint64_t all = process_.most_bytes(), used = std::min(all, process_.mapped_bytes(hart_));
    const std::uint64_t unit = is_wide() ? 1 : Process::page;  // in which the numbers count bytes
    Structure made{std::vector<std::uint8_t>(is_wide() ? 112 : 64), is_big()};
    made.set(0, hart_.time() / nanoseconds, word());
    made.set(4 * word(), all / unit, word());
    made.set(5 * word(), (all - used) / unit, word());
    made.set(10 * word(), 1, 2);  // processes
    made.set(13 * word(), unit, 4);
    return put_structure(at(0), made);
}

// prlimit64, getrlimit
std::int64_t Call::limits() {
    constexpr std::uint64_t stack = 3, files = 7, none = ~std::uint64_t{0}, stack_bytes = 8 << 20;
    const bool is_new = number_ == 261;
    const std::uint64_t which = at(is_new ? 1 : 0), to = at(is_new ? 3 : 1);
    if (which > 15) return -EINVAL;
    if (is_new && at(2) != 0) return -EPERM;
    const std::uint64_t most = which == stack ? stack_bytes : which == files ? 1024 : none;
    return to == 0 ? 0 : put_words(to, {most, most});
}

std::int64_t Call::random() {
    std::vector<std::uint8_t> bytes(std::min(at(1), most_part));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(process_.random.next() >> 32);
    return put(at(0), bytes) ? static_cast<std::int64_t>(bytes.size()) : -EFAULT;
}

// futex: nobody else will ever wake it.
std::int64_t Call::wait_for_word() {
    constexpr std::uint64_t command = 0x7f, wait = 0, wake = 1, wait_for_bits = 9, wake_bits = 10;
    const std::uint64_t what = at(1) & command;
    if (what == wake || what == wake_bits) return 0;
    if (what != wait && what != wait_for_bits) return -ENOSYS;
    std::uint64_t value = 0;
    if (!get_number(at(0), 4, value)) return -EFAULT;
    if (value != (at(2) & 0xFFFFFFFF)) return -EAGAIN;
    if (at(3) == 0) return -EDEADLK;
    const std::int64_t slept = sleep(at(3), what == wait_for_bits, 1);
    return slept < 0 ? slept : -ETIMEDOUT;
}

// kill, tkill, tgkill: a signal that the program has not asked to ignore ends it, unless that is what the system does with it.
// Handlers are not called.
std::int64_t Call::signal(std::uint64_t which) {
    constexpr std::uint64_t child = 17, go_on = 18, urgent = 23, window = 28, kill = 9, stop = 19;
    if (which > Process::last_signal) return -EINVAL;
    const std::uint64_t handler = process_.handlers[which];
    const bool is_ignored = handler == Process::ignore && which != kill && which != stop;
    const bool means_nothing = which == child || which == go_on || which == urgent || which == window;
    if (which == 0 || is_ignored || (means_nothing && handler == 0)) return 0;
    std::string text = "isaforge: the program ended itself by signal " + std::to_string(which);
    text += handler > Process::ignore ? ", whose handler is not called\n" : "\n";
    {
        std::scoped_lock lock(hart_.system->device_lock);
        hart_.system->streams->write(2, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    }
    end_run(hart_, 128 + static_cast<int>(which));
    return 0;
}

// rt_sigaction, rt_sigprocmask: which handler there is counts, and no signals wait.
std::int64_t Call::handler() {
    if (at(3) != 8) return -EINVAL;
    const bool is_action = number_ == 134;
    if (is_action && (at(0) == 0 || at(0) > Process::last_signal)) return -EINVAL;
    Structure before{std::vector<std::uint8_t>(is_action ? 2 * word() + 8 : 8), is_big()};
    if (is_action) before.set(0, process_.handlers[at(0)], word());
    std::uint64_t wanted = 0;
    if (is_action && at(1) != 0 && !get_number(at(1), word(), wanted)) return -EFAULT;
    if (at(2) != 0 && !put(at(2), before.bytes)) return -EFAULT;
    if (is_action && at(1) != 0) process_.handlers[at(0)] = wanted;
    return 0;
}

std::optional<std::int64_t> Call::about_process() {
    switch (number_) {
        case 93:
        case 94: end_run(hart_, static_cast<int>(number(0))); return 0;
        case 96: return process_number;  // set_tid_address
        case 98: return is_wide() ? wait_for_word() : -ENOSYS;
        case 422: return is_wide() ? -ENOSYS : wait_for_word();
        case 99: return 0;               // set_robust_list
        case 124: return 0;              // sched_yield
        case 123: {                      // sched_getaffinity: one processor
            if (at(1) < word()) return -EINVAL;
            Structure made{std::vector<std::uint8_t>(word()), is_big()};
            made.set(0, 1, word());
            const std::int64_t wrong = put_structure(at(2), made);
            return wrong < 0 ? wrong : word();
        }
        case 129:
        case 130: return signal(at(1));
        case 131: return signal(at(2));
        case 132: return 0;              // sigaltstack
        case 134:
        case 135: return handler();
        case 160: return system_name();
        case 163:
        case 261: return limits();
        case 166: return 022;            // umask
        case 167: return -EINVAL;        // prctl
        case 172:
        case 178: return process_number;
        case 173: return 1;
        case 174:
        case 175:
        case 176:
        case 177: return user_number;
        case 179: return system_facts();
        case 278: return random();
        case 293: return -ENOSYS;        // rseq: known, and there is none
        default: return std::nullopt;
    }
}

std::int64_t Call::run() {
    if (!process_.has_begun()) return -ENOSYS;
    std::optional<std::int64_t> result = about_files();
    if (!result) result = about_memory();
    if (!result) result = about_time();
    if (!result) result = about_process();
    if (result) return *result;
    constexpr std::size_t most_unknown = 64;
    if (process_.unknown_calls.size() < most_unknown) process_.unknown_calls.insert(number_);
    return -ENOSYS;
}

}  // namespace

std::uint64_t call_linux(Machine::State& hart, std::uint64_t number) {
    return static_cast<std::uint64_t>(Call(hart, number).run());
}

}  // namespace isaforge::machine
