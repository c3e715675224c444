#include "playground/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "isaforge/disassembler.hpp"
#include "language/builtin.hpp"
#include "machine/pixels.hpp"
#include "render/bitfield.hpp"
#include "render/bitfield_svg.hpp"
#include "render/space_map.hpp"

namespace isaforge::playground {

namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;
constexpr std::size_t most_rows = 20000;
constexpr std::size_t most_messages = 200;
constexpr std::uint64_t most_dumped = 4096;
constexpr std::size_t most_bytes = std::size_t{1} << 20;

Json failure(std::string why) { return {{"failure", std::move(why)}}; }

std::string hex(std::uint64_t value) { return fmt::format("{:x}", value); }

std::uint64_t number_of(const Json& question, const char* name, std::uint64_t otherwise) {
    const auto found = question.find(name);
    if (found == question.end()) return otherwise;
    if (found->is_string()) return std::strtoull(found->get<std::string>().c_str(), nullptr, 16);
    return found->is_number() ? static_cast<std::uint64_t>(found->get<double>()) : otherwise;
}

std::string text_of(const Json& question, const char* name) {
    const auto found = question.find(name);
    return found != question.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Texts may hold anything that their bytes come to.
std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::size_t utf16_units(std::string_view text) {
    std::size_t units = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        units += (byte & 0xc0) != 0x80 ? (byte >= 0xf0 ? 2 : 1) : 0;
    }
    return units;
}

Json place_json(Place place, const SourceManager& sources) {
    if (!place.known()) return nullptr;
    place = sources.origin(place);
    const std::string_view text = sources.text(place.file);
    const std::size_t begin = std::min<std::size_t>(place.offset, text.size());
    const std::size_t end = std::min<std::size_t>(begin + place.length, text.size());
    const std::size_t from = utf16_units(text.substr(0, begin));
    return {{"file", sources.name(place.file)},
            {"line", sources.line_column(place).line},
            {"from", from},
            {"to", from + utf16_units(text.substr(begin, end - begin))}};
}

Json message_json(const Diagnostic& diagnostic, const SourceManager& sources) {
    static constexpr const char* words[] = {"note", "warning", "error"};
    Json out{{"severity", words[static_cast<int>(diagnostic.severity)]},
             {"message", diagnostic.message},
             {"place", place_json(diagnostic.place, sources)},
             {"suggestion", diagnostic.suggestion},
             {"notes", Json::array()}};
    for (const Diagnostic& note : diagnostic.notes) out["notes"].push_back(message_json(note, sources));
    return out;
}

Json messages_json(const Diagnostics& diagnostics, const SourceManager& sources) {
    Json out = Json::array();
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        if (out.size() == most_messages) break;
        out.push_back(message_json(diagnostic, sources));
    }
    return out;
}

// The browser keeps files in memory; what is included is read from there. Only what is new is written.
void put_file(const std::string& path, std::string_view text) {
    static std::map<std::string, std::string> written;
    const auto [known, is_new] = written.try_emplace(path);
    if (!is_new && known->second == text) return;
    known->second = text;
    const std::filesystem::path where(path);
    std::error_code error;
    if (where.has_parent_path()) std::filesystem::create_directories(where.parent_path(), error);
    std::ofstream(where, std::ios::binary) << text;
}

void put_files(const std::string& folder, const Json& question) {
    const Json files = question.value("files", Json::object());
    for (const auto& [path, text] : files.items()) put_file(folder + path, text.get<std::string>());
}

// Of an object's symbols, those that name a place in code.
class Labels final : public Codec::LabelNamer {
public:
    explicit Labels(const Object& object) {
        for (const Symbol& symbol : object.symbols) {
            if (symbol.section >= object.sections.size() || !object.sections[symbol.section].executable) continue;
            if (symbol.type == SymbolType::section || symbol.name.empty()) continue;
            const std::uint64_t address = object.sections[symbol.section].address + symbol.value;
            names_.emplace(address / object.address_bytes, symbol.name);
        }
    }
    std::string_view label(std::uint64_t address) override {
        const auto found = names_.find(address);
        return found == names_.end() ? std::string_view() : found->second;
    }

private:
    std::map<std::uint64_t, std::string> names_;
};

