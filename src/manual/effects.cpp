#include "manual/effects.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace isaforge::manual {

using semantics::Block;
using semantics::Expression;
using semantics::ExpressionKind;
using semantics::Operator;
using semantics::Statement;
using semantics::StatementKind;

namespace {

// What built-in functions do besides giving a value.
struct Action {
    const char* name;
    const char* words;
};
constexpr Action actions[] = {
    {"wait", "waits for an interrupt"},
    {"barrier", "waits at the barrier of its group"},
    {"yield", "lets other harts run first"},
    {"stall", "waits for other harts"},
    {"fence", "orders accesses to memory"},
    {"leave", "ends before the statements behind"},
    {"transaction_begin", "begins a transaction"},
    {"transaction_end", "ends a transaction"},
    {"transaction_abort", "takes a transaction back"},
};

// Those whose first argument may be assigned through them.
constexpr const char* places[] = {"element", "elements", "protect", "extending", "whole", "insert"};

template <typename List>
bool is_one_of(const List& list, std::string_view name) {
    return std::any_of(std::begin(list), std::end(list), [&](const char* one) { return name == one; });
}

}  // namespace

void Effects::add(const Effects& other) {
    for (const auto member :
         {&Effects::reads, &Effects::writes, &Effects::registers_read, &Effects::registers_written, &Effects::loads,
          &Effects::stores, &Effects::modes, &Effects::traps, &Effects::signals, &Effects::waits_for, &Effects::others})
        (this->*member).insert((other.*member).begin(), (other.*member).end());
    delays.insert(delays.end(), other.delays.begin(), other.delays.end());
    jumps |= other.jumps;
    reads_pc |= other.reads_pc;
    stops |= other.stops;
    atomic |= other.atomic;
    calls_host |= other.calls_host;
}

// One walk through statements with one scope.
class EffectWalk {
public:
    EffectWalk(EffectFinder& finder, const Scope& scope) : finder_(finder), scope_(scope), locals_(scope.locals) {}

    void block(const Block& statements) {
        for (const Statement& next : statements) statement(next);
    }

    void read(const Expression& node) {
        switch (node.kind) {
            case ExpressionKind::integer:
            case ExpressionKind::floating:
            case ExpressionKind::text:
            case ExpressionKind::operation: return;
            case ExpressionKind::name: read_name(node.name); return;
            case ExpressionKind::element: element(node, false); return;
            case ExpressionKind::call: call(node); return;
            case ExpressionKind::consecutive:
                if (node.operands[0]->kind == ExpressionKind::name) {
                    base(node.operands[0]->name, false, nullptr);
                } else {
                    read(*node.operands[0]);
                }
                for (std::size_t i = 1; i < node.operands.size(); ++i) read(*node.operands[i]);
                return;
            default:
                for (const auto& operand : node.operands) {
                    if (operand) read(*operand);
                }
        }
    }

    void write(const Expression& node) {
        switch (node.kind) {
            case ExpressionKind::name: base(node.name, true, nullptr); return;
            case ExpressionKind::element: element(node, true); return;
            case ExpressionKind::member:
            case ExpressionKind::slice:
            case ExpressionKind::consecutive:
                write(*node.operands[0]);
                for (std::size_t i = 1; i < node.operands.size(); ++i) {
                    if (node.operands[i]) read(*node.operands[i]);
                }
                return;
            case ExpressionKind::conditional:
                read(*node.operands[0]);
                write(*node.operands[1]);
                write(*node.operands[2]);
                return;
            case ExpressionKind::binary:  // parts of a place side by side
                write(*node.operands[0]);
                write(*node.operands[1]);
                return;
            case ExpressionKind::call:
                if (is_one_of(places, node.name) && !node.operands.empty()) {
                    write(*node.operands[0]);
                    for (std::size_t i = 1; i < node.operands.size(); ++i) read(*node.operands[i]);
                } else {
                    write_by_function(node);
                }
                return;
            default: read(node);
        }
    }

    Effects out;
    bool leaves = false;

private:
    void read_name(const std::string& name) { base(name, false, nullptr); }

    // The register that a constant number names, else the whole file.
    std::string register_text(const RegisterFile& file, const Expression* index) const {
        if (!index || index->kind != ExpressionKind::integer) return file.name;
        for (const Entry& entry : file.entries) {
            if (entry.code == index->integer && !entry.texts.empty()) return entry.texts[0];
        }
        return fmt::format("{}[{}]", file.name, index->integer);
    }

    void base(const std::string& name, bool written, const Expression* index) {
        if (locals_.contains(name)) return;
        if (const auto parameter = parameters.find(name); parameter != parameters.end()) {
            (written ? out.writes : out.reads).insert(name);
            return;
        }
        if (scope_.field(name)) {
            (written ? out.writes : out.reads).insert(name);
            return;
        }
        if (name == cycle_count && scope_.edition.isa.has_cycles) return;
        if (const Naming* naming = scope_.naming(name)) {
            named(*naming, written);
            return;
        }
        if (name == "pc") {
            (written ? out.jumps : out.reads_pc) = true;
            return;
        }
        const Isa& isa = scope_.edition.isa;
        const Named known = scope_.edition.find(name);
        if (known.kind == Named::Kind::registers) {
            (written ? out.registers_written : out.registers_read)
                .insert(register_text(isa.register_files[known.index], index));
        } else if (known.kind == Named::Kind::memory) {
            (written ? out.stores : out.loads).insert(name);
        } else if (known.kind == Named::Kind::mode) {
            out.modes.insert(name);
        } else if (known.kind == Named::Kind::naming) {
            named(isa.names_in_meanings[known.index], written);
        }
    }

