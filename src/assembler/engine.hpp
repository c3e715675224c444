// The assembler's state and its passes, declared in one place and defined in files by subject: statements.cpp reads the
// text, directives_*.cpp carry out what begins with a dot, macros.cpp repeats and substitutes, layout.cpp and finish.cpp
// turn what was collected into an object.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembler/ahead.hpp"
#include "assembler/expression.hpp"
#include "assembler/line_marks.hpp"
#include "assembler/sections.hpp"
#include "assembler/symbol_table.hpp"
#include "isaforge/assembler.hpp"
#include "object/flavour.hpp"

namespace isaforge::assembler {

// A number that has to wait: of an instruction, or a datum.
struct Fixup {
    Position position;  // of the instruction's or datum's first byte
    Index node = no_index;
    Index form = no_index;                                                       // an instruction's; no_index: a datum
    Deferred deferred;                                                           // an instruction's number
    std::uint8_t bytes = 0;                                                      // of the datum or instruction
    enum class Leb : std::uint8_t { no, is_unsigned, is_signed } leb = Leb::no;  // a datum in groups of seven bits
    Place place;
};

// One of the encodings of an instruction that has several while its numbers are unknown.
struct RelaxedEncoding {
    Image image;
    Index form = no_index;
    std::uint32_t bits = 0;
    Index first_fixup = 0, fixup_count = 0;  // Engine::relaxed_fixups_: its numbers

    Encoded encoded() const;
};

// Such an instruction; its encodings are in Engine::relaxed_encodings_, the shortest first.
struct Relaxation {
    Index first = 0, count = 0;
    Index chosen = 0;   // of these
    Position position;  // of its first byte: the end of the fragment before its own
    Place place;
};

// A line of what was compiled.
struct ToldLine {
    Position position;
    std::uint32_t file = 0;  // as it is numbered there
    std::uint32_t line = 0;
};

struct ListingMark {
    Position begin, end;
    Place statement;
};

// What an .if asks.
enum class Question : std::uint8_t {
    not_zero,
    zero,
    positive,
    not_negative,
    negative,
    not_positive,
    defined,
    not_defined,
    blank,
    not_blank,
    same,
    different,
    of_target,  // the first of target_questions(); each has its opposite behind it
};

struct Condition {
    Place place;
    bool taken = false;   // a branch was assembled already
    bool active = false;  // the current branch is assembled
    bool outer_active = true;
    bool saw_else = false;
};

struct MacroParameter {
    std::string name, preset;
    bool required = false, rest = false;
};

struct Macro {
    std::string name;
    std::vector<MacroParameter> parameters;
    std::string_view body;
    Place where;  // not known where the description has it
};

struct Definition {
    std::string value;
    Place where;
    // A name of registers, `count` of them from number `first` of what is written `file`; of something else, 0.
    bool registers = false;
    std::string file;
    std::uint64_t first = 0, count = 0;

    std::string part(std::uint64_t begin, std::uint64_t size) const;
};

// From byte `text` of a substituted statement on: the source from byte `source` on, or, where `length` is not 0, what
// stands for that many source bytes.
struct MapPiece {
    std::uint32_t text = 0, source = 0, length = 0;
};

// What is being read: a file, or a text that stands for a part of one.
struct Input {
    enum class Kind : std::uint8_t { file, macro, repetition, substitution };
    Kind kind = Kind::file;
    const char* begin = nullptr;
    const char* end = nullptr;  // a NUL or text that does not belong to the input follows
    FileId file = 0;
    const char* base = nullptr;  // the file's first character
    Input* parent = nullptr;
    Place call;                  // in the parent: what led here
    std::string_view macro;      // its name
    std::size_t conditions = 0;  // open when it began
    bool exited = false;         // by .exitm
    bool attributed = false;     // what it emits belongs, for listing and line table, to the statement at `root`
    Place root;
    std::vector<MapPiece> map;  // of a substitution, by rising `text`
};

template <class T>
using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

struct EngineDirectives;
class FlavourHost;

class Engine {
public:
    Engine(const Codec& codec, SourceManager& sources, const AssembleOptions& options, Object& object,
           Diagnostics& diagnostics, Listing* listing, ProgramNames* names);
    ~Engine();

    bool assemble(FileId main);

