// Machines that run programs: registers, memories, steps, breakpoints.
#include <algorithm>
#include <mutex>
#include <set>
#include <variant>

#include "isaforge/program.hpp"
#include "module.hpp"

namespace isaforge::python {

namespace {

// What a program reads is given before; what it writes is kept.
class KeptStreams : public Streams {
public:
    explicit KeptStreams(Bytes input) : input_(std::move(input)) {}

    std::size_t read(std::span<std::uint8_t> bytes) override {
        const std::lock_guard lock(mutex_);
        const std::size_t count = std::min(bytes.size(), input_.size() - read_);
        std::copy_n(input_.begin() + static_cast<std::ptrdiff_t>(read_), count, bytes.begin());
        read_ += count;
        return count;
    }
    bool ready() override { return true; }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override {
        const std::lock_guard lock(mutex_);
        Bytes& to = file == 2 ? errors_ : output_;
        to.insert(to.end(), bytes.begin(), bytes.end());
    }
    Bytes output() {
        const std::lock_guard lock(mutex_);
        return output_;
    }
    Bytes errors() {
        const std::lock_guard lock(mutex_);
        return errors_;
    }

private:
    std::mutex mutex_;
    Bytes input_, output_, errors_;
    std::size_t read_ = 0;
};

struct Step {
    std::uint64_t address = 0;
    std::string text, reason, message;
    bool executed = true;
    std::map<std::string, std::uint64_t> changes;
};

using Place = std::variant<std::uint64_t, std::string>;

class Emulator {
public:
    Emulator(std::shared_ptr<Description> description, std::shared_ptr<Program> program, std::uint64_t memory,
             unsigned harts, std::uint64_t seed, const std::string& engine, const std::string& checks, Bytes input,
             bool cycles)
        : description_(std::move(description)),
          program_(std::move(program)),
          streams_(std::make_shared<KeptStreams>(std::move(input))) {
        if (harts == 0 || harts > most_harts) throw py::value_error("harts: from 1 to " + std::to_string(most_harts));
        if (memory > most_memory_bytes) throw py::value_error("memory: so much there cannot be");
        MachineOptions options;
        options.memory_bytes = memory;
        options.harts = harts;
        options.seed = seed;
        options.engine = engine_named(engine);
        options.checks = checks_named(checks);
        options.count_cycles = cycles;
        options.streams = streams_;
        if (program_) {
            options.source_line = [lines = line_map(*program_)](std::uint64_t address) {
                const auto found = lines.find(address);
                return found == lines.end() ? std::string() : "line " + std::to_string(found->second);
            };
        }
        const py::gil_scoped_release unlocked;
        machine_ = std::make_unique<Machine>(description_->codec, options);
        if (!machine_->memory_problem().empty()) throw Failure(machine_->memory_problem());
        load();
    }

    Machine& machine() { return *machine_; }
    const Isa& isa() const { return *description_->isa; }

    // A long run looks now and then whether Python has a signal to handle, as Ctrl-C. With one hart pieces of a run are that
    // run; with several, the order of their turns would be another one.
    RunResult run(std::uint64_t limit) {
        constexpr std::uint64_t piece = 20'000'000;
        if (machine_->harts() > 1) {
            const py::gil_scoped_release unlocked;
            return machine_->run(limit);
        }
        RunResult all;
        for (;;) {
            RunResult result;
            {
                const py::gil_scoped_release unlocked;
                result = machine_->run(limit == 0 ? piece : std::min(piece, limit - all.instructions));
            }
            result.instructions += all.instructions;
            result.cycles += all.cycles;
            result.seconds += all.seconds;
            all = std::move(result);
            if (all.reason != StopReason::limit || (limit != 0 && all.instructions >= limit)) return all;
            if (breakpoints_.contains(machine_->pc())) {
                all.reason = StopReason::breakpoint;  // before which a run does not stop that begins there
                all.message.clear();
                return all;
            }
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        }
    }

