// Memory and code by their addresses.
#include <fmt/format.h>

#include <algorithm>

#include "dap/adapter.hpp"
#include "dap/base64.hpp"
#include "isa/words.hpp"

namespace isaforge::dap {

namespace {

constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::uint64_t most_instructions = 4096;

}  // namespace

// The first memory needs no name; it is where expressions look for an address, too.
std::string Adapter::memory_reference(Index memory, std::uint64_t address) const {
    return memory == 0 ? fmt::format("{:#x}", address)
                       : fmt::format("{}:{:#x}", machine().isa().memories[memory].name, address);
}

bool Adapter::find_memory(const std::string& reference, std::int64_t offset, Index& memory,
                          std::uint64_t& address) const {
    const std::size_t colon = reference.find(':');
    memory = colon == std::string::npos ? 0 : machine().find_memory(reference.substr(0, colon));
    if (memory == no_index || memory >= machine().isa().memories.size()) return false;
    const auto begin = debugger::parse_number(std::string_view(reference).substr(colon + 1));
    if (!begin) return false;
    const std::int64_t unit = machine().isa().memories[memory].unit_bytes();
    address = *begin + static_cast<std::uint64_t>(offset / unit);
    return true;
}

Json Adapter::read_memory(const Json& arguments) {
    Index memory = 0;
    std::uint64_t address = 0;
    if (!find_memory(text(arguments, "memoryReference"), number(arguments, "offset").value_or(0), memory, address))
        return fail("there is no such memory");
    const std::uint64_t wanted = count(arguments, "count").value_or(0);
    const std::uint64_t there = std::min({wanted, machine().room(memory, address), most_bytes});
    std::vector<std::uint8_t> bytes(there);
    if (there != 0 && !debugger::read_bytes(machine(), memory, address, bytes)) bytes.clear();
    Json body = {{"address", fmt::format("{:#x}", address)}, {"data", to_base64(bytes)}};
    if (bytes.size() < wanted) body["unreadableBytes"] = wanted - bytes.size();
    return body;
}

Json Adapter::write_memory(const Json& arguments) {
    Index memory = 0;
    std::uint64_t address = 0;
    if (!find_memory(text(arguments, "memoryReference"), number(arguments, "offset").value_or(0), memory, address))
        return fail("there is no such memory");
    std::optional<std::vector<std::uint8_t>> bytes = from_base64(text(arguments, "data"));
    if (!bytes || bytes->size() > most_bytes) return fail("this is no base64, or too much at once");
    if (flag(arguments, "allowPartial"))
        bytes->resize(std::min<std::uint64_t>(bytes->size(), machine().room(memory, address)));
    const std::size_t size = bytes->size();
    const debugger::Change change = [memory, address, kept = std::move(*bytes)](Machine& to) {
        return debugger::write_bytes(to, memory, address, kept);
    };
    if (size != 0 && !execution_->change(change, size)) return fail("not all of that is there");
    afterwards_ = [this] { event("invalidated", {{"areas", Json::array({"variables"})}}); };
    return {{"bytesWritten", size}};
}

Json Adapter::instruction(std::uint64_t address, bool with_symbols) {
    Json one = {{"address", fmt::format("{:#x}", address)}};
    const debugger::ProgramMap& map = debuggee_->map();
    if (!machine().has_code(address)) {
        one["instruction"] = "outside the code";
        one["presentationHint"] = "invalid";
        return one;
    }
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    debugger::Labels labels(map);
    if (machine().decode(address, form, image, bits)) {
        char buffer[Codec::max_text];
        one["instruction"] =
            std::string(buffer, debuggee_->machine().codec().print(buffer, form, image, bits, address, &labels));
        one["instructionBytes"] = words_in_hex(machine().isa(), image, bits, " ");
    } else {
        one["instruction"] = "illegal";
        one["presentationHint"] = "invalid";
    }
    const debugger::NamedAddress* const label = with_symbols ? map.label_before(address) : nullptr;
    if (label != nullptr && label->value == address) one["symbol"] = label->name;
    if (const auto line = map.line_of(address)) {
        one["location"] = source_body(line->file);
        one["line"] = static_cast<std::int64_t>(line->line) - 1 + first_line_;
    }
    return one;
}

// As many as are asked for, what lies outside of the code included: clients count on that.
Json Adapter::disassemble(const Json& arguments) {
    const auto begin = debugger::parse_number(text(arguments, "memoryReference"));
    if (!begin) return fail("there is no such address");
    const std::int64_t unit = std::max(1u, machine().isa().address_bits / 8);
    std::uint64_t address = *begin + static_cast<std::uint64_t>(number(arguments, "offset").value_or(0) / unit);
    const std::uint64_t wanted = std::min(count(arguments, "instructionCount").value_or(0), most_instructions);
    const bool with_symbols = flag(arguments, "resolveSymbols", true);
    std::int64_t skip = number(arguments, "instructionOffset").value_or(0);
    const debugger::Control& control = debugger_->control();
    Json all = Json::array();
    constexpr std::int64_t furthest = 1 << 16;
    skip = std::clamp(skip, -furthest, furthest);
    for (; skip > 0; --skip) address += control.length_at(address);
    const std::uint64_t step = control.length_at(address);
    // Instructions may lie apart from those that are found by reading on.
    std::vector<std::uint64_t> places{address};
    for (; skip < 0; ++skip) {
        const std::uint64_t earlier = control.begin_before(address, 1);
        address = earlier < address ? earlier : address - step;  // below 0 it wraps, where nothing is
        places.push_back(address);
    }
    while (all.size() < wanted) {
        all.push_back(instruction(places.back(), with_symbols));
        if (places.size() > 1)
            places.pop_back();
        else
            places.back() += control.length_at(places.back());
    }
    return {{"instructions", all}};
}

}  // namespace isaforge::dap