std::string hex_bytes(std::span<const std::uint8_t> bytes) {
    std::string out;
    for (const std::uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
    return out;
}

std::vector<std::uint8_t> bytes_of(std::string_view digits, std::size_t most) {
    std::vector<std::uint8_t> bytes;
    for (; digits.size() >= 2 && bytes.size() < most; digits.remove_prefix(2))
        bytes.push_back(static_cast<std::uint8_t>(std::strtoul(std::string(digits.substr(0, 2)).c_str(), nullptr, 16)));
    return bytes;
}

const char* word_of(StopReason reason) {
    switch (reason) {
        case StopReason::running:
        case StopReason::limit: return "running";
        case StopReason::stopped: return "stopped";
        case StopReason::breakpoint: return "breakpoint";
        case StopReason::waiting: return "waiting";
        default: return "fault";
    }
}

}  // namespace

// --- streams

std::size_t Terminal::read(std::span<std::uint8_t> bytes) {
    const std::size_t count = std::min(bytes.size(), input_.size() - read_);
    std::copy_n(input_.begin() + static_cast<std::ptrdiff_t>(read_), count, bytes.begin());
    read_ += count;
    return count;
}

void Terminal::write(unsigned, std::span<const std::uint8_t> bytes) {
    if (is_full_) return;
    output_.append(bytes.begin(), bytes.end());
    is_full_ = output_.size() > most_output;
}

std::string Terminal::take() {
    std::string out = std::move(output_);
    output_.clear();
    is_full_ = false;
    return out;
}

// --- descriptions

// All there are, with their files: {"sets": [{"name", "title"}], "files": [{"path", "text"}]}
Json Engine::list() const {
    Json sets = Json::array(), files = Json::array();
    for (const auto& [name, title] : builtin_isas()) sets.push_back({{"name", name}, {"title", title}});
    for (const language::EmbeddedFile* file = language::embedded_files; !file->path.empty(); ++file)
        files.push_back({{"path", "isas/" + std::string(file->path)}, {"text", file->text}});
    return {{"sets", sets}, {"files", files}};
}

// Takes "name", of a built-in set; or "main", the path of a description, "variant", and "files": {path: text}, which replace
// those of these paths. Gives what the description has, and "messages".
Json Engine::load(const Json& question) {
    auto sources = std::make_unique<SourceManager>();
    Diagnostics diagnostics;
    LoadOptions options;
    std::string what = text_of(question, "name");
    if (question.contains("main")) {
        what = text_of(question, "main");
        options.variant = text_of(question, "variant");
        const Json given = question.value("files", Json::object());
        for (const language::EmbeddedFile* file = language::embedded_files; !file->path.empty(); ++file) {
            const std::string path = "isas/" + std::string(file->path);
            if (!given.contains(path)) put_file(path, file->text);
        }
        put_files("", question);
    }
    const auto isa = load_isa(what, *sources, diagnostics, options);
    Json out{{"messages", messages_json(diagnostics, *sources)}, {"good", isa != nullptr}};
    if (!isa) return out;
    machine_.reset();
    is_assembled_ = false;
    isa_ = isa;
    isa_sources_ = std::move(sources);
    codec_ = std::make_shared<const Codec>(isa);
    out["name"] = isa->variant.empty() ? isa->name : isa->variant;
    out["title"] = isa->title;
    out["objects"] = isa->object_flavour;
    out["instructions"] = isa->instructions.size();
    out["formats"] = isa->formats.size();
    out["unit"] = isa->unit_bits;
    out["step"] = isa->address_bits;
    out["memories"] = Json::array();
    for (const MemorySpace& memory : isa->memories)
        out["memories"].push_back({{"name", memory.name}, {"unit", memory.unit_bytes()}});
    return out;
}

// Gives "messages" of all that is found beyond what loading finds, which may take seconds.
Json Engine::check() {
    if (!isa_) return failure("no description is loaded");
    Diagnostics diagnostics;
    check_isa(*isa_, diagnostics);
    return {{"messages", messages_json(diagnostics, *isa_sources_)}};
}

