#include "cli/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/findings.hpp"
#include "cli/kernel_arguments.hpp"
#include "cli/memory_maps.hpp"
#include "cli/outputs.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "debugger/profile.hpp"
#include "debugger/program_map.hpp"
#include "device/lane_profile.hpp"
#include "support/output_file.hpp"

namespace isaforge::cli {

namespace {

// X[,Y[,Z]]
std::optional<Extent> parse_extent(const std::string& text) {
    Extent extent;
    std::uint32_t* const places[] = {&extent.x, &extent.y, &extent.z};
    std::size_t at = 0;
    for (unsigned i = 0; i < 3; ++i) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const auto value = parse_size(std::string_view(text).substr(at, end - at));
        if (!value || *value == 0 || *value > ~std::uint32_t{0}) return std::nullopt;
        *places[i] = static_cast<std::uint32_t>(*value);
        if (end == text.size()) return extent;
        at = end + 1;
    }
    return std::nullopt;
}

// A device with the kernel's code in it, and its buffers.
struct Loaded {
    std::unique_ptr<ComputeDevice> device;
    std::shared_ptr<const CodeObject> code;
    KernelArguments arguments;
    LaunchResult result;
    std::vector<Finding> findings;  // with checks
};

class KernelRun {
public:
    KernelRun(const std::vector<std::uint8_t>& bytes, const LaunchChoice& choice, const LaunchSettings& settings)
        : bytes_(bytes), choice_(choice), settings_(settings) {}

    int run(const Session& session);
    std::unique_ptr<LaunchToDebug> to_debug(const Session& session, int& status);

private:
    class Debugged;
    // What the command line says, read and checked. Nothing after a complaint, or where kernels are listed.
    std::optional<KernelArguments> prepare(const Session& session, int& status);
    LaunchRequest request(const Loaded& loaded) const;
    std::unique_ptr<Inspection> inspect(Loaded& loaded) const;
    bool look(Loaded& loaded) const;
    const KernelInfo* choose_kernel() const;
    void list_kernels() const;
    bool choose_extents(const KernelInfo& kernel);
    bool load(Engine engine, unsigned threads, const KernelArguments& arguments, Loaded& loaded) const;
    bool execute(Loaded& loaded) const;
    bool run_both(const KernelArguments& arguments, Loaded& loaded) const;
    bool pictures_fit(const KernelArguments& arguments) const;
    const KernelBuffer* buffer_of(const KernelArguments& arguments, const std::string& place,
                                  std::uint64_t& offset) const;
    bool write_outputs(const Loaded& loaded) const;
    bool report(const std::vector<Finding>& findings) const;