    using Handler = void (Engine::*)(const char*& p, int argument);
    struct Directive {
        std::string_view name;
        Handler handler;
        int argument;
        bool conditional;  // carried out also where assembly is switched off
        bool raw;          // its operands are not subject to textual definitions
        bool emits;        // puts bytes or a gap into the section
    };
    const Directive* find_directive(const char* begin, const char* end) const;
    static std::vector<std::string_view> directive_names();
    friend struct EngineDirectives;
    friend class FlavourHost;

private:
    void use_surface(const Surface& surface);
    void use_dialect(std::string_view dialect);
    void use_variant(std::string_view variant);
    void expect(std::size_t source_bytes);

    // statements.cpp
    void run_file(Input& input);
    void run(Input& input);
    void run_statement(const char*& p);
    void instruction(const char*& p);
    bool encode(const char*& p);
    bool take_ahead(const char*& p);
    bool may_be_instruction() const;
    bool begins_with_mnemonic(const char* p, const char* end) const;
    bool begins_instruction(const char* p, const char* mnemonic_end) const;
    bool run_instructions(const char*& p);
    bool accept_usual_end(const char*& q) const;
    bool read_next(codec::PrintedReader& printed, const char*& p);
    bool read_instruction(const char*& p, bool explains);
    template <typename Read>
    bool read_with_numbers(const Read& read);
    bool encode_blanked(const char*& p);
    bool try_blanked(const char*& p);
    bool run_blanked(Input& blanked);
    bool statement_continues(const char* p) const;
    bool definition_directive(const char*& p);
    void report_failure(const char* begin, const ReadFailure& failure);
    bool run_expansion(const char* begin, const char*& p, const ReadFailure& failure);
    bool run_switch(const char* begin, const char* name_end, const char*& p);
    bool is_off(Index form) const { return (isa_.forms[form].needs & off_) != 0; }
    bool accept_end(const char*& p) const;
    void define_label(Index symbol, const char* begin, const char* end);
    bool numeric_label(const char*& p);
    bool prefixed_label(const char*& p);
    bool instruction_that_assigns(const char* mark, const char*& p);
    void assignment(const char* begin, const char* name_end, const char*& p);
    void directive(const char* begin, const char* end, const char*& p);
    void skip_inactive(const char*& p);
    bool ends_statement(const char* p) const;
    bool begins_label(const char* begin, const char* name_end) const;
    const char* skip_space(const char* p) const;  // blanks and block comments
    bool skip_comment(const char*& p, bool& to_line_end) const;
    const char* statement_end(const char* p) const;  // where it ends, past strings and comments
    const char* instruction_end(const char* p) const;
    const char* find_instruction_end(const char* p) const;
    void finish_statement(const char*& p);  // complains about what follows
    void skip_statement(const char*& p);
    const char* skip_quoted(const char* p) const;
    const char* find_line_end(const char* p) const;
    void read_text_until(const char* end);
    void report_open_comment(const Input& input);
    void missing_statement(const char* begin, const char*& p);
    void unknown_directive(const char* begin, const char* end);

    // flavour_host.cpp: what the object's flavour takes part in
    bool choose_flavour();
    bool flavour_directive(const char* begin, const char* end, const char*& p);
    std::optional<LinkedNumber> linked(const Fixup& fixup, unsigned modifier, bool relative) const;
    std::uint64_t number_offset(const Fixup& fixup) const;
    bool flavour_relocation(const Fixup& fixup, const Resolved& value, bool relative, Relocation& relocation);