// --- programs

// Each instruction of the program, or datum between them: [address, bytes, text, line, label].
Json Engine::rows() const {
    struct Emitted {
        std::uint64_t end = 0;   // offset behind the statement's bytes
        std::uint32_t line = 0;
    };
    std::map<std::pair<Index, std::uint64_t>, Emitted> lines;
    for (const ListingEntry& entry : listing_.entries) {
        const Place place = sources_->origin(entry.statement);
        if (place.file == main_)
            lines[{entry.section, entry.offset}] = {entry.offset + entry.size, sources_->line_column(place).line};
    }
    const auto line_at = [&](Index section, std::uint64_t offset) {
        auto found = lines.upper_bound({section, offset});
        if (found == lines.begin()) return 0u;
        --found;
        return found->first.first == section && offset < found->second.end ? found->second.line : 0u;
    };
    Labels labels(object_);
    Json out = Json::array();
    char text[Codec::max_text];
    for (Index s = 0; s < object_.sections.size(); ++s) {
        const Section& section = object_.sections[s];
        if (!section.executable) continue;
        const std::size_t unit = isa_->unit_bytes();
        for (std::size_t at = 0; at < section.bytes.size() && out.size() < most_rows;) {
            const std::span<const std::uint8_t> rest = std::span(section.bytes).subspan(at);
            const std::uint64_t address = (section.address + at) / object_.address_bytes;
            const Image image = codec_->load(rest.data(), std::min<std::size_t>(rest.size(), max_instruction_bits / 8));
            unsigned bits = 0;
            const auto available = static_cast<unsigned>(std::min<std::size_t>(rest.size() * 8, max_instruction_bits));
            const Index form = rest.size() < unit ? no_index : codec_->decode(image, available, bits);
            const std::size_t size = form == no_index ? std::min(unit, rest.size()) : bits / 8;
            std::string shown = ".byte";
            if (form != no_index) shown.assign(text, codec_->print(text, form, image, bits, address, &labels));
            out.push_back({hex(address), hex_bytes(rest.first(size)), shown, line_at(s, at), labels.label(address)});
            at += size;
        }
    }
    return out;
}

// As a loader does it. Objects of a flavour have a loader of their own, for which references stay what they are.
bool Engine::place(Diagnostics& diagnostics) {
    place_sections(object_);
    Diagnostics left;
    return apply_relocations(object_, *codec_, isa_->object_flavour.empty() ? diagnostics : left) ||
           !isa_->object_flavour.empty();
}

// Takes "name" and "text" of the program, "files" that it includes and "defines". Gives "messages" and "rows", of what could be
// assembled; where there is no error "sections", and with "image" in the question the bytes of all of them.
Json Engine::assemble_program(const Json& question) {
    if (!codec_) return failure("no description is loaded");
    put_files("program/", question);
    machine_.reset();
    sources_ = std::make_unique<SourceManager>();
    main_ = sources_->add("program/" + text_of(question, "name"), text_of(question, "text"));
    Diagnostics diagnostics;
    AssembleOptions options;
    options.threads = 1;
    options.line_table = false;
    options.max_output = std::uint64_t{16} << 20;
    for (const Json& name : question.value("defines", Json::array()))
        options.defines.emplace_back(name.get<std::string>(), std::string());
    object_ = {};
    listing_ = {};
    const bool is_read = assemble(*codec_, main_, *sources_, options, object_, diagnostics, &listing_);
    Diagnostics left;  // of what is there a part, not all of what it refers to is there
    is_assembled_ = place(is_read ? diagnostics : left) && is_read;
    Json out{{"messages", messages_json(diagnostics, *sources_)}, {"good", is_assembled_}};
    out["rows"] = rows();
    if (!is_assembled_) return out;
    out["sections"] = Json::array();
    for (const Section& section : object_.sections) {
        if (section.allocated && section.extent() != 0)
            out["sections"].push_back({{"name", section.name},
                                       {"address", hex(section.address)},
                                       {"size", section.extent()},
                                       {"executable", section.executable}});
    }
    std::string image, error;
    if (question.contains("image") && write_binary(object_, image, error))
        out["image"] = hex_bytes(std::span(reinterpret_cast<const std::uint8_t*>(image.data()), image.size()));
    return out;
}