    Step step() {
        const py::gil_scoped_release unlocked;
        TraceRecord record;
        const std::uint64_t before = machine_->pc();
        const RunResult result = machine_->step_any(&record);
        Step out;
        out.reason = reason_name(result.reason);
        out.message = result.message;
        out.address = record.form == no_index ? before : record.address;
        out.text = machine_->text(out.address);
        out.executed = record.form != no_index && record.executed;
        for (const TraceRecord::Change& change : record.changes) out.changes[change.name] = change.value;
        return out;
    }

    void reset() {
        const py::gil_scoped_release unlocked;
        machine_->reset();
        machine_->clear_memories();
        load();
    }

    std::uint64_t address_of(const Place& place) const {
        if (const auto* const address = std::get_if<std::uint64_t>(&place)) return *address;
        const auto& name = std::get<std::string>(place);
        if (program_) {
            const auto symbols = program_->symbols();
            if (const auto found = symbols.find(name); found != symbols.end()) return found->second;
        }
        throw py::key_error(name);
    }

    void set_breakpoint(const Place& place, bool on) {
        const std::uint64_t address = address_of(place);
        machine_->set_breakpoint(address, on);
        if (on)
            breakpoints_.insert(address);
        else
            breakpoints_.erase(address);
    }
    const std::set<std::uint64_t>& breakpoints() const { return breakpoints_; }

    Index memory_named(const std::string& name) const {
        const Index memory = name.empty() ? machine_->main_memory() : machine_->find_memory(name);
        if (memory >= isa().memories.size()) throw py::key_error(name.empty() ? "there is no memory" : name);
        return memory;
    }

    Bytes output() { return streams_->output(); }
    Bytes errors() { return streams_->errors(); }

private:
    void load() {
        if (!program_) return;
        if (const auto problem = load_object(*machine_, program_->with_addresses(), program_->has_flags))
            throw Failure(problem->message);
    }
    static std::map<std::uint64_t, std::uint32_t> line_map(const Program& program) {
        std::map<std::uint64_t, std::uint32_t> out;
        for (const Line& line : program.lines) out.emplace(line.address, line.number);
        return out;
    }

    std::shared_ptr<Description> description_;
    std::shared_ptr<Program> program_;
    std::shared_ptr<KeptStreams> streams_;
    std::unique_ptr<Machine> machine_;
    std::set<std::uint64_t> breakpoints_;
};

// The registers of a hart, as a mapping by name.
struct Registers {
    std::shared_ptr<Emulator> emulator;
    unsigned hart = 0;

