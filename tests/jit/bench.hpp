// A machine of nothing but registers, a core and the compiler: what tests of compiled code run it on. Regions leave to
// handlers of the test, which note where they went.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/bench_isa.hpp"
#include "ir/graph.hpp"
#include "ir/text.hpp"
#include "ir/verify.hpp"
#include "isaforge/isa.hpp"
#include "machine/compiler.hpp"
#include "support/splitmix.hpp"

namespace isaforge::jit {

class Random : public SplitMix64 {
public:
    using SplitMix64::SplitMix64;
    unsigned below(std::uint64_t n) { return static_cast<unsigned>(SplitMix64::below(n)); }
};

// How a region was left: with what operation of the interpreter, and for which address.
struct Left {
    enum class Kind { end, jump, interpreter, raised } kind = Kind::end;
    std::uint64_t address = 0;
    const machine::MicroOp* op = nullptr;
    std::uint64_t count = 0, pending = 0;
};

class Bench {
public:
    explicit Bench(std::shared_ptr<const Isa> isa) : isa_(std::move(isa)), layout(*isa_), block(layout.block_bytes()) {
        setenv("ISAFORGE_CHECK_COMPILER", "1", 0);
        target.isa = isa_.get();
        target.layout = &layout;
        target.callouts = machine::machine_callouts();
        target.callouts.end = end;
        target.callouts.end_jump = end_jump;
        target.ports.assign(isa_->register_files.size(), 0);
        core.owner = this;
        layout.attach(block.bytes());
        core.state = block.bytes();
        core.stop_at = ~std::uint64_t{0};
    }

    // The plug-in, told of the target as it is now.
    machine::Compiler& compiler() {
        if (!compiler_) compiler_ = machine::load_compiler(ISAFORGE_BINARY_DIR "/libisaforge-jit.so", target, error_);
        if (!compiler_) throw std::runtime_error(error_);
        return *compiler_;
    }

    // A region of one instruction that leads to 4.
    std::unique_ptr<machine::CompiledRegion> compile(const ir::Graph& graph) {
        if (const std::string found = problems(graph); !found.empty()) throw std::runtime_error(found);
        machine::CodeRegion region;
        region.units.push_back({0, 4, &graph, &first, interpreter, {}});
        region.entries = {0};
        return compiler().compile(region);
    }

    std::string problems(const ir::Graph& graph) const {
        std::string text;
        for (const std::string& line : ir::verify(graph, *isa_)) text += line + "\n";
        return text.empty() ? "" : text + ir::to_text(graph, *isa_);
    }

    Left run(machine::Handler entry) {
        core.op = nullptr;
        left = {.kind = Left::Kind::raised};
        entry(&first, block.bytes(), &core, core.count, core.pending);
        if (left.kind == Left::Kind::raised) left.count = core.count, left.pending = core.pending;
        return left;
    }

    std::uint64_t get(Index file, std::uint64_t number, unsigned lane = 0) const {
        std::uint64_t value = 0;
        const unsigned bytes =
            isa_->register_files[file].lanes == 1 ? 8 : machine::lane_bytes(isa_->register_files[file]);
        std::memcpy(&value, block.bytes() + layout.offset(file, number) + lane * bytes, bytes);
        return value;
    }
    void set(Index file, std::uint64_t number, std::uint64_t value, unsigned lane = 0) {
        const unsigned bytes =
            isa_->register_files[file].lanes == 1 ? 8 : machine::lane_bytes(isa_->register_files[file]);
        std::memcpy(block.bytes() + layout.offset(file, number) + lane * bytes, &value, bytes);
    }
    const Isa& isa() const { return *isa_; }

private:
    std::shared_ptr<const Isa> isa_;
    std::string error_;

public:
    machine::Layout layout;
    machine::HartBlock block;
    machine::Core core;
    machine::CompilerTarget target;
    machine::MicroOp first;
    Left left;

    static Bench& owner(machine::Core* core) { return *static_cast<Bench*>(core->owner); }
    static void end(ISAFORGE_HANDLER_PARAMETERS) {
        owner(core).left = {Left::Kind::end, machine::next_address(op), op, count, pending};
    }
    static void end_jump(ISAFORGE_HANDLER_PARAMETERS) {
        owner(core).left = {Left::Kind::jump, core->target, op, count, pending};
    }
    static void interpreter(ISAFORGE_HANDLER_PARAMETERS) {
        owner(core).left = {Left::Kind::interpreter, 0, op, count, pending};
    }

private:
    std::unique_ptr<machine::Compiler> compiler_;
};

}  // namespace isaforge::jit
