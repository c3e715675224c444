#include "support/output_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

#include "isaforge/object.hpp"

namespace isaforge {

namespace {

namespace fs = std::filesystem;

constexpr int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};

// No signal may end the process where it would leave something half done.
class SignalsHeld {
public:
    SignalsHeld() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

private:
    sigset_t before_{};
};

bool is_regular(const struct stat& info) { return S_ISREG(info.st_mode); }

bool is_one_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

bool leads_to_standard_output(const std::string& path) {
    struct stat named {
    }, standard{};
    return path == "-" || (::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &standard) == 0 &&
                           is_one_file(named, standard));
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Links such as /dev/fd/3 stand for an open file, whose name may long be another's.
bool is_link_of_system(const fs::path& link) {
    struct statfs info {};
    return ::statfs(folder_of(link).c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// Where symbolic links lead, also to a file that is not there yet.
std::string behind_links(const std::string& path) {
    constexpr int most_links = 40;  // as the system has it
    fs::path at = path;
    std::error_code code;
    for (int i = 0; i < most_links && fs::is_symlink(at, code) && !is_link_of_system(at); ++i) {
        const fs::path target = fs::read_symlink(at, code);
        if (code) break;
        at = target.is_absolute() ? target : folder_of(at) / target;
    }
    return at.string();
}

// What a new file under the old name would not have: the other names, and rights beyond the mode.
bool would_lose_something(const std::string& target, const struct stat& info) {
    std::error_code code;
    return info.st_nlink > 1 || ::getxattr(target.c_str(), "system.posix_acl_access", nullptr, 0) > 0 ||
           fs::is_symlink(target, code);  // the system's
}

// The longest name of a file has 255 bytes. A letter of UTF-8 is not cut.
std::string beginning_of_name(std::string name) {
    constexpr std::size_t longest = 240;
    std::size_t size = std::min(name.size(), longest);
    while (size > 0 && size < name.size() && (static_cast<unsigned char>(name[size]) & 0xC0) == 0x80) --size;
    name.resize(size);
    return name;
}

std::string random_letters() {
    static constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    std::random_device random;
    std::string out;
    for (int i = 0; i < 6; ++i) out += letters[random() % letters.size()];
    return out;
}

// The mode and the owner of the file that it will replace. False where those cannot be given.
bool take_after(int descriptor, const struct stat& old) {
    struct stat fresh {};
    if (::fstat(descriptor, &fresh) != 0) return false;
    const bool same_owner = fresh.st_uid == old.st_uid && fresh.st_gid == old.st_gid;
    if (!same_owner && ::fchown(descriptor, old.st_uid, old.st_gid) != 0) return false;
    return ::fchmod(descriptor, old.st_mode & 07777) == 0;  // last: giving away a file takes special bits
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// What signals take away

// Never freed, for the handler may look at any time.
struct OutputFile::Temporary {
    std::string path;
    std::atomic<bool> exists = true;
    Temporary* next = nullptr;

    static std::atomic<Temporary*> first;

    static Temporary* add(std::string path) {
        auto* const added = new Temporary{std::move(path)};
        added->next = first.load();
        while (!first.compare_exchange_weak(added->next, added)) {
        }
        return added;
    }
    void remove() {
        if (exists) ::unlink(path.c_str());
        exists = false;
    }
    static void remove_all() {
        for (Temporary* each = first.load(); each; each = each->next) {
            if (each->exists) ::unlink(each->path.c_str());
        }
    }
    static void remove_all_and_end(int signal) {
        remove_all();
        ::raise(signal);  // whose action is the usual one again
    }
    static void remove_all_and_say(int) {
        constexpr char text[] = "isaforge: error: a file that was being read has become shorter\n";
        static_cast<void>(::write(STDERR_FILENO, text, sizeof text - 1) + 1);
        remove_all();
        ::_exit(lost_input_status);
    }
    static int lost_input_status;
};

std::atomic<OutputFile::Temporary*> OutputFile::Temporary::first = nullptr;
int OutputFile::Temporary::lost_input_status = 1;

void OutputFile::clean_up_on_signals() {
    for (const int signal : ending_signals) {
        struct sigaction action {
        }, before{};
        if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;  // as nohup has it
        action.sa_handler = Temporary::remove_all_and_end;
        action.sa_flags = SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        ::sigaction(signal, &action, nullptr);
    }
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of writing like others
}

void OutputFile::end_on_lost_input(int status) {
    struct sigaction action {};
    Temporary::lost_input_status = status;
    action.sa_handler = Temporary::remove_all_and_say;
    sigfillset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
}

// ---------------------------------------------------------------------------------------------------------------------
// One file

bool OutputFile::fail() {
    error_ = std::strerror(errno != 0 ? errno : EIO);
    return false;
}

OutputFile::~OutputFile() {
    if (stream_ && stream_ != stdout) std::fclose(stream_);
    if (temporary_) temporary_->remove();
}

bool OutputFile::open(const std::string& path) {
    if (leads_to_standard_output(path)) {
        stream_ = stdout;
        return true;
    }
    return open_file(path) || fail();
}

bool OutputFile::open_file(const std::string& path) {
    target_ = behind_links(path);
    struct stat info {};
    const bool exists = ::stat(target_.c_str(), &info) == 0;
    if (!exists) return errno == ENOENT && open_beside(false);
    if (!is_regular(info)) return open_device();
    // A folder that may be written does not make a file that may not be one's own to replace.
    if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) return false;
    return (!would_lose_something(target_, info) && open_beside(true)) || open_spool();
}

bool OutputFile::open_device() {
    way_ = Way::direct;
    const int descriptor = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    stream_ = descriptor < 0 ? nullptr : ::fdopen(descriptor, "wb");
    return stream_ != nullptr;
}

bool OutputFile::open_beside(bool exists) {
    way_ = Way::replace;
    const fs::path target = target_;
    struct stat old {};
    if (exists && ::stat(target_.c_str(), &old) != 0) return false;
    const SignalsHeld held;
    int descriptor = -1;
    std::string path;
    for (int tries = 0; descriptor < 0 && tries < 100; ++tries) {
        path =
            (target.parent_path() / (beginning_of_name(target.filename().string()) + '.' + random_letters())).string();
        descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? 0600 : 0666);
        if (descriptor < 0 && errno != EEXIST) return false;
    }
    if (descriptor < 0) return false;
    temporary_ = Temporary::add(path);
    if (!exists || take_after(descriptor, old)) {
        stream_ = ::fdopen(descriptor, "wb");
        return stream_ != nullptr;
    }
    ::close(descriptor);
    temporary_->remove();
    return false;
}

bool OutputFile::open_spool() {
    way_ = Way::overwrite;
    stream_ = std::tmpfile();
    return stream_ != nullptr;
}

bool OutputFile::write(std::string_view text) {
    if (error_.empty() && std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail();
    return error_.empty();
}

bool OutputFile::commit() {
    if (error_.empty() && std::fflush(stream_) != 0) fail();
    if (error_.empty() && way_ == Way::overwrite && !copy_over()) fail();
    std::FILE* const stream = stream_;
    stream_ = nullptr;
    if (stream != stdout && std::fclose(stream) != 0 && error_.empty()) fail();
    if (!error_.empty() || way_ != Way::replace || stream == stdout) return error_.empty();
    if (std::rename(temporary_->path.c_str(), target_.c_str()) != 0) return fail();
    temporary_->exists = false;
    return true;
}

// Room is taken before anything is overwritten, so that a full disk leaves the old text.
bool OutputFile::copy_over() {
    const SignalsHeld held;
    const int to = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC), from = ::fileno(stream_);
    struct stat old {
    }, fresh{};
    bool good = to >= 0 && ::fstat(to, &old) == 0 && ::fstat(from, &fresh) == 0;
    if (good && fresh.st_size > old.st_size) {
        const int reason = ::posix_fallocate(to, old.st_size, fresh.st_size - old.st_size);
        if (reason != 0 && ::ftruncate(to, old.st_size) == 0) errno = reason;
        good = reason == 0;
    }
    char buffer[1 << 16];
    for (off_t done = 0; good && done < fresh.st_size;) {
        const ssize_t count = ::pread(from, buffer, sizeof buffer, done);
        good = count > 0 && ::pwrite(to, buffer, static_cast<std::size_t>(count), done) == count;
        done += count;
    }
    good = good && ::ftruncate(to, fresh.st_size) == 0;
    const int reason = errno;
    const bool closed = to < 0 || ::close(to) == 0;
    if (!good) errno = reason;
    return good && closed;
}

bool write_file_atomically(const std::string& path, std::string_view text, std::string& error) {
    OutputFile file;
    if (file.open(path) && file.write(text) && file.commit()) return true;
    error = file.error();
    return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which file a path means

namespace {

// A file that is there, or the place in a folder where it will be.
struct Identity {
    struct stat info {};
    std::string name;  // in the folder

    static std::optional<Identity> of(const std::string& path) {
        Identity out;
        if (path == "-") return ::fstat(STDOUT_FILENO, &out.info) == 0 ? std::optional(out) : std::nullopt;
        const fs::path target = behind_links(path);
        if (::stat(target.c_str(), &out.info) == 0) return out;
        out.name = target.filename().string();
        return ::stat(folder_of(target).c_str(), &out.info) == 0 ? std::optional(out) : std::nullopt;
    }
    bool operator==(const Identity& other) const { return is_one_file(info, other.info) && name == other.name; }
};

}  // namespace

bool is_same_output(const std::string& path, const std::string& other) {
    if (path == "-" && other == "-") return true;
    const std::optional<Identity> a = Identity::of(path), b = Identity::of(other);
    if (!a || !b || !(*a == *b)) return false;
    return !a->name.empty() || is_regular(a->info) || S_ISFIFO(a->info.st_mode);
}

bool is_same_file(const std::string& output, const std::string& input) {
    struct stat written {
    }, read{};
    if (output == "-" || ::stat(output.c_str(), &written) != 0) return false;
    const int found = input == "-" ? ::fstat(STDIN_FILENO, &read) : ::stat(input.c_str(), &read);
    return found == 0 && is_regular(written) && is_one_file(written, read);
}

}  // namespace isaforge