    const std::vector<std::uint8_t>& bytes_;
    const LaunchChoice& choice_;
    const LaunchSettings& settings_;
    CodeObjectInfo info_;
    std::string kernel_;
    Extent grid_, group_;
};

void KernelRun::list_kernels() const {
    std::string text =
        fmt::format("{}: for {}, code object of version {}, {} kernel{}\n", settings_.path, info_.processor,
                    info_.version, info_.kernels.size(), info_.kernels.size() == 1 ? "" : "s");
    for (const KernelInfo& kernel : info_.kernels) text += description(kernel);
    if (choice_.kernel.empty())
        say(text);
    else
        tell(text);
}

// Null after a complaint.
const KernelInfo* KernelRun::choose_kernel() const {
    if (choice_.kernel == LaunchChoice::no_kernel) {
        if (info_.kernels.size() == 1) return info_.kernels.data();
        complain(fmt::format("'{}' has {} kernels: choose one with --kernel", settings_.path, info_.kernels.size()));
    } else {
        const auto found = std::ranges::find(info_.kernels, choice_.kernel, &KernelInfo::name);
        if (found != info_.kernels.end()) return &*found;
        complain(fmt::format("'{}' has no kernel `{}`", settings_.path, choice_.kernel));
    }
    list_kernels();
    return nullptr;
}

// Without --group it is what the kernel requires, or one wavefront.
bool KernelRun::choose_extents(const KernelInfo& kernel) {
    constexpr std::uint32_t wavefront = 64;
    if (choice_.grid.empty()) {
        complain("say with --grid how many work-items run: --grid X[,Y[,Z]]");
        return false;
    }
    grid_ = *parse_extent(choice_.grid);
    if (!choice_.group.empty())
        group_ = *parse_extent(choice_.group);
    else if (kernel.required_group.x != 0)
        group_ = kernel.required_group;
    else
        group_ = {std::min(grid_.x, wavefront), 1, 1};
    return true;
}

bool KernelRun::load(Engine engine, unsigned threads, const KernelArguments& arguments, Loaded& loaded) const {
    std::string error;
    loaded.device = ComputeDevice::make(
        {.processor = info_.processor, .threads = threads, .engine = engine, .checks = settings_.checks}, error);
    if (loaded.device != nullptr)
        loaded.code = loaded.device->load(bytes_, {.name = settings_.path, .symbols = {}}, error);
    if (loaded.code == nullptr) {
        complain(fmt::format("cannot load '{}': {}", settings_.path, error));
        return false;
    }
    loaded.arguments = arguments;
    for (KernelBuffer& buffer : loaded.arguments.buffers) {
        buffer.memory = loaded.device->allocate(buffer.bytes, "the buffer of " + buffer.name);
        if (buffer.memory == nullptr) {
            complain(fmt::format("there is no room for the {} bytes of {}", buffer.bytes, buffer.name));
            return false;
        }
        std::ranges::copy(buffer.contents, buffer.memory);
        if (buffer.is_unwritten) loaded.device->note_unwritten({buffer.memory, buffer.bytes});
        const auto address = reinterpret_cast<std::uint64_t>(buffer.memory);
        std::memcpy(loaded.arguments.block.data() + buffer.place, &address, sizeof address);
    }
    return true;
}

LaunchRequest KernelRun::request(const Loaded& loaded) const {
    LaunchRequest request;
    request.kernel = loaded.code->find_kernel(kernel_);
    request.grid = grid_;
    request.group = group_;
    request.arguments = loaded.arguments.block;
    request.group_bytes = loaded.arguments.group_bytes;
    request.most_instructions = settings_.most_instructions;
    return request;
}

std::unique_ptr<Inspection> KernelRun::inspect(Loaded& loaded) const {
    MachineOptions options;
    options.engine = parse_engine(settings_.engine).value_or(Engine::automatic);
    options.seed = settings_.seed;
    options.count_instructions = settings_.profiles();
    options.checks = settings_.checks;
    std::string error;
    std::unique_ptr<Inspection> made = loaded.device->inspect(request(loaded), std::move(options), error);
    if (made == nullptr) complain(error);
    return made;
}

// Wavefronts in turns, each instruction told of.
bool KernelRun::look(Loaded& loaded) const {
    const std::unique_ptr<Inspection> inspection = inspect(loaded);
    if (inspection == nullptr) return false;
    Machine& machine = inspection->machine();
    const debugger::ProgramMap map(loaded.code->object());
    TraceBegin begin;
    Output trace;
    if (!find_trace_begin(machine, map, settings_.trace, begin)) return false;
    if (!settings_.trace.file.empty() && !trace.open(settings_.trace.file)) return false;
    device::LaneProfile lanes(machine, *loaded.code->find_kernel(kernel_), loaded.arguments.group_bytes,
                              group_.x * group_.y * group_.z, loaded.device->processor());
    const RunResult result =
        run_traced(machine, map, begin, settings_.most_instructions, trace.is_open() ? &trace : nullptr,
                   [&](const TraceRecord& record, unsigned hart) {
                       if (settings_.profiles()) lanes.note(record, hart);
                   });
    say(inspection->printed());
    loaded.result.instructions = result.instructions;
    loaded.result.seconds = result.seconds;
    loaded.findings = machine.findings();
    bool good = result.ok();
    if (!good) complain(fmt::format("kernel `{}`: {}", kernel_, result.message));
    if (trace.is_open() && !trace.commit()) good = false;
    if (settings_.profiles()) {
        const debugger::Profile profile = debugger::make_profile(machine, map);
        if (settings_.profile) say(to_text(profile) + lanes.text(map));
        if (!settings_.profile_json.empty())
            good &= write_text(settings_.profile_json, lanes.json(to_json(profile), map));
    }
    return good;
}

bool KernelRun::execute(Loaded& loaded) const {
    std::string error;
    const std::shared_ptr<Launch> launch = loaded.device->launch(request(loaded), error);
    if (launch == nullptr) {
        complain(error);
        return false;
    }
    {
        const Progress progress("run");
        loaded.result = launch->wait();
    }
    loaded.findings = loaded.device->findings();
    say(loaded.result.printed);
    if (!loaded.result.ok) complain(loaded.result.message);
    return loaded.result.ok;
}

// On one thread each, so that races do not make a difference; then all buffers must be equal.
bool KernelRun::run_both(const KernelArguments& arguments, Loaded& loaded) const {
    Loaded other;
    if (!load(Engine::interpreter, 1, arguments, loaded) || !load(Engine::compiler, 1, arguments, other)) return false;
    if (!execute(loaded)) return false;
    if (!execute(other)) return false;
    for (std::size_t i = 0; i < loaded.arguments.buffers.size(); ++i) {
        const KernelBuffer &a = loaded.arguments.buffers[i], &b = other.arguments.buffers[i];
        const auto different = std::mismatch(a.memory, a.memory + a.bytes, b.memory);
        if (different.first == a.memory + a.bytes) continue;
        complain(fmt::format("interpreter and compiler differ in {}, at byte {:#x}: {:#04x} and {:#04x}", a.name,
                             different.first - a.memory, *different.first, *different.second));
        return false;
    }
    return true;
}

// "image", "2", with "+4096" behind it.
const KernelBuffer* KernelRun::buffer_of(const KernelArguments& arguments, const std::string& place,
                                         std::uint64_t& offset) const {
    const std::size_t plus = std::min(place.rfind('+'), place.size());
    const std::string name = place.substr(0, plus);
    const auto behind = plus == place.size() ? std::optional<std::uint64_t>(0) : parse_size(place.substr(plus + 1));
    const auto number = parse_size(name);
    if (!behind) return nullptr;
    offset = *behind;
    for (const KernelBuffer& buffer : arguments.buffers)
        if (buffer.name == name || (number && buffer.argument + 1 == *number)) return &buffer;
    return nullptr;
}

bool KernelRun::pictures_fit(const KernelArguments& arguments) const {
    for (const std::string& text : settings_.pictures) {
        const PictureFile file = *parse_picture(text);
        std::uint64_t offset = 0;
        const KernelBuffer* const buffer = buffer_of(arguments, file.place, offset);
        if (buffer == nullptr) {
            complain(fmt::format("--png {}: no argument '{}' has a buffer", text, file.place));
            return false;
        }
        if (offset > buffer->bytes || file.picture.bytes() > buffer->bytes - offset) {
            complain(fmt::format("--png {}: the picture takes {} bytes, and {} has {}", text,
                                 offset + file.picture.bytes(), buffer->name, buffer->bytes));
            return false;
        }
    }
    return true;
}

bool KernelRun::write_outputs(const Loaded& loaded) const {
    bool written = true;
    for (const KernelBuffer& buffer : loaded.arguments.buffers)
        if (!buffer.output.empty())
            written &= write_text(buffer.output, {reinterpret_cast<const char*>(buffer.memory), buffer.bytes});
    for (const std::string& text : settings_.pictures) {
        const PictureFile file = *parse_picture(text);
        std::uint64_t offset = 0;
        const KernelBuffer& buffer = *buffer_of(loaded.arguments, file.place, offset);
        std::string png;
        const std::string problem =
            make_png(std::span<const std::uint8_t>(buffer.memory, buffer.bytes).subspan(offset), file.picture, png);
        if (!problem.empty()) complain(fmt::format("cannot write '{}': {}", file.path, problem));
        written &= problem.empty() && write_text(file.path, png);
    }
    return written;
}

void print_stats(const Loaded& loaded) {
    const LaunchResult& result = loaded.result;
    const double speed = result.seconds > 0 ? static_cast<double>(result.instructions) / result.seconds / 1e6 : 0;
    tell(fmt::format("{} instructions of wavefronts in {:.3f} s, {:.1f} million a second, on {} thread{}\n",
                     result.instructions, result.seconds, speed, loaded.device->threads(),
                     loaded.device->threads() == 1 ? "" : "s"));
    const EngineFigures figures = loaded.device->engine_figures();
    if (figures.regions != 0)
        tell(fmt::format("compiled: {} instructions in {} regions, {:.1f} ms beside the run\n", figures.instructions,
                         figures.regions, figures.seconds * 1e3));
    if (!figures.problem.empty()) tell(fmt::format("not compiled: {}\n", figures.problem));
}

// What checks found. Whether that is nothing.
bool KernelRun::report(const std::vector<Finding>& findings) const {
    const std::uint64_t across = (grid_.x + group_.x - 1) / group_.x, down = (grid_.y + group_.y - 1) / group_.y;
    return report_findings(findings, [&](const Finding& finding) {
        return fmt::format(", kernel {}, group ({}, {}, {}), wavefront {}", finding.program, finding.group % across,
                           finding.group / across % down, finding.group / across / down, finding.hart);
    });
}

std::optional<KernelArguments> KernelRun::prepare(const Session& session, int& status) {
    std::string error;
    status = input_error;
    std::optional<CodeObjectInfo> info = read_code_object(bytes_, error);
    if (!info || info->kernels.empty()) {
        complain(info ? fmt::format("'{}' has no kernels", settings_.path)
                      : fmt::format("cannot read the kernels of '{}': {}", settings_.path, error));
        return std::nullopt;
    }
    info_ = std::move(*info);
    status = success;
    if (choice_.kernel.empty()) return list_kernels(), std::nullopt;
    status = usage_error;
    const KernelInfo* const kernel = choose_kernel();
    if (kernel == nullptr || !choose_extents(*kernel)) return std::nullopt;
    kernel_ = kernel->name;
    std::vector<std::string> outputs = argument_outputs(choice_.arguments), inputs = argument_inputs(choice_.arguments);
    for (const std::string& text : settings_.pictures) outputs.push_back(parse_picture(text)->path);
    outputs.push_back(settings_.trace.file);
    outputs.push_back(settings_.profile_json);
    inputs.push_back(settings_.path);
    if (!outputs_are_apart(outputs, session.sources, inputs)) return std::nullopt;
    std::optional<KernelArguments> arguments = read_kernel_arguments(*kernel, choice_.arguments);
    return arguments && pictures_fit(*arguments) ? std::move(arguments) : std::nullopt;
}

int KernelRun::run(const Session& session) {
    int status = success;
    const std::optional<KernelArguments> arguments = prepare(session, status);
    if (!arguments) return status;
    auto& loaded = make_for_good<Loaded>();
    bool good = false;
    if (settings_.engine == "both") {
        good = run_both(*arguments, loaded);
    } else {
        const auto threads = static_cast<unsigned>(choice_.threads.empty() ? 0 : *parse_size(choice_.threads));
        good = load(parse_engine(settings_.engine).value_or(Engine::automatic), threads, *arguments, loaded) &&
               (settings_.looks() ? look(loaded) : execute(loaded));
    }
    if (settings_.stats && loaded.device != nullptr) print_stats(loaded);
    const bool right = !settings_.checks.any() || loaded.device == nullptr || report(loaded.findings);
    return good && write_outputs(loaded) && right ? success : input_error;
}

class KernelRun::Debugged : public LaunchToDebug {
public:
    Debugged(KernelRun run, const KernelArguments& arguments) : run_(std::move(run)) {
        if (!run_.load(Engine::automatic, 1, arguments, loaded_)) return;
        inspection_ = run_.inspect(loaded_);
        map_ = debugger::ProgramMap(loaded_.code->object());
    }

