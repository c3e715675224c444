// Models as a string of bytes, from which they are made again in a small part of the time that reading their descriptions
// takes. Built-in descriptions are packed when the program is built, others when they have been read for the first time.
//
// A structure is a set of bits, one for each member (members.hpp), that says which are not what they are by themselves, and
// these; a number is a LEB128. Each row of a table, and each list that forms share, can be read by itself, and is when somebody
// asks for it. Meanings are trees beside the tables, once for all models.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {

class Packer {
public:
    // `files`: how many files the model's places are in, from 1 on.
    void add(const Isa& isa, FileId files);
    std::string bytes() const;

private:
    struct Model {
        std::string name, variant, dialect, tables;
        FileId files;
    };
    std::vector<Model> models_;
    std::map<std::string, std::uint32_t> trees_;  // and their numbers
};

// Looks at bytes that Packer gave; others are found out where they make no sense.
class PackedModels {
public:
    struct Model {
        std::string_view name, variant, dialect;
        FileId files = 0;
        std::string_view tables;
    };
    explicit PackedModels(std::string_view bytes);

    // The first model of that name, or of a variant of that name; of this variant and dialect, where they are not empty.
    const Model* find(std::string_view name, std::string_view variant, std::string_view dialect) const;
    const std::vector<Model>& models() const { return models_; }

    // Makes the model `isa`, which is as it was made. Places are in files from `first_file` on. Without `meanings` there are
    // none but those of operands' rows: see LoadOptions. Its rows are made of the bytes when they are asked for. False where the
    // bytes are not what Packer gives: `isa` then holds anything.
    bool unpack(const Model& model, FileId first_file, bool meanings, Isa& isa) const;
    // The same with all rows, for bytes of which nobody knows whose they are.
    bool unpack_whole(const Model& model, FileId first_file, Isa& isa) const;

private:
    std::vector<Model> models_;
    std::string_view tree_ends_, trees_;
};

}  // namespace isaforge
