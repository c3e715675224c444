// Two machines side by side. Input is noted when it is first read, so that everything can be run again.
#include "isaforge/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isaforge {

namespace {

constexpr std::uint64_t first_stretch = 1 << 12, longest_stretch = 1 << 20;  // instructions between comparisons
constexpr std::size_t most_lines = 32;                                       // of what differs
constexpr std::size_t memory_block = 1 << 16;

// What a program read and wrote, in order.
struct Record {
    struct Read {
        std::vector<std::uint8_t> bytes;
        bool asked = false, ready = false;   // it asked whether there is something
    };
    std::vector<Read> reads;
    std::vector<std::uint8_t> written;       // all files together, the file's number before each
};

// The first machine's: they go to the real ones.
class Noting : public Streams {
public:
    Noting(std::shared_ptr<Streams> real, Record& record) : real_(std::move(real)), record_(record) {}
    std::size_t read(std::span<std::uint8_t> bytes) override {
        const std::size_t count = real_->read(bytes);
        record_.reads.push_back({{bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)}});
        return count;
    }
    bool ready() override {
        record_.reads.push_back({{}, true, real_->ready()});
        return record_.reads.back().ready;
    }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override {
        real_->write(file, bytes);
        record_.written.push_back(static_cast<std::uint8_t>(file));
        record_.written.insert(record_.written.end(), bytes.begin(), bytes.end());
    }

private:
    std::shared_ptr<Streams> real_;
    Record& record_;
};

// What was read is read again; what is written has to be what was written.
class Repeating : public Streams {
public:
    explicit Repeating(const Record& record) : record_(record) {}
    std::size_t read(std::span<std::uint8_t> bytes) override {
        const Record::Read* const given = next(false);
        if (given == nullptr || given->bytes.size() > bytes.size()) return 0;
        std::copy(given->bytes.begin(), given->bytes.end(), bytes.begin());
        return given->bytes.size();
    }
    bool ready() override {
        const Record::Read* const given = next(true);
        return given != nullptr && given->ready;
    }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override {
        take(static_cast<std::uint8_t>(file));
        for (const std::uint8_t byte : bytes) take(byte);
    }
    // It wrote or read something else.
    bool differs() const { return differs_; }
    std::size_t written() const { return written_; }

private:
    const Record::Read* next(bool asked) {
        if (read_ < record_.reads.size() && record_.reads[read_].asked == asked) return &record_.reads[read_++];
        differs_ = true;
        return nullptr;
    }
    void take(std::uint8_t byte) {
        differs_ = differs_ || written_ >= record_.written.size() || record_.written[written_] != byte;
        ++written_;
    }

    const Record& record_;
    std::size_t read_ = 0, written_ = 0;
    bool differs_ = false;
};

// The two, and how far they are.
struct Pair {
    std::unique_ptr<Machine> first, second;
    std::shared_ptr<Repeating> output;       // of the second
    RunResult first_result, second_result;
    std::uint64_t done = 0, cycles = 0;      // of the first

    // So many instructions more. False where the first has ended.
    bool run(std::uint64_t instructions) {
        first_result = first->run(instructions);
        second_result = second->run(instructions);
        done += first_result.instructions;
        cycles += first_result.cycles;
        return first_result.reason == StopReason::limit;
    }
};

class Differences {
public:
    explicit Differences(const Pair& pair) : pair_(pair) {}