    bool works() const { return inspection_ != nullptr; }
    Machine& machine() override { return inspection_->machine(); }
    const debugger::ProgramMap& map() const override { return map_; }
    void restart() override {
        for (const KernelBuffer& buffer : loaded_.arguments.buffers) {
            std::fill_n(buffer.memory, buffer.bytes, std::uint8_t{0});
            std::ranges::copy(buffer.contents, buffer.memory);
        }
        machine().start(0);
    }
    bool finish() override {
        say(inspection_->printed());
        return run_.write_outputs(loaded_);
    }

private:
    KernelRun run_;
    Loaded loaded_;
    std::unique_ptr<Inspection> inspection_;
    debugger::ProgramMap map_;
};

std::unique_ptr<LaunchToDebug> KernelRun::to_debug(const Session& session, int& status) {
    const std::optional<KernelArguments> arguments = prepare(session, status);
    if (!arguments) return nullptr;
    auto made = std::make_unique<Debugged>(*this, *arguments);
    if (made->works()) return made;
    status = input_error;
    return nullptr;
}

}  // namespace

std::optional<PictureFile> parse_picture(const std::string& text) {
    const std::size_t format_colon = text.rfind(':');
    if (format_colon == std::string::npos || format_colon == 0) return std::nullopt;
    const std::size_t size_colon = text.rfind(':', format_colon - 1);
    const std::size_t at = text.rfind('@', size_colon);
    if (size_colon == std::string::npos || at == std::string::npos || at == 0) return std::nullopt;
    const std::string_view whole = text;
    const auto format = parse_pixel_format(whole.substr(format_colon + 1));
    if (!format) return std::nullopt;
    PictureFile file{
        .path = text.substr(0, at), .place = text.substr(at + 1, size_colon - at - 1), .picture = {.format = *format}};
    const std::string_view size = whole.substr(size_colon + 1, format_colon - size_colon - 1);
    if (file.place.empty() || !parse_picture_size(size, file.picture.width, file.picture.height)) return std::nullopt;
    return file;
}