    Machine& machine() const { return emulator->machine().hart(hart); }
    std::pair<Index, std::uint64_t> find(const std::string& name) const {
        Index file = no_index;
        std::uint64_t number = 0;
        if (!machine().find_register(name, file, number)) throw py::key_error(name);
        return {file, number};
    }
    py::object get(const std::string& name) const {
        const auto [file, number] = find(name);
        const std::vector<std::uint64_t> lanes = register_lanes(machine(), file, number);
        if (lanes.size() == 1) return py::int_(lanes.front());
        return py::array_t<std::uint64_t>(static_cast<py::ssize_t>(lanes.size()), lanes.data());
    }
    void set(const std::string& name, const py::object& value) const {
        const auto [file, number] = find(name);
        const unsigned lanes = emulator->isa().register_files[file].lanes;
        if (py::isinstance<py::int_>(value)) {
            for (unsigned lane = 0; lane < lanes; ++lane) machine().set(file, number, whole(value), lane);
            return;
        }
        const auto list = py::cast<py::sequence>(value);
        if (list.size() != lanes) throw py::value_error(name + " has " + std::to_string(lanes) + " lanes");
        for (unsigned lane = 0; lane < lanes; ++lane) machine().set(file, number, whole(list[lane]), lane);
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        const std::vector<RegisterFile>& files = emulator->isa().register_files;
        for (Index file = 0; file < files.size(); ++file) {
            for (std::uint64_t number = 0; number < files[file].count; ++number)
                out.push_back(machine().register_name(file, number));
        }
        return out;
    }

private:
    // Negative numbers are their two's complements.
    static std::uint64_t whole(const py::handle& value) {
        const std::uint64_t out =
            PyLong_AsUnsignedLongLongMask(py::int_(py::reinterpret_borrow<py::object>(value)).ptr());
        if (PyErr_Occurred() != nullptr) throw py::error_already_set();
        return out;
    }
};

// A memory as an array of its units, in place: index and address are the same.
py::array view_of(const std::shared_ptr<Emulator>& emulator, const std::string& name) {
    const Index memory = emulator->memory_named(name);
    const MemorySpace& space = emulator->isa().memories[memory];
    const std::span<std::uint8_t> bytes = emulator->machine().memory(memory);
    const std::string order = space.big_endian ? ">u" : "<u";
    const py::dtype type = py::dtype(order + std::to_string(space.unit_bytes()));
    const std::size_t units = bytes.size() / space.unit_bytes();
    return py::array(type, {units}, {std::size_t{space.unit_bytes()}}, bytes.data(), py::cast(emulator));
}

void write(Emulator& emulator, std::uint64_t address, const py::buffer& data, const std::string& memory) {
    const Bytes bytes = bytes_of(data);
    const Index to = emulator.memory_named(memory);
    if (!emulator.machine().load_data(to, address, bytes))
        throw py::index_error("not all of these addresses are there");
}

py::bytes read(Emulator& emulator, std::uint64_t address, std::uint64_t length, const std::string& memory) {
    const Index from = emulator.memory_named(memory);
    if (length > emulator.machine().room(from, address)) throw py::index_error("not all of these addresses are there");
    Bytes bytes(length);
    if (!emulator.machine().peek(from, address, bytes)) throw py::index_error("not all of these addresses are there");
    return to_bytes(bytes);
}

}  // namespace

void define_machine(py::module_& module) {
    py::class_<RunResult>(module, "RunResult", "How a run ended.")
        .def_property_readonly("reason", [](const RunResult& result) { return reason_name(result.reason); })
        .def_readonly("address", &RunResult::address, "Of the instruction that ended it, or of the next one")
        .def_readonly("instructions", &RunResult::instructions, "Executed in this run")
        .def_readonly("cycles", &RunResult::cycles, "That they took, where the machine counts them")
        .def_readonly("seconds", &RunResult::seconds)
        .def_readonly("exit_status", &RunResult::exit_status)
        .def_readonly("hart", &RunResult::hart)
        .def_readonly("message", &RunResult::message, "A line for people; empty where the program stopped by itself")
        .def_property_readonly("ok", &RunResult::ok)
        .def("__bool__", &RunResult::ok)
        .def("__repr__", [](const RunResult& result) {
            return std::string("<RunResult ") + reason_name(result.reason) + ", " +
                   std::to_string(result.instructions) + " instructions>";
        });

    py::class_<Step>(module, "Step", "What one instruction did.")
        .def_readonly("address", &Step::address)
        .def_readonly("text", &Step::text)
        .def_readonly("executed", &Step::executed, "Whether its guard held, and nothing went wrong")
        .def_readonly("changes", &Step::changes, "What it wrote: registers, memory, pc; of several lanes the first")
        .def_readonly("reason", &Step::reason, "\"running\", or why the run is over")
        .def_readonly("message", &Step::message)
        .def("__repr__", [](const Step& step) { return "<Step " + step.text + ">"; });

    py::class_<Finding>(module, "Finding", "What a checked run found.")
        .def_readonly("check", &Finding::check)
        .def_readonly("message", &Finding::message)
        .def_readonly("address", &Finding::address)
        .def_readonly("text", &Finding::text, "The instruction")
        .def_readonly("source_line", &Finding::source_line)
        .def_readonly("count", &Finding::count)
        .def("__repr__",
             [](const Finding& finding) { return "<Finding " + finding.check + ": " + finding.message + ">"; });

    py::class_<Registers>(module, "Registers", "The registers of a hart by name: whole numbers, or arrays of lanes.")
        .def("__getitem__", &Registers::get)
        .def("__setitem__", &Registers::set)
        .def("__contains__",
             [](const Registers& registers, const std::string& name) {
                 Index file = no_index;
                 std::uint64_t number = 0;
                 return registers.machine().find_register(name, file, number);
             })
        .def("__len__", [](const Registers& registers) { return registers.names().size(); })
        .def("__iter__", [](const Registers& registers) { return py::iter(py::cast(registers.names())); })
        .def("keys", &Registers::names)
        .def("__repr__", [](const Registers& registers) { return register_dump(registers.machine()); });

    py::class_<Emulator, std::shared_ptr<Emulator>>(module, "Machine", "A machine that runs a program.")
        .def("run", &Emulator::run, py::arg("limit") = 0,
             "Runs until something ends it, or for so many instructions; 0: no limit.")
        .def("step", &Emulator::step, "Executes one instruction.")
        .def("reset", &Emulator::reset, "Registers, memories and program as they were at first.")
        .def_property(
            "pc", [](Emulator& emulator) { return emulator.machine().pc(); },
            [](Emulator& emulator, const Place& place) { emulator.machine().set_pc(emulator.address_of(place)); })
        .def_property_readonly("instructions", [](Emulator& emulator) { return emulator.machine().instructions(); })
        .def_property_readonly(
            "cycles", [](Emulator& emulator) { return emulator.machine().cycles(); },
            "What they took since the last reset, where the machine counts cycles.")
        .def_property_readonly("harts", [](Emulator& emulator) { return emulator.machine().harts(); })
        .def_property_readonly("registers",
                               [](const std::shared_ptr<Emulator>& emulator) {
                                   return Registers{emulator, 0};
                               })
        .def(
            "registers_of",
            [](const std::shared_ptr<Emulator>& emulator, unsigned hart) {
                if (hart >= emulator->machine().harts()) throw py::index_error("there is no such hart");
                return Registers{emulator, hart};
            },
            py::arg("hart"))
        .def_property_readonly(
            "memory", [](const std::shared_ptr<Emulator>& emulator) { return view_of(emulator, ""); },
            "The main memory, as an array of its units, in place.")
        .def("memory_of", &view_of, py::arg("name"), "The same of the memory of that name.")
        .def("read", &read, py::arg("address"), py::arg("length"), py::arg("memory") = "", "Bytes of a memory.")
        .def("write", &write, py::arg("address"), py::arg("data"), py::arg("memory") = "",
             "Puts bytes into a memory, code among them.")
        .def(
            "add_breakpoint", [](Emulator& emulator, const Place& place) { emulator.set_breakpoint(place, true); },
            py::arg("place"), "A run stops before the instruction at this address or label.")
        .def(
            "remove_breakpoint", [](Emulator& emulator, const Place& place) { emulator.set_breakpoint(place, false); },
            py::arg("place"))
        .def_property_readonly("breakpoints", &Emulator::breakpoints)
        .def(
            "text",
            [](Emulator& emulator, const Place& place) { return emulator.machine().text(emulator.address_of(place)); },
            py::arg("place"), "The instruction there.")
        .def_property_readonly(
            "output", [](Emulator& emulator) { return to_bytes(emulator.output()); }, "What the program has written")
        .def_property_readonly(
            "errors", [](Emulator& emulator) { return to_bytes(emulator.errors()); },
            "What it has written to its standard error")
        .def_property_readonly("findings", [](Emulator& emulator) { return emulator.machine().findings(); })
        .def_property_readonly("signals", [](Emulator& emulator) {
            py::dict out;
            for (const auto& [name, count] : emulator.machine().signals()) out[py::str(name)] = count;
            return out;
        });

    const py::object isa = module.attr("Isa");
    isa.attr("machine") = py::cpp_function(
        [](const std::shared_ptr<Description>& description, std::shared_ptr<Program> program, std::uint64_t memory,
           unsigned harts, std::uint64_t seed, const std::string& engine, const std::string& checks,
           const py::buffer& input, bool cycles) {
            return std::make_shared<Emulator>(description, std::move(program), memory, harts, seed, engine, checks,
                                              bytes_of(input), cycles);
        },
        py::name("machine"), py::is_method(isa), py::arg("program") = nullptr, py::kw_only(),
        py::arg("memory") = std::uint64_t{64} << 20, py::arg("harts") = 1, py::arg("seed") = 0,
        py::arg("engine") = "auto", py::arg("checks") = "", py::arg("input") = py::bytes(), py::arg("cycles") = false,
        "A machine with a program in it.");
}

}  // namespace isaforge::python