    // emit.cpp
    std::uint64_t code_address() const {
        const std::uint64_t offset = expressions_.here.offset;
        return step_is_power_ ? offset >> step_shift_ : offset / object_.address_bytes;
    }
    bool at_whole_address(std::uint64_t offset) const {
        return step_is_power_ ? (offset & ((std::uint64_t{1} << step_shift_) - 1)) == 0
                              : offset % object_.address_bytes == 0;
    }
    void emit_instruction(const char* begin, const char* end);
    void emit_marked(const char* begin, const char* end, bool loaded);
    // The same for one whose bits are what they are.
    [[gnu::always_inline]] void emit_encoded(const char* begin, const char* end) {
        check_address(begin, end);
        const std::uint64_t start = expressions_.here.offset;
        std::uint8_t* out = nullptr;
        if (!room(encoded_.bits / 8, out, begin)) return;
        store(encoded_, out);
        moved();
        if (listing_) mark_listing({expressions_.here.section, expressions_.here.fragment, start}, begin, end);
    }
    void check_address(const char* begin, const char* end) {
        if (!at_whole_address(expressions_.here.offset)) report_address(begin, end);
    }
    void report_address(const char* begin, const char* end);
    void emit_waiting(const char* begin, const char* end, bool loaded);
    void store(const Encoded& encoded, std::uint8_t* out) const {
        if (!little_endian_) return codec_.store(encoded.image, encoded.bits, out);
        const void* const bytes = encoded.image.words.data();
        switch (encoded.bits) {  // of most a size that needs no call
            case 32: std::memcpy(out, bytes, 4); break;
            case 64: std::memcpy(out, bytes, 8); break;
            default: std::memcpy(out, bytes, encoded.bits / 8);
        }
    }
    Fixup fixup_of(const Encoded& encoded, unsigned number, const Position& position) const;
    bool emit_relaxable(const char* begin, const char* end);
    bool patch_now(Encoded& encoded, const Deferred& deferred, bool& fits);
    void mark_relocatable(const Position& start, const char* begin, const char* end);
    void mark_line(const char* begin);
    void mark_listing(const Position& begin, const char* statement, const char* end);
    Index begin_fragment(Fragment fragment);
    void moved() { expressions_.here.offset = current_->used; }  // after bytes were added
    void emit_bytes(const void* bytes, std::size_t count, const char* at);
    bool room(std::uint64_t count, std::uint8_t*& bytes, const char* at) {
        bytes = sections_.reserve(*current_, count);
        return bytes || no_room(at);
    }
    bool no_room(const char* at);
    void add_fixup(const Fixup& fixup, const char* at);
    void too_many_waiting(const char* at);
    Place origin_of(const char* begin, const char* end) const;

    // names.cpp: what editors ask of names
    enum class Named : std::uint8_t { symbol, macro, definition };
    void mention(Named kind, Index index, const char* begin, const char* end, bool defines);
    void mention_at(Named kind, Index index, Place where, bool defines);
    Index number_of(Named kind, std::string_view name);
    void note_macro(const Macro& macro);
    void note_definition(std::string_view name, const Definition& definition);
    void tell_names();
    void tell_symbol(const SymbolEntry& entry, ProgramName& out) const;

    // places and messages
    Place place(const char* begin, const char* end) const;
    Place place(const char* at) const { return place(at, at + 1); }
    Diagnostic& error(Place where, std::string message);
    Diagnostic& error(const char* begin, const char* end, std::string message) {
        return error(place(begin, end), std::move(message));
    }
    Diagnostic& warning(Place where, std::string message);
    void add_expansion_notes(Diagnostic& diagnostic) const;
    std::vector<std::pair<Place, std::string>> calls_of(const Diagnostic& diagnostic) const;
    void output_full(const char* at);

    // operands.cpp: what directives read
    bool expression(const char*& p, Value& value);
    bool absolute(const char*& p, Integer& value, std::string_view what);
    bool small_count(const char*& p, std::uint64_t& value, std::string_view what, std::uint64_t most);
    bool evaluate_now(const Value& value, Integer& result, const char* begin, const char* end);
    bool name(const char*& p, std::string_view& name, std::string_view what);
    bool string(const char*& p, std::string& text);
    bool comma(const char*& p);
    bool expect_comma(const char*& p);
    Index symbol_operand(const char*& p);
    std::string_view rest_of_statement(const char*& p);