void add_launch_options(Arguments& app, LaunchChoice& choice) {
    const std::string group = "Kernels of code objects";
    choice.kernel = LaunchChoice::no_kernel;
    app.add_option("--kernel", choice.kernel, "Which kernel runs; without a name they are listed")
        ->optional_value()
        ->type_name("NAME")
        ->completes(Completes::kernel)
        ->group(group);
    const auto extent = wants(parse_extent, "X, X,Y or X,Y,Z");
    app.add_option("--grid", choice.grid, "How many work-items run in each dimension")
        ->type_name("X[,Y[,Z]]")
        ->group(group)
        ->check(extent);
    app.add_option("--group", choice.group, "How many of them belong together; 64 in a row by default")
        ->type_name("X[,Y[,Z]]")
        ->group(group)
        ->check(extent);
    app.add_option("--arg", choice.arguments, std::string("One for each argument, in order: ") + kernel_argument_kinds)
        ->type_name("ARGUMENT")
        ->allow_extra_args(false)
        ->group(group);
}

bool holds_kernels(const ProgramChoice& choice) {
    if (!choice.isa.name.empty() || choice.path == "-") return false;
    std::error_code problem;
    if (!std::filesystem::is_regular_file(choice.path, problem)) return false;
    const std::optional<std::vector<std::uint8_t>> bytes = read_bytes(choice.path);
    if (!bytes || !is_elf(*bytes)) return false;
    std::string error;
    const std::optional<CodeObjectInfo> info = read_code_object(*bytes, error);
    return info && !info->kernels.empty();
}

std::string_view foreign_to_kernels(const ProgramChoice& choice) {
    return choice.harts != 1       ? "--harts"
           : choice.groups != 1    ? "--groups"
           : !choice.loads.empty() ? "--load"
           : !choice.maps.empty()  ? "--map"
           : choice.real_time      ? "--real-time"
           : choice.aligned        ? "--aligned"
                                   : "";
}

bool can_debug_kernel(const ProgramChoice& choice) {
    const std::string_view foreign = choice.threads.empty() ? foreign_to_kernels(choice) : "--threads";
    if (foreign.empty()) return true;
    complain(fmt::format("{} is not for kernels: with one go --kernel, --grid, --group, --arg and --seed", foreign));
    return false;
}

int run_kernel(const std::vector<std::uint8_t>& bytes, const LaunchChoice& choice, const LaunchSettings& settings,
               const Session& session) {
    return KernelRun(bytes, choice, settings).run(session);
}

std::unique_ptr<LaunchToDebug> launch_to_debug(const std::vector<std::uint8_t>& bytes, const LaunchChoice& choice,
                                               const LaunchSettings& settings, const Session& session, int& status) {
    return KernelRun(bytes, choice, settings).to_debug(session, status);
}

}  // namespace isaforge::cli
