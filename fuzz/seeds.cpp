// What the fuzzers begin with, made of the shipped files: `seeds FOLDER` writes a folder of inputs for each of them, and a
// dictionary of the words of descriptions.
#include <fmt/format.h>

#include <set>

#include "../tests/codeobject/container_files.hpp"
#include "../tests/ir/bench_isa.hpp"
#include "../tests/ir/random_graph.hpp"
#include "description.hpp"
#include "ir/text.hpp"
#include "packets.hpp"
#include "source.hpp"

using namespace isaforge;
namespace fs = std::filesystem;

namespace {

class Folder {
public:
    explicit Folder(fs::path path) : path_(std::move(path)) { fs::create_directories(path_); }
    void add(std::string_view text) { std::ofstream(path_ / fmt::format("{:04}", count_++), std::ios::binary) << text; }

private:
    fs::path path_;
    unsigned count_ = 0;
};

constexpr unsigned machines = std::size(fuzz::machine_names);

void describe(const fs::path& root) {
    for (const char* target : {"description", "sample", "space", "allocate"}) {
        Folder folder(root / target);
        for (const std::string& text : fuzz::small_descriptions()) folder.add(text);
    }
    Folder notes(root / "notes");
    for (const std::string& text : fuzz::noted_examples()) notes.add(text);
    notes.add(fuzz::read_file(ISAFORGE_SOURCE_DIR "/examples/pebble/notes.txt"));
}

// Behind it, for the linker, where sections go.
constexpr const char* script =
    "region rom 0 size 64K\nregion ram 0x10000 size 64K\n.text .rodata in rom\n.data in ram stored in rom\n* in ram\n"
    "stack = end(ram) - 8\nbytes = size(.data)\nentry stack\n";

// Random programs of each machine, and the shipped ones for the machine that they are for, as sources and what they assemble
// to: behind the byte that chooses the machine.
void assemble_all(const fs::path& root) {
    Folder sources(root / "assembler"), objects(root / "object"), codes(root / "code"), programs(root / "machine");
    Folder linked(root / "link");
    const auto add = [&](unsigned machine, const std::string& text) {
        const std::string chosen(1, static_cast<char>(machine));
        sources.add(chosen + text);
        const Codec& codec = *fuzz::tools(static_cast<std::uint8_t>(machine)).codec;
        const auto made = fuzz::assemble_text(codec, text, false), flat = fuzz::assemble_text(codec, text, true);
        std::string elf, hex, error;
        if (made->good && write_elf(made->object, elf, error)) {
            objects.add(chosen + elf);
            linked.add(chosen + script + '\0' + elf);
        }
        if (!flat->good) return;
        place_sections(flat->object);
        if (write_intel_hex(flat->object, hex, error)) objects.add(chosen + hex);
        const Section& first = flat->object.sections[0];
        const std::string code(first.bytes.begin(), first.bytes.end());
        codes.add(chosen + code);
        programs.add(chosen + '\0' + code);
    };
    fuzz::Random random(1);
    for (unsigned machine = 0; machine < machines; ++machine) {
        for (const unsigned count : {1u, 3u, 10u}) {
            for (const bool other : {false, true})
                add(machine, fuzz::statements(random, fuzz::tools(static_cast<std::uint8_t>(machine)), count, other));
        }
    }
    constexpr std::size_t most = 2048;
    for (const fs::path& path : fuzz::shipped(".s")) {
        const std::string text = fuzz::read_file(path), folder = path.parent_path().filename().string();
        if (text.size() > most) continue;
        if (folder == "wishbone-gpu") add(0, text);
        if (folder == "tutorial") add(5, text);
        if (folder == "fabrisc") add(6, text);
    }
}

// Documents, behind what the editor does with them.
void edit_all(const fs::path& root) {
    Folder folder(root / "lsp");
    fuzz::Random random(1);
    for (const char* const kind : {".isa", ".s"}) {
        for (const fs::path& path : fuzz::shipped(kind)) {
            const std::string text = fuzz::read_file(path);
            if (text.size() > 1500) continue;
            std::string head(9, '\0');
            for (char& byte : head) byte = static_cast<char>(random.next());
            const unsigned machine = static_cast<unsigned>(random.below(3));
            head[0] = static_cast<char>(kind[1] == 'i' ? 0 : 3 * machine + 1);
            folder.add(head + text);
        }
    }
}

void contain(const fs::path& root) {
    Folder folder(root / "container");
    const auto add = [&](const container_files::Bytes& bytes) {
        folder.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    };
    for (const bool which : {false, true}) add(container_files::gallium(which)), add(container_files::amdcl2(which));
    add(container_files::catalyst());
}

void draw_graphs(const fs::path& root) {
    Folder folder(root / "graph");
    for (unsigned seed = 0; seed < 30; ++seed)
        folder.add(ir::to_text(ir::RandomGraph(ir::bench_isa(), seed).make(), ir::bench_isa()));
}

// Of programs of graphs: choices.
void choose(const fs::path& root) {
    Folder folder(root / "engines");
    fuzz::Random random(1);
    for (unsigned i = 0; i < 30; ++i) {
        std::string bytes(40 * (i + 1), '\0');
        for (char& byte : bytes) byte = static_cast<char>(random.next());
        folder.add(bytes);
    }
}

void talk(const fs::path& root) {
    Folder packets(root / "gdb"), commands(root / "debugger"), lines(root / "command");
    fuzz::Random random(1);
    for (unsigned machine = 0; machine < 2 * machines; ++machine) {
        std::string stream(1, static_cast<char>(machine % machines)), text = stream;
        for (unsigned i = 0; i < 8; ++i) {
            stream += debugger::packet_bytes(fuzz::packet(random));
            text += fuzz::command_line(random);
        }
        packets.add(stream);
        commands.add(text);
    }
    // With a letter for the machine.
    Folder requests(root / "dap");
    for (const char* command :
         {"threads", "scopes", "stackTrace", "continue", "stepBack", "disassemble", "variables"}) {
        std::string stream = "\1{\"type\":\"request\",\"command\":\"configurationDone\",\"arguments\":{}}\n";
        stream += std::string("{\"type\":\"request\",\"command\":\"") + command +
                  "\",\"arguments\":{\"threadId\":1,\"frameId\":1,\"variablesReference\":1,\"memoryReference\":\"0x0\","
                  "\"instructionCount\":4}}\n";
        requests.add(stream);
    }
    for (const char* line :
         {"check m.isa", "show m.isa add", "list", "space m.isa --json", "map m.isa --width 64", "import n.txt",
          "asm -i m.isa p.s -o a.o", "dis -i m.isa p.s", "diff m.isa m.isa", "sample m.isa -n 3", "check n.txt",
          "run -i m.isa p.s --memory 64K --limit 10", "allocate m.isa --report", "debug -i m.isa p.s"}) {
        std::string text(line);
        std::replace(text.begin(), text.end(), ' ', '\n');
        lines.add(text + "\n");
    }
}

void write_dictionary(const fs::path& path) {
    std::set<std::string> words;
    for (const std::string& text : fuzz::small_descriptions()) {
        for (const std::string_view word : fuzz::words_of(text)) {
            if (word.size() > 1 && std::isalpha(static_cast<unsigned char>(word[0]))) words.emplace(word);
        }
    }
    std::ofstream file(path);
    for (const std::string& word : words) file << '"' << word << "\"\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const fs::path root(argv[1]);
    fs::create_directories(root);
    describe(root);
    assemble_all(root);
    contain(root);
    draw_graphs(root);
    choose(root);
    talk(root);
    edit_all(root);
    write_dictionary(root / "words.dict");
}