    // directives_data.cpp
    void integers(const char*& p, int bytes);
    template <typename Emit>
    void each_value(const char*& p, Emit&& emit);
    void lebs(const char*& p, int is_signed);
    void emit_leb(const Value& value, bool is_signed, const char* begin, const char* end);
    void octas(const char*& p, int);
    bool octa(const char*& p);
    void floats(const char*& p, int bits);
    bool float_operand(const char*& p, double& value);
    void strings(const char*& p, int argument);
    void fill(const char*& p, int whole);
    void space(const char*& p, int);
    void align(const char*& p, int power);
    bool code_padding(std::uint64_t& pattern, unsigned& size);
    void origin(const char*& p, int);
    void move_to(const Value& target, const char* begin, const char* end, std::uint8_t fill = 0);
    void incbin(const char*& p, int);
    void emit_integer(const Value& value, int bytes, const char* begin, const char* end);
    void put(std::uint64_t value, unsigned bytes, std::uint8_t* out) const;
    void add_padding(std::uint64_t count, std::uint64_t pattern, unsigned size, const char* at);
    static bool fits_bits(Integer value, unsigned bits);
    static std::string value_text(Integer value);
    void make_space(const Value& count, std::uint8_t fill, const char* begin, const char* end);
    void align_to(std::uint64_t alignment, std::uint64_t fill, unsigned fill_size, std::uint64_t limit, const char* at);

    // directives_section.cpp
    void named_section(const char*& p, int);
    void any_section(const char*& p, int push);
    void pop_section(const char*& p, int);
    void previous_section(const char*& p, int);
    bool section_flags(const char*& p, Section& section);
    bool section_words(const char*& p, Section& section);
    bool section_type(const char*& p, Section& section);
    void enter(Index section);
    Index section_named(std::string_view name);
    void too_many_sections(const char* at);

    // directives_symbol.cpp
    void binding(const char*& p, int binding);
    void symbol_type(const char*& p, int);
    void symbol_size(const char*& p, int);
    void visibility(const char*& p, int visibility);
    void common(const char*& p, int local);
    bool defined_name(const char*& p, const char*& begin, std::string_view& found);
    void set(const char*& p, int once);
    void give_value(std::string_view name, const char* at, const Value& value, bool redefinable);
    void define(const char*& p, int);
    void undefine(const char*& p, int);
    void ignored(const char*& p, int);
    void delay(const char*& p, int);
    void message(const char*& p, int kind);
    void fail(const char*& p, int abort);
    void end(const char*& p, int);
    bool redefined(Index symbol, Place where);

    // directives_condition.cpp
    void if_any(const char*& p, int question);
    void else_if(const char*& p, int question);
    bool answer(const char*& p, Question question, bool& holds);
    bool answer_target(const char*& p, unsigned which, bool& holds);
    bool is_defined(std::string_view name);
    bool same_texts(const char*& p, bool& same);
    void otherwise(const char*& p, int);
    void end_if(const char*& p, int);
    void begin_condition(const char* at, bool active);
    bool assembling() const { return conditions_.empty() || conditions_.back().active; }
    void close_conditions(const Input& input);
    std::size_t input_floor() const;

    // macros.cpp
    void macro(const char*& p, int);
    void purge(const char*& p, int);
    void exit_macro(const char*& p, int);
    void stray(const char*& p, int);
    void repeat(const char*& p, int);
    void repeat_words(const char*& p, int characters);
    void include(const char*& p, int);
    void expand(const Macro& macro, const char*& p, const char* name);
    bool read_parameters(const char*& p, Macro& macro);
    bool read_parameter(const char*& p, MacroParameter& parameter);
    void wrong_call(const Macro& macro, Place where, std::string_view wrong);
    bool bind(const Macro& macro, std::string text, std::size_t& next, std::vector<std::string>& values,
              std::vector<bool>& given, Place where);
    bool bind_arguments(const Macro& macro, const char*& p, const char* at, std::vector<std::string>& values);
    std::string argument(const char*& p, const char* end, bool rest);
    std::string substitute(std::string_view body, const std::vector<MacroParameter>& parameters,
                           const std::vector<std::string>& values) const;
    bool read_body(const char*& p, const char* at, std::string_view& body, bool of_macro);
    bool may_nest(const char* at);
    bool may_repeat(std::size_t text, const char* at);
    void run_text(std::string name, std::string text, Input::Kind kind, const char* at, const char* end,
                  std::string_view macro);
    bool open_file(std::string_view name, bool is_text, FileId& file, std::string& reason);
    bool run_defined(const char*& p);
    bool too_much_replaced(const std::string& text, const char*& p, const char* end);
    bool replace_definitions(std::string_view text, std::string& out, unsigned depth, std::vector<MapPiece>* map,
                             std::uint32_t source);
    bool replace_name(std::string_view word, std::string_view text, std::size_t& i, std::string& out, unsigned depth,
                      std::vector<MapPiece>* map, std::uint32_t source);
    const char* assigned_name_end(const char* p) const;