// Takes "bytes" in hexadecimal, and the "address" at which they are an instruction. Gives its "text", "form", "svg" and
// "fields": [name, bits, value in hexadecimal].
Json Engine::word(const Json& question) const {
    if (!codec_) return failure("no description is loaded");
    const std::vector<std::uint8_t> bytes = bytes_of(text_of(question, "bytes"), max_instruction_bits / 8);
    if (bytes.size() < isa_->unit_bytes()) return failure("that is less than an instruction has");
    const Image image = codec_->load(bytes.data(), bytes.size());
    unsigned bits = 0;
    const Index number = codec_->decode(image, static_cast<unsigned>(bytes.size() * 8), bits);
    if (number == no_index) return failure("no instruction has these bits");
    const Form& form = isa_->forms[number];
    const Instruction& instruction = isa_->instruction_of(form);
    char text[Codec::max_text];
    const std::string shown(text, codec_->print(text, number, image, bits, number_of(question, "address", 0)));
    const render::PicturedExample example{image, bits};
    Json out{{"text", shown},
             {"name", instruction.names.empty() ? std::string() : instruction.names.front()},
             {"title", instruction.title},
             {"bits", bits},
             {"svg", render::bitfield_svg(*isa_, form, &example, "The bits of " + shown)},
             {"fields", Json::array()}};
    if (form.format != no_index) out["format"] = isa_->formats[form.format].name;
    if (!form.texts.list().empty()) out["syntax"] = render::syntax_text(*isa_, form, form.texts.list().front());
    std::vector<std::uint64_t> codes;
    codec_->fields(number, image, codes);
    const auto& fields = form.fields.list();
    for (std::size_t i = 0; i < fields.size() && i < codes.size(); ++i)
        out["fields"].push_back({fields[i].name, fields[i].place.width, hex(codes[i])});
    return out;
}

// Takes "bytes" in hexadecimal, of code from address 0 on. Gives "text", which assembles back to them.
Json Engine::disassemble_bytes(const Json& question) const {
    if (!codec_) return failure("no description is loaded");
    DisassembleOptions options;
    options.threads = 1;
    return {
        {"text", disassemble(*codec_, read_binary(bytes_of(text_of(question, "bytes"), most_bytes), *isa_), options)}};
}

// Takes "width" in pixels. Gives "svg".
Json Engine::map(const Json& question) {
    if (!isa_) return failure("no description is loaded");
    Diagnostics diagnostics;
    const auto found = render::space_map(*isa_, diagnostics);
    if (!found) return failure("the opcode bits are too entangled to be counted");
    return {{"svg", render::map_svg(*isa_, *found, static_cast<unsigned>(number_of(question, "width", 900)))}};
}

// --- machines

// Why a section does not fit, or nothing.
std::string Engine::load_sections() {
    const Isa& isa = *isa_;
    const bool mapped = machine_->code_memory() != no_index, shared = object_.address_bytes == 1;
    std::vector<std::uint8_t> code;
    for (const Section& section : object_.sections) {
        if (!section.allocated || section.extent() == 0) continue;
        const bool is_code = section.executable && !mapped;
        if (is_code) {
            code.resize(
                std::max<std::size_t>(code.size(), static_cast<std::size_t>(section.address) + section.bytes.size()));
            std::ranges::copy(section.bytes, code.begin() + static_cast<std::ptrdiff_t>(section.address));
        }
        if (is_code && (!shared || isa.memories.empty())) continue;
        const Index memory = mapped ? machine_->code_memory() : 0;
        bool fits =
            !isa.memories.empty() && (section.no_bits || machine_->load_data(memory, section.address, section.bytes));
        if (fits && mapped)
            fits = machine_
                       ->protect(section.address, section.extent(), {true, section.writable, section.executable},
                                 section.name)
                       .empty();
        if (!fits) return fmt::format("section {} does not fit into the memory", section.name);
    }
    if (!mapped) machine_->load_code(code);
    return {};
}

