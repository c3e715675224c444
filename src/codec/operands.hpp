// What the operands of an instruction are: numbers, registers, words. The texts of a form and of its operands' rows say which
// parts it has, the rows' meanings which registers they name; both are looked through once for each form that is asked about,
// into lists that are then walked without looking at either.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "codec/quick_place.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::codec {

struct PrintContext;

struct TypePlan;

// A part of a text: what a field holds, or scale * that + bias.
struct OperandStep {
    const Field* field = nullptr;
    Index index = no_index;           // of the field in its form or row
    const TypePlan* type = nullptr;   // null: the number
    std::int64_t scale = 1, bias = 0;
    QuickPlace place;
    bool quick = false;               // `place` says where the field's bits are

    std::uint64_t code_in(const Image& image) const {
        return quick ? place.code(image.words[0]) : field->place.extract(image);
    }
    std::uint64_t code_in(std::uint64_t code, const Image& image, unsigned tail) const {
        return quick ? place.code(code) : field->code_in(code, image, tail);
    }
};

// What a row of a table is: nothing that is written, a word, registers by a number in it, or what is inside of it.
struct RowPlan {
    enum class Kind : std::uint8_t { nothing, word, registers, inside } kind = Kind::nothing;
    Index file = no_index;
    std::uint32_t count = 0;
    OperandStep number;               // of the first register; no field: it is the bias
    std::vector<OperandStep> steps;   // inside
};

struct TypePlan {
    Index index = no_index;
    const OperandType* type = nullptr;
    std::vector<RowPlan> rows;
    bool has_empty_texts = false;     // some entry is not written
};

// All of a codec's, each made when it is first needed. May be asked by several threads.
class OperandPlans {
public:
    explicit OperandPlans(const Isa& isa) : isa_(isa), forms_(isa.forms.size()) {}

    const std::vector<OperandStep>& of(Index form) const {
        const std::vector<OperandStep>* const made = forms_[form].load(std::memory_order_acquire);
        return made ? *made : make(form);
    }
    // Of an operand that is in a form which was asked about.
    const TypePlan& of_type(Index type) const;

private:
    const std::vector<OperandStep>& make(Index form) const;
    const TypePlan* type_plan(Index type) const;
    RowPlan row_plan(const OperandType& type, const OperandRow& row) const;
    std::vector<OperandStep> steps_of(const TextTemplate& text, const std::vector<Field>& fields) const;

    const Isa& isa_;
    mutable std::vector<std::atomic<const std::vector<OperandStep>*>> forms_;
    mutable std::mutex mutex_;
    mutable std::deque<std::vector<OperandStep>> made_;
    mutable std::map<Index, TypePlan> types_;
};

// What is known of an operand that has no other one inside, of `row` if its type is a table. False where it is not written.
bool describe(const TypePlan& plan, Index row, std::uint64_t code, const Image& image, unsigned tail,
              std::uint64_t address, Operand& out);

// The same of a number that a text makes of a field.
void describe_sum(Index type, std::uint64_t code, std::int64_t value, Operand& out);

// Collects the operands of a text while it is printed.
class OperandRecord {
public:
    OperandRecord(const OperandPlans& plans, std::vector<PrintedOperand>& operands, const char* text)
        : begin(text), plans_(plans), operands_(operands) {}

    // Whether operands are inside of that row.
    bool looks_into(Index type, Index row) const {
        return plans_.of_type(type).rows[row].kind == RowPlan::Kind::inside;
    }
    void add(Index type, Index row, std::uint64_t code, const PrintContext& context, const char* from, const char* to);
    void add_sum(Index type, std::uint64_t code, std::int64_t value, const PrintContext& context, const char* from,
                 const char* to);
    std::size_t size() const { return operands_.size(); }
    // Those from `first` on were printed apart, and now begin at `to`.
    void move(std::size_t first, const char* to);

    const char* begin;  // of the text

private:
    friend class InField;
    void put(Operand operand, unsigned tail, const char* from, const char* to);

    const OperandPlans& plans_;
    std::vector<PrintedOperand>& operands_;
    const class InField* inside_ = nullptr;
};

// While this exists, what is recorded is in that field of what was printed around it.
class InField {
public:
    InField(OperandRecord* record, const Field& field, Index index) : record_(record), field_(field), index_(index) {
        if (record_) outer_ = std::exchange(record_->inside_, this);
    }
    ~InField() {
        if (record_) record_->inside_ = outer_;
    }
    InField(const InField&) = delete;
    InField& operator=(const InField&) = delete;

private:
    friend class OperandRecord;
    OperandRecord* const record_;
    const Field& field_;
    const Index index_;
    const InField* outer_ = nullptr;
};

}  // namespace isaforge::codec
