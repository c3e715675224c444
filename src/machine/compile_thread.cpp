#include "machine/compile_thread.hpp"

#include "support/own_libraries.hpp"

namespace isaforge::machine {

namespace {

std::atomic<bool> nobody_waits = false;
std::atomic<unsigned> at_work = 0;  // threads

}  // namespace

void leave_compiles_behind() { nobody_waits = true; }
bool compiles_are_left() { return at_work != 0; }

CompileThread::CompileThread(std::string path, const Isa& isa, std::shared_ptr<const void> owner, CompilerTarget target)
    : work_(new Work{std::move(path), std::move(owner), Layout(isa), std::move(target)}) {
    work_->target.isa = &isa;
    work_->target.layout = &work_->layout;
}

CompileThread::~CompileThread() {
    {
        const std::lock_guard lock(work_->mutex);
        work_->ending = true;
        work_->jobs.clear();
    }
    work_->changed.notify_all();
    if (!thread_.joinable()) return;
    nobody_waits ? thread_.detach() : thread_.join();
}

void CompileThread::start(std::shared_ptr<CompileJob> job) {
    const std::lock_guard lock(work_->mutex);
    work_->jobs.push_back(std::move(job));
    if (!thread_.joinable()) {
        ++at_work;
        thread_ = std::thread([work = work_]() mutable {
            CompileThread::work(*work);
            work.reset();
            --at_work;
        });
    }
    work_->changed.notify_all();
}

void CompileThread::wait_for(const CompileJob& job) {
    std::unique_lock lock(work_->mutex);
    work_->changed.wait(lock, [&] { return job.done.load(); });
}

std::string CompileThread::problem() {
    const std::lock_guard lock(work_->mutex);
    return work_->problem;
}

void CompileThread::work(Work& work) {
    std::string problem;
    const std::unique_ptr<Compiler> compiler = load_compiler(work.path, work.target, problem);
    std::unique_lock lock(work.mutex);
    work.problem = problem;
    while (true) {
        work.changed.wait(lock, [&] { return work.ending || !work.jobs.empty(); });
        if (work.ending) return;
        const std::shared_ptr<CompileJob> job = std::move(work.jobs.front());
        work.jobs.pop_front();
        lock.unlock();
        if (compiler) job->code = compiler->compile(job->region);
        job->program.reset();
        lock.lock();
        job->done = true;
        work.changed.notify_all();
    }
}

std::string find_compiler() { return find_own_library(compiler_library); }

}  // namespace isaforge::machine
