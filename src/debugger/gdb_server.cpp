#include "debugger/gdb_server.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "debugger/gdb_packet.hpp"

namespace isaforge::debugger {

namespace {

// Errors have numbers, which no debugger shows differently.
const std::string bad_request = "E01", no_such_place = "E14";
constexpr unsigned memory_shift = 56;

// Numbers of signals in the protocol.
constexpr unsigned sigint = 2, sigill = 4, sigtrap = 5, sigabrt = 6, sigbus = 10, sigsegv = 11;

unsigned signal_of(StopReason reason) {
    switch (reason) {
        case StopReason::bad_read:
        case StopReason::bad_write:
        case StopReason::bad_execute: return sigsegv;
        case StopReason::misaligned:
        case StopReason::misaligned_code: return sigbus;
        case StopReason::illegal:
        case StopReason::undefined:
        case StopReason::bad_index: return sigill;
        default: return sigabrt;
    }
}

bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

// "address,length", and what follows.
bool take_pair(std::string_view& text, std::uint64_t& first, std::uint64_t& second) {
    const auto a = take_hex(text);
    if (!a || !take(text, ",")) return false;
    const auto b = take_hex(text);
    if (!b) return false;
    first = *a, second = *b;
    return true;
}

// How the protocol names a watchpoint: by a number where it is set, by a word where it stops.
constexpr std::string_view watch_names[] = {"watch", "rwatch", "awatch"};
std::uint64_t type_of(const Watch& watch) {
    return watch.when == Watch::When::changed ? 2 : watch.when == Watch::When::read ? 3 : 4;
}
std::uint64_t place_of(const Watch& watch) { return std::uint64_t{watch.object} << memory_shift | watch.number; }

// What lldb asks of the machine as a whole. Without an architecture it takes its own host's, whose registers it adds to
// ours; RISC-V's it leaves alone.
std::string host_text(const RemoteTarget& target) {
    std::string text =
        fmt::format("endian:{};ptrsize:{};", target.big_endian() ? "big" : "little", target.address_bytes());
    if (target.big_endian()) return text;
    return "triple:" + to_hex(fmt::format("riscv{}-unknown-unknown", target.address_bytes() * 8)) + ";" + text;
}

}  // namespace

GdbServer::GdbServer(Execution& execution, Debugger& debugger)
    : execution_(execution),
      debugger_(debugger),
      target_(std::make_shared<const RemoteTarget>(execution.machine())),
      description_(target_->xml()),
      code_bytes_(std::max(1u, execution.machine().isa().address_bits / 8)) {}

std::string GdbServer::answer(std::string_view packet) {
    sends_reply_ = true;
    if (packet.empty()) return {};
    const char kind = packet[0];
    std::string_view rest = packet.substr(1);
    switch (kind) {
        case '?': return stop_reply(last_);
        case 'g': return all_registers();
        case 'G': return set_all_registers(rest);
        case 'p': return get_register(rest);
        case 'P': return set_register(rest);
        case 'm': return read_memory(rest);
        case 'M': return write_memory(rest, false);
        case 'X': return write_memory(rest, true);
        case 'Z': return point(rest, true);
        case 'z': return point(rest, false);
        case 'c': return go_on(false, rest);
        case 's': return go_on(true, rest);
        case 'b':
            if (packet == "bs") return go_back(true);
            return packet == "bc" ? go_back(false) : std::string{};
        case 'C':
        case 'S': {  // the signal is dropped: programs here get none
            if (!take_hex(rest) || (!rest.empty() && !take(rest, ";"))) return bad_request;
            return go_on(kind == 'S', rest);
        }
        case 'H': return choose_thread(rest);
        case 'T': return hart_of(rest) ? "OK" : bad_request;
        case 'D': end_ = End::detached; return "OK";
        case 'k':
            end_ = End::killed;
            sends_reply_ = false;
            return {};
        case 'q':
        case 'Q': return query(packet);
        case 'v':
            if (packet == "vCont?") return "vCont;c;C;s;S";
            if (take(rest, "Cont;")) return vcont(rest);
            if (take(rest, "Kill")) {
                end_ = End::killed;
                return "OK";
            }
            return {};
        default: return {};
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Questions

std::string GdbServer::query(std::string_view packet) {
    if (take(packet, "qSupported")) return supported(packet);
    if (packet == "QStartNoAckMode") {
        without_acknowledgements_ = true;
        return "OK";
    }
    if (take(packet, "qXfer:features:read:")) return transfer(packet);
    if (take(packet, "qRcmd,")) return monitor(packet);
    if (packet == "qAttached" || packet.starts_with("qAttached:")) return "1";
    if (packet == "qC") return fmt::format("QC{:x}", execution_.hart() + 1);
    if (packet == "qfThreadInfo") {
        std::string threads = "m1";
        for (unsigned hart = 1; hart < execution_.harts(); ++hart) threads += fmt::format(",{:x}", hart + 1);
        return threads;
    }
    if (packet == "qsThreadInfo") return "l";
    if (take(packet, "qThreadExtraInfo,")) {
        const std::optional<unsigned> hart = hart_of(packet);
        return hart ? to_hex(execution_.hart_text(*hart)) : bad_request;
    }
    if (take(packet, "qSymbol:")) return "OK";
    std::string sizes = host_text(*target_);
    if (packet == "qHostInfo") return sizes;
    if (packet == "qProcessInfo") return "pid:1;" + sizes;
    if (take(packet, "qRegisterInfo")) {
        const auto number = take_hex(packet);
        const std::string text = number ? target_->register_info(*number) : std::string{};
        return text.empty() ? "E45" : text;
    }
    return {};
}

std::string GdbServer::supported(std::string_view features) {
    // What gdb offers, and lldb does not.
    const bool is_gdb = features.find("qRelocInsn+") != std::string_view::npos;
    target_ = std::make_shared<const RemoteTarget>(machine(), is_gdb);
    description_ = target_->xml();
    tells_breakpoints_ = features.find("swbreak+") != std::string_view::npos;
    return fmt::format(
        "PacketSize={:x};qXfer:features:read+;QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;"
        "ReverseStep+;ReverseContinue+",
        most_packet_bytes);
}

// annex:offset,length of the target description
std::string GdbServer::transfer(std::string_view request) {
    if (!take(request, "target.xml:")) return "E00";
    std::uint64_t offset = 0, length = 0;
    if (!take_pair(request, offset, length) || !request.empty()) return bad_request;
    if (offset > description_.size()) return bad_request;
    length = std::min<std::uint64_t>(length, most_packet_bytes / 4);
    const bool last = description_.size() - offset <= length;
    return (last ? "l" : "m") + description_.substr(offset, length);
}

std::string GdbServer::monitor(std::string_view hex) {
    const std::optional<std::string> command = from_hex(hex);
    if (!command) return bad_request;
    std::string text = debugger_.execute(*command);
    if (text.empty()) return "OK";
    constexpr std::size_t most = most_packet_bytes / 2 - 64;
    if (text.size() > most) {
        text.resize(most);
        text += "\n";
    }
    return to_hex(text);
}

// ---------------------------------------------------------------------------------------------------------------------
// State

std::string GdbServer::all_registers() const {
    std::string bytes;
    for (const RemoteRegister& each : target_->registers())
        bytes += each.is_pc ? pc_bytes() : target_->read(machine(), each);
    return to_hex(bytes);
}

std::string GdbServer::set_all_registers(std::string_view hex) {
    const std::optional<std::string> bytes = from_hex(hex);
    const RemoteRegister& last = target_->registers().back();
    if (!bytes || bytes->size() != last.offset + last.bytes()) return bad_request;
    for (const RemoteRegister& each : target_->registers()) {
        set_one(each, std::string_view(*bytes).substr(each.offset, each.bytes()));
    }
    return "OK";
}

// pc as the debugger is to see it.
std::string GdbServer::pc_bytes() const {
    const RemoteRegister& pc = target_->registers()[target_->pc_number()];
    if (!before_ || before_->hart != execution_.hart()) return target_->read(machine(), pc);
    return target_->number_as_bytes(before_->address * code_bytes_, pc);
}

// Where pc is set to what is seen there, nothing moves.
bool GdbServer::set_one(const RemoteRegister& reg, std::string_view bytes) {
    if (reg.is_pc && bytes == pc_bytes()) return true;
    if (reg.is_pc) before_.reset();
    if (bytes.size() != reg.bytes()) return false;
    if (!reg.is_pc && target_->read(machine(), reg) == bytes) return true;
    const Change change = [target = target_, number = &reg - target_->registers().data(),
                           kept = std::string(bytes)](Machine& to) {
        return target->write(to, target->registers()[static_cast<std::size_t>(number)], kept);
    };
    return execution_.change(change, bytes.size());
}

std::string GdbServer::get_register(std::string_view text) const {
    const auto number = take_hex(text);
    if (!number || !text.empty() || *number >= target_->registers().size()) return bad_request;
    const RemoteRegister& reg = target_->registers()[*number];
    return to_hex(reg.is_pc ? pc_bytes() : target_->read(machine(), reg));
}

std::string GdbServer::set_register(std::string_view text) {
    const auto number = take_hex(text);
    if (!number || !take(text, "=") || *number >= target_->registers().size()) return bad_request;
    const std::optional<std::string> bytes = from_hex(text);
    if (!bytes || !set_one(target_->registers()[*number], *bytes)) return bad_request;
    return "OK";
}

bool GdbServer::find_memory(std::uint64_t address, Index& memory, std::uint64_t& inside) const {
    memory = static_cast<Index>(address >> memory_shift);
    inside = address & low_bits(memory_shift);
    return memory < machine().isa().memories.size();
}

// Fewer bytes than were asked for say where the memory ends.
std::string GdbServer::read_memory(std::string_view text) {
    std::uint64_t address = 0, length = 0;
    Index memory = 0;
    if (!take_pair(text, address, length) || !text.empty()) return bad_request;
    if (!find_memory(address, memory, address)) return no_such_place;
    length = std::min<std::uint64_t>(length, most_packet_bytes / 2);
    std::vector<std::uint8_t> bytes(length);
    if (length == 0) return {};
    if (!read_bytes(machine(), memory, address, bytes)) {
        std::size_t there = 0;
        while (there < length && read_bytes(machine(), memory, address + there, std::span(bytes).subspan(there, 1)))
            ++there;
        if (there == 0) return no_such_place;
        bytes.resize(there);
    }
    return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string GdbServer::write_memory(std::string_view text, bool binary) {
    std::uint64_t address = 0, length = 0;
    Index memory = 0;
    if (!take_pair(text, address, length) || !take(text, ":")) return bad_request;
    const std::optional<std::string> bytes = binary ? std::string(text) : from_hex(text);
    if (!bytes || bytes->size() != length) return bad_request;
    if (length == 0) return "OK";  // asks whether X is known
    if (!find_memory(address, memory, address)) return no_such_place;
    const Change change = [memory, address, kept = *bytes](Machine& to) {
        return write_bytes(to, memory, address, {reinterpret_cast<const std::uint8_t*>(kept.data()), kept.size()});
    };
    return execution_.change(change, bytes->size()) ? "OK" : no_such_place;
}

// type,address,kind: 0 and 1 are breakpoints; 2, 3 and 4 are watchpoints for writing, reading and both, whose kind is the
// length.
std::string GdbServer::point(std::string_view text, bool on) {
    const auto type = take_hex(text);
    std::uint64_t address = 0, length = 0;
    if (!type || !take(text, ",") || !take_pair(text, address, length)) return bad_request;
    if (*type > 4) return {};
    if (breakpoints_.size() + watches_.size() > most_points && on) return bad_request;
    if (*type < 2) {
        if (address % code_bytes_ != 0 || !machine().has_code(address / code_bytes_)) return no_such_place;
        const bool changes = on ? breakpoints_.insert(address).second : breakpoints_.erase(address) != 0;
        if (changes && on) execution_.add_breakpoint(address / code_bytes_);
        if (changes && !on) execution_.remove_breakpoint(address / code_bytes_);
        return "OK";
    }
    Watch watch;
    watch.when = *type == 2 ? Watch::When::changed : *type == 3 ? Watch::When::read : Watch::When::accessed;
    watch.length = length;
    const std::tuple key{*type, address, length};
    if (!find_memory(address, watch.object, watch.number)) return no_such_place;
    if (!on) {
        if (watches_.erase(key) != 0) execution_.remove_watch(watch);
        return "OK";
    }
    if (watches_.contains(key)) return "OK";
    if (!execution_.add_watch(watch)) return no_such_place;
    watches_.insert(key);
    return "OK";
}

// ---------------------------------------------------------------------------------------------------------------------
// Running

// 0 means any thread, -1 all of them.
std::optional<unsigned> GdbServer::hart_of(std::string_view thread) const {
    if (thread.starts_with("p")) {  // pPID.TID
        const std::size_t dot = thread.find('.');
        thread = dot == std::string_view::npos ? "0" : thread.substr(dot + 1);
    }
    if (thread == "-1") return execution_.hart();
    const auto number = take_hex(thread);
    if (!number || !thread.empty() || *number > execution_.harts()) return std::nullopt;
    return *number == 0 ? execution_.hart() : static_cast<unsigned>(*number - 1);
}

// Hg1: the thread of what follows.
std::string GdbServer::choose_thread(std::string_view text) {
    const std::optional<unsigned> hart = text.empty() ? std::nullopt : hart_of(text.substr(1));
    return hart && execution_.choose(*hart) ? "OK" : bad_request;
}

// action[:thread];… Continuing lets all harts run. A step is one hart's, and the others wait.
std::string GdbServer::vcont(std::string_view actions) {
    const std::string_view first = actions.substr(0, actions.find(';'));
    const std::string_view action = first.substr(0, first.find(':'));
    if (action.empty()) return bad_request;
    const bool names_thread = first.size() > action.size();
    const std::optional<unsigned> hart = hart_of(names_thread ? first.substr(action.size() + 1) : "0");
    if (!hart || !execution_.choose(*hart)) return bad_request;
    switch (action[0]) {
        case 'c':
        case 'C': return go_on(false, {});
        case 's':
        case 'S': return go_on(true, {});
        default: return bad_request;
    }
}

// Leaves the instruction that only seems to be still to come. True where that was all there is to do.
bool GdbServer::go_behind(bool step) {
    const bool here = before_ && before_->hart == execution_.hart();
    before_.reset();
    return here && step;
}

std::string GdbServer::go_on(bool step, std::string_view address) {
    if (!address.empty()) {
        const auto to = take_hex(address);
        if (!to || !address.empty()) return bad_request;
        const std::uint64_t pc = *to / code_bytes_;
        execution_.change([pc](Machine& one) { return one.set_pc(pc), true; });
        before_.reset();
    }
    if (go_behind(step)) {
        last_ = {};
        return stop_reply(last_);
    }
    if (step) {
        last_ = execution_.step();
    } else {
        run();
    }
    if (last_.kind == Stop::Kind::watch && !last_.watch.is_register && target_->for_gdb())
        before_ = {execution_.hart(), last_.address};
    return stop_reply(last_);
}

// What seemed to be still to come is undone by going back over it; what is watched has not been accessed then.
std::string GdbServer::go_back(bool step) {
    const bool seems_done = before_ && before_->hart == execution_.hart();
    before_.reset();
    if (step || seems_done) last_ = execution_.step_back();
    if (!step && last_.kind != Stop::Kind::beginning)
        last_ = execution_.run_back(
            [this](const Stop& stop) { return is_ours(stop) || debugger_.control().would_stop(stop); });
    return stop_reply(last_);
}

// Until a stop that somebody wants.
void GdbServer::run() {
    for (std::uint64_t stops = 1;; ++stops) {
        last_ = execution_.run();
        const bool may_be_refused = last_.kind == Stop::Kind::breakpoint || last_.kind == Stop::Kind::watch;
        if (!may_be_refused || is_ours(last_) || debugger_.control().hit(last_) != nullptr) return;
        constexpr std::uint64_t stops_between_looks = 1 << 10;
        if (stops % stops_between_looks == 0 && execution_.interrupted && execution_.interrupted()) {
            last_.kind = Stop::Kind::interrupted;
            return;
        }
    }
}

// Whether the debugger on the other side has asked for this stop.
bool GdbServer::is_ours(const Stop& stop) const {
    if (stop.kind == Stop::Kind::breakpoint) return breakpoints_.contains(machine().pc() * code_bytes_);
    const Watch& watch = stop.watch;
    return !watch.is_register && watches_.contains({type_of(watch), place_of(watch), watch.length});
}

std::string GdbServer::stop_reply(const Stop& stop) const {
    std::string state =
        fmt::format("{:02x}:{};thread:{:x};", target_->pc_number(), to_hex(pc_bytes()), execution_.hart() + 1);
    switch (stop.kind) {
        case Stop::Kind::interrupted: return fmt::format("T{:02x}{}", sigint, state);
        case Stop::Kind::machine:
            if (stop.result.reason == StopReason::stopped) {
                return fmt::format("W{:02x}", static_cast<unsigned>(stop.result.exit_status.value_or(0)) & 0xff);
            }
            return fmt::format("T{:02x}{}", signal_of(stop.result.reason), state);
        case Stop::Kind::breakpoint:
            if (tells_breakpoints_) state += "swbreak:;";
            break;
        case Stop::Kind::watch:
            if (stop.watch.is_register) break;
            state += fmt::format("{}:{:x};", watch_names[type_of(stop.watch) - 2], place_of(stop.watch));
            break;
        case Stop::Kind::beginning: state += "replaylog:begin;"; break;
        default: break;
    }
    return fmt::format("T{:02x}{}", sigtrap, state);
}

}  // namespace isaforge::debugger
