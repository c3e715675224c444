#include "machine/program.hpp"

#include <algorithm>

namespace isaforge::machine {

namespace {

constexpr std::size_t max_bytes = max_instruction_bits / 8;
constexpr std::size_t most_translations = 64;   // combinations of modes
constexpr std::size_t most_events = 4096;       // translated, under one of them
constexpr std::size_t most_retired = 4096;
constexpr unsigned often = 4;  // instructions that are overwritten more often stay, if they can

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Instructions

// In front of the operations stands a mark, that is never executed and alone has no handler: where they belong to.
void Instruction::set_ops(std::vector<MicroOp> body) {
    ops.reserve(body.size() + 1);
    MicroOp& mark = ops.emplace_back();
    mark.a = static_cast<std::uint32_t>(address >> 32);
    mark.b = static_cast<std::uint32_t>(address);
    mark.owner = this;
    ops.insert(ops.end(), body.begin(), body.end());
}

Instruction* instruction_of(const MicroOp* op) {
    while (op->run != nullptr) --op;
    return op->owner;
}

// ---------------------------------------------------------------------------------------------------------------------

void CodeBytes::note(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t at = address; at < address + bytes; ++at) pages_[at / page].set(at % page);
}

bool CodeBytes::take(std::uint64_t address, std::uint64_t bytes) {
    bool any = false;
    for (std::uint64_t at = address; at < address + bytes; ++at) {
        auto found = pages_.find(at / page);
        if (found == pages_.end() || !found->second.test(at % page)) continue;
        found->second.reset(at % page);
        any = true;
    }
    return any;
}

// ---------------------------------------------------------------------------------------------------------------------
// Translations

Translations& Program::under(std::uint64_t modes) {
    std::unique_ptr<Translations>& place = translations_[modes];
    if (!place) place = std::make_unique<Translations>();
    return *place;
}

Instruction* Program::find(const Translations& translations, std::uint64_t address) const {
    auto found = translations.instructions.find(address);
    return found != translations.instructions.end() ? found->second.get() : nullptr;
}

Instruction* Program::find(std::uint64_t address) const {
    for (const auto& [modes, each] : translations_)
        if (Instruction* const found = find(*each, address)) return found;
    return nullptr;
}

Instruction& Program::add(Translations& translations, std::unique_ptr<Instruction> instruction) {
    ++translated_;
    const std::uint64_t first = instruction->address * (isa.address_bits / 8);
    for (std::uint64_t byte = 0; byte < std::max(instruction->bits, isa.unit_bits) / 8; ++byte)
        if (!instruction->is_open(byte)) code.note(first + byte, 1);
    std::unique_ptr<Instruction>& place = translations.instructions[instruction->address];
    place = std::move(instruction);
    return *place;
}

bool Program::is_full(std::uint64_t most_translated) const {
    if (translated_ >= most_translated || retired_.size() > most_retired || layout.nearly_full()) return true;
    return translations_.size() > most_translations ||
           std::any_of(translations_.begin(), translations_.end(),
                       [](const auto& each) { return each.second->events.size() > most_events; });
}

// It stays until all are forgotten.
void Program::retire(std::unique_ptr<Instruction> instruction) { retired_.push_back(std::move(instruction)); }

bool Program::is_often_rewritten(std::uint64_t address) const {
    const auto found = rewritten_.find(address);
    return found != rewritten_.end() && found->second >= often;
}

// Instructions that were overwritten become mere pointers to their successors.
bool Program::drop_written(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t unit = isa.unit_bits / 8;
    const std::uint64_t before = std::min<std::uint64_t>(address, max_bytes);
    bool dropped = false;
    for (auto& [modes, each] : translations_)
        for (std::uint64_t i = (unit - (address - before) % unit) % unit; i < before + bytes; i += unit) {
            auto found = each->instructions.find((address - before + i) / (isa.address_bits / 8));
            if (found == each->instructions.end()) continue;
            const std::uint64_t length = std::max(found->second->bits, isa.unit_bits) / 8;
            if (i < before && length <= before - i) continue;
            const std::uint64_t first = i < before ? before - i : 0, last = std::min(length, before - i + bytes) - 1;
            bool is_open = true;
            for (std::uint64_t byte = first; byte <= last; ++byte) is_open &= found->second->is_open(byte);
            if (is_open) continue;
            ++rewritten_[found->second->address];
            dropped |= drop_regions();
            put_shared(found->second->first().run, handlers::stale);
            retire(std::move(found->second));
            each->instructions.erase(found);
        }
    return dropped;
}

// A breakpoint takes the place of the first operation's handler, so that it is met on every way to the instruction.
void Program::set_breakpoint(Instruction& instruction, bool on) {
    if (on == (instruction.before_breakpoint != nullptr)) return;
    MicroOp& op = instruction.first();
    if (on) instruction.before_breakpoint = op.run;
    put_shared(op.run, on ? handlers::breakpoint : instruction.before_breakpoint);
    if (!on) instruction.before_breakpoint = nullptr;
}

void Program::set_breakpoint(std::uint64_t address, bool on) {
    for (auto& [modes, each] : translations_)
        if (Instruction* const found = find(*each, address)) set_breakpoint(*found, on);
}

// ---------------------------------------------------------------------------------------------------------------------
// Compiled code

void Program::use_compiled(bool on) {
    if (compiled.on == on) return;
    compiled.on = on;
    for (const auto& [instruction, entry] : compiled.entries)
        put_shared(instruction->first().run, on ? entry : instruction->interpreted);
}

bool Program::forget_job() {
    const std::lock_guard guard(lock);
    compiled.job.reset();
    return !compiled.regions.empty();
}

bool Program::drop_regions() {
    if (compiled.job == nullptr && compiled.regions.empty()) return false;
    const bool on = compiled.on;
    use_compiled(false);
    for (const auto& [instruction, entry] : compiled.entries) instruction->interpreted = nullptr;
    for (auto& region : compiled.regions) compiled.retired.push_back(std::move(region));
    compiled.job.reset();
    compiled.entries.clear();
    compiled.regions.clear();
    compiled.entered.clear();
    compiled.within.clear();
    compiled.on = on;
    return true;
}

}  // namespace isaforge::machine
