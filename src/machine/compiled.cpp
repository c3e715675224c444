// Where a hart uses the compiler. What is hot is found by looking, now and then, where the run is: nothing is counted while
// it runs. Around that place the instructions that were executed already become a region, which is compiled on another
// thread; when it is done, its code takes the place of the first operation of the instructions where it may be entered.
#include <algorithm>
#include <chrono>
#include <set>

#include "machine/state.hpp"

namespace isaforge {

namespace {

using ir::Op;
using machine::CompileJob;

constexpr std::size_t most_units = 350;
constexpr std::size_t enough_units = 200;  // that code is worth ending at other code for
constexpr std::size_t fewest_units = 4;    // that are worth the way in and out, outside of loops
constexpr unsigned most_drops = 16;        // programs that overwrite themselves again and again
// Instructions between looks, and where all that is hot is compiled.
constexpr std::uint64_t look = std::uint64_t{1} << 16, longest_look = std::uint64_t{1} << 18, eager_look = 100;
constexpr std::uint64_t looks_together = 64;   // what a hart executes meanwhile is told in so many parts at most
// How long a run has to take before something is compiled; instructions take what they take. Where results land later, code
// is several times as long, and compiling it pays after so many instructions.
constexpr std::chrono::milliseconds patience{4};
constexpr std::uint64_t patience_late = std::uint64_t{1} << 26;

// Whether the run may leave code there, to come back behind it.
bool may_leave(const ir::Graph& graph) {
    for (const ir::Block& block : graph.blocks)
        for (const ir::Instruction& each : block.body) {
            const ir::Effect effect = ir::about(each.op).effect;
            if (each.op == Op::put_mode ||
                (effect == ir::Effect::acts && each.op != Op::load && each.op != Op::store && each.op != Op::update))
                return true;
        }
    return false;
}

// Every constant that may be the next address.
void add_targets(const ir::Graph& graph, std::uint64_t next_address, std::vector<std::uint64_t>& targets) {
    const auto add = [&](ir::Value value) {
        if (const auto known = graph.known(value)) targets.push_back(*known);
    };
    for (const ir::Block& block : graph.blocks) {
        if (block.end.op == Op::skip) targets.push_back(next_address);
        if (block.end.op == Op::leave) add(block.end.operands[0]);
        for (const ir::Edge& edge : block.edges)
            for (const ir::Value value : edge.values) add(value);
        for (const ir::Instruction& each : block.body) {
            if (each.op == Op::put_pc) add(each.operands[0]);
            if (each.op == Op::select) add(each.operands[1]), add(each.operands[2]);
        }
    }
}

// Addresses a little behind the instruction that it keeps as numbers: what it calls will come back there.
void add_returns(const ir::Graph& graph, std::uint64_t address, std::uint64_t next_address,
                 std::set<std::uint64_t>& returns) {
    for (const ir::Block& block : graph.blocks)
        for (const ir::Instruction& each : block.body) {
            if (each.op != Op::put && each.op != Op::store) continue;
            const auto known = graph.known(each.inputs().back());
            if (known && *known > address && *known <= next_address + (next_address - address)) returns.insert(*known);
        }
}

bool is_executable(const Machine::State::Instruction& instruction) {
    return instruction.form != no_index && instruction.trouble.empty();
}

}  // namespace

machine::CompileThread& machine::System::compile_thread(const std::shared_ptr<const Codec>& codec,
                                                        const MachineOptions& options,
                                                        const std::vector<std::uint32_t>& ports) {
    const std::lock_guard lock(compiler_lock);
    if (!compiler) {
        machine::CompilerTarget target{.aligned = options.require_alignment, .shared = has_several(), .ports = ports};
        target.callouts = machine::machine_callouts();
        compiler = std::make_unique<machine::CompileThread>(machine::find_compiler(), *isa, codec, std::move(target));
    }
    return *compiler;
}

// With breakpoints, watched accesses and counts of each instruction the interpreter is asked to look at each one; where each
// tells the checker that it begins, code would do nothing but call it.
bool Machine::State::may_compile(bool single) const {
    const bool tells_steps = system->checker && isa.has_watched_steps() && options.engine != Engine::compiler;
    return !tells_steps && options.engine != Engine::interpreter && !single && system->breakpoints.empty() &&
           system->watching == 0 && !options.count_instructions && !options.warn_hazards && system->drops < most_drops;
}

std::uint64_t Machine::State::next_look(std::uint64_t stop_at) const {
    return program->compiled.on ? std::min(stop_at, std::max(hot.next_look, core.count + 1)) : stop_at;
}

void Machine::State::use_compiled(bool on) {
    if (program->compiled.on == on) return;
    const std::lock_guard lock(program->lock);
    program->use_compiled(on);
}

void Machine::State::look_for_hot() {
    if (!program->compiled.on) return;
    const bool eager = options.engine == Engine::compiler;
    const std::uint64_t usual = eager ? eager_look : look;
    if (hot.next_look == 0) {
        hot.next_look = core.count + usual;
        hot.began = std::chrono::steady_clock::now();
        hot.seen = core.count;
    }
    // Of many harts each executes little, and what is hot for one is for all.
    const std::uint64_t done = core.count - hot.seen;
    if (core.count < hot.next_look && done < usual / looks_together) return;
    hot.seen = core.count;
    const std::uint64_t together = system->since_look.fetch_add(done, std::memory_order_relaxed) + done;
    if (core.count < hot.next_look && together < std::max(usual, hot.interval)) return;
    system->since_look.store(0, std::memory_order_relaxed);
    hot.next_look = core.count + usual;
    hot.late |= core.pending != 0;
    const bool early = hot.late ? core.count < patience_late : std::chrono::steady_clock::now() - hot.began < patience;
    if (!eager && early) return;
    std::unique_lock lock(program->lock);
    if (program->compiled.job == nullptr) look_around(usual);
    const std::shared_ptr<CompileJob> job = program->compiled.job;
    if (job == nullptr || !(eager || job->done)) return;
    if (!job->done) {
        lock.unlock();
        const machine::Pause pause(bus);
        system->compiler->wait_for(*job);
        lock.lock();
    }
    install(job);
}

// Whether the instruction to come is the middle of something that is not compiled yet. Under the program's lock.
void Machine::State::look_around(std::uint64_t usual) {
    // Where each of many harts begins is as hot as anything behind it, and code from there on has all of that.
    if (options.dispatches && !program->compiled.entered.contains(start_address) &&
        program->find(*current->translations, start_address) != nullptr) {
        hot.interval = usual;
        return compile_around(start_address);
    }
    const Instruction* const here = next_instruction();
    const bool was_compiled = !program->compiled.regions.empty() && core.count - core.left_at < most_units;
    if (here == nullptr || here->is_event || !is_executable(*here) || was_compiled ||
        program->compiled.entered.contains(here->address)) {
        hot.interval = std::min(longest_look, std::max(usual, 2 * hot.interval));
        hot.next_look = core.count + hot.interval;
        return;
    }
    hot.interval = usual;
    compile_around(begin_of_gap(here->address));
}

// Instructions that were not yet executed when those around them were compiled: where the first one is that leads there. The address
// itself where it does not lie behind compiled code.
std::uint64_t Machine::State::begin_of_gap(std::uint64_t address) const {
    const std::uint64_t longest = 16 * 8 / isa.address_bits;
    std::uint64_t first = address;
    for (std::size_t steps = 0; steps < most_units; ++steps) {
        std::uint64_t before = first;
        for (std::uint64_t back = 1; back <= std::min(longest, first) && before == first; ++back) {
            const Instruction* const found = program->find(*current->translations, first - back);
            if (found != nullptr && site_of(first - back, found->bits).next_address == first) before = first - back;
        }
        if (before == first) return address;
        if (program->compiled.within.contains(before)) return first;
        first = before;
    }
    return address;
}

// Whether compiled code begins there.
bool Machine::State::is_entered(std::uint64_t address) const {
    const Instruction* const instruction = program->find(*current->translations, address);
    return instruction != nullptr && instruction->interpreted != nullptr;
}

// An instruction that was executed before becomes a unit, with where it goes.
bool Machine::State::add_unit(std::uint64_t address, CompileJob& job, std::vector<std::uint64_t>& targets) const {
    const Instruction* const instruction = program->find(*current->translations, address);
    if (instruction == nullptr || !is_executable(*instruction)) return false;
    const semantics::Site site = site_of(address, instruction->bits);
    std::string trouble;
    std::vector<bool> open;
    auto graph = graph_of(*instruction, instruction->open.empty() ? nullptr : &open, trouble);
    if (!graph) return false;
    job.graphs.push_back(std::move(*graph));
    machine::Unit unit{address, site.next_address, &job.graphs.back(), &instruction->first()};
    unit.run = instruction->interpreted != nullptr ? instruction->interpreted : instruction->first().run;
    for (const std::size_t end : instruction->computed_ends)
        if (const auto* const next = machine::get_shared(instruction->ops[end + 1].link); next != nullptr)
            unit.targets.push_back(machine::instruction_of(next)->address);
    targets = unit.targets;
    add_targets(*unit.graph, unit.next_address, targets);
    job.region.units.push_back(std::move(unit));
    return true;
}

// The instructions that are led to from there; with `closes_loop`, as far as code that is there. Those that somebody jumps back to
// are places to enter; else the first one, unless it lies in a loop that is here as a whole; those behind one that the interpreter
// does, and those that calls come back to.
void Machine::State::compile_around(std::uint64_t address, bool closes_loop) {
    auto job = std::make_shared<CompileJob>();
    std::vector<std::uint64_t> open = {address}, targets;
    std::set<std::uint64_t> loops, others;
    std::map<std::uint64_t, std::size_t> units;
    bool in_loop = false;
    std::size_t next = 0, operations = 0;
    for (; next < open.size() && !job->is_full; ++next) {
        const std::uint64_t here = open[next];
        if ((units.size() >= enough_units || closes_loop) && is_entered(here)) continue;
        if (units.contains(here) || !add_unit(here, *job, targets)) continue;
        units[here] = job->region.units.size() - 1;
        if (const std::size_t count = job->region.units.back().operations(); count <= machine::most_operations_of_unit)
            operations += count;
        job->is_full = units.size() == most_units || operations >= machine::most_operations_of_region;
        const std::uint64_t behind = job->region.units.back().next_address;
        // A constant that is chosen among others may be no address at all.
        std::erase_if(targets,
                      [&](std::uint64_t target) { return program->find(*current->translations, target) == nullptr; });
        for (const std::uint64_t target : targets) {
            if (target <= here) loops.insert(target);
            in_loop |= target <= address && address <= here;
        }
        if (may_leave(job->graphs.back())) others.insert(targets.begin(), targets.end());
        if (std::find(targets.begin(), targets.end(), behind) == targets.end()) others.insert(behind);
        add_returns(job->graphs.back(), here, behind, others);
        open.insert(open.end(), targets.begin(), targets.end());
        open.push_back(behind);
    }
    program->compiled.entered.insert(address);
    if (units.empty()) return;
    // What is in no loop so far is as hot behind the end as before, and so is the rest of a loop that is too long for one region.
    job->is_part_of_loop = in_loop && job->is_full;
    for (; next < open.size() && (!in_loop || job->is_full) && !job->onward; ++next)
        if (!units.contains(open[next]) && program->find(*current->translations, open[next]) != nullptr)
            job->onward = open[next];
    if (options.engine != Engine::compiler && units.size() < fewest_units && !in_loop) return;
    if (!in_loop || job->is_full) others.insert(address);
    for (const auto* const entries : {&loops, &others})
        for (const std::uint64_t entry : *entries) {
            const auto unit = units.find(entry);
            if (unit == units.end() || (entries == &others && loops.contains(entry))) continue;
            job->region.entries.push_back(unit->second);
            program->compiled.entered.insert(entry);
        }
    if (job->region.entries.empty()) return;
    job->region.under_way = machine::results_under_way(core, core.count, core.pending);
    job->program = program;
    program->compiled.job = std::move(job);
    system->compile_thread(codec, options, ports).start(program->compiled.job);
}

// The code is there: from now on it is entered, in place of older code too, which knows less of what was executed by now,
// unless this is a part only of what is led to. Under the program's lock; another hart may have done it, or the code be of what
// was overwritten since.
void Machine::State::install(const std::shared_ptr<CompileJob>& job) {
    machine::CompiledParts& parts = program->compiled;
    if (parts.job != job) return;
    parts.job.reset();
    if (job->code == nullptr) return;
    for (std::size_t i = 0; i < job->region.entries.size(); ++i) {
        const std::size_t unit = job->region.entries[i];
        Instruction* const instruction = machine::instruction_of(job->region.units[unit].op);
        if (!job->code->compiled[unit] || (instruction->interpreted != nullptr && job->is_full)) continue;
        if (instruction->interpreted == nullptr) instruction->interpreted = instruction->first().run;
        if (parts.on) machine::put_shared(instruction->first().run, job->code->entries[i]);
        parts.entries.emplace_back(instruction, job->code->entries[i]);
    }
    for (std::size_t i = 0; i < job->region.units.size(); ++i)
        if (job->code->compiled[i]) parts.within.insert(job->region.units[i].address);
    {
        const std::lock_guard lock(system->compiler_lock);
        system->compiled.regions += 1;
        system->compiled.instructions +=
            static_cast<std::uint64_t>(std::count(job->code->compiled.begin(), job->code->compiled.end(), true));
        system->compiled.seconds += job->code->seconds;
    }
    parts.regions.push_back(std::move(job->code));
    if (!job->onward || parts.entered.contains(*job->onward)) return;
    if (!job->is_part_of_loop || !parts.within.contains(*job->onward))
        compile_around(*job->onward, job->is_part_of_loop);
}

EngineFigures Machine::engine_figures() const {
    machine::System& system = *state_->system;
    const std::lock_guard lock(system.compiler_lock);
    EngineFigures figures = system.compiled;
    figures.engine = state_->options.engine;
    if (system.compiler) figures.problem = system.compiler->problem();
    return figures;
}

}  // namespace isaforge
