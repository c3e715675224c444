// What the page asks of the library: one description, one program for it and one machine that runs it, at a time. Questions and
// answers are JSON, in UTF-8; places in texts count UTF-16 units from 0, as a page's own strings do; addresses and values are
// texts in hexadecimal, for they have 64 bits.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/assembler.hpp"
#include "isaforge/codec.hpp"
#include "isaforge/isa.hpp"
#include "isaforge/machine.hpp"
#include "isaforge/object.hpp"

namespace isaforge::playground {

using Json = nlohmann::json;

// What the program reads and writes.
class Terminal final : public Streams {
public:
    explicit Terminal(std::string input) : input_(std::move(input)) {}
    std::size_t read(std::span<std::uint8_t> bytes) override;
    bool ready() override { return true; }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override;
    // What was written since the last time; what is too much is left out.
    std::string take();

private:
    std::string input_, output_;
    std::size_t read_ = 0;
    bool is_full_ = false;
};

class Engine {
public:
    // One question, as `do` says; what it takes and gives is written at the functions. {"failure": why} where it makes no
    // sense.
    Json answer(const Json& question);

    // A part of the machine's memory as a picture: red, green, blue and 255 of each pixel. Empty where it is not there.
    std::span<const std::uint8_t> pixels(Index memory, const Picture& picture);

private:
    Json list() const;
    Json load(const Json& question);
    Json check();
    Json assemble_program(const Json& question);
    Json word(const Json& question) const;
    Json disassemble_bytes(const Json& question) const;
    Json map(const Json& question);
    Json start(const Json& question);
    Json set_breakpoint(const Json& question);
    Json run(const Json& question);
    Json step(const Json& question);
    Json state() const;
    Json registers() const;
    Json memory(const Json& question) const;

    bool place(Diagnostics& diagnostics);
    Json rows() const;
    std::string load_sections();
    Json after(const RunResult& result);

    std::unique_ptr<SourceManager> isa_sources_, sources_;
    std::shared_ptr<const Isa> isa_;
    std::shared_ptr<const Codec> codec_;
    FileId main_ = 0;
    Object object_;
    Listing listing_;
    bool is_assembled_ = false;
    std::shared_ptr<Terminal> terminal_;
    std::unique_ptr<Machine> machine_;
    std::vector<std::uint8_t> pixels_;
};

}  // namespace isaforge::playground