    void named(const Naming& naming, bool written) {
        if (depth_ > 20 || !naming.value) return;
        ++depth_;
        const bool hidden = !naming.parameter.empty() && locals_.insert(naming.parameter).second;
        if (written && naming.parameter.empty()) {
            write(*naming.value);
        } else {
            read(*naming.value);
        }
        if (hidden) locals_.erase(naming.parameter);
        --depth_;
    }

    void element(const Expression& node, bool written) {
        base(node.name, written, node.operands[0].get());
        read(*node.operands[0]);
    }

    void call(const Expression& node) {
        const std::string& name = node.name;
        const Named known = name.empty() ? Named{} : scope_.edition.find(name);
        if (known.kind == Named::Kind::function) {
            by_function(node, known.index, false);
            return;
        }
        for (const auto& operand : node.operands) read(*operand);
        if (name.empty()) return;
        built_in(node);
    }

    void built_in(const Expression& node) {
        const auto text = [&](std::size_t i) {
            return i < node.operands.size() && node.operands[i]->kind == ExpressionKind::text ? node.operands[i]->name
                                                                                              : std::string{};
        };
        const std::string& name = node.name;
        if (name == "stop") out.stops = true;
        if (name == "host" || name == "linux") out.calls_host = true;
        if (name == "signal") out.signals.insert(text(0));
        if (name == "await") out.waits_for.insert(text(0));
        if (name == "fail") {
            out.traps.insert(text(0));
            leaves = leaves || !conditional_;
        }
        if (name == "leave" && !conditional_) leaves = true;
        for (const Action& action : actions) {
            if (name == action.name && name != "leave") out.others.insert(action.words);
        }
        if ((name == "update" || name == "store_conditional") && !node.operands.empty()) {
            write(*node.operands[0]);
            out.atomic = true;
        }
    }

    void write_by_function(const Expression& node) {
        const Named known = scope_.edition.find(node.name);
        if (known.kind == Named::Kind::function) {
            by_function(node, known.index, true);
        } else {
            read(node);
        }
    }

    // What the function does, with the arguments in the place of its parameters. A function that gives a place is assigned
    // through what it reads of its first argument.
    void by_function(const Expression& node, std::size_t index, bool written) {
        const semantics::Function& function = scope_.edition.isa.functions[index];
        const EffectFinder::Summary& known = finder_.summary(index);
        if (known.leaves) {
            out.traps.insert(function.name);
            leaves = leaves || !conditional_;
            for (const auto& operand : node.operands) read(*operand);
            return;
        }
        Effects own = known.effects;
        own.reads.clear();
        own.writes.clear();
        out.add(own);
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
            const Expression& argument = *node.operands[i];
            if (argument.kind == ExpressionKind::name && function_given(argument)) continue;
            const bool has_name = i < function.parameters.size();
            if (has_name && known.effects.writes.contains(function.parameters[i])) write(argument);
            if (written && i == 0) {
                write(argument);
            } else if (!has_name || known.effects.reads.contains(function.parameters[i])) {
                read(argument);
            }
        }
    }

    bool function_given(const Expression& argument) {
        if (locals_.contains(argument.name) || scope_.field(argument.name) || scope_.naming(argument.name))
            return false;
        const Named known = scope_.edition.find(argument.name);
        if (known.kind != Named::Kind::function) return false;
        Effects own = finder_.summary(known.index).effects;
        own.reads.clear();
        own.writes.clear();
        out.add(own);
        return true;
    }

    void statement(const Statement& next) {
        switch (next.kind) {
            case StatementKind::assign:
                read(*next.value);
                for (const auto& target : next.targets) {
                    write(*target);
                    if (next.compound != Operator::none) read(*target);
                }
                if (next.delay) {
                    read(*next.delay);
                    out.delays.push_back(next.delay.get());
                }
                break;
            case StatementKind::local:
                read(*next.value);
                locals_.insert(next.name);
                break;
            case StatementKind::branch:
                read(*next.value);
                below([&] {
                    block(next.body);
                    block(next.otherwise);
                });
                break;
            case StatementKind::repeat:
                read(*next.first);
                read(*next.last);
                locals_.insert(next.name);
                below([&] { block(next.body); });
                break;
            case StatementKind::call:
            case StatementKind::give: read(*next.value); break;
            case StatementKind::choose:
                read(*next.value->operands[0]);
                below([&] { block(next.body); });
                break;
            case StatementKind::atomic:
                read(*next.value);
                out.atomic = true;
                block(next.body);
                break;
        }
    }

    template <typename Body>
    void below(Body body) {
        ++conditional_;
        body();
        --conditional_;
    }

public:
    std::set<std::string, std::less<>> parameters;

private:
    EffectFinder& finder_;
    const Scope& scope_;
    std::set<std::string, std::less<>> locals_;
    unsigned depth_ = 0, conditional_ = 0;
};

const EffectFinder::Summary& EffectFinder::summary(std::size_t function) {
    static const Summary nothing;
    const auto known = functions_.find(function);
    if (known != functions_.end()) return known->second;
    if (!open_.insert(function).second) return nothing;  // it calls itself, which is an error elsewhere
    const semantics::Function& own = edition_.isa.functions[function];
    const Scope scope{edition_, {}, nullptr, {}, {}};
    EffectWalk walk(*this, scope);
    walk.parameters = {own.parameters.begin(), own.parameters.end()};
    walk.block(own.body);
    open_.erase(function);
    return functions_.emplace(function, Summary{std::move(walk.out), walk.leaves}).first->second;
}

Effects EffectFinder::of(const Instruction& instruction, const Form& form) {
    const Scope scope = scope_of(edition_, form, instruction, {});
    EffectWalk walk(*this, scope);
    if (instruction.meaning) walk.block(*instruction.meaning);
    return std::move(walk.out);
}

}  // namespace isaforge::manual