// Takes "memory", how many bytes of it there are, "harts", "input" of the program, "storage": [[address, bytes]] further ones,
// and "breakpoints": addresses. Gives what state() gives.
Json Engine::start(const Json& question) {
    if (!is_assembled_) return failure("there is no program without errors");
    machine_.reset();
    terminal_ = std::make_shared<Terminal>(text_of(question, "input"));
    MachineOptions options;
    options.engine = isaforge::Engine::interpreter;
    options.count_cycles = true;
    options.memory_bytes = number_of(question, "memory", std::uint64_t{16} << 20);
    options.harts = static_cast<unsigned>(std::clamp<std::uint64_t>(number_of(question, "harts", 1), 1, 64));
    options.streams = terminal_;
    machine_ = std::make_unique<Machine>(codec_, options);
    std::string problem = machine_->memory_problem();
    for (const Json& storage : question.value("storage", Json::array()))
        if (problem.empty())
            problem = machine_->add_storage(static_cast<std::uint64_t>(storage.at(0).get<double>()),
                                            static_cast<std::uint64_t>(storage.at(1).get<double>()), {}, "storage");
    if (problem.empty()) problem = load_sections();
    if (!problem.empty()) {
        machine_.reset();
        return failure(problem);
    }
    machine_->start(object_.entry / object_.address_bytes);
    for (const Json& address : question.value("breakpoints", Json::array()))
        machine_->set_breakpoint(std::strtoull(address.get<std::string>().c_str(), nullptr, 16), true);
    return state();
}

// Takes "address", and whether there is one there: "on".
Json Engine::set_breakpoint(const Json& question) {
    if (!machine_) return failure("nothing runs");
    machine_->set_breakpoint(number_of(question, "address", 0), question.value("on", true));
    return Json::object();
}

Json Engine::after(const RunResult& result) {
    Json out = state();
    out["reason"] = word_of(result.reason);
    out["message"] = result.message;
    out["output"] = terminal_->take();
    if (result.exit_status) out["exit"] = *result.exit_status;
    return out;
}

// Takes "limit", of instructions, and "brief": then of the state there is only what ended the run.
Json Engine::run(const Json& question) {
    if (!machine_) return failure("nothing runs");
    const RunResult result = machine_->run(number_of(question, "limit", 1000000));
    if (question.value("brief", false) && result.reason == StopReason::limit)
        return {{"reason", "running"}, {"output", terminal_->take()}, {"instructions", machine_->instructions()}};
    return after(result);
}

// Takes "count". Gives what state() gives, "trace": what the last instruction did.
Json Engine::step(const Json& question) {
    if (!machine_) return failure("nothing runs");
    RunResult result;
    TraceRecord record;
    for (std::uint64_t left = std::clamp<std::uint64_t>(number_of(question, "count", 1), 1, 1000); left > 0; --left) {
        record = {};
        result = machine_->step_any(&record);
        if (result.reason != StopReason::running) break;
    }
    Json out = after(result);
    if (record.form != no_index) out["trace"] = to_text(record, *codec_);
    out["hart"] = result.hart;
    return out;
}

// "pc" of hart 0, "instructions", "cycles", "registers": [{"file", "bits", "names", "values"}], "pending": results under way.
Json Engine::state() const {
    if (!machine_) return failure("nothing runs");
    constexpr unsigned most_registers = 256;
    Json files = Json::array();
    for (Index f = 0; f < isa_->register_files.size(); ++f) {
        const RegisterFile& file = isa_->register_files[f];
        Json names = Json::array(), values = Json::array();
        for (unsigned i = 0; i < std::min(file.count, most_registers); ++i) {
            names.push_back(machine_->register_name(f, i));
            values.push_back(lanes_text(register_lanes(*machine_, f, i), file.bits));
        }
        files.push_back(
            {{"file", file.name}, {"bits", file.bits}, {"lanes", file.lanes}, {"names", names}, {"values", values}});
    }
    Json pending = Json::array();
    for (const PendingResult& result : machine_->pending())
        pending.push_back({result.target, hex(result.value), result.instructions});
    return {
        {"pc", hex(machine_->pc())},    {"instructions", machine_->instructions()},
        {"cycles", machine_->cycles()}, {"registers", files},
        {"pending", pending},           {"main", machine_->main_memory() == no_index ? 0 : machine_->main_memory()}};
}

