// Breakpoints: each request says all that there are of its kind, in the place of those before.
#include <fmt/format.h>

#include <algorithm>

#include "dap/adapter.hpp"

namespace isaforge::dap {

using debugger::Point;
using debugger::Watch;

namespace {

constexpr std::size_t most_wanted = 10000;
constexpr const char* access_types[] = {"read", "write", "readWrite"};

std::string watch_id(const Watch& watch) {
    return watch.is_register ? fmt::format("register:{}:{}:{}", watch.hart, watch.object, watch.number)
                             : fmt::format("memory:{}:{:#x}:{}", watch.object, watch.number, watch.length);
}

// Three numbers with colons between them.
std::optional<Watch> parse_watch_id(std::string_view text) {
    const bool is_register = text.starts_with("register:");
    if (!is_register && !text.starts_with("memory:")) return std::nullopt;
    std::uint64_t numbers[3] = {};
    for (std::uint64_t& each : numbers) {
        const std::size_t colon = text.find(':');
        if (colon == std::string_view::npos) return std::nullopt;
        text.remove_prefix(colon + 1);
        const auto value = debugger::parse_number(text.substr(0, text.find(':')));
        if (!value) return std::nullopt;
        each = *value;
    }
    Watch watch{.is_register = is_register};
    if (numbers[0] > 0xffff || (is_register && numbers[1] > 0xffff)) return std::nullopt;
    watch.object = static_cast<Index>(is_register ? numbers[1] : numbers[0]);
    watch.number = is_register ? numbers[2] : numbers[1];
    if (is_register)
        watch.hart = static_cast<unsigned>(numbers[0]);
    else
        watch.length = numbers[2];
    return watch;
}

}  // namespace

// What a client says of a breakpoint of any kind. A condition that cannot be computed now is refused: it would stop the
// program every time.
Json Adapter::add_point(std::vector<unsigned>& numbers, const Json& wanted, std::optional<Point> point, Json result) {
    debugger::Control& control = debugger_->control();
    const Point* added = nullptr;
    if (point) {
        std::string error;
        point->condition = text(wanted, "condition");
        point->log = text(wanted, "logMessage");
        const auto rule = debugger::parse_hit_rule(text(wanted, "hitCondition"));
        if (!point->condition.empty() && !control.evaluator().evaluate(point->condition, error))
            result["message"] = "the condition: " + error;
        else if (!rule)
            result["message"] = "a hit condition is a number, with >, >=, <, <=, == or % before it";
        else
            point->rule = *rule, added = control.add(std::move(*point));
        if (rule && added == nullptr && error.empty())
            result["message"] = "this cannot be watched, or there are too many breakpoints";
    }
    result["verified"] = added != nullptr;
    constexpr unsigned first_unplaced = 1u << 30;
    result["id"] = added != nullptr ? added->number : first_unplaced + ++unplaced_ % first_unplaced;
    if (added == nullptr) return result;
    numbers.push_back(added->number);
    if (!added->is_watch) result["instructionReference"] = fmt::format("{:#x}", added->address);
    return result;
}

Json Adapter::replace_points(const std::string& origin, const Json& wanted,
                             const std::function<std::optional<Point>(const Json& each, Json& result)>& make) {
    constexpr std::size_t most_origins = 10000;
    if (points_.size() >= most_origins && !points_.contains(origin)) return fail("there are too many breakpoints");
    std::vector<unsigned>& numbers = points_[origin];
    for (const unsigned number : numbers) {
        debugger_->control().remove(number);
        origins_.erase(number);
    }
    numbers.clear();
    Json results = Json::array();
    if (wanted.is_array()) {
        for (const Json& each : wanted) {
            if (results.size() >= most_wanted) break;
            Json result = Json::object();
            std::optional<Point> point = make(each, result);
            results.push_back(add_point(numbers, each, std::move(point), std::move(result)));
        }
    }
    for (const unsigned number : numbers) origins_[number] = origin;
    if (numbers.empty()) points_.erase(origin);
    return {{"breakpoints", results}};
}

Json Adapter::set_breakpoints(const Json& arguments) {
    const Json& from = member(arguments, "source");
    const std::optional<std::string> file = file_of(from);
    const std::string origin = "source " + (file ? *file : text(from, "path"));
    return replace_points(origin, member(arguments, "breakpoints"), [&](const Json& each, Json& result) {
        const std::optional<std::uint64_t> line = count(each, "line");
        std::optional<Point> point;
        const std::uint64_t wanted = line ? *line + 1 - static_cast<std::uint64_t>(first_line_) : 0;
        std::optional<std::uint64_t> address;
        if (file && line && wanted <= ~std::uint32_t{0})
            address = debuggee_->map().address_of(*file, static_cast<std::uint32_t>(wanted));
        if (line) result["line"] = *line;
        if (!address) {
            result["message"] =
                file ? "no code comes from this line, or one behind it" : "no code comes from this file";
            return point;
        }
        if (const auto at = debuggee_->map().line_of(address.value_or(0)))
            result["line"] = static_cast<std::int64_t>(at->line) - 1 + first_line_;
        result["source"] = source_body(*file);
        return std::optional(Point{.address = address.value_or(0)});
    });
}

Json Adapter::set_function_breakpoints(const Json& arguments) {
    return replace_points("function", member(arguments, "breakpoints"), [&](const Json& each, Json& result) {
        const debugger::NamedAddress* const found = debugger::find_symbol(debuggee_->map(), text(each, "name"));
        if (found != nullptr && machine().has_code(found->value)) return std::optional(Point{.address = found->value});
        result["message"] = fmt::format("there is no label '{}' in the code", text(each, "name"));
        return std::optional<Point>();
    });
}

Json Adapter::set_instruction_breakpoints(const Json& arguments) {
    return replace_points("instruction", member(arguments, "breakpoints"), [&](const Json& each, Json& result) {
        const auto begin = debugger::parse_number(text(each, "instructionReference"));
        const std::uint64_t bytes = std::max(1u, machine().isa().address_bits / 8);
        const std::uint64_t offset =
            static_cast<std::uint64_t>(number(each, "offset").value_or(0) / static_cast<std::int64_t>(bytes));
        if (begin && machine().has_code(*begin + offset)) return std::optional(Point{.address = *begin + offset});
        result["message"] = "there is no code";
        return std::optional<Point>();
    });
}

Json Adapter::set_data_breakpoints(const Json& arguments) {
    return replace_points("data", member(arguments, "breakpoints"), [&](const Json& each, Json& result) {
        std::optional<Watch> watch = parse_watch_id(text(each, "dataId"));
        const std::string type = text(each, "accessType");
        if (watch && watch->hart >= execution_->harts()) watch.reset();
        if (!watch) {
            result["message"] = "this is nothing that can be watched";
            return std::optional<Point>();
        }
        watch->when = type == access_types[0]   ? Watch::When::read
                      : type == access_types[2] ? Watch::When::accessed
                                                : Watch::When::changed;
        return std::optional(Point{.is_watch = true, .watch = *watch});
    });
}

Json Adapter::set_exception_breakpoints(const Json&) { return {{"breakpoints", Json::array()}}; }

// A variable by its name, or an expression, or an address of so many bytes.
Json Adapter::data_breakpoint_info(const Json& arguments) {
    const std::string name = text(arguments, "name");
    std::string error = fmt::format("'{}' is nothing that can be watched", name);
    std::optional<Watch> watch;
    int lane = -1;
    if (const auto frame = count(arguments, "frameId"); frame && !choose(*frame, lane))
        return fail("there is no such frame");
    if (const Holder* const in = holder(arguments, "variablesReference")) {
        const auto target = target_of(*in, name);
        if (target && target->kind == debugger::Target::Kind::register_)
            watch = Watch{.is_register = true, .object = target->object, .number = target->number, .hart = in->hart};
    } else {
        watch = debugger_->control().watched(name, error);
    }
    if (watch && !watch->is_register)
        if (const auto bytes = count(arguments, "bytes")) watch->length = *bytes;
    if (!watch) return {{"dataId", nullptr}, {"description", error}};
    Json types = watch->is_register ? Json::array({"write"}) : Json::array({"read", "write", "readWrite"});
    return {{"dataId", watch_id(*watch)},
            {"description", debugger::watch_name(*watch, machine())},
            {"accessTypes", types},
            {"canPersist", true}};
}

Json Adapter::breakpoint_locations(const Json& arguments) {
    Json found = Json::array();
    const std::optional<std::string> file = file_of(member(arguments, "source"));
    const std::uint64_t from = count(arguments, "line").value_or(0), to = count(arguments, "endLine").value_or(from);
    constexpr std::uint64_t most_lines = 1000;
    for (std::uint64_t line = from; file && line <= to && line - from < most_lines; ++line) {
        const std::uint64_t asked = line + 1 - static_cast<std::uint64_t>(first_line_);
        if (asked > ~std::uint32_t{0}) break;
        const auto address = debuggee_->map().address_of(*file, static_cast<std::uint32_t>(asked));
        const auto at = address ? debuggee_->map().line_of(*address) : std::nullopt;
        if (at && at->line == asked) found.push_back({{"line", line}});
    }
    return {{"breakpoints", found}};
}

}  // namespace isaforge::dap
