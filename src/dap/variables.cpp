// Registers as trees: by file, each with its lanes; and expressions.
#include <fmt/format.h>

#include <algorithm>

#include "dap/adapter.hpp"

namespace isaforge::dap {

using debugger::Target;
using debugger::Value;

namespace {

constexpr std::uint64_t most_children = 4096;
constexpr std::size_t most_holders = 1 << 16;

std::string hexadecimal(std::uint64_t value, unsigned bits) {
    return fmt::format("{:#0{}x}", value, (std::clamp(bits, 1u, 64u) + 3) / 4 + 2);
}

}  // namespace

std::uint64_t Adapter::reference(const Holder& holder) {
    const auto found = references_.find(holder);
    if (found != references_.end()) return found->second;
    if (holders_.size() >= most_holders) return 0;
    holders_.push_back(holder);
    return references_[holder] = holders_.size();
}

const Adapter::Holder* Adapter::holder(const Json& arguments, const char* name) const {
    const std::optional<std::uint64_t> number = count(arguments, name);
    return number && *number != 0 && *number <= holders_.size() ? &holders_[*number - 1] : nullptr;
}

Json Adapter::scopes(const Json& arguments) {
    int lane = -1;
    if (!choose(count(arguments, "frameId").value_or(0), lane)) return fail("there is no such frame");
    const unsigned hart = execution_->hart();
    const Isa& isa = machine().isa();
    Json all = Json::array();
    all.push_back({{"name", "Registers"},
                   {"presentationHint", "registers"},
                   {"variablesReference", reference({Holder::Kind::singles, hart, lane})},
                   {"expensive", false}});
    for (Index file = 0; file < isa.register_files.size(); ++file) {
        if (isa.register_files[file].index_bits == 0) continue;
        all.push_back({{"name", isa.register_files[file].name},
                       {"presentationHint", "registers"},
                       {"indexedVariables", isa.register_files[file].count},
                       {"variablesReference", reference({Holder::Kind::file, hart, lane, file})},
                       {"expensive", isa.register_files[file].count > 64}});
    }
    if (!machine().pending().empty())
        all.push_back({{"name", "Late results"},
                       {"variablesReference", reference({Holder::Kind::pending, hart, lane})},
                       {"expensive", false}});
    if (!isa.memories.empty())
        all.push_back({{"name", "Memory"},
                       {"variablesReference", reference({Holder::Kind::memories, hart, lane})},
                       {"expensive", false}});
    return {{"scopes", all}};
}

Json Adapter::register_variable(const Holder& in, Index file_index, std::uint64_t register_number) {
    const RegisterFile& file = machine().isa().register_files[file_index];
    const std::string name = machine().register_name(file_index, register_number);
    Json variable = {{"name", name}, {"evaluateName", name}, {"variablesReference", 0}};
    variable["type"] =
        file.lanes > 1 ? fmt::format("{} lanes of {} bits", file.lanes, file.bits) : fmt::format("{} bits", file.bits);
    if (file.lanes == 1) {
        variable["value"] = hexadecimal(machine().get(file_index, register_number), file.bits);
    } else if (in.lane >= 0) {
        const auto lane = static_cast<unsigned>(in.lane);
        variable["value"] = lane < file.lanes ? hexadecimal(machine().get(file_index, register_number, lane), file.bits)
                                              : "no such lane";
        variable["evaluateName"] = fmt::format("{}[{}]", name, lane);
    } else {
        variable["value"] = lanes_text(register_lanes(machine(), file_index, register_number), file.bits);
        variable["variablesReference"] =
            reference({Holder::Kind::lanes, in.hart, in.lane, file_index, register_number});
        variable["indexedVariables"] = file.lanes;
    }
    return variable;
}

Json Adapter::variables(const Json& arguments) {
    const Holder* const found = holder(arguments, "variablesReference");
    if (found == nullptr) return fail("there is nothing of this number any more");
    const Holder in = *found;
    if (!execution_->choose(in.hart)) return fail("there is no such thread");
    const Isa& isa = machine().isa();
    const std::uint64_t start = count(arguments, "start").value_or(0);
    const std::uint64_t wanted = count(arguments, "count").value_or(0);
    const std::uint64_t most = wanted == 0 ? most_children : std::min(wanted, most_children);
    Json all = Json::array();
    const auto each_of = [&](std::uint64_t size, const auto& add) {
        for (std::uint64_t i = start; i < size && i - start < most; ++i) add(i);
    };
    switch (in.kind) {
        case Holder::Kind::singles:
            all.push_back({{"name", "pc"},
                           {"value", fmt::format("{:#x}", machine().pc())},
                           {"evaluateName", "pc"},
                           {"memoryReference", fmt::format("{:#x}", machine().pc())},
                           {"variablesReference", 0}});
            for (Index file = 0; file < isa.register_files.size(); ++file)
                if (isa.register_files[file].index_bits == 0) all.push_back(register_variable(in, file, 0));
            break;
        case Holder::Kind::file:
            each_of(isa.register_files[in.file].count,
                    [&](std::uint64_t i) { all.push_back(register_variable(in, in.file, i)); });
            break;
        case Holder::Kind::lanes:
            each_of(isa.register_files[in.file].lanes, [&](std::uint64_t i) {
                const auto lane = static_cast<unsigned>(i);
                all.push_back(
                    {{"name", fmt::format("[{}]", i)},
                     {"value", hexadecimal(machine().get(in.file, in.number, lane), isa.register_files[in.file].bits)},
                     {"evaluateName", fmt::format("{}[{}]", machine().register_name(in.file, in.number), i)},
                     {"variablesReference", 0}});
            });
            break;
        case Holder::Kind::memories:
            for (Index memory = 0; memory < isa.memories.size(); ++memory)
                all.push_back({{"name", isa.memories[memory].name},
                               {"value", fmt::format("{} bytes from 0 on", machine().room(memory, 0))},
                               {"memoryReference", memory_reference(memory, 0)},
                               {"variablesReference", 0}});
            break;
        case Holder::Kind::pending:
            for (const PendingResult& each : machine().pending())
                all.push_back({{"name", each.target},
                               {"value", fmt::format("{:#x} in {} instruction{}", each.value, each.instructions,
                                                     each.instructions == 1 ? "" : "s")},
                               {"variablesReference", 0}});
            break;
    }
    return {{"variables", all}};
}

std::optional<Target> Adapter::target_of(const Holder& in, const std::string& name) const {
    Target target{.kind = Target::Kind::register_};
    if (in.kind == Holder::Kind::singles && name == "pc") return Target{.kind = Target::Kind::pc};
    if (in.kind == Holder::Kind::lanes) {
        const auto lane = name.size() > 2 && name.front() == '[' && name.back() == ']'
                              ? debugger::parse_number(std::string_view(name).substr(1, name.size() - 2))
                              : std::nullopt;
        const RegisterFile& file = machine().isa().register_files[in.file];
        if (!lane || *lane >= file.lanes) return std::nullopt;
        target.object = in.file, target.number = in.number, target.bits = file.bits;
        target.lane = static_cast<unsigned>(*lane), target.one_lane = true;
        return target;
    }
    if (in.kind != Holder::Kind::singles && in.kind != Holder::Kind::file) return std::nullopt;
    if (!debugger::find_register(machine(), name, target.object, target.number)) return std::nullopt;
    const RegisterFile& file = machine().isa().register_files[target.object];
    target.bits = file.bits;
    target.one_lane = in.lane >= 0;
    if (in.lane >= 0 && file.lanes > 1) target.lane = static_cast<unsigned>(in.lane);
    return target.lane < file.lanes ? std::optional(target) : std::nullopt;
}

// Of a vector without a lane all lanes.
Json Adapter::assign(const Target& target, const std::string& expression) {
    std::string error;
    const std::optional<Value> value = debugger_->control().evaluator().evaluate(expression, error);
    if (!value) return fail(error);
    if (target.kind == Target::Kind::none) return fail("this is no place that could be assigned");
    const bool all_lanes = target.kind == Target::Kind::register_ && !target.one_lane;
    const unsigned lanes = all_lanes ? machine().isa().register_files[target.object].lanes : 1;
    const debugger::Change change = [&map = debuggee_->map(), target, all_lanes, lanes,
                                     bits = value->value](Machine& to) {
        std::string problem;
        for (unsigned lane = 0; lane < lanes; ++lane) {
            Target one = target;
            if (all_lanes) one.lane = lane;
            if (!debugger::Evaluator(to, map).write(one, bits, problem)) return false;
        }
        return true;
    };
    if (!execution_->change(change)) return fail("this cannot be changed");
    std::uint64_t now = 0;
    debugger_->control().evaluator().read(target, now, error);
    return {{"value", hexadecimal(now, target.bits)}};
}

Json Adapter::set_variable(const Json& arguments) {
    const Holder* const found = holder(arguments, "variablesReference");
    if (found == nullptr || !execution_->choose(found->hart)) return fail("there is nothing of this number any more");
    const std::optional<Target> target = target_of(*found, text(arguments, "name"));
    if (!target) return fail(fmt::format("'{}' cannot be changed", text(arguments, "name")));
    return assign(*target, text(arguments, "value"));
}

Json Adapter::set_expression(const Json& arguments) {
    int lane = -1;
    if (const auto frame = count(arguments, "frameId"); frame && !choose(*frame, lane))
        return fail("there is no such frame");
    std::string error;
    const std::optional<Value> place = debugger_->control().evaluator().evaluate(text(arguments, "expression"), error);
    if (!place) return fail(error);
    return assign(place->target, text(arguments, "value"));
}

Json Adapter::value_body(const Value& value) {
    Json body = {{"variablesReference", 0}};
    const Target& target = value.target;
    const bool is_vector = target.kind == Target::Kind::register_ && !target.one_lane &&
                           machine().isa().register_files[target.object].lanes > 1;
    if (is_vector) {
        const RegisterFile& file = machine().isa().register_files[target.object];
        body["result"] = lanes_text(register_lanes(machine(), target.object, target.number), file.bits);
        body["variablesReference"] =
            reference({Holder::Kind::lanes, execution_->hart(), -1, target.object, target.number});
        body["indexedVariables"] = file.lanes;
        return body;
    }
    body["result"] = fmt::format("{} ({})", hexadecimal(value.value, value.bits), value.value);
    const std::string place = debuggee_->map().place(value.value);
    if (!place.empty() && target.kind == Target::Kind::pc)
        body["result"] = fmt::format("{:#x} <{}>", value.value, place);
    body["memoryReference"] = target.kind == Target::Kind::memory ? memory_reference(target.object, target.number)
                                                                  : fmt::format("{:#x}", value.value);
    return body;
}

Json Adapter::evaluate(const Json& arguments) {
    int lane = -1;
    if (const auto frame = count(arguments, "frameId"); frame && !choose(*frame, lane))
        return fail("there is no such frame");
    const std::string expression = text(arguments, "expression");
    if (text(arguments, "context") == "repl") return evaluate_command(expression);
    std::string error;
    const std::optional<Value> value = debugger_->control().evaluator().evaluate(expression, error);
    return value ? value_body(*value) : fail(error);
}

// A command of the terminal's debugger, or an expression. It may have let the program run.
Json Adapter::evaluate_command(const std::string& line) {
    if (is_running()) return fail("the program runs; pause stops it");
    const std::uint64_t moment = execution_->history().now(), pc = machine().pc();
    const unsigned hart = execution_->hart();
    goes_on_ = false;
    std::string said = debugger_->execute(line);
    if (debugger_->failed() && said.starts_with("error: there is no command")) {
        std::string error;
        if (const auto value = debugger_->control().evaluator().evaluate(line, error)) return value_body(*value);
    }
    if (debugger_->finished()) {
        afterwards_ = [this] { event("terminated"); };
    } else if (execution_->history().now() != moment || machine().pc() != pc || execution_->hart() != hart) {
        moved();
        afterwards_ = [this] { stopped("step", {}); };
    } else {
        afterwards_ = [this] { event("invalidated", {{"areas", Json::array({"variables"})}}); };
    }
    if (debugger_->failed()) return fail(said);
    while (said.ends_with('\n')) said.pop_back();
    return {{"result", said}, {"variablesReference", 0}};
}

Json Adapter::completions(const Json& arguments) {
    std::string line = text(arguments, "text");
    const std::uint64_t column = count(arguments, "column").value_or(line.size() + 1);
    line.resize(std::min<std::uint64_t>(line.size(), column == 0 ? 0 : column - 1));
    Json targets = Json::array();
    constexpr std::size_t most_targets = 200;
    for (const std::string& each : debugger_->completions(line)) {
        if (targets.size() >= most_targets) break;
        targets.push_back({{"label", each}});
    }
    return {{"targets", targets}};
}

}  // namespace isaforge::dap
