// Console, timer and doorbell.
#include "machine/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "ir/passes/check.hpp"
#include "machine/system.hpp"

namespace isaforge::machine {

namespace {

// A row of registers of eight bytes; parts of them, and neighbours in one go, are put together here.
class Registers : public Device {
public:
    std::uint64_t read(std::uint64_t offset, unsigned bytes, const Asker& asker) final {
        std::uint64_t value = 0;
        for (unsigned done = 0; done < bytes;) {
            const std::uint64_t from = (offset + done) % 8;
            value |= get((offset + done) / 8, asker) >> 8 * from << 8 * done;
            done += static_cast<unsigned>(8 - from);
        }
        return value;
    }
    void write(std::uint64_t offset, unsigned bytes, std::uint64_t value, const Asker& asker) final {
        for (unsigned done = 0; done < bytes;) {
            const unsigned from = static_cast<unsigned>((offset + done) % 8), part = std::min(8 - from, bytes - done);
            const std::uint64_t mask = (~std::uint64_t{0} >> (64 - 8 * part)) << 8 * from;
            set((offset + done) / 8, value >> 8 * done << 8 * from & mask, mask, asker);
            done += part;
        }
    }

protected:
    virtual std::uint64_t get(std::uint64_t index, const Asker& asker) = 0;
    // Only the bits in `mask` are written.
    virtual void set(std::uint64_t index, std::uint64_t value, std::uint64_t mask, const Asker& asker) = 0;
};

class Console : public Registers {
public:
    explicit Console(std::shared_ptr<Streams> streams) : streams_(std::move(streams)) {}
    std::uint64_t size() const override { return 24; }
    void reset() override { interrupts_ = false; }
    bool input_may_come() override { return interrupts_ && !ended_; }
    std::optional<std::uint32_t> raised(const Asker&) override {
        return interrupts_ && look() ? std::optional(console_line) : std::nullopt;
    }
    std::vector<std::uint64_t> save() const override { return {byte_, has_byte_, ended_, interrupts_}; }
    void restore(std::span<const std::uint64_t> words) override {
        byte_ = static_cast<std::uint8_t>(words[0]);
        has_byte_ = words[1] != 0, ended_ = words[2] != 0, interrupts_ = words[3] != 0;
    }

protected:
    std::uint64_t get(std::uint64_t index, const Asker&) override {
        if (index == 0) {
            if (!look()) return ~std::uint64_t{0};
            has_byte_ = false;
            return byte_;
        }
        if (index == 1) {
            constexpr std::uint64_t byte_is_there = 1, output_is_taken = 2, input_has_ended = 4;
            return (look() ? byte_is_there : ended_ ? input_has_ended : 0) | output_is_taken;
        }
        return interrupts_ ? 1 : 0;
    }
    void set(std::uint64_t index, std::uint64_t value, std::uint64_t mask, const Asker&) override {
        if ((mask & 1) == 0) return;
        const std::uint8_t byte = static_cast<std::uint8_t>(value);
        if (index == 0) streams_->write(1, {&byte, 1});
        if (index == 2) interrupts_ = (value & 1) != 0;
    }

private:
    // Whether a byte is there; never waits.
    bool look() {
        if (has_byte_ || ended_ || !streams_->ready()) return has_byte_;
        has_byte_ = streams_->read({&byte_, 1}) == 1;
        ended_ = !has_byte_;
        return has_byte_;
    }