    // loops.cpp
    void loop(const char*& p, int counted);
    bool loop_number(const std::string& text, Integer& value, const char* begin, const char* end);
    bool run_round(std::string_view body);

    // directives_scope.cpp
    void open_scope(const char*& p, int);
    void close_scope(const char*& p, int);
    void use_scope(const char*& p, int stop);
    void enumerate(const char*& p, int);
    void take_back(const char*& p, int);

    // register_names.cpp
    void define_registers(std::string_view name, const char* at, const char*& p);
    bool register_range(const char*& p, Definition& made);
    bool forget_registers(std::string_view name);
    bool replace_part(std::string_view text, std::size_t& i, const Definition& definition, unsigned depth,
                      std::string& out);
    bool evaluate_text(const std::string& text, Integer& result);

    // layout.cpp
    void lay_out();
    void choose_shrinking();
    bool may_stay_apart(const Fixup& fixup) const;
    void pin(Index node, unsigned depth);
    bool is_place(Index node, unsigned depth) const;
    void mark_padding(Index section, std::vector<Relocation>& marks) const;
    void grow_instructions();
    void shrink_instructions();
    bool settle();
    bool assign_addresses(SectionBuffer& section);
    std::uint64_t gap_size(const SectionBuffer& section, Fragment& fragment, std::uint64_t end);
    bool relax(bool give_up);
    bool relax_one(Relaxation& relaxation);
    bool encoding_fits(const Relaxation& relaxation, bool& external);
    void place_all();
    void report_gaps();
    void fill_gaps(SectionBuffer& section);
    void fill_gap(const Fragment& fragment, std::uint8_t* out);
    std::uint64_t offset_of(const Position& position) const;  // from the section's begin, bytes

    // finish.cpp
    void finish();
    void apply_fixups();
    bool is_part(const NumberRule& rule) const;
    void apply_at_label(const Fixup& fixup, const Resolved& value);
    Index label_symbol(Index symbol, Index section, std::uint64_t offset);
    void apply(const Fixup& fixup);
    void apply_leb(const Fixup& fixup, const Resolved& value);
    void apply_data(const Fixup& fixup, const Resolved& value);
    void apply_instruction(const Fixup& fixup, const Resolved& value);
    void patch(const Fixup& fixup, const NumberValue& value);
    bool relocated_here(const Fixup& fixup);
    void number_relocations();
    std::uint32_t data_relocation(const Fixup& fixup, bool relative);
    void relocate(const Fixup& fixup, const Resolved& value, std::uint32_t type, bool in_code, bool difference = false);
    bool difference(const Fixup& fixup);
    bool shrinking_difference(const Fixup& fixup);
    std::uint32_t operation_type(ElfMachine::Operation::Kind kind, unsigned bits) const;
    std::uint8_t* bytes_at(const Position& position);
    void undefined(Index symbol, const Place& where);
    std::uint32_t relocation_of(Index operand_type) const;

    // make_object.cpp
    void make_object();
    void make_sections();
    void make_symbols();
    Index make_symbol(Index symbol);
    Index section_symbol(Index section);
    void make_lines();
    void make_told_lines();
    void take_told_line();
    void source_file(const char*& p, int);
    void source_line(const char*& p, int);
    void make_listing();

    const Codec& codec_;
    const Isa& isa_;
    SourceManager& sources_;
    const AssembleOptions& options_;
    Object& object_;
    Diagnostics& diagnostics_;
    Listing* listing_;
    ProgramNames* names_;  // null where nobody asks for names
    FileId main_ = 0;

    Surface surface_;  // the description's, or that of the dialect in which the source turned out to be written
    Sections sections_;
    SymbolTable symbols_;
    Expressions expressions_;
    const bool may_load_ = codec_.may_load();  // some instruction has a number that a loader changes
    std::unique_ptr<Ahead> ahead_;  // null where the source is small, or means something else than it says
    SectionBuffer* current_ = nullptr;
    Index current_index_ = 0;
    Index previous_index_ = 0;
    std::vector<std::pair<Index, Index>> section_stack_;  // current and previous

