// Launches: from a packet to wavefronts that begin, and back to what ended them.
#include <fmt/format.h>

#include <cstring>

#include "device/device_impl.hpp"

namespace isaforge::device {

namespace {

using machine::Dispatch;
using machine::HartPlace;
using machine::HartRegisters;

// The places of a group's work-items, wavefront by wavefront.
class LocalIds {
public:
    explicit LocalIds(const Extent& extent) : extent_(extent), items_(extent.x * extent.y * extent.z) {
        const unsigned waves = (items_ + lanes - 1) / lanes;
        ids_.resize(std::size_t{waves} * 3 * lanes);
        for (unsigned i = 0; i < items_; ++i) {
            std::uint32_t* const wave = ids_.data() + std::size_t{i / lanes} * 3 * lanes + i % lanes;
            wave[0] = i % extent.x;
            wave[lanes] = i / extent.x % extent.y;
            wave[2 * lanes] = i / extent.x / extent.y;
        }
    }
    const Extent& extent() const { return extent_; }
    // Of dimension 0, 1 or 2.
    std::span<const std::uint32_t> of(unsigned wave, unsigned dimension) const {
        return {ids_.data() + (std::size_t{wave} * 3 + dimension) * lanes, lanes};
    }
    // Which lanes of the wavefront have a work-item.
    std::uint64_t mask(unsigned wave) const {
        const unsigned before = wave * lanes;
        const unsigned count = items_ > before ? std::min(items_ - before, lanes) : 0;
        return count == lanes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    }

private:
    Extent extent_;
    unsigned items_;
    std::vector<std::uint32_t> ids_;
};

class Running : public Launch, public std::enable_shared_from_this<Running> {
public:
    Running(Implementation& device, Start what) : device_(device), what_(std::move(what)), whole_({0, 0, 0}) {}