    std::shared_ptr<Streams> streams_;
    std::uint8_t byte_ = 0;
    bool has_byte_ = false, ended_ = false, interrupts_ = false;
};

class Timer : public Registers {
public:
    Timer() { reset(); }
    std::uint64_t size() const override { return 16; }
    void reset() final { compare_.fill(~std::uint64_t{0}); }
    std::optional<std::uint32_t> raised(const Asker& asker) override {
        return asker.now >= compare_[asker.hart] ? std::optional(timer_line) : std::nullopt;
    }
    std::uint64_t due(std::uint32_t hart) const override { return compare_[hart]; }
    std::vector<std::uint64_t> save() const override { return {compare_.begin(), compare_.end()}; }
    void restore(std::span<const std::uint64_t> words) override { std::ranges::copy(words, compare_.begin()); }

protected:
    std::uint64_t get(std::uint64_t index, const Asker& asker) override {
        return index == 0 ? asker.now : compare_[asker.hart];
    }
    void set(std::uint64_t index, std::uint64_t value, std::uint64_t mask, const Asker& asker) override {
        if (index == 1) compare_[asker.hart] = (compare_[asker.hart] & ~mask) | value;
    }

private:
    std::array<std::uint64_t, max_harts> compare_;
};

class Doorbell : public Registers {
public:
    explicit Doorbell(unsigned harts) : harts_(harts) {}
    std::uint64_t size() const override { return 16; }
    void reset() override { pending_.fill(0); }
    std::optional<std::uint32_t> raised(const Asker& asker) override {
        const std::uint64_t pending = pending_[asker.hart];
        if (pending == 0) return std::nullopt;
        return first_hart_line + static_cast<std::uint32_t>(std::countr_zero(pending));
    }
    std::vector<std::uint64_t> save() const override { return {pending_.begin(), pending_.end()}; }
    void restore(std::span<const std::uint64_t> words) override { std::ranges::copy(words, pending_.begin()); }

protected:
    std::uint64_t get(std::uint64_t index, const Asker& asker) override {
        return index == 0 ? harts_ : pending_[asker.hart];
    }
    void set(std::uint64_t index, std::uint64_t value, std::uint64_t, const Asker& asker) override {
        if (index == 1)
            pending_[asker.hart] &= ~value;
        else if (value < harts_)
            pending_[value] |= std::uint64_t{1} << asker.hart;
    }

private:
    unsigned harts_;
    std::array<std::uint64_t, max_harts> pending_{};
};

}  // namespace

std::unique_ptr<Device> make_device(const std::string& kind, unsigned harts, std::shared_ptr<Streams> streams) {
    if (kind == "console") return std::make_unique<Console>(std::move(streams));
    if (kind == "timer") return std::make_unique<Timer>();
    if (kind == "doorbell") return std::make_unique<Doorbell>(harts);
    return nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------

namespace {

// The memory that addresses without a memory's name are of, where none holds code: one that all harts have, if there is one.
Index first_of_all(const Isa& isa) {
    const auto found = std::find_if(isa.memories.begin(), isa.memories.end(),
                                    [](const MemorySpace& memory) { return !memory.per_group; });
    return found != isa.memories.end() ? static_cast<Index>(found - isa.memories.begin()) : 0;
}

// On threads no more than there are processors, for a group that waits for its processor is of no use.
unsigned groups_at_a_time(const MachineOptions& options, unsigned harts) {
    const unsigned room = max_harts / harts, threads = std::max(1u, std::thread::hardware_concurrency());
    return std::min({std::max(1u, options.groups), room, options.threads ? threads : room});
}

}  // namespace

namespace {

// What graphs are over.
std::shared_ptr<const Isa> checked_isa(const std::shared_ptr<const Codec>& codec, const Checks& checks) {
    if (!checks.uninitialised) return {codec, &codec->isa()};
    return std::make_shared<const Isa>(ir::with_shadow_files(codec->isa()));
}

// The memory of the machine that lends it, of which there is one of this name.
std::string borrow_memory(Space& space, const System& lender) {
    const auto found = std::find_if(lender.spaces.begin(), lender.spaces.end(),
                                    [&](const Space& other) { return other.name == space.name; });
    const Block& block = *found->map.find(0)->block;
    return space.map.add_storage(0, {block.bytes, block.size}, {}, space.name);
}

bool runs_dispatches(const MachineOptions& options, const Dispatch* its_dispatch) {
    return options.dispatches || its_dispatch != nullptr;
}

}  // namespace

System::System(const std::shared_ptr<const Codec>& codec, const MachineOptions& options, const Dispatch* its_dispatch)
    : forms(codec, {.checks = options.checks.any(), .cycles = options.count_cycles}),
      isa(checked_isa(codec, options.checks)),
      checker(options.checks.any()
                  ? std::make_unique<Checker>(options.checks, *isa,
                                              runs_dispatches(options, its_dispatch) ? "wavefront" : "hart")
                  : nullptr),
      dispatch(its_dispatch) {
    const bool is_lent = runs_dispatches(options, its_dispatch);
    for (const MemorySpace& memory : isa->memories) {
        Space& space = spaces.emplace_back(memory.name, memory.unit_bytes(), memory.big_endian);
        // Dispatches run in memory of others, of which nobody knows what was written, but who says so.
        const bool is_lent_own = memory.cells != 0 && its_dispatch != nullptr && its_dispatch->lender != nullptr;
        const bool is_others = (is_lent && !memory.per_group && memory.cells == 0) || is_lent_own;
        space.is_shown = is_others;
        if (checker) space.checked = std::make_unique<CheckedMemory>(!is_others && memory.cells == 0);
        const std::string refusal = memory.per_group ? std::string{}
                                    : is_lent_own    ? borrow_memory(space, *its_dispatch->lender)
                                                     : add_memory(space, memory, options);
        if (problem.empty()) problem = refusal;
    }
    if (spaces.size() > max_spaces) problem = fmt::format("a machine has at most {} memories", max_spaces);
    const auto holding = std::find_if(isa->memories.begin(), isa->memories.end(),
                                      [](const MemorySpace& memory) { return memory.holds_code; });
    code = static_cast<Index>(holding - isa->memories.begin());
    code_is_apart = holding == isa->memories.end();
    main = code_is_apart ? first_of_all(*isa) : code;
    if (code_is_apart) spaces.emplace_back("code", 1, false);
    group_harts = std::clamp(options.harts, 1u, max_harts);
    group_count = std::max(1u, options.groups);
    for (unsigned i = 0; i < groups_at_a_time(options, group_harts); ++i)
        groups.emplace_back(*isa, options, spaces, problem);
    harts = group_harts * static_cast<unsigned>(groups.size());
    if (harts > 1 || options.dispatches) sharing = std::make_unique<Sharing>();
    streams = options.streams ? options.streams : standard_streams();
    process = std::make_unique<Process>(options.process, options.seed);
    program = std::make_shared<Program>(*isa, newest_program);
    real_time = options.real_time || (options.threads && harts > 1);
    for (const isaforge::Device& device : isa->devices)
        if (device.memory == code) add_device(code_map(), device.kind, device.address);
}

System::~System() { program->forget_job(); }

void System::clear_own_memories() {
    for (Index i = 0; i < isa->memories.size(); ++i)
        if (isa->memories[i].cells != 0 && (dispatch == nullptr || dispatch->lender == nullptr))
            spaces[i].map.clear_bytes();
}

std::shared_ptr<Program> System::current_program() {
    const std::lock_guard lock(program_lock);
    return program;
}

std::shared_ptr<Program> System::program_after(const std::shared_ptr<Program>& left, bool was_full) {
    const std::lock_guard lock(program_lock);
    if (program == left) {
        if (program->forget_job() && was_full) ++drops;
        program = std::make_shared<Program>(left->isa, ++newest_program);
    }
    return program;
}

std::uint32_t System::signal_number(const std::string& name) {
    const std::lock_guard lock(signal_lock);
    const auto [found, added] = signal_numbers.try_emplace(name, static_cast<std::uint32_t>(signal_names.size()));
    if (added) signal_names.push_back(name);
    return found->second;
}

std::string System::text_of_signal(std::uint64_t number) {
    const std::lock_guard lock(signal_lock);
    return signal_names[number];
}

std::string System::add_device(MemoryMap& map, const std::string& kind, std::uint64_t address) {
    std::unique_ptr<Device> device = make_device(kind, harts, streams);
    if (device == nullptr) return "there is no device '" + kind + "': console, timer and doorbell are";
    std::string refusal = map.add_device(address, *device, kind);
    if (!refusal.empty()) return refusal;
    devices.push_back(std::move(device));
    devices_changed();
    // One that is mapped over is gone.
    std::erase_if(devices, [&](const auto& each) {
        return std::none_of(map.regions().begin(), map.regions().end(),
                            [&](const Region& region) { return region.device == each.get(); });
    });
    return refusal;
}

std::optional<std::uint32_t> System::raised(std::uint32_t hart, std::uint64_t now) {
    if (!may_be_raised(hart, now)) return std::nullopt;
    std::scoped_lock lock(device_lock);
    std::optional<std::uint32_t> lowest;
    for (auto& device : devices)
        if (auto line = device->raised({hart, now}); line && (!lowest || *line < *lowest)) lowest = line;
    if (!lowest && std::none_of(devices.begin(), devices.end(), [](auto& device) { return device->input_may_come(); }))
        quiet_until[hart] = first_due(hart);
    return lowest;
}

std::uint64_t System::first_due(std::uint32_t hart) const {
    std::uint64_t first = ~std::uint64_t{0};
    for (auto& device : devices) first = std::min(first, device->due(hart));
    return first;
}

std::uint64_t System::ask_due(std::uint32_t hart) {
    std::scoped_lock lock(device_lock);
    return first_due(hart);
}

void System::devices_changed() {
    for (auto& until : quiet_until) until = 0;
}

bool System::input_may_come() {
    std::scoped_lock lock(device_lock);
    return std::any_of(devices.begin(), devices.end(), [](auto& device) { return device->input_may_come(); });
}

std::uint64_t System::clock() const {
    auto passed = std::chrono::steady_clock::now() - begin;
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
}

}  // namespace isaforge::machine
