#include "machine/compile_thread.hpp"

#include <filesystem>

namespace isaforge::machine {

CompileThread::CompileThread(std::string path, const Isa& isa, CompilerTarget target)
    : path_(std::move(path)), layout_(isa), target_(std::move(target)) {
    target_.isa = &isa;
    target_.layout = &layout_;
}

CompileThread::~CompileThread() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        jobs_.clear();
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void CompileThread::start(std::shared_ptr<CompileJob> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    changed_.notify_all();
}

void CompileThread::wait_for(const CompileJob& job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return job.done.load(); });
}

std::string CompileThread::problem() {
    const std::lock_guard lock(mutex_);
    return problem_;
}

void CompileThread::work() {
    std::string problem;
    const std::unique_ptr<Compiler> compiler = load_compiler(path_, target_, problem);
    std::unique_lock lock(mutex_);
    problem_ = problem;
    while (true) {
        changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (ending_) return;
        const std::shared_ptr<CompileJob> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        if (compiler) job->code = compiler->compile(job->region);
        lock.lock();
        job->done = true;
        changed_.notify_all();
    }
}

// Beside the program, as builds have it, or in the folder of libraries next to that of programs.
std::string find_compiler() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};
    const std::filesystem::path folder = program.parent_path();
    for (const char* const place : {".", "..", "../" ISAFORGE_LIBRARIES "/isaforge"}) {
        const std::filesystem::path path = folder / place / "libisaforge-jit.so";
        if (std::filesystem::exists(path, error)) return path.lexically_normal().string();
    }
    return {};
}

}  // namespace isaforge::machine