    ~Running() override {
        if (scratch_ != nullptr) device_.give_scratch(std::move(scratch_));
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    bool prepare(std::string& error);
    bool begin(std::string& error);
    // Instead of begin(): its wavefronts as the harts of a machine, which this outlives.
    std::unique_ptr<Machine> machine(MachineOptions options);
    std::string printed() const { return what_.printed ? what_.printed() : std::string{}; }
    std::string wavefront_name(std::uint64_t hart) const;

    bool is_done() const override { return done_.load(std::memory_order_acquire); }
    const LaunchResult& wait() override {
        std::unique_lock lock(lock_);
        changed_.wait(lock, [this] { return is_done(); });
        return result_;
    }
    void cancel(const std::string& why) override {
        if (!is_done() && begun_) device_.dispatcher().end(dispatch_, why);
    }

private:
    bool read_code(std::string& error);
    void fill_dispatch();
    machine::RegisterImage register_image();
    bool set_up(HartRegisters& registers, const HartPlace& place) const;
    void complete();
    Extent group_of(std::uint64_t number) const;
    bool is_whole(const Extent& group) const;

    Implementation& device_;
    Start what_;
    std::string kernel_;
    LaunchState state_;
    Extent counts_;   // of groups
    LocalIds whole_;
    unsigned user_registers_ = 0;            // scalar registers, before those of the hardware's own
    std::shared_ptr<GuardedPages> scratch_;
    std::shared_ptr<const LoadedObject> code_;   // stays while it runs
    Dispatch dispatch_;
    std::shared_ptr<Running> self_;          // while it runs
    LaunchResult result_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::atomic<bool> done_ = false;
    bool begun_ = false;
};

bool Running::read_code(std::string& error) {
    const std::uint64_t object = what_.packet.kernel_object;
    bool found = false, has_header = false;
    std::vector<std::uint8_t> bytes;
    device_.objects().with_object_at(object, [&](const LoadedObject& loaded) {
        has_header = loaded.has_header(object);
        const std::uint64_t size = has_header ? 256 : 64, left = loaded.base() + loaded.bytes() - object;
        if (left < size) return;
        const auto* const at = reinterpret_cast<const std::uint8_t*>(object);  // NOLINT(performance-no-int-to-ptr)
        bytes.assign(at, at + size);
        for (const KernelInfo& kernel : loaded.kernels())
            if (kernel.object == object) kernel_ = kernel.name;
        code_ = loaded.weak_from_this().lock();
        found = true;
    });
    found = found && code_ != nullptr;
    if (!found) error = fmt::format("there is no kernel descriptor at {:#x}", object);
    if (found) state_.code = read_kernel_code(bytes, object, has_header, device_.generation());
    return found;
}

// What of it does not depend on the wavefront.
bool Running::prepare(std::string& error) {
    const DispatchPacket& packet = what_.packet;
    const std::uint64_t items = std::uint64_t{packet.group.x} * packet.group.y * packet.group.z;
    if (items == 0 || items > most_group_items || packet.group.x > 1024 || packet.group.y > 1024 ||
        packet.group.z > 1024) {
        error = fmt::format("a group has 1 to {} work-items, and this one {}", most_group_items, items);
        return false;
    }
    if (!read_code(error)) return false;
    state_.generation = device_.generation();
    state_.grid = packet.grid;
    state_.group = packet.group;
    state_.packet = packet.packet;
    state_.queue = packet.queue;
    state_.kernarg = packet.kernarg;
    state_.dispatch_id = packet.dispatch_id;
    state_.group_bytes = std::max(packet.group_bytes, state_.code.group_bytes);
    if (state_.group_bytes > device_.most_group_bytes()) {
        error = fmt::format("a group has at most {} bytes of the local data share on {}, and {} are wanted",
                            device_.most_group_bytes(), device_.processor(), state_.group_bytes);
        return false;
    }
    constexpr std::uint32_t granule = 16, most_lane_bytes = 1u << 19;
    const std::uint32_t private_bytes = std::max(packet.private_bytes, state_.code.private_bytes);
    if (private_bytes > most_lane_bytes) {
        error = fmt::format("a work-item has at most {} bytes of private memory, and {} are wanted", most_lane_bytes,
                            private_bytes);
        return false;
    }
    state_.lane_scratch_bytes = (private_bytes + granule - 1) / granule * granule;
    if (private_bytes != 0) {
        state_.scratch_bytes = state_.wave_scratch_bytes() * device_.dispatcher().most_harts();
        scratch_ = device_.take_scratch(state_.scratch_bytes);
        if (scratch_ == nullptr) {
            error = fmt::format("there is no room for {} bytes of private memory", state_.scratch_bytes);
            return false;
        }
        state_.scratch = reinterpret_cast<std::uint64_t>(scratch_->data());
    }
    if (what_.fill) what_.fill(state_);
    whole_ = LocalIds(state_.group);
    counts_ = state_.group_counts();
    return true;
}

Extent Running::group_of(std::uint64_t number) const {
    if (counts_.y == 1 && counts_.z == 1) return {static_cast<std::uint32_t>(number), 0, 0};
    return {static_cast<std::uint32_t>(number % counts_.x), static_cast<std::uint32_t>(number / counts_.x % counts_.y),
            static_cast<std::uint32_t>(number / counts_.x / counts_.y)};
}

// All its work-items are in the grid.
bool Running::is_whole(const Extent& group) const {
    const auto fits = [](std::uint32_t number, std::uint32_t size, std::uint32_t all) {
        return (std::uint64_t{number} + 1) * size <= all;
    };
    return fits(group.x, state_.group.x, state_.grid.x) && fits(group.y, state_.group.y, state_.grid.y) &&
           fits(group.z, state_.group.z, state_.grid.z);
}

// A wavefront begins. False where its group is so small that there is no work-item for it.
bool Running::set_up(HartRegisters& registers, const HartPlace& place) const {
    const RegisterNames& names = device_.registers();
    const WavePlace wave{group_of(place.group), place.number, place.slot};
    std::optional<LocalIds> partial;
    if (!is_whole(wave.group)) partial.emplace(state_.group_extent(wave.group));
    const LocalIds& ids = partial ? *partial : whole_;
    const std::uint64_t mask = ids.mask(place.number);
    if (mask == 0) return false;
    SystemRegisters scalars;
    add_system_registers(state_, wave, scalars);
    for (unsigned i = 0; i < scalars.count; ++i) registers.set(names.scalar, user_registers_ + i, scalars.values[i]);
    for (unsigned i = 0; i < vector_ids(state_.code); ++i)
        registers.set_lanes(names.vector, i, ids.of(place.number, i));
    registers.set(names.exec, 0, mask);
    return true;
}

// What is the same for all wavefronts.
machine::RegisterImage Running::register_image() {
    const RegisterNames& names = device_.registers();
    machine::RegisterImage image(device_.dispatcher().isa());
    const std::vector<std::uint32_t> scalars = user_registers(state_);
    user_registers_ = static_cast<unsigned>(scalars.size());
    for (unsigned i = 0; i < user_registers_; ++i) image.set(names.scalar, i, scalars[i]);
    image.set(names.mode, 0, mode_of(state_.code));
    image.set(names.status, 0, dispatch_.group_harts > 1 ? 1u << 11 : 0);   // IN_TG
    image.set(names.group_bytes, 0, state_.group_bytes);
    image.set(names.private_memory, 0, state_.scratch);
    const FlatApertures apertures = apertures_of(state_.generation);
    const auto aperture = [&](Index base, Index limit, std::uint32_t high) {
        image.set(base, 0, std::uint64_t{high} << 32);
        image.set(limit, 0, std::uint64_t{high} << 32 | 0xffffffff);
    };
    aperture(names.group_base, names.group_limit, apertures.group);
    aperture(names.private_base, names.private_limit, apertures.private_memory);
    return image;
}

void Running::fill_dispatch() {
    const std::uint64_t items = std::uint64_t{state_.group.x} * state_.group.y * state_.group.z;
    dispatch_.name = kernel_;
    dispatch_.address = state_.code.entry;
    dispatch_.groups = std::uint64_t{counts_.x} * counts_.y * counts_.z;
    dispatch_.group_harts = static_cast<unsigned>((items + lanes - 1) / lanes);
    dispatch_.most_instructions = what_.packet.most_instructions;
    const Isa& isa = device_.dispatcher().isa();
    dispatch_.group_memory.assign(isa.memories.size(), 0);
    for (Index i = 0; i < isa.memories.size(); ++i)
        if (isa.memories[i].per_group) dispatch_.group_memory[i] = state_.group_bytes;
    for (const RegisterFile& file : isa.register_files) dispatch_.registers_used.push_back(file.count);
    std::uint32_t& vectors = dispatch_.registers_used[device_.registers().vector];
    vectors = std::min(vectors, state_.code.vector_registers);
    std::uint32_t& scalars = dispatch_.registers_used[device_.registers().scalar];
    scalars = std::min(scalars, state_.code.scalar_registers);
    if (state_.scratch != 0)
        dispatch_.private_memory = {
            state_.scratch, state_.wave_scratch_bytes(),
            fmt::format("the private memory of its wavefront, which has {} bytes for each work-item",
                        state_.lane_scratch_bytes)};
    dispatch_.registers.emplace(register_image());
    dispatch_.set_up = [this](HartRegisters& registers, const HartPlace& place) { return set_up(registers, place); };
    dispatch_.look_at = [this](const HartRegisters& registers) { return registers.get(device_.registers().exec, 0); };
}

bool Running::begin(std::string& error) {
    fill_dispatch();
    self_ = shared_from_this();
    dispatch_.completed = [this](Dispatch&) { complete(); };
    begun_ = true;
    if (dispatch_.groups == 0) {
        dispatch_.begin = dispatch_.end = std::chrono::steady_clock::now();
        complete();
        return true;
    }
    if (device_.dispatcher().start(dispatch_)) return true;
    error = "the system gives no thread";
    self_.reset();
    return false;
}

void Running::complete() {
    const std::shared_ptr<Running> self = std::move(self_);
    LaunchResult result;
    const machine::DispatchFault& fault = dispatch_.fault;
    result.ok = !dispatch_.failed;
    result.instructions = dispatch_.instructions;
    result.seconds = std::chrono::duration<double>(dispatch_.end - dispatch_.begin).count();
    if (!result.ok) {
        LaunchFault& told = result.fault;
        told.kernel = kernel_;
        told.reason = fault.reason;
        told.address = fault.address;
        result.message = kernel_.empty() ? "a kernel" : "kernel `" + kernel_ + "`";
        if (fault.address != 0) {
            told.group = group_of(fault.place.group);
            told.wavefront = fault.place.number;
            told.lanes = fault.seen;
            told.instruction = fault.text;
            told.source_line = fault.source_line;
            told.data_address = fault.data_address;
            told.data_bits = fault.data_bits;
            result.message += fmt::format(", group ({}, {}, {}), wavefront {}, active lanes {:#018x}", told.group.x,
                                          told.group.y, told.group.z, told.wavefront, told.lanes);
        }
        result.message += ": " + fault.message;
        const bool is_access = fault.reason == StopReason::bad_read || fault.reason == StopReason::bad_write;
        const std::string near = is_access ? device_.dispatcher().neighbour(fault.data_address) : std::string{};
        if (!near.empty()) result.message += ", " + near;
    }
    if (what_.printed) result.printed = what_.printed();
    if (scratch_ != nullptr) device_.give_scratch(std::move(scratch_));
    what_.keep.reset();
    code_.reset();
    const auto completed = std::move(what_.packet.completed);
    {
        const std::lock_guard lock(lock_);
        result_ = std::move(result);
        done_.store(true, std::memory_order_release);
    }
    changed_.notify_all();
    if (completed) completed(result_);
}

std::string Running::wavefront_name(std::uint64_t hart) const {
    const Extent group = group_of(hart / dispatch_.group_harts);
    return fmt::format("group ({}, {}, {}), wavefront {}", group.x, group.y, group.z, hart % dispatch_.group_harts);
}

std::unique_ptr<Machine> Running::machine(MachineOptions options) {
    fill_dispatch();
    dispatch_.lender = &device_.dispatcher().lender();
    options.source_line = device_.source_lines();
    options.hart_name = [this](std::uint64_t hart) { return wavefront_name(hart); };
    auto made = std::make_unique<Machine>(device_.dispatcher().codec(), options, dispatch_);
    device_.dispatcher().for_each_storage(
        [&](std::uint64_t address, std::span<std::uint8_t> bytes, Permissions permissions, const std::string& name) {
            made->add_storage(address, bytes, permissions, name);
        });
    made->start(0);
    return made;
}

class Inspected : public Inspection {
public:
    Inspected(std::shared_ptr<Running> running, MachineOptions options)
        : running_(std::move(running)), machine_(running_->machine(std::move(options))) {}

    Machine& machine() override { return *machine_; }
    std::string printed() const override { return running_->printed(); }

private:
    std::shared_ptr<Running> running_;
    std::unique_ptr<Machine> machine_;
};

}  // namespace

std::unique_ptr<Inspection> inspect(Implementation& device, Start what, MachineOptions options, std::string& error) {
    auto launch = std::make_shared<Running>(device, std::move(what));
    if (!launch->prepare(error)) return nullptr;
    return std::make_unique<Inspected>(std::move(launch), std::move(options));
}

std::shared_ptr<Launch> start(Implementation& device, Start what, std::string& error) {
    auto launch = std::make_shared<Running>(device, std::move(what));
    return launch->prepare(error) && launch->begin(error) ? launch : nullptr;
}

std::shared_ptr<Launch> Implementation::dispatch(const DispatchPacket& packet, std::string& error) {
    return start(*this, {.packet = packet}, error);
}

}  // namespace isaforge::device