    std::vector<std::string> find(std::size_t written, bool with_memory) {
        note("the run's end", std::uint64_t(pair_.first_result.reason), std::uint64_t(pair_.second_result.reason));
        note("instructions", pair_.first_result.instructions, pair_.second_result.instructions);
        if (pair_.output->differs() || pair_.output->written() != written) lines_.push_back("what they read and write");
        for (unsigned hart = 0; hart < pair_.first->harts(); ++hart) registers(hart);
        if (with_memory) memories();
        return std::move(lines_);
    }

private:
    void note(const std::string& what, std::uint64_t a, std::uint64_t b, unsigned bits = 64) {
        if (a == b || lines_.size() >= most_lines) return;
        lines_.push_back(fmt::format("{}: {:0{}x} and {:0{}x}", what, a, (bits + 3) / 4, b, (bits + 3) / 4));
    }
    void registers(unsigned hart) {
        Machine &a = pair_.first->hart(hart), &b = pair_.second->hart(hart);
        const std::string of = pair_.first->harts() > 1 ? fmt::format("hart {}, ", hart) : "";
        note(of + "pc", a.pc(), b.pc());
        note(of + "its instructions", a.instructions(), b.instructions());
        note(of + "its cycles", a.cycles(), b.cycles());
        const auto& files = a.isa().register_files;
        for (Index file = 0; file < files.size(); ++file)
            for (unsigned number = 0; number < files[file].count; ++number)
                for (unsigned lane = 0; lane < files[file].lanes; ++lane)
                    note(of + a.register_name(file, number) +
                             (files[file].lanes > 1 ? fmt::format(", lane {}", lane) : ""),
                         a.get(file, number, lane), b.get(file, number, lane), files[file].bits);
    }
    void memories() {
        for (Index memory = 0; memory < pair_.first->isa().memories.size(); ++memory) {
            const auto a = pair_.first->memory(memory), b = pair_.second->memory(memory);
            const std::size_t size = std::min(a.size(), b.size());
            for (std::size_t at = 0; at < size && lines_.size() < most_lines; at += memory_block) {
                const std::size_t end = std::min(size, at + memory_block);
                if (std::equal(a.begin() + static_cast<std::ptrdiff_t>(at),
                               a.begin() + static_cast<std::ptrdiff_t>(end),
                               b.begin() + static_cast<std::ptrdiff_t>(at)))
                    continue;
                for (std::size_t byte = at; byte < end; ++byte)
                    note(fmt::format("byte {:#x} of {}", byte, pair_.first->isa().memories[memory].name), a[byte],
                         b[byte], 8);
            }
        }
    }

    const Pair& pair_;
    std::vector<std::string> lines_;
};

// A fresh pair that has run so far, with nothing read or written in the real files. What the first one writes then is as long as
// `written`.
Pair again(const MakeMachine& first, const MakeMachine& second, const Record& record, std::uint64_t instructions,
           std::size_t& written) {
    const auto own = std::make_shared<Repeating>(record);
    Pair pair;
    pair.output = std::make_shared<Repeating>(record);
    pair.first = first(own);
    pair.second = second(pair.output);
    if (instructions != 0) pair.run(instructions);
    written = own->written();
    return pair;
}

}  // namespace

Comparison compare_runs(const MakeMachine& first, const MakeMachine& second, std::shared_ptr<Streams> streams,
                        std::uint64_t limit) {
    Record record;
    Pair pair;
    pair.first = first(std::make_shared<Noting>(std::move(streams), record));
    pair.output = std::make_shared<Repeating>(record);
    pair.second = second(pair.output);
    Comparison found;
    std::uint64_t equal = 0;
    bool goes_on = true;
    std::vector<std::string> lines;
    for (std::uint64_t stretch = first_stretch; goes_on && lines.empty();
         stretch = std::min(2 * stretch, longest_stretch)) {
        equal = pair.done;
        const std::uint64_t left = limit == 0 ? stretch : std::min(stretch, limit - pair.done);
        goes_on = pair.run(left) && (limit == 0 || pair.done < limit);
        lines = Differences(pair).find(record.written.size(), !goes_on);
    }
    found.result = pair.first_result;
    found.result.instructions = pair.done;
    found.result.cycles = pair.cycles;
    found.differs = !lines.empty();
    // The first instruction behind which they differ lies behind `equal` and not behind `differs`.
    std::uint64_t differs = std::max(pair.done, equal + 1);
    while (found.differs && differs - equal > 1) {
        const std::uint64_t middle = equal + (differs - equal) / 2;
        std::size_t written = 0;
        Pair probe = again(first, second, record, middle, written);
        std::vector<std::string> here = Differences(probe).find(written, true);
        if (here.empty()) {
            equal = middle;
            continue;
        }
        differs = middle;
        lines = std::move(here);
        pair = std::move(probe);
    }
    if (found.differs) {
        std::size_t written = 0;
        found.difference = {differs, again(first, second, record, equal, written).first->pc(), std::move(lines)};
    }
    found.first = std::move(pair.first);
    found.second = std::move(pair.second);
    return found;
}

}  // namespace isaforge