    std::vector<Fixup> fixups_;
    std::vector<std::pair<std::size_t, const Fixup*>> relocated_numbers_;  // by Object::relocations
    std::map<std::uint64_t, std::int64_t>
        distances_;  // in flat outputs: of what other instructions have the rest, by address
    std::vector<Relaxation> relaxations_;
    std::vector<RelaxedEncoding> relaxed_encodings_;
    std::vector<Fixup> relaxed_fixups_;
    const RelaxedEncoding& chosen_of(const Relaxation& relaxation) const {
        return relaxed_encodings_[relaxation.first + relaxation.chosen];
    }
    std::span<const Fixup> fixups_of(const RelaxedEncoding& encoding) const {
        return std::span(relaxed_fixups_).subspan(encoding.first_fixup, encoding.fixup_count);
    }
    std::vector<Relocation> linker_marks_;  // where instructions may become shorter, and padding
    LineMarks line_marks_;
    std::vector<std::string> told_files_;  // of `.file`, by number
    std::vector<ToldLine> told_lines_;
    ToldLine told_next_;       // of `.loc`: the next instruction's …
    bool told_waits_ = false;  // … which has not come yet
    std::vector<ListingMark> listing_marks_;
    struct NamedMention {
        Place place;
        Named kind;
        bool defines;
        Index index;  // of a symbol, or in the list of macros or definitions
    };
    std::vector<NamedMention> mentions_;
    struct NamedTexts {
        std::vector<ProgramName> all;
        NameMap<Index> latest;  // by name
    } macros_told_, definitions_told_;
    std::vector<std::pair<Fixup, std::int64_t>> base_marks_;  // numbers to which a loader adds a base

    Input* input_ = nullptr;
    const char* text_end_ = nullptr;
    // Lines, and instructions that end with a mark, may be long: where the one ends that was asked for last is kept.
    struct Span {
        const char* begin = nullptr;
        const char* end = nullptr;
        bool has(const char* p) const { return begin && p >= begin && p <= end; }
    };
    mutable Span line_, instruction_;
    mutable const char* open_comment_ = nullptr;  // the first that nothing ends
    unsigned nesting_ = 0;
    std::uint64_t repeated_text_ = 0, expanded_text_ = 0, all_definition_steps_ = 0;
    // What led to the text of a macro's expansion, by its file.
    struct Call {
        Place place;
        const char* macro = nullptr;  // empty: a repetition
    };
    std::vector<Call> calls_;
    std::set<std::string, std::less<>> macros_named_;
    std::vector<Condition> conditions_;
    NameMap<Macro> macros_;
    NameMap<Macro> described_macros_;  // the description's pseudo-instructions
    // Parameters that a program changes on its way: their values, and a bit for each that is 0 and was not.
    std::map<std::string, std::uint64_t> constants_;
    std::uint32_t off_ = 0;
    std::vector<std::pair<std::map<std::string, std::uint64_t>, std::uint32_t>> switches_before_;
    NameMap<Definition> definitions_;
    NameMap<FileId> included_, embedded_;  // texts, and bytes as they are
    std::deque<std::string> joined_texts_;
    std::uint64_t expansions_ = 0;
    unsigned definition_steps_ = 0;
    bool ended_ = false;
    bool output_full_ = false;
    bool too_many_fixups_ = false;
    unsigned suggestions_ = 0;

    const ObjectFlavour* flavour_ = nullptr;
    std::unique_ptr<FlavourHost> host_;
    std::unique_ptr<AssemblyFlavour> flavoured_;
    std::vector<std::pair<Position, std::uint64_t>> data_in_code_;  // with its end; where there is a flavour

    // From the description's surface.
    std::uint8_t lexical_[256] = {};
    bool newline_ends_ = true;  // instructions end with their line …
    char usual_end_ = '\n';     // … or with this, or with a longer mark: NUL
    bool little_endian_ = true;
    bool data_big_endian_ = false;
    bool record_lines_ = false;
    bool step_is_power_ = true;  // bytes of an address step, which are divided by for every instruction
    unsigned step_shift_ = 0;
    Encoded encoded_;
    ReadFailure failure_;
};

// lexical_: what a character may begin.
inline constexpr std::uint8_t lexical_end = 1, lexical_comment = 2, lexical_quote = 4, lexical_define = 8;

}  // namespace isaforge::assembler
