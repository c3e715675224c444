// Where a hart uses the compiler. What is hot is found by looking, now and then, where the run is: nothing is counted while
// it runs. Around that place the instructions that were executed already become a region, which is compiled on another
// thread; when it is done, its code takes the place of the first operation of the instructions where it may be entered.
#include <algorithm>
#include <set>

#include "machine/state.hpp"

namespace isaforge {

namespace {

using ir::Op;
using machine::CompileJob;

constexpr std::size_t most_units = 600;
constexpr std::size_t fewest_units = 4;  // that are worth the way in and out, outside of loops
constexpr unsigned most_drops = 16;      // programs that overwrite themselves again and again
// Instructions between looks: first, then, and where all that is hot is compiled.
constexpr std::uint64_t first_look = std::uint64_t{1} << 21, look = std::uint64_t{1} << 16,
                        longest_look = std::uint64_t{1} << 22, eager_look = 100;

// Whether the interpreter will be asked to do it.
bool is_left_out(const ir::Graph& graph) {
    for (const ir::Block& block : graph.blocks)
        for (const ir::Instruction& each : block.body) {
            const ir::Effect effect = ir::about(each.op).effect;
            if (each.op == Op::put_mode || (effect == ir::Effect::acts && each.op != Op::load && each.op != Op::store))
                return true;
        }
    return false;
}

bool has_late_results(const ir::Graph& graph) {
    return std::any_of(graph.blocks.begin(), graph.blocks.end(), [](const ir::Block& block) {
        return std::any_of(block.body.begin(), block.body.end(),
                           [](const ir::Instruction& each) { return each.delay != 0; });
    });
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

bool is_executable(const Machine::State::Instruction& instruction) {
    return instruction.form != no_index && instruction.trouble.empty();
}

}  // namespace

machine::CompileThread& machine::System::compile_thread(const std::shared_ptr<const Codec>& codec,
                                                        const MachineOptions& options,
                                                        const std::vector<std::uint32_t>& ports) {
    const std::lock_guard lock(compiler_lock);
    if (!compiler) {
        machine::CompilerTarget target{.aligned = options.require_alignment, .shared = harts > 1, .ports = ports};
        target.callouts = machine::machine_callouts();
        compiler =
            std::make_unique<machine::CompileThread>(machine::find_compiler(), codec->isa(), codec, std::move(target));
    }
    return *compiler;
}

// With breakpoints, watched accesses and counts of each instruction the interpreter is asked to look at each one.
bool Machine::State::may_compile(bool single) const {
    return options.engine != Engine::interpreter && !single && breakpoints.empty() && core.notes == nullptr &&
           !options.count_instructions && !options.warn_hazards && hot.drops < most_drops && !hot.hopeless;
}

std::uint64_t Machine::State::next_look(std::uint64_t stop_at) const {
    return hot.on ? std::min(stop_at, std::max(hot.next_look, core.count + 1)) : stop_at;
}

// With no instruction running.
void Machine::State::use_compiled(bool on) {
    if (hot.on == on) return;
    hot.on = on;
    for (const auto& [instruction, entry] : hot.entries)
        instruction->ops.front().run = on ? entry : instruction->interpreted;
}

void Machine::State::drop_regions() {
    if (hot.job == nullptr && hot.regions.empty()) return;
    ++hot.drops;
    for (const auto& [instruction, entry] : hot.entries) {
        if (hot.on) instruction->ops.front().run = instruction->interpreted;
        instruction->interpreted = nullptr;
    }
    hot.job.reset();
    hot.entries.clear();
    hot.regions.clear();
    hot.entered.clear();
}

void Machine::State::look_for_hot() {
    if (!hot.on) return;
    if (hot.next_look == 0) hot.next_look = core.count + (options.engine == Engine::compiler ? eager_look : first_look);
    if (core.count < hot.next_look) return;
    const std::uint64_t usual = options.engine == Engine::compiler ? eager_look : look;
    hot.next_look = core.count + usual;
    if (hot.job && options.engine == Engine::compiler) system->compiler->wait_for(*hot.job);
    if (hot.job && !hot.job->done) return;
    if (hot.job) return install();
    const Instruction* const here = instruction_of(core.next);
    const bool was_compiled = !hot.regions.empty() && core.count - core.left_at < most_units;
    if (here == nullptr || here->is_event || !is_executable(*here) || was_compiled ||
        hot.entered.contains(here->address)) {
        hot.interval = std::min(longest_look, std::max(usual, 2 * hot.interval));
        hot.next_look = core.count + hot.interval;
        return;
    }
    hot.interval = usual;
    compile_around(here->address);
    if (hot.job && options.engine == Engine::compiler) {
        system->compiler->wait_for(*hot.job);
        install();
    }
}

// An instruction that was executed before becomes a unit, with where it goes.
bool Machine::State::add_unit(std::uint64_t address, CompileJob& job, std::vector<std::uint64_t>& targets) const {
    const Instruction* const instruction = known_instruction(address);
    if (instruction == nullptr || !is_executable(*instruction)) return false;
    const semantics::Site site = site_of(address, instruction->bits);
    std::string trouble;
    auto graph = system->forms.instruction(instruction->form, instruction->image, site, trouble);
    if (!graph) return false;
    job.graphs.push_back(std::move(*graph));
    machine::Unit unit{address, site.next_address, &job.graphs.back(), instruction->ops.data()};
    unit.run = instruction->interpreted != nullptr ? instruction->interpreted : instruction->ops.front().run;
    for (const machine::MicroOp& op : instruction->ops)
        if (op.run == machine::handlers::end_jump && op.link != nullptr)
            if (const Instruction* const last = instruction_of(op.link)) unit.targets.push_back(last->address);
    targets = unit.targets;
    add_targets(*unit.graph, unit.next_address, targets);
    job.region.units.push_back(std::move(unit));
    return true;
}

// The instructions that are led to from there. Those that somebody jumps back to are places to enter; else the first one,
// unless it lies in a loop; those behind one that the interpreter does, and those that calls come back to.
void Machine::State::compile_around(std::uint64_t address) {
    auto job = std::make_shared<CompileJob>();
    std::vector<std::uint64_t> open = {address}, targets;
    std::set<std::uint64_t> loops, others;
    std::map<std::uint64_t, std::size_t> units;
    bool in_loop = false;
    for (std::size_t next = 0; next < open.size() && units.size() < most_units; ++next) {
        const std::uint64_t here = open[next];
        if (units.contains(here) || !add_unit(here, *job, targets)) continue;
        units[here] = job->region.units.size() - 1;
        const std::uint64_t behind = job->region.units.back().next_address;
        for (const std::uint64_t target : targets) {
            if (target <= here) loops.insert(target);
            in_loop |= target <= address && address <= here;
        }
        if (is_left_out(job->graphs.back())) others.insert(targets.begin(), targets.end());
        if (std::find(targets.begin(), targets.end(), behind) == targets.end()) others.insert(behind);
        open.insert(open.end(), targets.begin(), targets.end());
        open.push_back(behind);
    }
    hot.entered.insert(address);
    if (units.empty()) return;
    // Regions begin with nothing under way, which hardly happens where results are late.
    if (options.engine != Engine::compiler && std::any_of(job->graphs.begin(), job->graphs.end(), has_late_results)) {
        hot.hopeless = true;
        return use_compiled(false);
    }
    if (options.engine != Engine::compiler && units.size() < fewest_units && !in_loop) return;
    if (!in_loop) others.insert(address);
    for (const auto* const entries : {&loops, &others})
        for (const std::uint64_t entry : *entries) {
            const auto unit = units.find(entry);
            if (unit == units.end() || (entries == &others && loops.contains(entry))) continue;
            job->region.entries.push_back(unit->second);
            hot.entered.insert(entry);
        }
    if (job->region.entries.empty()) return;
    hot.job = std::move(job);
    system->compile_thread(codec, options, ports).start(hot.job);
}

// The code is there: from now on it is entered.
void Machine::State::install() {
    const std::shared_ptr<CompileJob> job = std::move(hot.job);
    if (job->code == nullptr) return;
    for (std::size_t i = 0; i < job->region.entries.size(); ++i) {
        const std::size_t unit = job->region.entries[i];
        Instruction* const instruction = known_instruction(job->region.units[unit].address);
        if (!job->code->compiled[unit] || instruction == nullptr || instruction->interpreted != nullptr) continue;
        instruction->interpreted = instruction->ops.front().run;
        instruction->ops.front().run = job->code->entries[i];
        hot.entries.emplace_back(instruction, job->code->entries[i]);
    }
    hot.figures.regions += 1;
    hot.figures.instructions +=
        static_cast<std::uint64_t>(std::count(job->code->compiled.begin(), job->code->compiled.end(), true));
    hot.figures.seconds += job->code->seconds;
    hot.regions.push_back(std::move(job->code));
}

EngineFigures Machine::engine_figures() const {
    EngineFigures figures;
    figures.engine = state_->options.engine;
    if (state_->system->compiler) figures.problem = state_->system->compiler->problem();
    for (unsigned i = 0; i < harts(); ++i) {
        const State& state = i == 0 ? *state_ : *others_[i - 1]->state_;
        figures.regions += state.hot.figures.regions;
        figures.instructions += state.hot.figures.instructions;
        figures.seconds += state.hot.figures.seconds;
    }
    return figures;
}

}  // namespace isaforge