// All of hart 0 as "text", as the command prints them.
Json Engine::registers() const {
    if (!machine_) return failure("nothing runs");
    return {{"text", register_dump(*machine_)}};
}

// Takes "memory", a number of one, "address", of its units, and "length" in bytes. Gives "bytes", in which `--` is what is not
// there.
Json Engine::memory(const Json& question) const {
    if (!machine_) return failure("nothing runs");
    const auto memory = static_cast<Index>(number_of(question, "memory", 0));
    if (memory >= isa_->memories.size()) return failure("there is no such memory");
    const std::uint64_t address = number_of(question, "address", 0);
    const std::uint64_t length = std::min(number_of(question, "length", 256), most_dumped);
    const unsigned unit = isa_->memories[memory].unit_bytes();
    std::string out;
    std::vector<std::uint8_t> bytes(unit);
    for (std::uint64_t done = 0; done < length; done += unit)
        out += machine_->peek(memory, address + done / unit, bytes) ? hex_bytes(bytes) : std::string(2 * unit, '-');
    return {{"bytes", out}};
}

std::span<const std::uint8_t> Engine::pixels(Index memory, const Picture& picture) {
    if (!machine_ || picture.width == 0 || picture.height == 0 || picture.width > 4096 || picture.height > 4096)
        return {};
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(picture.bytes()));
    if (!machine_->peek(memory, picture.address, bytes)) return {};
    const std::size_t count = std::size_t{picture.width} * picture.height, step = bytes_per_pixel(picture.format);
    pixels_.assign(count * 4, 255);
    for (std::size_t i = 0; i < count; ++i) to_rgb(bytes.data() + i * step, picture.format, pixels_.data() + i * 4);
    return pixels_;
}

Json Engine::answer(const Json& question) {
    const std::string what = text_of(question, "do");
    if (what == "list") return list();
    if (what == "load") return load(question);
    if (what == "check") return check();
    if (what == "assemble") return assemble_program(question);
    if (what == "word") return word(question);
    if (what == "map") return map(question);
    if (what == "start") return start(question);
    if (what == "run") return run(question);
    if (what == "step") return step(question);
    if (what == "break") return set_breakpoint(question);
    if (what == "state") return state();
    if (what == "registers") return registers();
    if (what == "disassemble") return disassemble_bytes(question);
    if (what == "memory") return memory(question);
    return failure("nobody knows how to '" + what + "'");
}

}  // namespace isaforge::playground

// --- what the page calls

namespace {

isaforge::playground::Engine& the_engine() {
    static auto& engine = *new isaforge::playground::Engine;
    return engine;
}

}  // namespace

extern "C" {

// The answer's text stays where it is until the next call.
const char* playground_answer(const char* question) {
    using namespace isaforge::playground;
    static std::string text;
    try {
        text = dumped(the_engine().answer(Json::parse(question)));
    } catch (const std::exception& problem) {
        text = dumped(failure(problem.what()));
    }
    return text.c_str();
}

// Four bytes for each pixel, until the next call; null where they are not there. `format`: as PixelFormat has them.
const std::uint8_t* playground_pixels(std::uint32_t memory, std::uint32_t address, std::uint32_t width,
                                      std::uint32_t height, std::uint32_t format) {
    using isaforge::PixelFormat;
    if (format > static_cast<std::uint32_t>(PixelFormat::gray8)) return nullptr;
    const auto pixels = the_engine().pixels(memory, {address, width, height, static_cast<PixelFormat>(format)});
    return pixels.empty() ? nullptr : pixels.data();
}
}
